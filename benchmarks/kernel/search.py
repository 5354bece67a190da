"""Looking for a good width of the Laplace kernel: exactly, with random features, and in one sweep."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist

from benchmarks.kernel.baselines import RandomBinning, RandomFourier
from benchmarks.shared.data import Floats, Table, unit_range

ALPHAS = 10.0 ** np.linspace(-6.0, 1.0, 29)
"""Ridges that are tried at each width."""
N_STEPS = 32
"""Of Lanczos' iteration, after which the solutions of random binning are taken as they are."""


@dataclass(frozen=True)
class Thirds:
    """Rows to learn, to choose by and to test."""

    X: Floats
    y: Floats
    X_validation: Floats
    y_validation: Floats
    X_test: Floats
    y_test: Floats

    @classmethod
    def of(cls, table: Table, *, by_range: bool = True) -> Thirds:
        """Draw 80, 10 and 10 percent, as Balog and others (2016) do; columns may be divided by their ranges."""
        order, n = np.random.default_rng(0).permutation(table.y.size), table.y.size
        learn, choose, test = np.split(order, [round(0.8 * n), round(0.9 * n)])
        X, y = unit_range(table.X, table.X[learn]) if by_range else table.X, table.y
        return cls(X[learn], y[learn], X[choose], y[choose], X[test], y[test])

    def lifetime(self, n_cuts: float) -> float:
        """Return the lifetime by which so many cuts of the whole range are expected, in whatever units columns are."""
        return n_cuts / float(np.ptp(self.X, axis=0).sum())


def relative_error(prediction: Floats, y: Floats) -> float:
    """That of Balog and others (2016): in percent of the targets, which are not centred."""
    return float(100.0 * np.linalg.norm(prediction - y) / np.linalg.norm(y))


Errors = tuple[float, float]
"""On the validation rows and on the test rows."""


def laplace(data: Thirds, lifetime: float) -> Errors:
    """The exact kernel at one lifetime, the ridge by the validation rows."""
    within, behind, ahead = (
        np.exp(-lifetime * cdist(rows, data.X, "cityblock")) for rows in (data.X, data.X_validation, data.X_test)
    )
    centre, best = data.y.mean(), (np.inf, np.inf)
    for alpha in (0.003, 0.01, 0.03):
        factor = linalg.cho_factor(within + alpha * np.eye(data.y.size), check_finite=False)
        weights = linalg.cho_solve(factor, data.y - centre, check_finite=False)
        found = (
            relative_error(centre + behind @ weights, data.y_validation),
            relative_error(centre + ahead @ weights, data.y_test),
        )
        best = min(best, found)
    return best


def fourier(data: Thirds, n_features: int, lifetime: float, seed: int = 0) -> Errors:
    """Random Fourier features at one lifetime: the exact solution for all ridges, the best by validation."""
    features = RandomFourier(n_features, lifetime, data.X.shape[1], np.random.default_rng(seed))
    learn = features.transform(data.X)
    values, vectors = linalg.eigh(learn.T @ learn, check_finite=False)
    along = vectors.T @ (learn.T @ (data.y - data.y.mean()))
    weights = vectors @ (along[:, None] / (values.clip(min=0.0)[:, None] + ALPHAS))
    return best_ridge(data, features.transform(data.X_validation), features.transform(data.X_test), weights)


def binning(data: Thirds, n_features: int, lifetime: float, seed: int = 0) -> Errors:
    """Random binning at one lifetime: all ridges from one Krylov space, the best by validation."""
    grids = RandomBinning(n_features, lifetime, data.X.shape[1], np.random.default_rng(seed))
    features = grids.transform(np.concatenate([data.X, data.X_validation, data.X_test]))
    n, n_behind = data.y.size, data.y_validation.size
    learn, behind, ahead = features[:n], features[n : n + n_behind], features[n + n_behind :]
    weights = learn.T @ dual_weights(learn, data.y - data.y.mean())
    return best_ridge(data, behind, ahead, weights)


def dual_weights(features: Any, y: Floats) -> Floats:
    """Solve ``(Z Z' + alpha) w = y`` for all ridges by Lanczos' iteration, whose space does not depend on them."""
    basis, diagonal, beside = [y / np.linalg.norm(y)], [], []
    for _ in range(min(N_STEPS, y.size)):
        step = features @ (features.T @ basis[-1])
        diagonal.append(float(basis[-1] @ step))
        for _ in range(2):
            step -= np.array(basis).T @ (np.array(basis) @ step)
        beside.append(float(np.linalg.norm(step)))
        if beside[-1] < 1e-10 * diagonal[0]:
            break
        basis.append(step / beside[-1])
    k = len(diagonal)
    values, vectors = linalg.eigh_tridiagonal(diagonal, beside[: k - 1])
    solutions: Floats = np.array(basis[:k]).T @ (vectors @ (vectors[0][:, None] / (values[:, None] + ALPHAS)))
    return np.linalg.norm(y) * solutions


def best_ridge(data: Thirds, behind: Any, ahead: Any, weights: Floats) -> Errors:
    """Return the errors of the ridge, a column of weights each, that is best on the validation rows."""
    centre = data.y.mean()
    errors = [relative_error(prediction, data.y_validation) for prediction in (centre + behind @ weights).T]
    best = int(np.argmin(errors))
    return errors[best], relative_error(centre + ahead @ weights[:, best], data.y_test)


Curve = list[tuple[float, float, float, float]]
"""Processor time so far, lifetime, validation error, test error."""


def search(errors: Callable[[float], Errors], n_steps: int) -> Curve:
    """Double the largest or halve the smallest lifetime; once one is good, look between neighbours.

    It begins at 1, as in the paper. Good is 10 % below the worst so far.
    """
    begin = time.process_time()
    curve: Curve = []
    for lifetime in _lifetimes(curve, n_steps):
        found = errors(lifetime)
        curve.append((time.process_time() - begin, lifetime, *found))
    return curve


def _lifetimes(curve: Curve, n_steps: int) -> Iterator[float]:
    """Lifetimes to try next, given what has been tried."""
    yield from (1.0, 2.0, 0.5)
    for _ in range(n_steps - 3):
        tried = sorted((lifetime, error) for _, lifetime, error, _ in curve)
        is_good = min(error for _, error in tried) < 0.9 * max(error for _, error in tried)
        among = range(len(tried)) if is_good else (0, len(tried) - 1)
        best = min(among, key=lambda k: tried[k][1])
        if best == 0:
            yield tried[0][0] / 2.0
        elif best == len(tried) - 1:
            yield tried[-1][0] * 2.0
        else:
            left, middle, right = (tried[k][0] for k in (best - 1, best, best + 1))
            yield float(np.sqrt(middle * (right if right / middle > middle / left else left)))
