"""Random Fourier features and random binning for the Laplace kernel (Rahimi and Recht, NIPS 2007)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

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

    def names(self, X: Floats) -> npt.NDArray[np.uint64]:
        """A name for the bin of each row in each grid, grid after grid."""
        names = np.empty((self.pitches.shape[0], X.shape[0]), dtype=np.uint64)
        for m, (pitch, shift) in enumerate(zip(self.pitches, self.shifts, strict=True)):
            bins = np.floor((X - shift) / pitch).astype(np.int64).astype(np.uint64)
            hashed = np.zeros(X.shape[0], dtype=np.uint64)
            for column in bins.T:
                hashed = (hashed ^ column) * np.uint64(0x9E3779B97F4A7C15)
                hashed ^= hashed >> np.uint64(29)
            names[m] = hashed
        return names

    def columns(self, X: Floats) -> tuple[npt.NDArray[np.uint32], int]:
        """A column for the bin of each row in each grid, and how many there are."""
        names, first = self.names(X), 0
        columns = np.empty(names.shape, dtype=np.uint32)
        for m, of_grid in enumerate(names):
            distinct, number = np.unique(of_grid, return_inverse=True)
            columns[m], first = first + number.ravel(), first + distinct.size
        return columns, first

    def kernel(self, X: Floats) -> Floats:
        """Of all pairs: the share of grids in which they share a bin."""
        names = self.names(X)
        return np.mean([of_grid[:, None] == of_grid for of_grid in names], axis=0)
