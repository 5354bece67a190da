"""Data that BART is measured on: hypercubes of the thesis, Friedman's function, and sets from a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

CUBE_DECAYS = {2: 1.0, 3: 0.5, 4: 0.4, 5: 0.3, 7: 0.25}
"""split_decay for each dimension: footnote 6 of chapter 4 of the thesis."""
REAL_SETS = ("cal_housing", "bank32nh", "qsar_chembl240")
"""8, 32 and 43 columns. The thesis' other two sets, of 90 and 384, are not in the folder."""


@dataclass(frozen=True)
class BartData:
    """Rows to learn, and rows whose true mean, or label, is to be predicted."""

    name: str
    X: Floats
    y: Floats
    X_test: Floats
    y_test: Floats


def hypercube(dimension: int, seed: int) -> BartData:
    """Ten rows about each corner of a cube, each corner with a value of its own: section 4.4.1 of the thesis."""
    rng = np.random.default_rng([dimension, seed])
    corners = np.stack(np.meshgrid(*[[-1.0, 1.0]] * dimension), axis=-1).reshape(-1, dimension)
    values = rng.normal(scale=3.0, size=len(corners))

    def rows() -> tuple[Floats, Floats]:
        X = np.repeat(corners, 10, axis=0)
        return X + rng.normal(scale=0.1, size=X.shape), np.repeat(values, 10)

    X, mean = rows()
    y = mean + rng.normal(scale=0.01, size=mean.size)
    return BartData(f"hypercube-{dimension}", X, y, *rows())


def friedman(n: int, seed: int, n_test: int = 500) -> BartData:
    """Friedman's first function in ten columns, noise of deviation one; test labels are true means."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n + n_test, 10))
    mean = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    y = mean + rng.normal(size=n + n_test)
    return BartData("friedman1", X[:n], y[:n], X[n:], mean[n:])


def real(folder: Path | None, name: str, seed: int) -> BartData:
    """2,000 random rows to learn, as in section 4.4.3 of the thesis, and up to 2,000 others to predict."""
    import pandas as pd

    path = (folder or Path()) / f"{name}.parquet"
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: give the folder with the sets by --data or HEDGEROW_DATA")
    table = pd.read_parquet(path)
    X = table.drop(columns=["target", "split"], errors="ignore").to_numpy("f8")
    y = table["target"].to_numpy("f8")
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:2000], order[2000:4000]
    return BartData(name, X[train], y[train], X[test], y[test])
