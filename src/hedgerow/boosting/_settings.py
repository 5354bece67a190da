"""What shapes a boosting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hedgerow.base.class_weight import ClassWeight, class_weight_field
from hedgerow.base.settings import Settings, checked, integer, one_of
from hedgerow.targets import check_target


@dataclass(frozen=True)
class BoostingSettings(Settings):
    """Stages, and what comes before the first."""

    n_estimators: int = integer(1)
    max_stages: int = integer(1)
    linear: str | bool = one_of("auto", True, False)
    scaling: str = one_of("auto", "range", "half", "rank")


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
