"""A vectorised mixture of Gaussians: one for each row of a query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri
from sklearn.utils import check_random_state

from hedgerow._core import Components

Floats = npt.NDArray[np.float64]


class NormalMixture:
    """One mixture of Gaussians a row: what a forest predicts, whole.

    Row ``i`` owns the components ``first[i]`` to ``first[i + 1] - 1`` of the flat arrays. All results have a row
    of the query as their first axis: functions of a value take a scalar, an array of shape ``(n,)`` with a
    value for each row, or anything that broadcasts to ``(n, k)`` for ``k`` values a row.

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
        self.first = np.ascontiguousarray(first, dtype=np.int64)
        self.weights, self.means, self.variances = (
            np.ascontiguousarray(part, dtype=np.float64) for part in (weights, means, variances)
        )
        sizes = {part.shape for part in (self.weights, self.means, self.variances)}
        if self.first.ndim != 1 or self.first.size == 0 or len(sizes) != 1 or self.weights.ndim != 1:
            raise ValueError("weights, means and variances must be 1-D and of one length, first 1-D and not empty")
        if self.first[0] != 0 or self.first[-1] != self.weights.size or (np.diff(self.first) <= 0).any():
            raise ValueError("first must rise from 0 to the number of components")
        self._n_threads = n_threads
        self._components = Components(self.first, self.weights, self.means, self.variances)

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

    def __len__(self) -> int:
        return self.first.size - 1

    def __repr__(self) -> str:
        return f"<NormalMixture of {len(self)} rows, {self.weights.size} components>"

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

    def pdf(self, y: npt.ArrayLike) -> Floats:
        """Density at ``y``."""
        density: Floats = np.exp(self.logpdf(y))
        return density

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability below ``y``."""
        values, shape = self._per_row(y)
        return self._components.cdf(values, self._n_threads).reshape(shape)

    def ppf(self, q: npt.ArrayLike) -> Floats:
        """Quantiles of each row: shape ``(n,)`` for a scalar ``q``, ``(n, k)`` for ``k`` of them."""
        levels = np.asarray(q, dtype=np.float64)
        if levels.ndim > 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"quantiles must be a number or a 1-D list of numbers between 0 and 1, got {q!r}")
        found = self._components.quantiles(levels.ravel(), ndtri(levels).ravel(), self._n_threads)
        return found if levels.ndim else found[:, 0]

    def interval(self, confidence: float = 0.9) -> Floats:
        """Central interval of each row: lower and upper ends, shape ``(n, 2)``."""
        if not 0 < confidence < 1:
            raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
        return self.ppf([(1 - confidence) / 2, (1 + confidence) / 2])

    def rvs(self, size: int | None = None, random_state: object = None) -> Floats:
        """Random draws: shape ``(n,)``, or ``(n, size)`` if a size is given."""
        rng = check_random_state(random_state)
        n_draws = 1 if size is None else int(size)
        if n_draws < 0:
            raise ValueError(f"size must not be negative, got {size!r}")
        # A row's components cover the stretch of the cumulative weights that is the row's own.
        total = np.concatenate([[0.0], np.cumsum(self.weights)])
        begin, end = total[self.first[:-1], None], total[self.first[1:], None]
        at = begin + rng.random_sample((len(self), n_draws)) * (end - begin)
        chosen = np.searchsorted(total, at, side="right") - 1
        chosen = np.clip(chosen, self.first[:-1, None], self.first[1:, None] - 1)
        draws: Floats = self.means[chosen] + np.sqrt(self.variances[chosen]) * rng.standard_normal(chosen.shape)
        return draws[:, 0] if size is None else draws

    def _sum(self, parts: Floats) -> Floats:
        return np.add.reduceat(parts, self.first[:-1]) if len(self) else np.zeros(0)

    def _per_row(self, y: npt.ArrayLike) -> tuple[Floats, tuple[int, ...]]:
        """``y`` as a matrix with a row for each row of the query, and the shape of the answer."""
        values = np.asarray(y, dtype=np.float64)
        n = len(self)
        if values.ndim == 0 or values.shape == (n,):
            return np.ascontiguousarray(np.broadcast_to(values, (n,))).reshape(n, 1), (n,)
        if values.ndim == 2 and values.shape[0] in (1, n):
            return np.ascontiguousarray(np.broadcast_to(values, (n, values.shape[1]))), (n, values.shape[1])
        raise ValueError(f"y must be a number or have shape ({n},), (1, k) or ({n}, k), got shape {values.shape}")
