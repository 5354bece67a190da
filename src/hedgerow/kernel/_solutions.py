"""Exact ridge regression at the chosen lifetime: predicting, and learning further rows by exact updates.

Two spaces, one interface. Both keep the inverse of a matrix; document 001, section 5, with the inverse in the place of
its Cholesky factor.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from hedgerow import _core
from hedgerow._persistence import Arrays
from hedgerow.kernel._dense import cell_gram, inverse_and_log_determinant, row_kernel
from hedgerow.kernel._problem import Columns, Criteria, Floats, Problem, left_out

CHECK_EVERY, TOLERATED_DRIFT = 32, 1e-9
"""Rows learned between two looks at the drift, and how much of it makes the inverse be computed afresh."""


class LearnedRows:
    """Cells, labels and weights of all rows learned, with room behind them."""

    def __init__(self, columns: Columns, labels: Floats, weights: Floats) -> None:
        self._columns, self._labels, self._weights = columns.copy(), labels.copy(), weights.copy()
        self.n = labels.size

    @property
    def columns(self) -> Columns:
        """A row a tree, as the core takes them."""
        return np.ascontiguousarray(self._columns[: self.n].T)

    @property
    def labels(self) -> Floats:
        """In units of the problem."""
        return self._labels[: self.n]

    @property
    def weights(self) -> Floats:
        """One a row."""
        return self._weights[: self.n]

    @property
    def roots(self) -> Floats:
        """Square roots of weights."""
        return np.sqrt(self.weights)

    @property
    def scaled(self) -> Floats:
        """Labels times square roots of weights."""
        return self.roots * self.labels

    def append(self, columns: Columns, label: float, weight: float) -> None:
        """One row more."""
        if self.n == self._labels.size:
            room = 2 * self.n + 8
            self._columns = np.resize(self._columns, (room, self._columns.shape[1]))
            self._labels, self._weights = np.resize(self._labels, room), np.resize(self._weights, room)
        self._columns[self.n], self._labels[self.n], self._weights[self.n] = columns, label, weight
        self.n += 1


class Solution(ABC):
    """A posterior over functions, up to the signal variance: weights of cells, and how sure they are."""

    def __init__(self, rows: LearnedRows, alpha: float, n_columns: int, n_threads: int) -> None:
        self.rows, self.alpha, self.n_columns, self.n_threads = rows, alpha, n_columns, n_threads

    @property
    def n_trees(self) -> int:
        """Trees."""
        return int(self.rows._columns.shape[1])

    def learn(self, columns: Columns, label: float, weight: float) -> None:
        """One row more, exactly. A column that is not there yet is a new cell."""
        n_columns = max(self.n_columns, int(columns.max()) + 1)
        self._learn(columns, label, weight, n_columns)
        self.n_columns = n_columns
        self.rows.append(columns, label, weight)
        if self.rows.n % CHECK_EVERY == 0 and not self.drift() <= TOLERATED_DRIFT:
            self.refresh()

    def drift(self) -> float:
        """How far rounding errors have come: a residual, over the size of the labels."""
        return 0.0

    def refresh(self) -> None:
        """Compute everything anew from the rows."""
        self.__dict__.update(type(self).of(self._problem(), self.rows, self.alpha, self.n_columns).__dict__)

    @classmethod
    @abstractmethod
    def of(cls, problem: Problem, rows: LearnedRows, alpha: float, n_columns: int) -> Solution:
        """From scratch."""

    def _problem(self) -> Problem:
        rows = self.rows
        return Problem(np.empty((0, 0)), rows.labels, rows.weights, 0, self.n_trees, 0, self.n_threads)

    @abstractmethod
    def _learn(self, columns: Columns, label: float, weight: float, n_columns: int) -> None: ...

    @abstractmethod
    def cell_weights(self) -> Floats:
        """What each cell adds to the mean of a row in it."""

    @abstractmethod
    def variances(self, columns: Columns) -> Floats:
        """Posterior variance of the function at rows with these cells, over the signal variance."""

    @abstractmethod
    def dual(self) -> tuple[Floats, Floats, float]:
        """B^-1 S y, the diagonal of B^-1 and log det B, with B = S K S + alpha I."""

    def means(self, columns: Columns) -> Floats:
        """Posterior mean at rows with these cells."""
        weights = np.append(self.cell_weights(), 0.0)
        means: Floats = weights[np.minimum(columns, self.n_columns)].sum(axis=1)
        return means

    def criteria(self) -> Criteria:
        """As along a path; without validation."""
        solution, diagonal, log_determinant = self.dual()
        errors, _ = left_out(solution, diagonal, self.rows.weights, self.alpha)
        parts = self.rows.scaled @ solution, log_determinant, errors @ errors, 0.0
        return Criteria(*(np.asarray(part) for part in parts))

    def left_out(self) -> tuple[Floats, Floats]:
        """Mean, and variance of the function over that of the signal, at each row had it not been learned."""
        solution, diagonal, _ = self.dual()
        errors, variances = left_out(solution, diagonal, self.rows.weights, self.alpha)
        return self.rows.labels - errors / self.rows.roots, variances

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return what a file keeps besides the rows."""


