"""Predictive distributions of one shape, with a mean and a scale for each row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from hedgerow.predictive._shapes import Expected, Shape

Floats = npt.NDArray[np.float64]

KNOTS = np.array([0.0, 0.02, *np.arange(1, 10) / 10, 0.98, 1.0])
"""Levels between which a rule of quadrature is applied."""


class LocationScale:
    """One distribution a row: a common shape, moved and stretched.

    Functions of a value take a scalar, an array of shape ``(n,)`` with a value for each row, or anything that
    broadcasts to ``(n, k)`` for ``k`` values a row.

    Parameters
    ----------
    location, scale : arrays of shape (n,)
        Where each row's shape begins to count from, and by how much it is stretched.
    shape : Shape
        The distribution of (y - location) / scale.
    """

    def __init__(self, location: Floats, scale: Floats, shape: Shape) -> None:
        self.location, self.scale, self.shape = location, scale, shape

    def __len__(self) -> int:
        return self.location.size

    def __repr__(self) -> str:
        return f"<LocationScale of {len(self)} rows, {type(self.shape).__name__}>"

    def mean(self) -> Floats:
        """Mean of each row."""
        return self.location

    def std(self) -> Floats:
        """Standard deviation of each row."""
        return self.scale * self.shape.std

    def logpdf(self, y: npt.ArrayLike) -> Floats:
        """Logarithm of the density at ``y``."""
        z, scale = self._standardised(y)
        return self.shape.logpdf(z) - np.log(scale)

    def pdf(self, y: npt.ArrayLike) -> Floats:
        """Density at ``y``."""
        density: Floats = np.exp(self.logpdf(y))
        return density

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y``."""
        return self.shape.cdf(self._standardised(y)[0])

    def ppf(self, q: npt.ArrayLike) -> Floats:
        """Quantiles: shape (n,) for a scalar, (n, k) for k levels."""
        levels = np.asarray(q, dtype=np.float64)
        if ((levels < 0) | (levels > 1) | np.isnan(levels)).any():
            raise ValueError(f"quantile levels must lie between 0 and 1, got {q!r}")
        at = self.shape.ppf(levels)
        if levels.ndim == 0:
            return self.location + self.scale * at
        quantiles: Floats = self.location[:, None] + self.scale[:, None] * at
        return quantiles

    def expect(self, function: Expected) -> Floats:
        """Mean of a function of each row's value, by quadrature. It is told values, and which rows they belong to."""
        z, shares, _ = self.shape.quadrature(KNOTS)
        values = function(self.location[:, None] + self.scale[:, None] * z, np.arange(len(self))[:, None])
        found: Floats = (values * shares).sum(axis=1)
        return found

    def interval(self, confidence: float = 0.9) -> Floats:
        """Central interval of each row: shape (n, 2)."""
        if not 0 < confidence < 1:
            raise ValueError(f"confidence must lie between 0 and 1, got {confidence!r}")
        return self.ppf([0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])

    def rvs(self, size: int = 1, random_state: object = None) -> Floats:
        """Draw ``size`` values for each row: shape (n, size)."""
        levels = check_random_state(random_state).uniform(size=(len(self), size))
        draws: Floats = self.location[:, None] + self.scale[:, None] * self.shape.ppf(levels)
        return draws

    def _standardised(self, y: npt.ArrayLike) -> tuple[Floats, Floats]:
        values = np.asarray(y, dtype=np.float64)
        if values.ndim < 2:
            return (values - self.location) / self.scale, self.scale
        return (values - self.location[:, None]) / self.scale[:, None], self.scale[:, None]
