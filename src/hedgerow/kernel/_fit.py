"""From rows to a lifetime, a ridge and a solution: which route, which grid, which largest lifetime."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.distance import cdist

from hedgerow import _core
from hedgerow.kernel._dense import criteria_at
from hedgerow.kernel._independent import IndependentSolution, independent_path
from hedgerow.kernel._iterative import N_TIMES, IterativeSolution, is_small, iterative_path
from hedgerow.kernel._path import LifetimePath
from hedgerow.kernel._problem import Floats, Problem, n_used
from hedgerow.kernel._selection import (
    N_COARSE,
    N_FINE,
    Rule,
    as_path,
    best_place,
    choose_alpha,
    exact_path,
    partitions_at,
    time_grid,
)
from hedgerow.kernel._solutions import LearnedRows, Solution, exact_solution

MOST_LOOKED_AT = 1000
"""Rows whose nearest neighbours give the scale of the largest lifetime."""

WIDTHS_TO_NEIGHBOUR = 2.0
"""At the largest lifetime the typical row is so many widths away from its nearest neighbour that it is alone."""

FEWEST_TO_SPLIT = 4
"""With fewer rows there is no validation set, and the marginal likelihood decides."""


@dataclass(frozen=True)
class Plan:
    """The parameters that decide how a fit goes."""

    lifetime: float | None
    alpha: float | None
    selection: str
    solver: str
    leaf_fit: str
    validation_fraction: float


@dataclass(frozen=True)
class Fitted:
    """What a fit found: the path, the cells at the chosen lifetime, and the solution."""

    path: LifetimePath
    cells: _core.CellFeatures
    solution: Solution


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


def fit_rows(problem: Problem, plan: Plan, largest: float) -> Fitted:
    """Choose what is to be chosen, then learn all rows."""
    rule = Rule(plan.selection)
    looked_at = problem
    is_choosing = plan.lifetime is None or plan.alpha is None
    if plan.selection == "validation":
        if problem.n < FEWEST_TO_SPLIT or not is_choosing:
            rule = Rule("marginal_likelihood")
        else:
            looked_at = _with_validation(problem, plan.validation_fraction)
            rule = rule if looked_at.n_unseen else Rule("marginal_likelihood")
    path = _path(looked_at, plan, rule, largest)
    time = float(path.time[best_place(path, rule.selection)]) if plan.lifetime is None else 1.0
    cells = _core.CellFeatures(width=problem.points.shape[1], n_trees=problem.n_trees, lifetime=time, seed=problem.seed)
    cells.learn(problem.points, problem.n_threads)
    columns = cells.find(problem.points, problem.n_threads)
    rows = LearnedRows(columns, problem.labels, problem.weights)
    return Fitted(path, cells, _solution(problem, plan, rows, path.alpha, cells.n_columns))


def _path(problem: Problem, plan: Plan, rule: Rule, largest: float) -> LifetimePath:
    sweep = _core.Sweep(problem.points, n_trees=problem.n_trees, seed=problem.seed, n_threads=problem.n_threads)
    is_free = plan.lifetime is None
    if plan.leaf_fit == "independent":
        times = np.append(0.0, time_grid(sweep, N_FINE)) if is_free else np.ones(1)
        return independent_path(problem, sweep, rule, plan.alpha, times, largest)
    if not _is_exact(plan, problem.n, sweep.times().size + problem.n_trees):
        times = np.append(0.0, time_grid(sweep, N_TIMES)) if is_free else np.ones(1)
        return iterative_path(problem, sweep, rule, plan.alpha, times, largest)
    alpha = plan.alpha
    if alpha is None:
        alpha = choose_alpha(problem, sweep, rule, time_grid(sweep, N_COARSE) if is_free else np.ones(1))
    if is_free:
        return exact_path(problem, sweep, rule, alpha, largest)
    ((time, columns, n_columns),) = partitions_at(problem, sweep, np.ones(1))
    criteria = criteria_at(problem, columns, n_columns, alpha)
    table = np.array([[time, n_used(columns[:, : problem.n], n_columns), *(float(part[0]) for part in criteria)]])
    return as_path(problem, rule, table, alpha, largest, False)


def _is_exact(plan: Plan, n: int, n_columns: int) -> bool:
    return plan.solver == "exact" or (plan.solver == "auto" and is_small(n, n_columns))


def _solution(problem: Problem, plan: Plan, rows: LearnedRows, alpha: float, n_columns: int) -> Solution:
    if plan.leaf_fit == "independent":
        return IndependentSolution.of(problem, rows, alpha, n_columns)
    if _is_exact(plan, rows.n, n_columns):
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
        labels=problem.labels[order],
        weights=problem.weights[order],
        n_unseen=int(is_unseen.sum()),
    )
