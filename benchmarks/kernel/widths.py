"""Figures 6 to 8: recovering a known lifetime, and looking for a good one on cpu_act."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import linalg

from experiments.mondrian_kernel.baselines import RandomBinning, RandomFourier
from hedgerow import MondrianKernelRidge, _core
from hedgerow._blas import one_blas_thread
from hedgerow.kernel._iterative import N_STEPS, Operator, Quadrature
from hedgerow.kernel._problem import Problem
from hedgerow.kernel._selection import ALPHAS, partitions_at, time_grid

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Split:
    """Rows to learn, to choose by and to test, columns measured by their range among the first."""

    X: Floats
    y: Floats
    X_validation: Floats
    y_validation: Floats
    X_test: Floats
    y_test: Floats


def relative_error(prediction: Floats, y: Floats) -> float:
    """The paper's: in percent of the labels, which are not centred."""
    return float(100.0 * np.linalg.norm(prediction - y) / np.linalg.norm(y))


def cpu_act(folder: Path) -> Split:
    """80, 10 and 10 percent of cpu_act, as in the paper; which rows is not known."""
    import polars

    frame = polars.read_parquet(folder / "cpu_act.parquet")
    X, y = frame.drop("target").to_numpy().astype(np.float64), frame["target"].to_numpy().astype(np.float64)
    order = np.random.default_rng(0).permutation(y.size)
    learn, choose, test = order[:6554], order[6554:7373], order[7373:]
    lower, span = X[learn].min(axis=0), np.ptp(X[learn], axis=0)
    X = (X - lower) / np.where(span > 0, span, 1.0)
    return Split(X[learn], y[learn], X[choose], y[choose], X[test], y[test])


def laplace_error(data: Split, lifetimes: Floats, alphas: Floats) -> float:
    """Test error of the exact Laplace kernel, lifetime and ridge by the validation rows."""
    from scipy.spatial.distance import cdist

    within, behind, ahead = (cdist(rows, data.X, "cityblock") for rows in (data.X, data.X_validation, data.X_test))
    best = (np.inf, np.inf)
    for lifetime in lifetimes:
        for alpha in alphas:
            kernel = np.exp(-lifetime * within)
            kernel[np.diag_indices(data.y.size)] += alpha
            factor = linalg.cho_factor(kernel, overwrite_a=True, check_finite=False)
            weights = linalg.cho_solve(factor, data.y - data.y.mean(), check_finite=False)
            found = (
                relative_error(data.y.mean() + np.exp(-lifetime * behind) @ weights, data.y_validation),
                relative_error(data.y.mean() + np.exp(-lifetime * ahead) @ weights, data.y_test),
            )
            best = min(best, found)
    return best[1]


