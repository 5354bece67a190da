"""The units in which the core sees rows: those in which the largest lifetime is 1."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hedgerow._persistence import Arrays

Floats = npt.NDArray[np.float64]

REACH = 2.0**32 - 1.0
"""The core's Mondrian process lives within 2^32 units of the centre; rows beyond count as lying on its edge."""

SMALLEST, LARGEST = 1e-100, 1e100
"""Lifetimes and length scales must lie between."""


@dataclass(frozen=True)
class Units:
    """Where the process has its centre, and how many of its units a user's unit is, for each column."""

    centre: Floats
    rates: Floats

    @classmethod
    def around(cls, X: Floats, length_scale: Any, lifetime: float) -> Self:
        """Units for rows X: the centre is the middle of their range, whatever their order and number."""
        lower, upper = X.min(axis=0), X.max(axis=0)
        scales = length_scales(length_scale, lower, upper)
        return cls(0.5 * lower + 0.5 * upper, lifetime / scales)

    def points(self, X: Floats) -> Floats:
        """Rows as the core takes them."""
        with np.errstate(over="ignore"):
            points: Floats = np.clip((X - self.centre) * self.rates, -REACH, REACH)
        return np.ascontiguousarray(points)

    def arrays(self) -> Arrays:
        """Return what a file keeps."""
        return {"units.centre": self.centre, "units.rates": self.rates}

    @classmethod
    def from_arrays(cls, arrays: Arrays, width: int) -> Self:
        """Take back what `arrays` gave; ValueError if it cannot be."""
        centre, rates = (arrays[f"units.{name}"] for name in ("centre", "rates"))
        for part in (centre, rates):
            if part.dtype != np.float64 or part.shape != (width,) or not np.isfinite(part).all():
                raise ValueError("its units are not one finite number a column")
        if not (rates > 0).all():
            raise ValueError("its units are not positive")
        return cls(centre, rates)


def check_lifetime(name: str, value: object) -> None:
    """Raise ValueError unless ``value`` can be a lifetime."""
    fits = isinstance(value, Real) and not isinstance(value, bool) and SMALLEST <= float(value) <= LARGEST
    if not fits:
        raise ValueError(f"{name} must be a number between {SMALLEST:g} and {LARGEST:g}, got {value!r}")


def check_length_scale(value: Any) -> None:
    """Raise ValueError unless ``value`` is "range", a positive number or several."""
    if isinstance(value, str):
        if value != "range":
            raise ValueError(f"length_scale must be 'range', a positive number or one for each column, got {value!r}")
        return
    try:
        scales = np.asarray(value, dtype=np.float64)
        fits = scales.ndim <= 1 and bool(((scales >= SMALLEST) & (scales <= LARGEST)).all())
    except (TypeError, ValueError):
        fits = False
    if not fits or isinstance(value, bool):
        raise ValueError(f"length_scale must be 'range', a positive number or one for each column, got {value!r}")


def length_scales(value: Any, lower: Floats, upper: Floats) -> Floats:
    """One length scale a column, given the columns' range. A constant column has 1, for there is nothing to go by."""
    if isinstance(value, str):
        with np.errstate(over="ignore"):
            span = np.where(upper > lower, upper - lower, 1.0)
        return np.clip(span, SMALLEST, LARGEST)
    scales = np.asarray(value, dtype=np.float64)
    if scales.ndim == 1 and scales.size != lower.size:
        raise ValueError(f"length_scale has {scales.size} numbers, but X has {lower.size} features")
    return np.broadcast_to(scales, lower.shape).astype(np.float64)
