"""What `class_weight` means: a factor for the weight of every row of a class, as in scikit-learn."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from hedgerow.base.classes import ClassTable, plain_label
from hedgerow.base.rows import LARGEST_WEIGHT, LEAST_WEIGHT
from hedgerow.base.settings import checked
from hedgerow.numeric.arrays import Floats

ClassWeight = dict[Hashable, float] | str | None


def checked_class_weight(given: Any) -> ClassWeight:
    """Return a copy of what a user passed as `class_weight`, or raise ValueError."""
    if given is None or (isinstance(given, str) and given == "balanced"):
        return given
    if not isinstance(given, Mapping):
        raise ValueError(
            f"class_weight must be None, 'balanced' or a mapping from classes to positive numbers, got {given!r}"
        )
    weights: dict[Hashable, float] = {}
    for label, weight in given.items():
        is_number = isinstance(weight, Real) and not isinstance(weight, bool | np.bool_)
        if not is_number or not LEAST_WEIGHT <= float(weight) <= LARGEST_WEIGHT:
            raise ValueError(
                f"class_weight must hold positive numbers between {LEAST_WEIGHT:g} and {LARGEST_WEIGHT:g}, got "
                f"{weight!r} for the class {label!r}; to leave a class out, leave out its rows"
            )
        weights[plain_label(label)] = float(weight)
    return weights


def check_classes_are_known(class_weight: ClassWeight, classes: list[Hashable]) -> None:
    """Raise ValueError for a mapping that names a class that no row has."""
    known = set(classes)
    strange = [label for label in class_weight if label not in known] if isinstance(class_weight, dict) else []
    if strange:
        raise ValueError(
            f"class_weight names {strange}, which no row of positive weight has; the classes are {classes}"
        )


def factors_of(class_weight: ClassWeight, classes: ClassTable) -> Floats:
    """Factors of all classes by number, of a mapping; those that it does not name have factor one."""
    named = class_weight if isinstance(class_weight, dict) else {}
    return np.array([named.get(label, 1.0) for label in classes.numbers])


def balanced_factors(labels: Floats, weights: Floats, n_classes: int) -> Floats:
    """Return n / (K * count) for each class: with them all classes weigh the same. Rows count by their weight."""
    counts = np.bincount(labels.astype(np.intp), weights if weights.size else None, n_classes)
    factors: Floats = counts.sum() / (n_classes * counts)
    return factors


def multiplied(weights: Floats, factors: Floats) -> Floats:
    """Weights of rows, where none at all are an empty array, times a factor each; ValueError if one is no number."""
    found: Floats = factors if weights.size == 0 else weights * factors
    if not ((found >= LEAST_WEIGHT) & (found <= LARGEST_WEIGHT)).all():
        raise ValueError(
            f"sample_weight times class_weight must be between {LEAST_WEIGHT:g} and {LARGEST_WEIGHT:g}; divide or "
            "multiply all weights by a constant"
        )
    return np.ascontiguousarray(found)


def class_weight_field() -> Any:
    """Return a field of settings."""
    return checked(lambda name, value: checked_class_weight(value))
