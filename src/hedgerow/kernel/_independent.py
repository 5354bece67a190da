"""Every tree for itself, on the same samples as the kernel (Balog et al. 2016, section 6.2).

A cell's weight is fitted to its own rows only, as in a forest without smoothing; trees are averaged. Each tree is a
Gaussian model of its own: cells are independent, N(0, 1) before the data, with noise alpha. All sums are over cells.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from hedgerow import _core
from hedgerow.kernel._path import LifetimePath
from hedgerow.kernel._problem import Columns, Criteria, Problem
from hedgerow.kernel._selection import ALPHAS, Rule, path_at
from hedgerow.kernel._solutions import LearnedRows, Solution
from hedgerow.numeric.arrays import Floats

TREE_ALPHAS = ALPHAS[12::2]


def cell_sums(columns: Columns, n_columns: int, values: Floats) -> Floats:
    """Sum of the values of the rows in each cell."""
    sums = np.bincount(columns.ravel(), np.tile(values, columns.shape[0]), n_columns)
    return np.asarray(sums, dtype=np.float64)


def tree_criteria(
    problem: Problem, columns: Columns, n_columns: int, alphas: Floats, together: Floats | None = None
) -> Criteria:
    """For each alpha; the marginal likelihood is the trees' mean, on the scale of logarithms.

    Rows are left out with copies of so much weight, if they have any.
    """
    n, n_trees = problem.n, problem.n_trees
    own, behind = columns[:, :n], columns[:, n:]
    targets, weights = problem.targets[:n], problem.weights[:n]
    together = weights if together is None else together
    mass, moment = cell_sums(own, n_columns, weights), cell_sums(own, n_columns, weights * targets)
    square = float(weights @ targets**2)
    rows = []
    for alpha in alphas:
        fit = (square - (moment**2 / (mass + alpha)).sum() / n_trees) / alpha
        log_determinant = np.log1p(mass / alpha).sum() / n_trees + n * np.log(alpha)
        left = np.maximum(mass[own] - together, 0.0)
        without = ((moment[own] - together * targets) / (left + alpha)).mean(axis=0)
        predicted = (moment / (mass + alpha))[behind].mean(axis=0)
        unseen, unseen_weights = problem.unseen
        rows.append(
            [fit, log_determinant, weights @ (targets - without) ** 2, unseen_weights @ (unseen - predicted) ** 2]
        )
    return Criteria(*np.array(rows).T)


def independent_path(
    problem: Problem, sweep: _core.Sweep, rule: Rule, alpha: float | None, times: Floats, largest: float
) -> LifetimePath:
    """The curves at some lifetimes, at the ridge that is best if none is given."""
    alphas = TREE_ALPHAS if alpha is None else np.array([alpha])
    return path_at(problem, sweep, rule, alphas, times, largest, partial(tree_criteria, problem, alphas=alphas))


class IndependentSolution(Solution):
    """Sums of the rows in each cell."""

    def __init__(self, rows: LearnedRows, alpha: float, n_columns: int, n_threads: int) -> None:
        super().__init__(rows, alpha, n_columns, n_threads)
        columns = rows.columns
        self._mass = cell_sums(columns, n_columns, rows.weights)
        self._moment = cell_sums(columns, n_columns, rows.weights * rows.targets)

    def _learn(self, columns: Columns, target: float, weight: float, n_columns: int) -> None:
        more = np.zeros(n_columns - self.n_columns)
        self._mass, self._moment = np.append(self._mass, more), np.append(self._moment, more)
        self._mass[columns] += weight
        self._moment[columns] += weight * target

    def cell_weights(self) -> Floats:
        return self._moment / (self._mass + self.alpha) / self.n_trees

    def variances(self, columns: Columns) -> Floats:
        """Mean of the trees' own variances, and the variance between their means."""
        weights = np.append(self.n_trees * self.cell_weights(), 0.0)[np.minimum(columns, self.n_columns)]
        own = np.append(self.alpha / (self._mass + self.alpha), 1.0)[np.minimum(columns, self.n_columns)]
        signal = max(float(self.criteria().fit) / float(self.rows.weights.sum()), 1e-24)
        found: Floats = own.mean(axis=1) + weights.var(axis=1) / signal
        return found

    def criteria(self, together: Floats | None = None) -> Criteria:
        """As along a path."""
        found = tree_criteria(self._problem(), self.rows.columns, self.n_columns, np.array([self.alpha]), together)
        return Criteria(*(np.asarray(part[0]) for part in found))

    def left_out(self, together: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the function at each row had it and its copies not been learned, exactly."""
        columns, weights, targets = self.rows.cells, self.rows.weights, self.rows.targets
        mass = np.maximum(self._mass[columns] - together[:, None], 0.0)
        means = (self._moment[columns] - (together * targets)[:, None]) / (mass + self.alpha)
        signal = max(float(self.criteria().fit) / float(weights.sum()), 1e-24)
        own = (self.alpha / (mass + self.alpha)).mean(axis=1)
        return means.mean(axis=1), own + means.var(axis=1) / signal