class RowSolution(Solution):
    """The inverse of S K S + alpha I, of the size of the rows."""

    def __init__(
        self, rows: LearnedRows, alpha: float, n_columns: int, n_threads: int, inverse: Floats, log_determinant: float
    ) -> None:
        super().__init__(rows, alpha, n_columns, n_threads)
        self._inverse, self._log_determinant = np.ascontiguousarray(inverse), log_determinant

    @classmethod
    def of(cls, problem: Problem, rows: LearnedRows, alpha: float, n_columns: int) -> RowSolution:
        """From scratch."""
        kernel = row_kernel(problem, rows.columns)
        kernel[np.diag_indices(rows.n)] += alpha
        return cls(rows, alpha, n_columns, problem.n_threads, *inverse_and_log_determinant(kernel))

    @property
    def inverse(self) -> Floats:
        """The part that is in use."""
        return self._inverse[: self.rows.n, : self.rows.n]

    def _learn(self, columns: Columns, label: float, weight: float, n_columns: int) -> None:
        """A border around the matrix is one around its inverse and a change of rank one."""
        n = self.rows.n
        if n == self._inverse.shape[0]:
            room = n + n // 4 + 8
            wider = np.zeros((room, room))
            wider[:n, :n] = self._inverse
            self._inverse = wider
        shares = _core.shared_cells(columns.reshape(-1, 1).copy(), self.rows.columns, self.n_threads)[0]
        border = shares * self.rows.roots * math.sqrt(weight)
        solved = self.inverse @ border
        gap = weight + self.alpha - float(border @ solved)
        self.inverse[:] += np.outer(solved, solved / gap)
        self._inverse[n, :n] = self._inverse[:n, n] = -solved / gap
        self._inverse[n, n] = 1.0 / gap
        self._log_determinant += math.log(gap)

    def drift(self) -> float:
        solution, _, _ = self.dual()
        fitted = self.rows.roots * self.means(self.rows._columns[: self.rows.n]) + self.alpha * solution
        return float(np.abs(self.rows.scaled - fitted).max() / max(np.abs(self.rows.scaled).max(), 1e-300))

    def cell_weights(self) -> Floats:
        solution = self.rows.roots * (self.inverse @ self.rows.scaled)
        repeated = np.repeat(solution, self.n_trees)
        summed = np.bincount(self.rows._columns[: self.rows.n].ravel(), repeated, self.n_columns)
        return summed / self.n_trees

    def variances(self, columns: Columns) -> Floats:
        own = self.rows.columns
        found = np.empty(columns.shape[0])
        for begin in range(0, columns.shape[0], 1024):
            part = np.ascontiguousarray(columns[begin : begin + 1024].T)
            kernel = _core.shared_cells(part, own, self.n_threads) * self.rows.roots
            found[begin : begin + 1024] = 1.0 - ((kernel @ self.inverse) * kernel).sum(axis=1)
        return found.clip(0.0, 1.0)

    def dual(self) -> tuple[Floats, Floats, float]:
        return self.inverse @ self.rows.scaled, np.diag(self.inverse).copy(), self._log_determinant

    def arrays(self) -> Arrays:
        return {"solution.inverse": self.inverse.ravel(), "solution.log_determinant": np.array([self._log_determinant])}


