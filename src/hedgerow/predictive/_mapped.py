"""Predictive distributions of a number that is not learned as it is: seen through a monotone map."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.predictive._distribution import Distribution, numbers_of
from hedgerow.predictive._shapes import Expected


class MonotoneMap(Protocol):
    """From the values of a target to the whole line, rising."""

    def forward(self, y: Floats) -> Floats:
        """Return the values on the line; -inf or inf where `y` lies below or above all values there can be."""

    def inverse(self, z: Floats) -> Floats:
        """Return the targets that have these values, infinite ones included."""

    def log_derivative(self, y: Floats) -> Floats:
        """Return the logarithm of the slope at `y`."""


class Mapped(Distribution):
    """One distribution a row: that of y when a map of y has a known distribution.

    Moments are found by quadrature.

    Parameters
    ----------
    latent : distribution
        That of the map of y, one a row: any of the others here.
    by : object with forward, inverse and log_derivative
        The map. It rises.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.predictive import Mapped, NormalMixture
    >>> from hedgerow.targets import Straightened
    >>> latent = NormalMixture([0, 1], [1.0], [0.0], [1.0])
    >>> log_normal = Mapped(latent, Straightened("log", knee=1e9))
    >>> log_normal.ppf([0.0, 0.5]).round(3), log_normal.mean().round(3)  # exp(1 / 2)
    (array([[0., 1.]]), array([1.649]))
    """

    def __init__(self, latent: Any, by: MonotoneMap) -> None:
        self.latent, self.by = latent, by
        self._n_rows = len(latent)

    def mean(self) -> Floats:
        """Mean of each row."""
        return self.expect(lambda y, rows: y)

    def std(self) -> Floats:
        """Standard deviation of each row; infinite where the mean is."""
        mean = self.mean()
        centre = np.where(np.isfinite(mean), mean, 0.0)
        return np.sqrt(self.expect(lambda y, rows: (y - centre[rows]) ** 2))

    def logpdf(self, y: npt.ArrayLike) -> Floats:
        """Logarithm of the density at ``y``; -inf where there can be no value."""
        values = numbers_of(y)
        z = self.by.forward(values)
        inside = np.isfinite(z)
        density = self.latent.logpdf(np.where(inside, z, 0.0)) + self.by.log_derivative(np.where(inside, values, 1.0))
        return np.where(inside, density, -np.inf)

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y``."""
        z = self.by.forward(numbers_of(y))
        below: Floats = self.latent.cdf(np.where(np.isfinite(z), z, 0.0))
        return np.where(np.isfinite(z), below, np.where(z > 0.0, 1.0, 0.0))

    def expect(self, function: Expected) -> Floats:
        """Mean of a function of the value and its row, by quadrature."""
        found: Floats = self.latent.expect(lambda z, rows: function(self.by.inverse(z), rows))
        return found

    def _quantiles(self, levels: Floats) -> Floats:
        return self.by.inverse(self.latent.ppf(levels))

    def _draws(self, n_draws: int, rng: np.random.RandomState) -> Floats:
        return self.by.inverse(self.latent.rvs(n_draws, rng))

    def _made_of(self) -> str:
        return f", {self.latent!r} by {self.by!r}"
