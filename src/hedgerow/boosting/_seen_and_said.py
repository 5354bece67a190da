"""What stages see of rows, and what they say of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats


class Seen(NamedTuple):
    """Rows as stages see them, which differ in what they may know of categories with many levels.

    Mondrian forests and ridge regressions see mean labels of categories, of which a row's own fold is left out. Sharper
    stages would read a row's label off these: within a category, the mean without a fold is low where the labels of the
    fold are high. So greedy trees and kernels see random orders of the categories, which tell nothing of labels.
    """

    axes: Floats
    plain: Floats  # the same array if there are no such categories

    def of(self, kind: str) -> Floats:
        """Return what a stage of this kind sees."""
        return self.plain if kind in ("greedy", "kernel") else self.axes

    def part(self, which: slice | npt.NDArray[np.intp]) -> Seen:
        """Return some of the rows."""
        axes = np.ascontiguousarray(self.axes[which])
        return Seen(axes, axes if self.plain is self.axes else np.ascontiguousarray(self.plain[which]))


class Said(NamedTuple):
    """What is said of rows by all stages together."""

    mean: Floats
    doubt: Floats  # variance within and between trees, and of gaps, where stages tell it


class Honest(NamedTuple):
    """What a stage says of the rows it has learned, without their own labels."""

    mean: Floats
    doubt: Floats | None = None  # none where a stage does not tell any
    without_block: Floats | None = None  # the mean without all rows of the block; none if the stage can tell later
    excess: float = 0.0  # of the mean square of its errors over that of what it will predict, vectors summed
    between: float = 0.0  # mean variance between trees, vectors summed, if it may have fewer of them

    def of_rows(self, unit: npt.NDArray[np.intp]) -> Honest:
        """Return what is said of rows, if this was said of units that stand for all their copies."""
        doubt, without = (None if part is None else part[unit] for part in (self.doubt, self.without_block))
        return Honest(self.mean[unit], doubt, without, self.excess, self.between)
