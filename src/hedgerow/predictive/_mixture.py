"""What mixtures of any family have in common: a row of a query owns a stretch of flat arrays of components."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

Floats = npt.NDArray[np.float64]


class Mixture(ABC):
    """One mixture a row; row ``i`` owns the components ``first[i]`` to ``first[i + 1] - 1``."""

    first: npt.NDArray[np.int64]
    weights: Floats

    def _take(self, first: npt.ArrayLike, *parts: npt.ArrayLike) -> list[Floats]:
        """Check and convert where rows begin, and arrays with a number for each component."""
        self.first = np.ascontiguousarray(first, dtype=np.int64)
        arrays = [np.ascontiguousarray(part, dtype=np.float64) for part in parts]
        if self.first.ndim != 1 or self.first.size == 0 or len({part.shape for part in arrays}) != 1:
            raise ValueError("the components' numbers must be of one length, first 1-D and not empty")
        if arrays[0].ndim != 1:
            raise ValueError(f"the components' numbers must be 1-D, got shape {arrays[0].shape}")
        if self.first[0] != 0 or self.first[-1] != arrays[0].size or (np.diff(self.first) <= 0).any():
            raise ValueError("first must rise from 0 to the number of components")
        return arrays

    def __len__(self) -> int:
        return self.first.size - 1

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} rows, {self.weights.size} components>"

    @abstractmethod
    def logpdf(self, y: npt.ArrayLike) -> Floats:
        """Logarithm of the density at ``y``, by log-sum-exp over the components."""

    @abstractmethod
    def ppf(self, q: npt.ArrayLike) -> Floats:
        """Quantiles of each row: shape ``(n,)`` for a scalar ``q``, ``(n, k)`` for ``k`` of them."""

    @abstractmethod
    def _draw(self, chosen: npt.NDArray[np.intp], rng: np.random.RandomState) -> Floats:
        """One draw from each of these components."""

    def pdf(self, y: npt.ArrayLike) -> Floats:
        """Density at ``y``."""
        density: Floats = np.exp(self.logpdf(y))
        return density

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
        draws = self._draw(np.clip(chosen, self.first[:-1, None], self.first[1:, None] - 1), rng)
        return draws[:, 0] if size is None else draws

    def _sum(self, parts: Floats) -> Floats:
        return np.add.reduceat(parts, self.first[:-1]) if len(self) else np.zeros(0)

    @staticmethod
    def _levels(q: npt.ArrayLike) -> Floats:
        levels = np.asarray(q, dtype=np.float64)
        if levels.ndim > 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"quantiles must be a number or a 1-D list of numbers between 0 and 1, got {q!r}")
        return levels

    def _per_row(self, y: npt.ArrayLike) -> tuple[Floats, tuple[int, ...]]:
        """``y`` as a matrix with a row for each row of the query, and the shape of the answer."""
        values = np.asarray(y, dtype=np.float64)
        n = len(self)
        if values.ndim == 0 or values.shape == (n,):
            return np.ascontiguousarray(np.broadcast_to(values, (n,))).reshape(n, 1), (n,)
        if values.ndim == 2 and values.shape[0] in (1, n):
            return np.ascontiguousarray(np.broadcast_to(values, (n, values.shape[1]))), (n, values.shape[1])
        raise ValueError(f"y must be a number or have shape ({n},), (1, k) or ({n}, k), got shape {values.shape}")
