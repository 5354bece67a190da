"""Random Fourier features and random binning for the Laplace kernel (Rahimi and Recht 2007)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Floats = npt.NDArray[np.float64]


class RandomFourier:
    """``sqrt(2 / M) cos(w x + b)``: the Laplace kernel is the Fourier transform of independent Cauchy frequencies."""

    def __init__(self, n_features: int, lifetime: float, width: int, rng: np.random.Generator) -> None:
        self.frequencies = lifetime * rng.standard_cauchy(size=(width, n_features))
        self.phases = rng.uniform(0.0, 2.0 * np.pi, size=n_features)

    def transform(self, X: Floats) -> Floats:
        """A dense matrix with a row a row."""
        return np.sqrt(2.0 / self.phases.size) * np.cos(X @ self.frequencies + self.phases)

    def kernel(self, X: Floats) -> Floats:
        """Of all pairs."""
        features = self.transform(X)
        return features @ features.T


class RandomBinning:
    """M random grids. The pitch of a dimension is Gamma(2) over the lifetime: its density is p k''(p) for k = exp."""

    def __init__(self, n_features: int, lifetime: float, width: int, rng: np.random.Generator) -> None:
        self.pitches = rng.gamma(2.0, 1.0 / lifetime, size=(n_features, width))
        self.shifts = rng.uniform(size=(n_features, width)) * self.pitches

    def bins(self, X: Floats) -> npt.NDArray[np.uint64]:
        """A hash of the bin of each row in each grid, grid after grid."""
        found = np.empty((self.pitches.shape[0], X.shape[0]), dtype=np.uint64)
        for m, (pitch, shift) in enumerate(zip(self.pitches, self.shifts, strict=True)):
            places = np.floor((X - shift) / pitch).astype(np.int64).astype(np.uint64)
            hashed = np.zeros(X.shape[0], dtype=np.uint64)
            for column in places.T:
                hashed = (hashed ^ column) * np.uint64(0x9E3779B97F4A7C15)
                hashed ^= hashed >> np.uint64(29)
            found[m] = hashed
        return found

    def transform(self, X: Floats) -> Any:
        """A sparse matrix with a row a row: one over the root of M in a column for the bin of each grid."""
        columns, n_columns = [], 0
        for of_grid in self.bins(X):
            distinct, number = np.unique(of_grid, return_inverse=True)
            columns.append(n_columns + number.ravel())
            n_columns += distinct.size
        indices = np.array(columns).T.ravel()
        n, m = X.shape[0], len(columns)
        return sparse.csr_matrix((np.full(n * m, m**-0.5), indices, np.arange(0, n * m + 1, m)), shape=(n, n_columns))

    def kernel(self, X: Floats) -> Floats:
        """Of all pairs: the share of grids in which they share a bin."""
        return np.mean([of_grid[:, None] == of_grid for of_grid in self.bins(X)], axis=0)
