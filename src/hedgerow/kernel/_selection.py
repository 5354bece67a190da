"""Choosing lifetime and ridge jointly: Balog et al. (2016), section 4.

First coarsely, for a few lifetimes and all ridges at once; then the ridge is kept and the lifetime is looked for along
the whole sweep. Where that costs less, the exact solution follows every event by updates of its inverse; else it is
computed from scratch at some lifetimes, more of them where it is good. Both are exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from scipy import linalg, optimize

from hedgerow import _core
from hedgerow.kernel._dense import Spectrum, criteria_at, inverse_and_log_determinant, row_kernel
from hedgerow.kernel._path import LifetimePath
from hedgerow.kernel._problem import Columns, Criteria, Problem, n_used
from hedgerow.numeric.arrays import Floats

ALPHAS = 10.0 ** np.linspace(-6.0, 1.0, 29)
"""Ridges among which to choose; the best is then refined between its neighbours."""

N_COARSE, N_FINE = 12, 64
"""Lifetimes of the grids for which solutions are computed from scratch: for all ridges, and for one."""

N_FIRST = 6
"""About so many of them are looked at in any case, and the others only beside the best."""

BATCH = 16
"""Events after which the inverse is brought up to date."""

SMALLEST_DRIFT, TOLERATED_GROWTH = 1e-12, 8.0
"""The inverse is computed afresh when its residual is larger than it was when fresh by this factor."""


@dataclass(frozen=True)
class Rule:
    """What is maximised: minus an error, or the marginal likelihood."""

    selection: str

    def curves(self, problem: Problem, criteria: Criteria, alpha: Floats | float) -> tuple[Floats, Floats, Floats]:
        """Log marginal likelihood, leave-one-out error and validation error, in the user's units."""
        likelihood = criteria.log_likelihood(alpha, problem.n, problem.total_weight)
        likelihood = likelihood - problem.total_weight * math.log(problem.scale)
        left_out = problem.scale * np.sqrt(criteria.leave_one_out / problem.total_weight)
        weight = float(problem.unseen[1].sum())
        unseen = problem.scale * np.sqrt(criteria.validation / weight) if weight > 0 else np.full_like(left_out, np.nan)
        return likelihood, left_out, unseen

    def place(self) -> int:
        """Of the criterion among the curves."""
        return ("marginal_likelihood", "loo", "validation").index(self.selection)

    def score(self, problem: Problem, criteria: Criteria, alpha: Floats | float) -> Floats:
        """Larger is better."""
        curve = self.curves(problem, criteria, alpha)[self.place()]
        return curve if self.selection == "marginal_likelihood" else -curve


def best_alpha(score: Callable[[Floats], Floats]) -> tuple[float, float]:
    """The ridge with the largest score, and that score: on a grid, then between the best's neighbours."""
    scores = np.nan_to_num(score(ALPHAS), nan=-np.inf)
    best = int(np.argmax(scores))
    logs = np.log(ALPHAS[[max(best - 1, 0), min(best + 1, ALPHAS.size - 1)]])
    found = optimize.minimize_scalar(
        lambda log: -float(score(np.exp(np.array([log])))[0]), bounds=logs, method="bounded", options={"xatol": 0.01}
    )
    if -found.fun > scores[best]:
        return float(np.exp(found.x)), -float(found.fun)
    return float(ALPHAS[best]), float(scores[best])


def partitions_at(sweep: _core.Sweep, times: Floats) -> Iterator[tuple[float, Columns, int]]:
    """Yield time, partition and number of columns, at rising times."""
    partition = _core.Partition(sweep)
    for time in times:
        partition.advance(sweep, sweep.n_until(float(time)))
        yield float(time), partition.columns(sweep), partition.n_columns


