"""Made-up data: Friedman's first function of the first five columns, unit noise, any width and marginals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Dataset:
    """Rows to learn and rows to be asked about."""

    X: Floats
    y: Floats
    X_test: Floats
    y_test: Floats

    def rmse(self, prediction: Floats) -> float:
        """Return the root mean squared error on the test rows; the noise alone makes it 1."""
        return float(np.sqrt(np.mean((prediction - self.y_test) ** 2)))


def friedman(n_rows: int, width: int, *, skewed: bool = False, n_test: int = 10_000) -> Dataset:
    """Draw a data set.

    With `skewed`, each column is sent through minus its logarithm: exponential marginals, the same labels.
    """
    generator = np.random.default_rng(0)
    X = generator.uniform(size=(n_rows + n_test, width))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    y += generator.normal(size=y.size)
    if skewed:
        X = -np.log1p(-X)
    return Dataset(X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:])
