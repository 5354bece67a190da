"""What shapes random features of the Laplace kernel, and ridge regression in them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from hedgerow.base.settings import Settings, checked, integer, one_of, within
from hedgerow.kernel._units import LARGEST, SMALLEST, LengthScale


def _lifetime(name: str, value: Any) -> float:
    if not isinstance(value, Real) or isinstance(value, bool) or not SMALLEST <= float(value) <= LARGEST:
        raise ValueError(f"{name} must be a number between {SMALLEST:g} and {LARGEST:g}, got {value!r}")
    return float(value)


def _ridge(name: str, value: Any) -> float:
    if not isinstance(value, Real) or isinstance(value, bool) or not 1e-10 <= float(value) <= 1e10:
        raise ValueError(
            f"{name} must be 'auto' or a number between 1e-10 and 1e10, got {value!r}; without a ridge "
            "there is no unique solution, because features of several trees are linearly dependent"
        )
    return float(value)


def _length_scale(name: str, value: Any) -> LengthScale:
    if isinstance(value, str) and value == "range":
        return value
    try:
        scales = np.asarray("" if isinstance(value, bool | str) else value, dtype=np.float64)
        fits = scales.ndim <= 1 and bool(((scales >= SMALLEST) & (scales <= LARGEST)).all())
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise ValueError(f"{name} must be 'range', a positive number or one for each column, got {value!r}")
    return tuple(scales.tolist()) if scales.ndim else float(scales)


@dataclass(frozen=True)
class FeatureSettings(Settings):
    """What shapes random features."""

    n_estimators: int = integer(1)
    lifetime: float = checked(_lifetime)
    length_scale: str | float | tuple[float, ...] = checked(_length_scale)
    n_spare: int = integer(1)


@dataclass(frozen=True)
class RidgeSettings(Settings):
    """What shapes ridge regression."""

    n_estimators: int = integer(1)
    lifetime: float | str = checked(lambda name, value: value if _is_auto(value) else _lifetime(name, value))
    alpha: float | str = checked(lambda name, value: value if _is_auto(value) else _ridge(name, value))
    selection: str = one_of("marginal_likelihood", "loo", "validation")
    max_lifetime: float | None = checked(lambda name, value: None if value is None else _lifetime(name, value))
    length_scale: str | float | tuple[float, ...] = checked(_length_scale)
    leaf_fit: str = one_of("joint", "independent")
    solver: str = one_of("auto", "exact", "iterative")
    validation_fraction: float = within(math.ulp(0.0), 1.0 - 2.0**-53, "between 0 and 1")

    @property
    def given_lifetime(self) -> float | None:
        """The lifetime, unless it is to be found."""
        return None if isinstance(self.lifetime, str) else self.lifetime

    @property
    def given_alpha(self) -> float | None:
        """The ridge, unless it is to be found."""
        return None if isinstance(self.alpha, str) else self.alpha


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"
