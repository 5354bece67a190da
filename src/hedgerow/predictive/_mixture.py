"""What mixtures of any family have in common: a row of a query owns a stretch of flat arrays of components."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.predictive._distribution import Distribution


class Mixture(Distribution):
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
        self._n_rows = self.first.size - 1
        return arrays

    def _variance_parts(self) -> tuple[Floats, Floats, Floats]:
        """Variance within components and between their means, and zeros: noise, disagreement, and no distance."""
        means, variances = self._components_moments()
        gaps = means - np.repeat(self.mean(), np.diff(self.first))
        return self._sum(self.weights * variances), self._sum(self.weights * gaps**2), np.zeros(len(self))

    def _components_moments(self) -> tuple[Floats, Floats]:
        """Mean and variance of each component."""
        raise NotImplementedError

    def _made_of(self) -> str:
        return f", {self.weights.size} components"

    def _chosen(self, n_draws: int, rng: np.random.RandomState) -> npt.NDArray[np.intp]:
        """Components drawn for each row, by their weights: shape (n, n_draws)."""
        # A row's components cover the stretch of the cumulative weights that is the row's own.
        total = np.concatenate([[0.0], np.cumsum(self.weights)])
        begin, end = total[self.first[:-1], None], total[self.first[1:], None]
        at = begin + rng.random_sample((len(self), n_draws)) * (end - begin)
        at_or_after = np.searchsorted(total, at, side="right") - 1
        chosen: npt.NDArray[np.intp] = np.clip(at_or_after, self.first[:-1, None], self.first[1:, None] - 1)
        return chosen

    def _sum(self, parts: Floats) -> Floats:
        return np.add.reduceat(parts, self.first[:-1]) if len(self) else np.zeros(0)
