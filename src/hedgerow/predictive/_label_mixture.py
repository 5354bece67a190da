"""A vectorised distribution made of labels: what the leaves of a quantile forest have met."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from hedgerow.predictive._normal_mixture import NormalMixture
from hedgerow.predictive._shapes import Expected

Floats = npt.NDArray[np.float64]


class LabelMixture:
    """One distribution a row: weighted labels.

    Mean, spread and quantiles are those of the labels. The density is that of the labels, each blurred by a narrow
    Gaussian (Silverman's width), and so is the distribution function.

    Parameters
    ----------
    first : array of shape (n + 1,)
        Where each row's labels begin.
    weights, labels : arrays
        The weights of a row need not add up to one.
    quantiles : callable
        Quantiles at levels: array of shape (n, n_levels).
    """

    def __init__(
        self,
        first: npt.NDArray[np.int64],
        weights: Floats,
        labels: Floats,
        quantiles: Callable[[Floats], Floats],
    ) -> None:
        self.first, self.labels, self._quantiles = first, labels, quantiles
        self.sizes = np.diff(first)
        self.weights = weights / np.repeat(np.add.reduceat(weights, first[:-1]), self.sizes)

    def __len__(self) -> int:
        return self.first.size - 1

    def __repr__(self) -> str:
        return f"<LabelMixture of {len(self)} rows, {self.labels.size} labels>"

    def mean(self) -> Floats:
        """Mean of each row."""
        found: Floats = np.add.reduceat(self.weights * self.labels, self.first[:-1])
        return found

    def std(self) -> Floats:
        """Standard deviation of each row."""
        gaps = self.labels - np.repeat(self.mean(), self.sizes)
        variances: Floats = np.add.reduceat(self.weights * gaps**2, self.first[:-1])
        return np.sqrt(np.maximum(variances, self._least))

    def logpdf(self, y: npt.ArrayLike) -> Floats:
        """Logarithm of the density at ``y``."""
        return self._blurred.logpdf(y)

    def pdf(self, y: npt.ArrayLike) -> Floats:
        """Density at ``y``."""
        return self._blurred.pdf(y)

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability below ``y``."""
        return self._blurred.cdf(y)

    def ppf(self, q: npt.ArrayLike) -> Floats:
        """Quantiles of each row: shape ``(n,)`` for a scalar ``q``, ``(n, k)`` for ``k`` of them."""
        levels = np.asarray(q, dtype=np.float64)
        if levels.ndim > 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"quantiles must be a number or a 1-D list of numbers between 0 and 1, got {q!r}")
        found = self._quantiles(np.atleast_1d(levels))
        return found if levels.ndim else found[:, 0]

    def expect(self, function: Expected) -> Floats:
        """Mean of a function of each row's value. It is told values, and which rows they belong to."""
        values = function(self.labels, np.repeat(np.arange(len(self)), self.sizes))
        found: Floats = np.add.reduceat(self.weights * values, self.first[:-1])
        return found

    def interval(self, confidence: float = 0.9) -> Floats:
        """Central interval of each row: lower and upper ends, shape ``(n, 2)``."""
        if not 0 < confidence < 1:
            raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
        return self.ppf([(1 - confidence) / 2, (1 + confidence) / 2])

    def rvs(self, size: int | None = None, random_state: object = None) -> Floats:
        """Random labels: shape ``(n,)``, or ``(n, size)`` if a size is given."""
        rng = check_random_state(random_state)
        total = np.concatenate([[0.0], np.cumsum(self.weights)])
        begin, end = total[self.first[:-1], None], total[self.first[1:], None]
        at = begin + rng.random_sample((len(self), 1 if size is None else int(size))) * (end - begin)
        chosen = np.searchsorted(total, at, side="right") - 1
        draws: Floats = self.labels[np.clip(chosen, self.first[:-1, None], self.first[1:, None] - 1)]
        return draws[:, 0] if size is None else draws

    @property
    def _least(self) -> Floats:
        """Smallest variance: where all labels are equal."""
        found: Floats = (1e-9 * np.maximum(np.abs(self.mean()), 1e-9)) ** 2
        return found

    @cached_property
    def _blurred(self) -> NormalMixture:
        effective = 1.0 / np.add.reduceat(self.weights**2, self.first[:-1])
        variances = np.repeat((0.9 * self.std() * effective**-0.2) ** 2, self.sizes)
        return NormalMixture(self.first, self.weights, self.labels, variances)
