"""What stages see of rows, and what they predict."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats


class StageRows(NamedTuple):
    """Rows as stages see them, which differ in what they may know of categories with many levels.

    Mondrian forests and ridge regressions see mean labels of categories, of which a row's own fold is left out. Sharper
    stages would read a row's label off these: within a category, the mean without a fold is low where the labels of the
    fold are high. So greedy trees and kernels see random orders of the categories, which do not depend on labels.
    """

    axes: Floats
    plain: Floats  # the same array if there are no such categories

    def of(self, kind: str) -> Floats:
        """Return what a stage of this kind sees."""
        return self.plain if kind in ("greedy", "kernel") else self.axes

    def part(self, which: slice | npt.NDArray[np.intp]) -> StageRows:
        """Return some of the rows."""
        axes = np.ascontiguousarray(self.axes[which])
        return StageRows(axes, axes if self.plain is self.axes else np.ascontiguousarray(self.plain[which]))


class Moments(NamedTuple):
    """Mean and variances predicted for rows by all stages together."""

    mean: Floats
    variances: Floats  # within trees, between trees and of gaps; no columns for classes


class Honest(NamedTuple):
    """Predictions of a stage for the rows it has learned, without their own labels."""

    mean: Floats
    variances: Floats | None = None  # none if the stage has none
    without_block: Floats | None = None  # the mean without all rows of the block; none if it can be computed later
    excess: float = 0.0  # of the mean square of its errors over that of what it will predict, vectors summed
    between: float = 0.0  # mean variance between trees, vectors summed, if it may have fewer of them

    def of_rows(self, unit: npt.NDArray[np.intp]) -> Honest:
        """Return the same for rows, if these are predictions for units that stand for all their copies."""
        variances, without = (None if part is None else part[unit] for part in (self.variances, self.without_block))
        return Honest(self.mean[unit], variances, without, self.excess, self.between)
