"""The units in which the core sees rows: those in which the largest lifetime is 1."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from hedgerow.base.rows import Floats
from hedgerow.files import Stored

LengthScale = str | float | tuple[float, ...]
""""range", or what one unit is along all columns or along each."""

REACH = 2.0**32 - 1.0
"""The core's Mondrian process lives within 2^32 units of the centre; rows beyond count as lying on its edge."""

SMALLEST, LARGEST = 1e-100, 1e100
"""Lifetimes and length scales must lie between."""

MOST_COLUMNS = 5000
"""A tree has cuts in proportion to the number of columns, and each looks at all of them: 0.1 s a tree at 1,000."""


@dataclass(frozen=True)
class Units:
    """Where the process has its centre, and how many of its units a user's unit is, for each column."""

    centre: Floats
    rates: Floats

    @classmethod
    def around(cls, X: Floats, length_scale: LengthScale, lifetime: float) -> Self:
        """Units for rows X: the centre is the middle of their range, whatever their order and number."""
        if X.shape[1] > MOST_COLUMNS:
            raise ValueError(
                f"X has {X.shape[1]:,} columns, and a Mondrian kernel takes at most {MOST_COLUMNS:,}, because its time "
                "grows with their square: select columns before, or project them, for example with "
                "sklearn.random_projection"
            )
        lower, upper = X.min(axis=0), X.max(axis=0)
        scales = length_scales(length_scale, lower, upper)
        return cls(0.5 * lower + 0.5 * upper, lifetime / scales)

    def points(self, X: Floats) -> Floats:
        """Rows as the core takes them; columns that have come since are not looked at."""
        with np.errstate(over="ignore"):
            points: Floats = np.clip((X[:, : self.centre.size] - self.centre) * self.rates, -REACH, REACH)
        return np.ascontiguousarray(points)

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return asdict(self)

    @classmethod
    def from_state(cls, stored: Stored, most: int) -> Self:
        """Take back what `state` gave, for so many columns at most: some may have come since."""
        centre = stored.array("centre")
        units = cls(centre, stored.array("rates", centre.shape))
        if not 1 <= centre.size <= most or not (units.rates > 0).all():
            raise ValueError("its units are not positive, or not those of its columns")
        return units


def length_scales(value: LengthScale, lower: Floats, upper: Floats) -> Floats:
    """One length scale a column, given the columns' range. A constant column has 1, for there is nothing to go by."""
    if isinstance(value, str):
        with np.errstate(over="ignore"):
            span = np.where(upper > lower, upper - lower, 1.0)
        return np.clip(span, SMALLEST, LARGEST)
    scales = np.asarray(value, dtype=np.float64)
    if scales.ndim == 1 and scales.size != lower.size:
        raise ValueError(f"length_scale has {scales.size} numbers, but X has {lower.size} features")
    return np.broadcast_to(scales, lower.shape).astype(np.float64)
