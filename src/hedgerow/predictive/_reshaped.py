"""Predictive distributions whose shape differs from row to row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.predictive._distribution import Distribution
from hedgerow.predictive._location_scale import LocationScale
from hedgerow.predictive._shapes import Shape


class Reshaped(LocationScale):
    """One distribution a row: a common shape F, moved and stretched, whose levels are then moved as well.

    P(y <= t) = G(F((t - location) / scale)), where G, a row's own, rises from 0 to 1 in straight lines between knots.

    Parameters
    ----------
    location, scale : arrays of shape (n,)
        Of the common shape.
    shape : Shape
        The common shape.
    knots : array of shape (k,)
        Levels of the common shape, from 0 to 1, rising.
    levels : array of shape (n, k)
        What G makes of the knots: rows rise from 0 to 1.
    """

    def __init__(self, location: Floats, scale: Floats, shape: Shape, knots: Floats, levels: Floats) -> None:
        super().__init__(location, scale, shape)
        self.knots, self.levels = knots, levels
        self._shares = np.diff(levels, axis=1)  # the probability of each piece
        self._slopes = self._shares / np.diff(knots)
        self._means, self._squares = shape.moments_between(knots)

    def mean(self) -> Floats:
        """Mean of each row."""
        return self.location + self.scale * self._standard_mean()

    def std(self) -> Floats:
        """Standard deviation of each row."""
        variance = (self._shares * self._squares).sum(axis=1) - self._standard_mean() ** 2
        deviation: Floats = self.scale * np.sqrt(np.maximum(variance, 0.0))
        return deviation

    def logpdf(self, y: npt.ArrayLike) -> Floats:
        """Logarithm of the density at ``y``."""
        pieces = self._pieces(super().cdf(y))
        return super().logpdf(y) + np.log(self._at(self._slopes, pieces))

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y``."""
        level = super().cdf(y)
        pieces = self._pieces(level)
        moved: Floats = self._at(self.levels, pieces) + self._at(self._slopes, pieces) * (level - self.knots[pieces])
        return np.clip(moved, 0.0, 1.0)

    def normal_scores(self, y: npt.ArrayLike) -> Floats:
        """Where ``y`` would be if a row's distribution were the standard normal one."""
        return Distribution.normal_scores(self, y)

    def _quadrature(self) -> tuple[Floats, Callable[[slice], Floats]]:
        z, shares, pieces = self.shape.quadrature(self.knots)
        # Not self._slopes[some, pieces]: how that lies in memory, and so the last bits of sums, depends on its size.
        return z, lambda some: shares * np.take(self._slopes[some], pieces, axis=1)

    def _standard_mean(self) -> Floats:
        # Not a product of matrices: its last bits depend on how many rows there are.
        mean: Floats = (self._shares * self._means).sum(axis=1)
        return mean

    def _quantiles(self, levels: Floats) -> Floats:
        wanted = np.broadcast_to(levels, (len(self), levels.shape[-1]))
        below = np.empty(wanted.shape, dtype=np.intp)
        for k, level in enumerate(wanted.T):
            below[:, k] = (self.levels[:, 1:-1] <= level[:, None]).sum(axis=1)
        moved = self.knots[below] + (wanted - self._at(self.levels, below)) / self._at(self._slopes, below)
        moved = np.where(wanted < 1.0, np.clip(moved, self.knots[below], self.knots[below + 1]), 1.0)
        return super()._quantiles(moved)

    def _pieces(self, level: Floats) -> npt.NDArray[np.intp]:
        return np.searchsorted(self.knots[1:-1], level, side="right")

    @staticmethod
    def _at(of_rows: Floats, pieces: npt.NDArray[np.intp]) -> Floats:
        found = np.take_along_axis(of_rows, pieces.reshape(of_rows.shape[0], -1), axis=1)
        return found.reshape(pieces.shape)
