"""Cells of the line, one for each count: what lies between the values of two whole numbers is rounded down."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.targets._maps import Straightened

N_SUMMED = 32
"""Counts that are added up one by one when a mean is computed."""


class Cells:
    """Cells between the values of whole numbers; the borders of the first may be moved.

    Parameters
    ----------
    by : Straightened
        The map.
    shifts : sequence of float
        By how much the lower borders of the cells of 1, 2 and so on are moved.
    """

    def __init__(self, by: Straightened, shifts: npt.ArrayLike = ()) -> None:
        self.by = by
        self._shifts = np.asarray(shifts, dtype=np.float64)
        self.n_summed = N_SUMMED

    def border(self, k: Floats) -> Floats:
        """Return where the cell of each k begins, for k of at least 1."""
        found = self.by.forward(np.asarray(k, dtype=np.float64))
        if self._shifts.size:
            place = np.clip(k, 1, self._shifts.size).astype(np.intp) - 1
            found = found + np.where(k <= self._shifts.size, self._shifts[place], 0.0)
        return found

    def middle(self, k: Floats) -> Floats:
        """Return what is learned of a count: the value of the middle between it and the next."""
        return self.by.forward(np.asarray(k, dtype=np.float64) + 0.5)

    def continuous(self, z: Floats) -> Floats:
        """Return counts and how far points are into their cells."""
        return self.by.inverse(z)

    def count(self, z: Floats) -> Floats:
        """Take back what `middle` gave."""
        return np.rint(self.by.inverse(z) - 0.5)

    def moved(self, borders: Floats) -> Cells:
        """Return cells whose first borders are these, as far as they lie between the middles of two cells."""
        k = np.arange(1.0, borders.size + 1.0)
        low, high = self.middle(k - 1.0), self.middle(k)
        inside = np.clip(borders, low + 0.02 * (high - low), high - 0.02 * (high - low))
        return Cells(self.by, inside - self.by.forward(k))

    def numbers(self) -> list[Any]:
        """Return what they are made from, for a file."""
        return [*self.by.numbers(), *self._shifts.tolist()]

    @classmethod
    def from_numbers(cls, numbers: Any) -> Cells:
        """Take back what `numbers` gave, or ValueError."""
        curve, knee, *shifts = numbers
        cells = cls(Straightened(curve, float(knee)), [float(shift) for shift in shifts])
        k = np.arange(1.0, len(shifts) + 1.0)
        borders = cells.border(k)
        is_between = (cells.middle(k - 1.0) < borders) & (borders < cells.middle(k))
        if len(shifts) >= N_SUMMED or not all(map(math.isfinite, borders)) or not is_between.all():
            raise ValueError("the cells of its counts are not in order")
        return cells