def recovery(selection: str, seed: int) -> float:
    """Figure 7: the lifetime chosen for labels drawn with the Laplace kernel of lifetime 10."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(1000, 2))
    kernel = np.exp(-10.0 * np.abs(X[:, None] - X[None]).sum(axis=2))
    y = np.linalg.cholesky(kernel + 1e-10 * np.eye(1000)) @ rng.normal(size=1000) + 0.1 * rng.normal(size=1000)
    model = MondrianKernelRidge(50, selection=selection, max_lifetime=100.0, length_scale=1.0, random_state=seed)
    return model.fit(X, y).lifetime_


Curve = list[tuple[float, float, float]]
"""Processor time so far, lifetime, validation error."""


def sweep_curve(data: Split, n_trees: int, largest: float, seed: int = 0) -> Curve:
    """Figure 8, our sweep: all lifetimes in one pass, all ridges at each."""
    begin = time.process_time()
    centre, scale = data.y.mean(), data.y.std()
    points = np.ascontiguousarray(np.concatenate([data.X, data.X_validation]) * largest)
    labels = (np.concatenate([data.y, data.y_validation]) - centre) / scale
    problem = Problem(points, labels, np.ones(labels.size), data.y_validation.size, n_trees, seed, 1, scale)
    curve = []
    with one_blas_thread():
        sweep = _core.Sweep(points, n_trees=n_trees, seed=seed, n_threads=1)
        for share, columns, n_columns in partitions_at(problem, sweep, time_grid(sweep, 25)):
            error = _least_error(problem, columns, n_columns, data)
            curve.append((time.process_time() - begin, share * largest, error))
    return curve


def _least_error(problem: Problem, columns: npt.NDArray[np.uint32], n_columns: int, data: Split) -> float:
    own, behind = (np.ascontiguousarray(part) for part in (columns[:, : problem.n], columns[:, problem.n :]))
    operator = Operator(own, n_columns, problem.roots, 1)
    quadrature = Quadrature(operator, problem.scaled[:, None].copy(), N_STEPS)
    sums = quadrature.criteria(problem, operator, behind, ALPHAS).validation
    return float(100.0 * problem.scale * np.sqrt(np.nanmin(sums)) / np.linalg.norm(data.y_validation))


def fourier_error(data: Split, n_features: int, lifetime: float, seed: int = 0) -> float:
    """Random Fourier features at one lifetime: the exact solution for all ridges, the best by validation."""
    features = RandomFourier(n_features, lifetime, data.X.shape[1], np.random.default_rng(seed))
    learn, choose = features.transform(data.X), features.transform(data.X_validation)
    centre = data.y.mean()
    values, vectors = linalg.eigh(learn.T @ learn, check_finite=False)
    along = vectors.T @ (learn.T @ (data.y - centre))
    predictions = centre + (choose @ vectors) @ (along[:, None] / (values.clip(min=0.0)[:, None] + ALPHAS))
    return min(relative_error(prediction, data.y_validation) for prediction in predictions.T)


def binning_error(data: Split, n_features: int, lifetime: float, seed: int = 0) -> float:
    """Random binning at one lifetime, solved as our own features are."""
    grids = RandomBinning(n_features, lifetime, data.X.shape[1], np.random.default_rng(seed))
    columns, n_columns = grids.columns(np.concatenate([data.X, data.X_validation]))
    centre, scale = data.y.mean(), data.y.std()
    labels = (np.concatenate([data.y, data.y_validation]) - centre) / scale
    points = np.empty((labels.size, 0))
    problem = Problem(points, labels, np.ones(labels.size), data.y_validation.size, n_features, seed, 1, scale)
    return _least_error(problem, columns, n_columns, data)


def search_curve(error: Callable[[float], float], n_steps: int = 12) -> Curve:
    """Figure 8, the others: double the largest or halve the smallest lifetime; then between neighbours."""
    begin = time.process_time()
    curve: Curve = []
    with one_blas_thread():
        for lifetime in _widths(curve, n_steps):
            found = error(lifetime)
            curve.append((time.process_time() - begin, lifetime, found))
    return curve


def _widths(curve: Curve, n_steps: int) -> Iterator[float]:
    """Lifetimes to try next, given what has been tried: begun at 1, as in the paper."""
    yield from (1.0, 2.0, 0.5)
    for _ in range(n_steps - 3):
        tried = sorted((lifetime, error) for _, lifetime, error in curve)
        best = min(range(len(tried)), key=lambda k: tried[k][1])
        if best == 0:
            yield tried[0][0] / 2.0
        elif best == len(tried) - 1:
            yield tried[-1][0] * 2.0
        else:
            left, middle, right = (tried[k][0] for k in (best - 1, best, best + 1))
            yield float(np.sqrt(middle * (right if right / middle > middle / left else left)))


def time_to_best(curve: Curve, tolerance: float = 0.01) -> float:
    """When the curve first came within a hundredth of its least error."""
    least = min(error for _, _, error in curve)
    return next(seconds for seconds, _, error in curve if error <= (1.0 + tolerance) * least)
