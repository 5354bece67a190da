"""A vectorised mixture of Student's t distributions: one for each row of a query."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from hedgerow.numeric.arrays import Floats
from hedgerow.predictive._location_scale import KNOTS
from hedgerow.predictive._mixture import Mixture
from hedgerow.predictive._shapes import Expected, StudentShape, log_one_plus_square


class StudentMixture(Mixture):
    """One mixture of Student's t distributions a row: what a sample of Bayesian trees predicts, whole.

    Row ``i`` owns the components ``first[i]`` to ``first[i + 1] - 1`` of the flat arrays.

    Parameters
    ----------
    first : array of shape (n + 1,)
        Where each row's components begin.
    weights, degrees, locations, scales : arrays
        The components; the weights of a row add up to one.

    Examples
    --------
    >>> from hedgerow.predictive import StudentMixture
    >>> one = StudentMixture([0, 1], [1.0], [4.0], [10.0], [2.0])
    >>> float(one.mean()[0]), round(float(one.std()[0]), 3)
    (10.0, 2.828)
    >>> one.interval(0.9).round(2)
    array([[ 5.74, 14.26]])
    """

    def __init__(
        self,
        first: npt.ArrayLike,
        weights: npt.ArrayLike,
        degrees: npt.ArrayLike,
        locations: npt.ArrayLike,
        scales: npt.ArrayLike,
    ) -> None:
        self.weights, self.degrees, self.locations, self.scales = self._take(first, weights, degrees, locations, scales)
        if not (self.scales > 0).all() or not (self.degrees > 0).all():
            raise ValueError("scales and degrees must be positive")
        self._row = np.repeat(np.arange(len(self)), np.diff(self.first))
        self._log_norm = (
            special.gammaln(0.5 * (self.degrees + 1))
            - special.gammaln(0.5 * self.degrees)
            - 0.5 * np.log(self.degrees * np.pi)
            - np.log(self.scales)
        )

    def mean(self) -> Floats:
        """Mean of each row."""
        return self._sum(self.weights * self.locations)

    def std(self) -> Floats:
        """Standard deviation of each row; infinite if a component has no more than two degrees of freedom."""
        gap = self.locations - self.mean()[self._row]
        spread: Floats = np.sqrt(self._sum(self.weights * (self._components_moments()[1] + gap**2)))
        return spread

    def _components_moments(self) -> tuple[Floats, Floats]:
        with np.errstate(divide="ignore"):
            stretch = np.where(self.degrees > 2, self.degrees / np.maximum(self.degrees - 2, 0.0), np.inf)
        return self.locations, self.scales**2 * stretch

    def logpdf(self, y: npt.ArrayLike) -> Floats:
        """Logarithm of the density at ``y``, by log-sum-exp over the components."""
        values, shape = self._per_row(y)
        columns = [self._log_density(values[:, k]) for k in range(values.shape[1])]
        return np.stack(columns, axis=-1).reshape(shape) if columns else np.empty(shape)

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y``."""
        values, shape = self._per_row(y)
        columns = [self._below(values[:, k]) for k in range(values.shape[1])]
        return np.stack(columns, axis=-1).reshape(shape) if columns else np.empty(shape)

    def expect(self, function: Expected) -> Floats:
        """Mean of a function of each row's value, by quadrature. It takes values, and the rows that they belong to."""
        means = np.empty(self.weights.size)
        for degrees in np.unique(self.degrees):
            own = np.flatnonzero(self.degrees == degrees)
            z, shares, _ = StudentShape(float(degrees), 1.0).quadrature(KNOTS)
            values = function(self.locations[own, None] + self.scales[own, None] * z, self._row[own, None])
            means[own] = (values * shares).sum(axis=1)
        return self._sum(self.weights * means)

    def _quantiles(self, levels: Floats) -> Floats:
        found = [self._quantile(float(level)) for level in levels]
        return np.stack(found, axis=-1) if found else np.empty((len(self), 0))

    def _draws(self, n_draws: int, rng: np.random.RandomState) -> Floats:
        chosen = self._chosen(n_draws, rng)
        draws: Floats = self.locations[chosen] + self.scales[chosen] * rng.standard_t(self.degrees[chosen])
        return draws

    def _standardised(self, values: Floats) -> Floats:
        z: Floats = (values[self._row] - self.locations) / self.scales
        return z

    def _log_density(self, values: Floats) -> Floats:
        z = self._standardised(values)
        tails = 0.5 * (self.degrees + 1) * log_one_plus_square(z, self.degrees)
        logs = np.log(self.weights) + self._log_norm - tails
        highest = np.maximum.reduceat(logs, self.first[:-1]) if len(self) else np.zeros(0)
        centre = np.where(np.isfinite(highest), highest, 0.0)
        with np.errstate(divide="ignore"):
            found: Floats = centre + np.log(self._sum(np.exp(logs - centre[self._row])))
        return found

    def _below(self, values: Floats) -> Floats:
        below = self._sum(self.weights * special.stdtr(self.degrees, self._standardised(values)))
        return np.minimum(below, 1.0)  # weights may add up to a last digit more

    def _quantile(self, level: float) -> Floats:
        """Newton's steps between the lowest and the highest quantile of a component, or halving where they leave it."""
        if level in (0.0, 1.0) or not len(self):
            return np.full(len(self), -np.inf if level == 0.0 else np.inf)
        reach = np.nan_to_num(np.abs(special.stdtrit(self.degrees, level)), nan=np.inf, posinf=np.inf)
        ends = self.locations + self.scales * np.copysign(reach, level - 0.5)  # of tiny levels SciPy loses the sign
        low, high = np.minimum.reduceat(ends, self.first[:-1]), np.maximum.reduceat(ends, self.first[:-1])
        found: Floats = np.clip(self._sum(self.weights * ends), low, high)
        is_done = ~np.isfinite(found)  # a row that is done stays, whatever the others still need
        for _ in range(100):
            above = self._below(found) - level
            low, high = np.where(above <= 0.0, found, low), np.where(above >= 0.0, found, high)
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                step = found - above / np.exp(self._log_density(found))
            following = np.where((step > low) & (step < high), step, 0.5 * low + 0.5 * high)
            is_done |= (np.abs(following - found) <= 4e-16 * np.abs(found)) | (np.abs(above) < 1e-14)
            if is_done.all():
                break
            found = np.where(is_done, found, following)
        return found