def time_grid(sweep: _core.Sweep, n: int) -> Floats:
    """0, and n times from where a fourth of the trees have been cut to the end, evenly on the scale of logarithms.

    Of times between which nothing happens there is the first.
    """
    times = sweep.times()
    first = times[min(sweep.n_trees // 4, times.size - 1)] if times.size else 1.0
    grid = np.append(0.0, 2.0 ** np.linspace(math.log2(first), 0.0, n))
    return grid[np.unique([sweep.n_until(float(time)) for time in grid], return_index=True)[1]]


Judged = TypeVar("Judged")


def look(
    sweep: _core.Sweep, times: Floats, judge: Callable[[float, Columns, int], tuple[float, Judged]]
) -> list[Judged]:
    """Judge the partitions at some of the times, and return what is found in the order of time.

    At first far apart; then, with half the step again and again, on both sides of the best: if the score rises and
    falls once, its largest value is found.
    """
    found: dict[int, tuple[float, Judged]] = {}
    step = 2 ** max(0, (times.size // N_FIRST).bit_length() - 1)
    wanted = {*range(0, times.size, step), times.size - 1}
    while step:
        new = sorted(wanted - found.keys())
        for place, at in zip(new, partitions_at(sweep, times[new]), strict=True):
            found[place] = judge(*at)
        best = max(sorted(found), key=lambda place: found[place][0])
        step //= 2
        wanted = {max(best - step, 0), min(best + step, times.size - 1)}
    return [found[place][1] for place in sorted(found)]


def choose_alpha(problem: Problem, sweep: _core.Sweep, rule: Rule, times: Floats) -> float:
    """The ridge that is best together with the best of some lifetimes."""

    def judge(time: float, columns: Columns, n_columns: int) -> tuple[float, tuple[float, float]]:
        spectrum = Spectrum.at(problem, columns, n_columns)
        alpha, score = best_alpha(lambda alphas: rule.score(problem, spectrum.criteria(alphas), alphas))
        return score, (score, alpha)

    return max(look(sweep, times, judge), key=lambda pair: pair[0])[1]


def exact_path(
    problem: Problem, sweep: _core.Sweep, rule: Rule, alpha: float, times: Floats, largest: float
) -> LifetimePath:
    """The curves at some lifetimes."""
    return path_at(problem, sweep, rule, np.array([alpha]), times, largest, partial(criteria_at, problem, alpha=alpha))


def path_at(
    problem: Problem,
    sweep: _core.Sweep,
    rule: Rule,
    alphas: Floats,
    times: Floats,
    largest: float,
    criteria: Callable[[Columns, int], Criteria],
) -> LifetimePath:
    """The curves at some lifetimes, at the ridge that is best together with the best of them.

    `criteria` are those of a partition, for each ridge.
    """

    def judge(time: float, columns: Columns, n_columns: int) -> tuple[float, tuple[Floats, list[Floats]]]:
        found = criteria(columns, n_columns)
        scores = np.nan_to_num(rule.score(problem, found, alphas), nan=-np.inf)
        n_features = n_used(columns[:, : problem.n], n_columns)
        return float(scores.max()), (scores, [np.array([time, n_features, *at]) for at in np.array(found).T])

    seen = look(sweep, times, judge)
    place = int(np.argmax(np.max([scores for scores, _ in seen], axis=0)))
    table = np.array([rows[place] for _, rows in seen])
    return as_path(problem, rule, table, float(alphas[place]), largest, False)


def as_path(
    problem: Problem, rule: Rule, table: Floats, alpha: float, largest: float, is_every_event: bool
) -> LifetimePath:
    """Curves from a table with a time, a number of features and the criteria in each row."""
    criteria = Criteria(*table[:, 2:].T)
    curves = rule.curves(problem, criteria, alpha)
    return LifetimePath(table[:, 0], table[:, 1], curves[rule.place()], *curves, alpha, is_every_event, largest)


def path_at_events(problem: Problem, sweep: _core.Sweep, rule: Rule, alpha: float, largest: float) -> LifetimePath:
    """The curves at every event."""
    return as_path(problem, rule, follow_events(problem, sweep, alpha), alpha, largest, True)


def follow_events(problem: Problem, sweep: _core.Sweep, alpha: float) -> Floats:
    """A row for time 0 and one for each event: time, number of features, criteria."""
    targets, weights = (np.ascontiguousarray(part) for part in problem.unseen)
    rows = _core.RowSpace(
        sweep, scaled=problem.scaled, roots=problem.roots, unseen=targets, unseen_weights=weights, ridge=alpha
    )
    left, right = np.empty((2 * BATCH, problem.n)), np.empty((2 * BATCH, problem.n))
    inverse, fresh = _refreshed(problem, sweep, rows, alpha)
    table = [np.array([rows.criteria()])]
    while not rows.is_done:
        n_changes, part = rows.advance(inverse, left, right)
        table.append(part)
        is_stuck = n_changes < 2 * BATCH and not rows.is_done
        _add_product(inverse, left[:n_changes], right[:n_changes])
        drift = rows.residual()
        if is_stuck or not drift <= max(SMALLEST_DRIFT, TOLERATED_GROWTH * fresh):
            if is_stuck and part.shape[0] == 0:
                raise ValueError(
                    f"alpha={alpha:g} is too small for these rows in double precision; choose a larger one"
                )
            inverse, fresh = _refreshed(problem, sweep, rows, alpha)
    return np.concatenate(table)


def _refreshed(problem: Problem, sweep: _core.Sweep, rows: _core.RowSpace, alpha: float) -> tuple[Floats, float]:
    """The inverse from scratch, handed to `rows` too, and its residual."""
    kernel = row_kernel(problem, rows.columns(sweep))
    kernel[np.diag_indices(problem.n)] += alpha
    inverse, log_determinant = inverse_and_log_determinant(kernel)
    inverse = np.ascontiguousarray(inverse)
    rows.refresh(inverse, log_determinant)
    return inverse, rows.residual()


def _add_product(inverse: Floats, left: Floats, right: Floats) -> None:
    """Inverse += left' right, in place; the inverse is symmetric, so that its transpose may be changed instead."""
    if left.shape[0]:
        changed = linalg.blas.dgemm(1.0, right.T, left.T, beta=1.0, c=inverse.T, trans_b=True, overwrite_c=True)
        assert changed.base is inverse or np.shares_memory(changed, inverse)


def best_place(path: LifetimePath, selection: str) -> int:
    """Where on the path the criterion is best."""
    curve = path.criterion if selection == "marginal_likelihood" else -path.criterion
    return int(np.argmax(np.where(np.isfinite(curve), curve, -math.inf)))
