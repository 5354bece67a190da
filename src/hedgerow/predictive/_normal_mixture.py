"""A vectorised mixture of Gaussians: one for each row of a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from hedgerow._core import Components
from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.whole import is_whole
from hedgerow.predictive._mixture import Mixture
from hedgerow.predictive._shapes import Expected

MOST_THREADS = 4096

NODES, NODE_SHARES = np.polynomial.hermite_e.hermegauss(16)
NODE_SHARES = NODE_SHARES / NODE_SHARES.sum()
"""Gauss and Hermite's rule, for each component."""

AT_ONCE = 1 << 16
"""Components to which it is applied at once."""


class NormalMixture(Mixture):
    """One mixture of Gaussians a row: what a forest predicts, whole.

    Row ``i`` owns the components ``first[i]`` to ``first[i + 1] - 1`` of the flat arrays.

    Parameters
    ----------
    first : array of shape (n + 1,)
        Where each row's components begin.
    weights, means, variances : arrays
        The components; the weights of a row add up to one.
    n_threads : int, default=1
        Threads over rows. The result does not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.predictive import NormalMixture
    >>> two_peaks = NormalMixture([0, 2], [0.5, 0.5], [-1.0, 1.0], [0.01, 0.01])
    >>> float(two_peaks.mean()[0]), round(float(two_peaks.std()[0]), 3)
    (0.0, 1.005)
    >>> two_peaks.interval(0.9).round(2)
    array([[-1.13,  1.13]])
    """

    def __init__(
        self,
        first: npt.ArrayLike,
        weights: npt.ArrayLike,
        means: npt.ArrayLike,
        variances: npt.ArrayLike,
        n_threads: int = 1,
    ) -> None:
        self.weights, self.means, self.variances = self._take(first, weights, means, variances)
        self._n_threads = _checked(n_threads)
        self._components = Components(self.first, self.weights, self.means, self.variances)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.first, self.weights, self.means, self.variances, self._n_threads)

    @classmethod
    def joined(cls, parts: Sequence[NormalMixture]) -> NormalMixture:
        """Return the rows of all parts, one after another."""
        starts = np.cumsum([0, *(part.weights.size for part in parts)])
        first = np.concatenate([[0], *(start + part.first[1:] for start, part in zip(starts, parts, strict=False))])
        weights, means, variances = (
            np.concatenate([np.empty(0), *(getattr(part, name) for part in parts)])
            for name in ("weights", "means", "variances")
        )
        return cls(first, weights, means, variances, n_threads=parts[0]._n_threads if parts else 1)

    def of_rows(self, chosen: npt.NDArray[np.bool_]) -> NormalMixture:
        """Return the mixtures of some of the rows."""
        sizes = np.diff(self.first)
        own = np.repeat(chosen, sizes)
        first = np.concatenate([[0], np.cumsum(sizes[chosen])])
        parts = self.weights[own], self.means[own], self.variances[own]
        return NormalMixture(first, *parts, n_threads=self._n_threads)

    def mean(self) -> Floats:
        """Mean of each row."""
        return self._sum(self.weights * self.means)

    def std(self) -> Floats:
        """Standard deviation of each row."""
        mean = self.mean()
        gap = self.means - np.repeat(mean, np.diff(self.first))
        spread: Floats = np.sqrt(self._sum(self.weights * (self.variances + gap**2)))
        return spread

    def logpdf(self, y: npt.ArrayLike) -> Floats:
        """Logarithm of the density at ``y``, by log-sum-exp over the components."""
        values, shape = self._per_row(y)
        return self._components.log_density(values, self._n_threads).reshape(shape)

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y``."""
        values, shape = self._per_row(y)
        below: Floats = self._components.cdf(values, self._n_threads)
        return np.minimum(below, 1.0).reshape(shape)  # weights may add up to a last digit more

    def expect(self, function: Expected) -> Floats:
        """Mean of a function of each row's value, by quadrature. It takes values, and the rows that they belong to."""
        row = np.repeat(np.arange(len(self)), np.diff(self.first))
        deviations, means = np.sqrt(self.variances), np.empty(row.size)
        for begin in range(0, row.size, AT_ONCE):
            some = slice(begin, begin + AT_ONCE)
            values = function(self.means[some, None] + deviations[some, None] * NODES, row[some, None])
            means[some] = (values * NODE_SHARES).sum(axis=1)
        return self._sum(self.weights * means)

    def _components_moments(self) -> tuple[Floats, Floats]:
        return self.means, self.variances

    def _quantiles(self, levels: Floats) -> Floats:
        return self._components.quantiles(levels, ndtri(levels), self._n_threads)

    def _draws(self, n_draws: int, rng: np.random.RandomState) -> Floats:
        chosen = self._chosen(n_draws, rng)
        draws: Floats = self.means[chosen] + np.sqrt(self.variances[chosen]) * rng.standard_normal(chosen.shape)
        return draws


def _checked(n_threads: int) -> int:
    if not is_whole(n_threads) or not 1 <= n_threads <= MOST_THREADS:
        raise ValueError(f"n_threads must be a whole number from 1 to {MOST_THREADS}, got {n_threads!r}")
    return int(n_threads)
