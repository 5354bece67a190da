"""What shapes a Mondrian forest, and what may be changed between two queries."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from hedgerow.base.class_weight import ClassWeight, class_weight_field
from hedgerow.base.settings import Query, Settings, checked, flag, integer, one_of, positive
from hedgerow.files import Stored
from hedgerow.targets import check_target

MOST_TREES = 10**6


@dataclass(frozen=True)
class ForestSettings(Settings):
    """Trees, and how columns are cut."""

    AUTO_SCALING: ClassVar[str]  # what scaling="auto" is where rates are learned

    n_estimators: int = integer(1, MOST_TREES)
    min_samples_split: int | None = integer(2, or_none=True)
    lifetime: float = positive(or_infinite=True)
    scaling: str = one_of("auto", "range", "half", "rank", "none")
    hyperparameters: str = one_of("learned", "paper")
    window: int | None = integer(1, or_none=True)
    cuts: str = one_of("free", "keyed")

    @property
    def is_keyed(self) -> bool:
        """Whether trees are a function of the set of rows."""
        return self.cuts == "keyed"

    @property
    def is_fixed(self) -> bool:
        """Whether, with keyed cuts, neither the units of columns nor anything about labels is learned from rows."""
        return self.is_keyed and self.scaling == "none" and not self.learns

    def state(self) -> dict[str, Any]:
        """Return them by name, for a file; free cuts are left out."""
        return {name: value for name, value in super().state().items() if (name, value) != ("cuts", "free")}

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Take back what `state` gave, or ValueError."""
        values: dict[str, Any] = {each.name: stored.any(each.name) for each in fields(cls) if each.name != "cuts"}
        return cls(**values, cuts=stored.any("cuts") if "cuts" in stored else "free")

    @property
    def learns(self) -> bool:
        """Whether rates and smoothing are learned."""
        return self.hyperparameters == "learned"

    @property
    def least_split(self) -> int:
        """The smallest block that is split."""
        return self.min_samples_split if self.min_samples_split is not None else 2 if self.learns else 10

    @property
    def scaling_kind(self) -> str:
        """How columns are scaled."""
        return self.scaling if self.scaling != "auto" else self.AUTO_SCALING if self.learns else "range"

    def shape(self, width: int, seed: int) -> dict[str, Any]:
        """Return what a native forest is made from."""
        return {
            "width": width,
            "n_trees": self.n_estimators,
            "min_samples_split": float(self.least_split),
            "lifetime": self.lifetime,
            "seed": seed,
            "window": 0 if self.window is None else self.window,
            "keyed": self.is_keyed,
            "close": self.is_keyed and self.scaling_kind != "none",
        }


@dataclass(frozen=True)
class RegressionSettings(ForestSettings):
    """The same for regression."""

    AUTO_SCALING = "half"

    smoothing: str = one_of("hierarchy", "moments")
    target: Any = checked(lambda name, value: check_target(value))


@dataclass(frozen=True)
class ClassSettings(ForestSettings):
    """The same for classification."""

    AUTO_SCALING = "range"

    pause_pure: bool = flag()
    class_weight: ClassWeight = class_weight_field()


@dataclass(frozen=True)
class ClassQuery(Query):
    """What may be changed at any time."""

    discount: float = positive()
    base: str = one_of("uniform", "empirical")
    prior_weight: float = positive(or_zero=True)
