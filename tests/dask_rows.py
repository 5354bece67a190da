"""Rows for tests of models on Dask, and arrays in partitions."""

from __future__ import annotations

import numpy as np

from thorough import THOROUGH

N = 3000 if THOROUGH else 300
SIZES = {"n_estimators": 13, "random_state": 3}


def draw(n=N, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    X[:, 1] = np.round(8 * X[:, 1])
    return X, np.sin(6 * X[:, 0]) + 0.2 * X[:, 1] + rng.normal(scale=0.1, size=n)


def divided(n_parts, *arrays):
    """Arrays in so many partitions."""
    import dask.array as da

    ends = np.linspace(0, len(arrays[0]), n_parts + 1).astype(int)
    chunks = tuple(np.diff(ends).tolist())
    return [da.from_array(array, chunks=(chunks, *array.shape[1:])) for array in arrays]
