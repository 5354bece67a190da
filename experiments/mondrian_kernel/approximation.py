"""Figure 5: the largest error of the kernel over all pairs of 100 rows in the unit square."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from experiments.mondrian_kernel.baselines import RandomBinning, RandomFourier
from hedgerow import MondrianFeatures

Floats = npt.NDArray[np.float64]
LIFETIME = 10.0


def mondrian(n_features: int, X: Floats, seed: int) -> Floats:
    """Our kernel."""
    return MondrianFeatures(n_features, LIFETIME, random_state=seed).fit(X).kernel(X)


def fourier(n_features: int, X: Floats, seed: int) -> Floats:
    """That of random Fourier features."""
    return RandomFourier(n_features, LIFETIME, X.shape[1], np.random.default_rng(seed)).kernel(X)


def binning(n_features: int, X: Floats, seed: int) -> Floats:
    """That of random binning."""
    return RandomBinning(n_features, LIFETIME, X.shape[1], np.random.default_rng(seed)).kernel(X)


SCHEMES: dict[str, Callable[[int, Floats, int], Floats]] = {
    "Mondrian kernel": mondrian,
    "random Fourier features": fourier,
    "random binning": binning,
}


def errors(sizes: list[int], n_repeats: int = 5) -> dict[str, Floats]:
    """Mean over repeats of the largest absolute error, for each number of features a row."""
    rng = np.random.default_rng(0)
    found = {name: np.zeros((len(sizes), n_repeats)) for name in SCHEMES}
    for repeat in range(n_repeats):
        X = rng.uniform(size=(100, 2))
        true = np.exp(-LIFETIME * np.abs(X[:, None] - X[None]).sum(axis=2))
        for place, size in enumerate(sizes):
            for name, kernel in SCHEMES.items():
                found[name][place, repeat] = np.abs(kernel(size, X, repeat) - true).max()
    return {name: each.mean(axis=1) for name, each in found.items()}
