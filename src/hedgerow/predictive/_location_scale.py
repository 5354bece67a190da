"""Predictive distributions of one shape, with a mean and a scale for each row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.predictive._distribution import Distribution
from hedgerow.predictive._shapes import Expected, Shape

KNOTS = np.array([0.0, 0.02, *np.arange(1, 10) / 10, 0.98, 1.0])
"""Levels between which a rule of quadrature is applied."""

NUMBERS_AT_A_TIME = 2**16
"""Values of a quadrature that are looked at together: few enough to stay near the processor."""


class LocationScale(Distribution):
    """One distribution a row: a common shape, moved and stretched.

    Parameters
    ----------
    location, scale : arrays of shape (n,)
        Where each row's shape begins to count from, and by how much it is stretched.
    shape : Shape
        The distribution of (y - location) / scale.
    """

    def __init__(self, location: Floats, scale: Floats, shape: Shape) -> None:
        self.location, self.scale, self.shape = location, scale, shape
        self._n_rows = location.size

    def mean(self) -> Floats:
        """Mean of each row."""
        return self.location

    def std(self) -> Floats:
        """Standard deviation of each row."""
        return self.scale * self.shape.std

    def logpdf(self, y: npt.ArrayLike) -> Floats:
        """Logarithm of the density at ``y``."""
        z, shape = self._standardised(y)
        return (self.shape.logpdf(z) - np.log(self.scale[:, None])).reshape(shape)

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y``."""
        z, shape = self._standardised(y)
        return self.shape.cdf(z).reshape(shape)

    def normal_scores(self, y: npt.ArrayLike) -> Floats:
        """Where ``y`` would be if a row's distribution were the standard normal one."""
        z, shape = self._standardised(y)
        return self.shape.normal_scores(z).reshape(shape)

    def expect(self, function: Expected) -> Floats:
        """Mean of a function of each row's value, by quadrature. It takes values, and the rows that they belong to."""
        z, shares_of = self._quadrature()
        found, step = np.empty(len(self)), max(1, NUMBERS_AT_A_TIME // z.size)
        for begin in range(0, len(self), step):
            some = slice(begin, min(begin + step, len(self)))
            values = self.location[some, None] + self.scale[some, None] * z
            found[some] = (function(values, np.arange(some.start, some.stop)[:, None]) * shares_of(some)).sum(axis=1)
        return found

    def _quadrature(self) -> tuple[Floats, Callable[[slice], Floats]]:
        """Return values of the shape, and their probabilities, of all rows or of some."""
        z, shares, _ = self.shape.quadrature(KNOTS)
        return z, lambda some: shares

    def _quantiles(self, levels: Floats) -> Floats:
        found: Floats = self.location[:, None] + self.scale[:, None] * self.shape.ppf(levels)
        return found

    def _made_of(self) -> str:
        return f", {type(self.shape).__name__}"

    def _standardised(self, y: npt.ArrayLike) -> tuple[Floats, tuple[int, ...]]:
        values, shape = self._per_row(y)
        return (values - self.location[:, None]) / self.scale[:, None], shape
