"""What shapes random features of the Laplace kernel, and ridge regression in them."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from hedgerow.base.settings import Settings, checked, integer, one_of, within
from hedgerow.files import Stored
from hedgerow.kernel._units import LARGEST, SMALLEST, LengthScale

MOST_SPARE = 2**16
"""Columns of a tree that wait for cells to come. Every row has them all."""
LIFETIME = f"between {SMALLEST:g} and {LARGEST:g}"
RIDGE = (
    "between 1e-10 and 1e10 (without a ridge there is no unique solution, because features of several trees are "
    "linearly dependent)"
)
"""What numbers must be, in words."""


def _length_scale(name: str, value: Any, *words: str) -> LengthScale:
    words = ("range", *words)
    if isinstance(value, str) and value in words:
        return value
    try:
        scales = np.asarray("" if isinstance(value, bool | str) else value, dtype=np.float64)
        fits = scales.ndim <= 1 and bool(((scales >= SMALLEST) & (scales <= LARGEST)).all())
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        given = ", ".join(map(repr, words))
        raise ValueError(f"{name} must be {given}, a positive number or one for each column, got {value!r}")
    return tuple(scales.tolist()) if scales.ndim else float(scales)


@dataclass(frozen=True)
class FeatureSettings(Settings):
    """What shapes random features."""

    n_estimators: int = integer(1)
    lifetime: float = within(SMALLEST, LARGEST, LIFETIME)
    length_scale: str | float | tuple[float, ...] = checked(_length_scale)
    n_spare: int = integer(1, MOST_SPARE)
    max_lifetime: float | None = within(SMALLEST, LARGEST, LIFETIME, None)

    def _check_together(self) -> None:
        if self.lifetime > self.largest:
            raise ValueError(f"lifetime must be at most max_lifetime={self.max_lifetime!r}, got {self.lifetime!r}")

    @property
    def largest(self) -> float:
        """The lifetime that is 1 in the units of the core."""
        return self.lifetime if self.max_lifetime is None else self.max_lifetime

    def state(self) -> dict[str, Any]:
        """Return them by name, for a file; the larger lifetime is left out if there is none."""
        return {name: value for name, value in super().state().items() if (name, value) != ("max_lifetime", None)}

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Take back what `state` gave, or ValueError."""
        values = {each.name: stored.any(each.name) for each in fields(cls) if each.name != "max_lifetime"}
        return cls(**values, max_lifetime=stored.any("max_lifetime") if "max_lifetime" in stored else None)


@dataclass(frozen=True)
class RidgeSettings(Settings):
    """What shapes ridge regression."""

    n_estimators: int = integer(1)
    lifetime: float | str = within(SMALLEST, LARGEST, LIFETIME, "auto")
    alpha: float | str = within(1e-10, 1e10, RIDGE, "auto")
    selection: str = one_of("marginal_likelihood", "loo", "validation")
    max_lifetime: float | None = within(SMALLEST, LARGEST, LIFETIME, None)
    length_scale: str | float | tuple[float, ...] = checked(lambda name, value: _length_scale(name, value, "learned"))
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
