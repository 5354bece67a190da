"""Predictive distributions of several numbers a row: one distribution for each, and how they go together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special
from sklearn.utils import check_random_state

from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.whole import is_whole
from hedgerow.predictive._distribution import (
    GREATEST_LEVEL,
    LEAST_LEVEL,
    Distribution,
    central_intervals,
    n_draws_of,
    numbers_of,
)
from hedgerow.predictive._forecasts import Forecasts

N_NODES, N_TERMS = 64, 24
"""Nodes of the quadrature, and terms of the series, from which covariances are found."""

FARTHEST = 1e100
"""Normal scores are at most this large: their squares are numbers."""


class Joint:
    """One joint distribution of several targets a row: what `predict_dist` returns where there are several.

    Each target has a distribution of its own, the marginal. They are tied by a Gaussian copula (Nelsen 2006): the
    normal scores of all targets are jointly normal, with a correlation matrix. Where all marginals are normal, so is
    the whole.

    All results have a row of the query as their first axis and, but for densities, a target as their second.

    Parameters
    ----------
    marginals : sequence of k distributions, of n rows each
        One for each target.
    correlation : array of shape (k, k) or (m, k, k)
        Correlation of the normal scores, positive definite; or several, of which each row has one.
    which : array of shape (n,), optional
        Which of several each row has.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.predictive import Joint, NormalMixture
    >>> width, height = (NormalMixture([0, 1], [1.0], [mean], [4.0]) for mean in (10.0, 20.0))
    >>> both = Joint([width, height], np.array([[1.0, 0.8], [0.8, 1.0]]))
    >>> both.mean(), both.covariance().round(3)
    (array([[10., 20.]]), array([[[4. , 3.2],
            [3.2, 4. ]]]))
    >>> both.interval(0.9).round(2)
    array([[[ 6.71, 13.29],
            [16.71, 23.29]]])
    >>> together, apart = both.logpdf([[12.0, 22.0]]), both.logpdf([[12.0, 18.0]])
    >>> bool(together > apart)
    True
    """

    def __init__(
        self, marginals: Sequence[Distribution], correlation: Floats, which: npt.NDArray[np.intp] | None = None
    ) -> None:
        self.marginals = list(marginals)
        k, n = len(self.marginals), len(self.marginals[0]) if self.marginals else 0
        self.correlation = np.asarray(correlation, dtype=np.float64).reshape(-1, *np.shape(correlation)[-2:])
        if k == 0 or any(len(marginal) != n for marginal in self.marginals):
            raise ValueError("there must be a marginal for each target, all of the same rows")
        if self.correlation.shape[1:] != (k, k):
            raise ValueError(f"the correlation must have shape ({k}, {k}), got {np.shape(correlation)}")
        self.which = np.zeros(n, dtype=np.intp) if which is None else which
        self._roots = np.linalg.cholesky(self.correlation)

    def __len__(self) -> int:
        return len(self.marginals[0])

    def __repr__(self) -> str:
        return f"<Joint of {len(self)} rows, {self.n_targets} targets>"

    @property
    def n_targets(self) -> int:
        """Targets of a row."""
        return len(self.marginals)

    def marginal(self, target: int) -> Distribution:
        """Return the distribution of one target by itself."""
        if not is_whole(target) or not 0 <= target < self.n_targets:
            raise ValueError(f"target must be a whole number from 0 to {self.n_targets - 1}, got {target!r}")
        return self.marginals[target]

    def mean(self) -> Floats:
        """Means: shape ``(n, k)``."""
        return np.stack([marginal.mean() for marginal in self.marginals], axis=1)

    def std(self) -> Floats:
        """Return standard deviations: shape ``(n, k)``."""
        return np.stack([marginal.std() for marginal in self.marginals], axis=1)

    def covariance(self) -> Floats:
        """Covariances of each row's targets: shape ``(n, k, k)``.

        With h_m the coefficients of a target as a series of Hermite polynomials of its normal score, the covariance of
        two targets is the sum of rho^m h_m h'_m (Mehler 1866).
        """
        nodes, weights = np.polynomial.hermite_e.hermegauss(N_NODES)
        polynomials = np.ones((N_TERMS + 1, N_NODES))
        polynomials[1] = nodes
        for m in range(2, N_TERMS + 1):  # normalised: z He_m-1 = He_m + (m - 1) He_m-2
            polynomials[m] = (nodes * polynomials[m - 1] - math.sqrt(m - 1) * polynomials[m - 2]) / math.sqrt(m)
        polynomials *= weights / weights.sum()
        quantiles = [marginal._quantiles(_levels(nodes)) for marginal in self.marginals]
        found = np.zeros((len(self), self.n_targets, self.n_targets))
        power = np.ones_like(self.correlation)
        for polynomial in polynomials[1:]:
            terms = np.stack([(values * polynomial).sum(axis=1) for values in quantiles], axis=1)
            power = power * self.correlation
            found += power[self.which] * terms[:, :, None] * terms[:, None, :]
        diagonal = np.arange(self.n_targets)
        found[:, diagonal, diagonal] = self.std() ** 2
        return found

    def logpdf(self, y: npt.ArrayLike) -> Floats:
        """Logarithm of the joint density at ``y``, of shape ``(n, k)`` or ``(k,)``: one number a row."""
        values = self._per_row(y)
        total, scores = np.zeros(len(self)), np.empty(values.shape)
        for j, marginal in enumerate(self.marginals):
            total += marginal.logpdf(values[:, j])
            scores[:, j] = np.clip(marginal.normal_scores(values[:, j]), -FARTHEST, FARTHEST)
        excess = np.linalg.inv(self.correlation) - np.eye(self.n_targets)
        log_roots = np.log(np.diagonal(self._roots, axis1=1, axis2=2)).sum(axis=1)
        # Not a product of matrices: its last bits depend on how many rows there are.
        for j in range(self.n_targets):
            total -= 0.5 * scores[:, j] * (scores * excess[self.which, j]).sum(axis=1)
        density: Floats = total - log_roots[self.which]
        return density

    def pdf(self, y: npt.ArrayLike) -> Floats:
        """Joint density at ``y``."""
        density: Floats = np.exp(self.logpdf(y))
        return density

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y``, of each target by itself: shape ``(n, k)``."""
        values = self._per_row(y)
        return np.stack([marginal.cdf(values[:, j]) for j, marginal in enumerate(self.marginals)], axis=1)

    def ppf(self, q: npt.ArrayLike) -> Floats:
        """Quantiles of each target by itself: shape ``(n, k)`` for a scalar ``q``, ``(n, k, n_q)`` for several."""
        return np.stack([marginal.ppf(q) for marginal in self.marginals], axis=1)

    def interval(self, confidence: npt.ArrayLike = 0.9) -> Floats:
        """Central interval of each target by itself: shape ``(n, k, 2)``; one more axis for a list of confidences."""
        return central_intervals(self.ppf, confidence)

    def rvs(self, size: int | None = None, random_state: object = None) -> Floats:
        """Random draws of all targets together: shape ``(n, k)``, or ``(n, size, k)`` if a size is given."""
        n_draws = n_draws_of(size)
        normal = check_random_state(random_state).standard_normal((self.n_targets, len(self), n_draws))
        draws = np.empty((len(self), n_draws, self.n_targets))
        for j, marginal in enumerate(self.marginals):
            scores = sum(self._roots[self.which, j, i][:, None] * normal[i] for i in range(j + 1))
            draws[:, :, j] = marginal._quantiles(_levels(scores))
        return draws[:, 0] if size is None else draws

    @classmethod
    def joined(cls, parts: Iterable[Joint], n_targets: int) -> Joint:
        """Return the distributions of all parts, one after another, of so many targets."""
        every = list(parts) or [cls([Forecasts([])] * n_targets, np.eye(n_targets))]
        marginals = [Forecasts(each) for each in zip(*(part.marginals for part in every), strict=True)]
        before = np.cumsum([0, *(part.correlation.shape[0] for part in every)])
        which = [part.which + first for part, first in zip(every, before[:-1], strict=True)]
        return cls(marginals, np.concatenate([part.correlation for part in every]), np.concatenate(which))

    def _per_row(self, y: Any) -> Floats:
        values = numbers_of(y)
        shape = (len(self), self.n_targets)
        if values.shape not in (shape, shape[1:], (1, shape[1])):
            raise ValueError(f"y must have shape {shape} or ({shape[1]},), got shape {values.shape}")
        return np.broadcast_to(values, shape)


def _levels(scores: Floats) -> Floats:
    """Levels of normal scores, at which quantiles are finite."""
    levels: Floats = np.clip(special.ndtr(scores), LEAST_LEVEL, GREATEST_LEVEL)
    return levels