class CellSolution(Solution):
    """The inverse of Phi' S S Phi + alpha I, of the size of the cells."""

    def __init__(
        self, rows: LearnedRows, alpha: float, n_columns: int, n_threads: int, inverse: Floats, log_determinant: float
    ) -> None:
        super().__init__(rows, alpha, n_columns, n_threads)
        self.inverse, self._log_determinant = np.ascontiguousarray(inverse), log_determinant

    @classmethod
    def of(cls, problem: Problem, rows: LearnedRows, alpha: float, n_columns: int) -> CellSolution:
        """From scratch."""
        gram = cell_gram(problem, rows.columns, n_columns)
        gram[np.diag_indices(n_columns)] += alpha
        return cls(rows, alpha, n_columns, problem.n_threads, *inverse_and_log_determinant(gram))

    def _learn(self, columns: Columns, label: float, weight: float, n_columns: int) -> None:
        """New cells that no other row has met, then a change of rank one."""
        old = self.n_columns
        if n_columns > old:
            wider = np.diag(np.full(n_columns, 1.0 / self.alpha))
            wider[:old, :old] = self.inverse
            self.inverse = wider
            self._log_determinant += (n_columns - old) * math.log(self.alpha)
        entry = math.sqrt(weight / self.n_trees)
        solved = entry * self.inverse[columns].sum(axis=0)
        gap = 1.0 + entry * float(solved[columns].sum())
        self.inverse -= np.outer(solved, solved / gap)
        self._log_determinant += math.log(gap)

    def _moments(self, values: Floats) -> Floats:
        """Phi' S S values."""
        scaled = np.repeat(self.rows.weights * values, self.n_trees) / math.sqrt(self.n_trees)
        moments = np.bincount(self.rows._columns[: self.rows.n].ravel(), scaled, self.n_columns)
        return np.asarray(moments, dtype=np.float64)

    def _weights(self) -> Floats:
        weights: Floats = self.inverse @ self._moments(self.rows.labels)
        return weights

    def drift(self) -> float:
        moments, weights = self._moments(self.rows.labels), self._weights()
        fitted = self._moments(self.means(self.rows._columns[: self.rows.n])) + self.alpha * weights
        return float(np.abs(moments - fitted).max() / max(np.abs(moments).max(), 1e-300))

    def cell_weights(self) -> Floats:
        return self._weights() / math.sqrt(self.n_trees)

    def variances(self, columns: Columns) -> Floats:
        forms = _core.quadratic_forms(np.ascontiguousarray(columns.T), self.inverse, self.n_threads)
        n_new = (columns >= self.n_columns).sum(axis=1)
        found: Floats = (self.alpha * forms + n_new) / self.n_trees
        return found.clip(0.0, 1.0)

    def dual(self) -> tuple[Floats, Floats, float]:
        means = self.means(self.rows._columns[: self.rows.n])
        solution = (self.rows.scaled - self.rows.roots * means) / self.alpha
        forms = _core.quadratic_forms(self.rows.columns, self.inverse, self.n_threads) / self.n_trees
        diagonal = (1.0 - self.rows.weights * forms) / self.alpha
        return solution, diagonal, self._log_determinant + (self.rows.n - self.n_columns) * math.log(self.alpha)

    def arrays(self) -> Arrays:
        return {"solution.inverse": self.inverse.ravel(), "solution.log_determinant": np.array([self._log_determinant])}


def exact_solution(problem: Problem, rows: LearnedRows, alpha: float, n_columns: int) -> Solution:
    """In the smaller space."""
    return (RowSolution if rows.n <= n_columns else CellSolution).of(problem, rows, alpha, n_columns)
