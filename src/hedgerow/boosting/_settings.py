"""What shapes a boosting."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

from hedgerow.base.class_weight import ClassWeight, class_weight_field
from hedgerow.base.settings import Settings, checked, integer, one_of
from hedgerow.files import Stored
from hedgerow.targets import check_target

KINDS = ("linear", "kernel", "mondrian", "greedy")
"""Of stages."""

MOST_STAGES = 1000
"""More than any boosting has used: each must lower the error by 0.2 %."""


def check_stages(name: str, value: Any) -> str | tuple[str, ...]:
    """Return "auto" or kinds of stages, or raise ValueError."""
    if isinstance(value, str) and value == "auto":
        return "auto"
    kinds = tuple(value) if isinstance(value, list | tuple | set | frozenset) else ()
    if not kinds or not all(isinstance(kind, str) and kind in KINDS for kind in kinds):
        raise ValueError(f"{name} must be 'auto' or a list out of {', '.join(map(repr, KINDS))}, got {value!r}")
    if "mondrian" not in kinds:
        raise ValueError(
            f"{name} must have 'mondrian' among them, which learns how uncertain predictions are: {value!r}"
        )
    return tuple(kind for kind in KINDS if kind in kinds)


@dataclass(frozen=True)
class BoostingSettings(Settings):
    """Stages, and what comes before the first."""

    n_estimators: int = integer(1)
    max_stages: int = integer(1, MOST_STAGES)
    linear: str | bool = one_of("auto", True, False)
    scaling: str = one_of("auto", "range", "half", "rank")
    stages: str | tuple[str, ...] = checked(check_stages)

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Take back what `state` gave; files were written before there were stages of several kinds."""
        values = {each.name: stored.any(each.name) for each in fields(cls) if each.name != "stages"}
        return cls(**values, stages=stored.any("stages") if "stages" in stored else "auto")

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of stages that there may be."""
        return KINDS if self.stages == "auto" else tuple(self.stages)

    @property
    def linears(self) -> tuple[bool, ...]:
        """Whether a ridge regression may come first: no, yes, or both."""
        if "linear" not in self.kinds:
            return (False,)
        return (False, True) if self.linear == "auto" else (bool(self.linear),)


@dataclass(frozen=True)
class RegressionSettings(BoostingSettings):
    """The same for regression."""

    tail: str = one_of("student", "normal", "empirical")
    shape: str = one_of("auto", "common")
    target: Any = checked(lambda name, value: check_target(value))


@dataclass(frozen=True)
class ClassSettings(BoostingSettings):
    """The same for classification."""

    class_weight: ClassWeight = class_weight_field()
