"""From rows to a lifetime, a ridge and a solution: which route, which grid, which largest lifetime."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.spatial.distance import cdist

from hedgerow import _core
from hedgerow.base.rows import Rows
from hedgerow.base.work import PREDICTED_AT_A_TIME, WORK_AT_A_TIME, pieces
from hedgerow.kernel._cells import find_cells
from hedgerow.kernel._cost import Size
from hedgerow.kernel._fit import Fit
from hedgerow.kernel._independent import IndependentSolution, independent_path
from hedgerow.kernel._iterative import N_TIMES, IterativeSolution, iterative_path
from hedgerow.kernel._lengths import with_lengths
from hedgerow.kernel._path import LifetimePath
from hedgerow.kernel._problem import Problem
from hedgerow.kernel._selection import (
    N_COARSE,
    N_FINE,
    Rule,
    best_place,
    choose_alpha,
    exact_path,
    path_at_events,
    time_grid,
)
from hedgerow.kernel._settings import RidgeSettings
from hedgerow.kernel._solutions import LearnedRows, Solution, exact_solution
from hedgerow.kernel._units import Units
from hedgerow.kernel._weights import Weights
from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.blas import one_blas_thread

MOST_LOOKED_AT = 1000
"""Rows whose nearest neighbours give the scale of the largest lifetime."""

WIDTHS_TO_NEIGHBOUR = 2.0
"""At the largest lifetime the typical row is so many widths away from its nearest neighbour that it is alone."""

FEWEST_TO_SPLIT = 4
"""With fewer rows there is no validation set, and the marginal likelihood decides."""


def largest_lifetime(scaled: Floats) -> float:
    """A lifetime at which most rows are alone in their cells, from the rows in units of their length scales.

    Rows are looked at in an order of their own, each once, so that neither their order nor copies of them matter.
    """
    distinct = np.unique(scaled, axis=0)
    if distinct.shape[0] < 2:
        return 1.0
    chosen = distinct[np.unique(np.linspace(0, distinct.shape[0] - 1, MOST_LOOKED_AT).astype(int))]
    distances = cdist(chosen, chosen, "cityblock")
    distances[np.diag_indices(chosen.shape[0])] = np.inf
    nearest = float(np.median(distances.min(axis=1)))
    return WIDTHS_TO_NEIGHBOUR / nearest if 1e-100 < nearest < 1e100 else 1.0


def review(rows: Rows, settings: RidgeSettings, seed: int, n_threads: int) -> Fit:
    """Everything from all rows: units, lifetime, ridge, solution."""
    if settings.length_scale == "learned":
        settings = with_lengths(rows, settings, seed, n_threads, review)
    weights = Weights.of(rows)
    origin = float(np.average(rows.y, weights=weights.each))
    spread = float(np.sqrt(np.average((rows.y - origin) ** 2, weights=weights.each)))
    scale = spread if spread > 1e-150 else 1.0
    unit = Units.around(rows.X, settings.length_scale, 1.0)
    largest = settings.given_lifetime or settings.max_lifetime or largest_lifetime(unit.points(rows.X))
    units = Units(unit.centre, unit.rates * largest)
    targets = (rows.y - origin) / scale
    problem = Problem(units.points(rows.X), targets, weights.each, 0, settings.n_estimators, seed, n_threads, scale)
    with one_blas_thread():
        return Fit(units, origin, scale, weights.unit, *_solved(problem, weights, settings, largest))


def _solved(
    problem: Problem, weights: Weights, settings: RidgeSettings, largest: float
) -> tuple[LifetimePath, _core.CellFeatures, Solution]:
    """Choose what is to be chosen, then learn all rows."""
    rule, looked_at = Rule(settings.selection), weights.without_copies(problem)
    if settings.selection == "validation":
        is_choosing = settings.given_lifetime is None or settings.given_alpha is None
        if is_choosing and looked_at.n >= FEWEST_TO_SPLIT:
            looked_at = _with_validation(looked_at, settings.validation_fraction)
        if not looked_at.n_unseen:
            rule = Rule("marginal_likelihood")
    alpha = None if settings.given_alpha is None else settings.given_alpha / weights.unit
    path = _path(looked_at, settings, rule, alpha, largest)
    time = float(path.time[best_place(path, rule.selection)]) if settings.given_lifetime is None else 1.0
    cells = _core.CellFeatures(width=problem.points.shape[1], n_trees=problem.n_trees, lifetime=time, seed=problem.seed)
    cells.reach(np.stack([problem.points.min(axis=0), problem.points.max(axis=0)]), problem.n_threads)
    for piece in pieces(problem.points.shape[0], problem.n_trees, PREDICTED_AT_A_TIME):
        cells.learn(problem.points[piece], problem.n_threads)
    columns = find_cells(cells, problem.points, problem.n_threads)
    rows = LearnedRows(columns, problem.targets, problem.weights)
    return path, cells, _solution(problem, settings, rows, path.alpha, cells.n_columns)


def _path(problem: Problem, settings: RidgeSettings, rule: Rule, alpha: float | None, largest: float) -> LifetimePath:
    sweep, is_free = _sweep(problem), settings.given_lifetime is None

    def grid(n: int) -> Floats:
        return time_grid(sweep, n) if is_free else np.ones(1)

    if settings.leaf_fit == "independent":
        return independent_path(problem, sweep, rule, alpha, grid(N_FINE), largest)
    n_distinct = np.unique(problem.points[: problem.n], axis=0).shape[0]  # copies of rows decide nothing
    size = Size(problem.n, n_distinct, sweep.times().size + problem.n_trees, problem.n_trees)
    if not _is_exact(settings, size.has_exact_path(alpha is not None)):
        return iterative_path(problem, sweep, rule, alpha, grid(N_TIMES), largest)
    if alpha is None:
        alpha = choose_alpha(problem, sweep, rule, grid(N_COARSE))
    if is_free and size.follows_events:
        return path_at_events(problem, sweep, rule, alpha, largest)
    return exact_path(problem, sweep, rule, alpha, grid(N_FINE), largest)


def _sweep(problem: Problem) -> _core.Sweep:
    """All lifetimes at once, some trees at a time."""
    n_rows, n_trees, n_threads = problem.points.shape[0], problem.n_trees, problem.n_threads
    sweep = _core.Sweep(n_rows=n_rows, n_trees=n_trees, seed=problem.seed)
    together = n_threads * max(1, WORK_AT_A_TIME // max(1, n_rows))
    for begin in range(0, n_trees, together):
        sweep.grow(problem.points, begin, min(begin + together, n_trees), n_threads)
    return sweep


def _is_exact(settings: RidgeSettings, is_cheap: bool) -> bool:
    return settings.solver == "exact" or (settings.solver == "auto" and is_cheap)


def _solution(problem: Problem, settings: RidgeSettings, rows: LearnedRows, alpha: float, n_columns: int) -> Solution:
    if settings.leaf_fit == "independent":
        return IndependentSolution(rows, alpha, n_columns, problem.n_threads)
    if _is_exact(settings, Size(rows.n, rows.n, n_columns, problem.n_trees).has_exact_solution):
        return exact_solution(problem, rows, alpha, n_columns)
    return IterativeSolution.of(problem, rows, alpha, n_columns)


def _with_validation(problem: Problem, fraction: float) -> Problem:
    """The same rows in another order, some of them to be predicted only. Copies of a row stay together."""
    _, of_row = np.unique(problem.points, axis=0, return_inverse=True)
    of_row = of_row.ravel()
    drawn = np.random.default_rng([problem.seed, 1]).permutation(int(of_row.max()) + 1)
    is_unseen = drawn[of_row] < max(1, round(fraction * drawn.size))
    if is_unseen.all() or not is_unseen.any():
        return problem
    order = np.argsort(is_unseen, kind="stable")
    return replace(
        problem,
        points=np.ascontiguousarray(problem.points[order]),
        targets=problem.targets[order],
        weights=problem.weights[order],
        n_unseen=int(is_unseen.sum()),
    )
