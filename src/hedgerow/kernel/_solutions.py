"""Exact ridge regression at the chosen lifetime: predicting, and learning further rows by exact updates.

Two spaces, one interface. Both keep the inverse of a matrix, where Balog, Lakshminarayanan, Ghahramani, Roy and Teh
(2016), section 5, keep its Cholesky factor.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from hedgerow import _core
from hedgerow.base.work import compute_in_pieces
from hedgerow.files import Stored
from hedgerow.kernel._dense import cell_gram, inverse_and_log_determinant, row_kernel
from hedgerow.kernel._problem import Columns, Criteria, Problem, left_out
from hedgerow.numeric.arrays import Floats

CHECK_EVERY, TOLERATED_DRIFT = 32, 1e-9
"""Rows learned between two looks at the drift, and how much of it makes the inverse be computed afresh."""


class LearnedRows:
    """Cells, targets and weights of all rows learned, with room behind them."""

    def __init__(self, columns: Columns, targets: Floats, weights: Floats) -> None:
        self._columns, self._targets, self._weights = columns.copy(), targets.copy(), weights.copy()
        self.n = targets.size

    @property
    def cells(self) -> Columns:
        """Cells of each row: shape (n, n_trees)."""
        return self._columns[: self.n]

    @property
    def columns(self) -> Columns:
        """The same as the core takes them, a row a tree."""
        return np.ascontiguousarray(self.cells.T)

    @property
    def targets(self) -> Floats:
        """In units of the problem."""
        return self._targets[: self.n]

    @property
    def weights(self) -> Floats:
        """One a row."""
        return self._weights[: self.n]

    @property
    def total_weight(self) -> float:
        """Rows, counted with their weights."""
        return float(self.weights.sum())

    @property
    def roots(self) -> Floats:
        """Square roots of weights."""
        return np.sqrt(self.weights)

    @property
    def scaled(self) -> Floats:
        """Targets times square roots of weights."""
        return self.roots * self.targets

    def append(self, columns: Columns, target: float, weight: float) -> None:
        """One row more."""
        if self.n == self._targets.size:
            room = 2 * self.n + 8
            self._columns = np.resize(self._columns, (room, self._columns.shape[1]))
            self._targets, self._weights = np.resize(self._targets, room), np.resize(self._weights, room)
        self._columns[self.n], self._targets[self.n], self._weights[self.n] = columns, target, weight
        self.n += 1


class Solution(ABC):
    """A posterior over functions, up to the signal variance: weights of cells, and how sure they are."""

    def __init__(self, rows: LearnedRows, alpha: float, n_columns: int, n_threads: int) -> None:
        self.rows, self.alpha, self.n_columns, self.n_threads = rows, alpha, n_columns, n_threads

    @property
    def n_trees(self) -> int:
        """Trees."""
        return int(self.rows.cells.shape[1])

    def learn(self, columns: Columns, target: float, weight: float) -> None:
        """One row more, exactly. A column that is not there yet is a new cell."""
        n_columns = max(self.n_columns, int(columns.max()) + 1)
        self._learn(columns, target, weight, n_columns)
        self.n_columns = n_columns
        self.rows.append(columns, target, weight)

    @abstractmethod
    def _learn(self, columns: Columns, target: float, weight: float, n_columns: int) -> None: ...

    @abstractmethod
    def cell_weights(self) -> Floats:
        """What each cell adds to the mean of a row in it."""

    @abstractmethod
    def variances(self, columns: Columns) -> Floats:
        """Posterior variance of the function at rows with these cells, over the signal variance."""

    def dual(self) -> tuple[Floats, Floats, float]:
        """B^-1 S y, the diagonal of B^-1 and log det B, with B = S K S + alpha I."""
        raise ValueError(
            "leaving each row out needs the exact solution: fit with solver='exact', which takes memory for the square "
            "of the number of rows or of cells"
        )

    def means(self, columns: Columns) -> Floats:
        """Posterior mean at rows with these cells."""
        weights = np.append(self.cell_weights(), 0.0)
        means: Floats = compute_in_pieces(
            lambda rows: weights[np.minimum(rows, self.n_columns)].sum(axis=1), columns, self.n_trees
        )
        return means

    def criteria(self, together: Floats | None = None) -> Criteria:
        """As along a path; without validation. Rows are left out with copies of so much weight, if they have any."""
        solution, diagonal, log_determinant = self.dual()
        weights = self.rows.weights
        errors, _ = left_out(solution, diagonal, weights, weights if together is None else together, self.alpha)
        parts = self.rows.scaled @ solution, log_determinant, errors @ errors, 0.0
        return Criteria(*(np.asarray(part) for part in parts))

    def left_out(self, together: Floats) -> tuple[Floats, Floats]:
        """Mean, and variance of the function over that of the signal, at each row without it and its copies."""
        solution, diagonal, _ = self.dual()
        errors, variances = left_out(solution, diagonal, self.rows.weights, together, self.alpha)
        return self.rows.targets - errors / self.rows.roots, variances

    def _problem(self) -> Problem:
        rows = self.rows
        return Problem(np.empty((0, 0)), rows.targets, rows.weights, 0, self.n_trees, 0, self.n_threads)

    def state(self) -> dict[str, Any]:
        """Return what a file keeps besides rows, ridge and cells."""
        return {}

    @classmethod
    def from_state(cls, stored: Stored, rows: LearnedRows, alpha: float, n_columns: int) -> Self:
        """Take back what `state` gave."""
        return cls(rows, alpha, n_columns, 1)


LARGEST_ENTRY = 2.0
"""Of an inverse, times alpha, which is the least eigenvalue at least: 1, and something for rounding."""


class ExactSolution(Solution):
    """The inverse of a matrix, and the logarithm of its determinant, brought up to date with each row."""

    _IS_OF_ROWS: ClassVar[bool]  # or of cells

    def __init__(
        self, rows: LearnedRows, alpha: float, n_columns: int, n_threads: int, inverse: Floats, log_determinant: float
    ) -> None:
        super().__init__(rows, alpha, n_columns, n_threads)
        self._inverse, self._log_determinant = np.ascontiguousarray(inverse), log_determinant

    @classmethod
    def of(cls, problem: Problem, rows: LearnedRows, alpha: float, n_columns: int) -> Self:
        """From scratch."""
        columns = rows.columns
        matrix = row_kernel(problem, columns) if cls._IS_OF_ROWS else cell_gram(problem, columns, n_columns)
        matrix[np.diag_indices(matrix.shape[0])] += alpha
        return cls(rows, alpha, n_columns, problem.n_threads, *inverse_and_log_determinant(matrix))

    @property
    def inverse(self) -> Floats:
        """The part that is in use."""
        size = self.rows.n if self._IS_OF_ROWS else self.n_columns
        return self._inverse[:size, :size]

    def learn(self, columns: Columns, target: float, weight: float) -> None:
        super().learn(columns, target, weight)
        if self.rows.n % CHECK_EVERY == 0 and not self.drift() <= TOLERATED_DRIFT:
            fresh = self.of(self._problem(), self.rows, self.alpha, self.n_columns)
            self._inverse, self._log_determinant = fresh._inverse, fresh._log_determinant

    def drift(self) -> float:
        """How far rounding errors have come: a residual, over the size of the targets."""
        observed, fitted = self._equation()
        return float(np.abs(observed - fitted).max() / max(np.abs(observed).max(), 1e-300))

    @abstractmethod
    def _equation(self) -> tuple[Floats, Floats]:
        """Both sides of the equation that the solution solves."""

    def state(self) -> dict[str, Any]:
        return {"inverse": self.inverse, "log_determinant": self._log_determinant}

    @classmethod
    def from_state(cls, stored: Stored, rows: LearnedRows, alpha: float, n_columns: int) -> Self:
        size = rows.n if cls._IS_OF_ROWS else n_columns
        inverse = stored.array("inverse", (size, size))
        if not np.abs(inverse).max() * alpha <= LARGEST_ENTRY:
            raise ValueError("its inverse is not that of a kernel")
        return cls(rows, alpha, n_columns, 1, inverse, stored.number("log_determinant"))


class RowSolution(ExactSolution):
    """The inverse of S K S + alpha I, of the size of the rows."""

    _IS_OF_ROWS = True

    def _learn(self, columns: Columns, target: float, weight: float, n_columns: int) -> None:
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

    def _equation(self) -> tuple[Floats, Floats]:
        solution, _, _ = self.dual()
        return self.rows.scaled, self.rows.roots * self.means(self.rows.cells) + self.alpha * solution

    def cell_weights(self) -> Floats:
        solution = self.rows.roots * (self.inverse @ self.rows.scaled)
        repeated = np.repeat(solution, self.n_trees)
        summed = np.bincount(self.rows.cells.ravel(), repeated, self.n_columns)
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


class CellSolution(ExactSolution):
    """The inverse of Phi' S S Phi + alpha I, of the size of the cells."""

    _IS_OF_ROWS = False

    def _learn(self, columns: Columns, target: float, weight: float, n_columns: int) -> None:
        """New cells that no other row is in, then a change of rank one."""
        old = self.n_columns
        if n_columns > old:
            wider = np.diag(np.full(n_columns, 1.0 / self.alpha))
            wider[:old, :old] = self._inverse
            self._inverse = wider
            self._log_determinant += (n_columns - old) * math.log(self.alpha)
        entry = math.sqrt(weight / self.n_trees)
        solved = entry * self._inverse[columns].sum(axis=0)
        gap = 1.0 + entry * float(solved[columns].sum())
        self._inverse -= np.outer(solved, solved / gap)
        self._log_determinant += math.log(gap)

    def _moments(self, values: Floats) -> Floats:
        """Phi' S S values."""
        scaled = np.repeat(self.rows.weights * values, self.n_trees) / math.sqrt(self.n_trees)
        moments = np.bincount(self.rows.cells.ravel(), scaled, self.n_columns)
        return np.asarray(moments, dtype=np.float64)

    def _forms(self, columns: Columns) -> Floats:
        """Phi' inverse phi of each row; a column that is not there adds nothing."""
        inverse = self.inverse
        forms: Floats = compute_in_pieces(
            lambda rows: _core.quadratic_forms(np.ascontiguousarray(rows.T), inverse, self.n_threads),
            columns,
            self.n_trees**2,
        )
        return forms

    def _weights(self) -> Floats:
        weights: Floats = self.inverse @ self._moments(self.rows.targets)
        return weights

    def _equation(self) -> tuple[Floats, Floats]:
        fitted = self._moments(self.means(self.rows.cells)) + self.alpha * self._weights()
        return self._moments(self.rows.targets), fitted

    def cell_weights(self) -> Floats:
        return self._weights() / math.sqrt(self.n_trees)

    def variances(self, columns: Columns) -> Floats:
        forms = self._forms(columns)
        n_new = (columns >= self.n_columns).sum(axis=1)
        found: Floats = (self.alpha * forms + n_new) / self.n_trees
        return found.clip(0.0, 1.0)

    def dual(self) -> tuple[Floats, Floats, float]:
        means = self.means(self.rows.cells)
        solution = (self.rows.scaled - self.rows.roots * means) / self.alpha
        forms = self._forms(self.rows.cells) / self.n_trees
        diagonal = (1.0 - self.rows.weights * forms) / self.alpha
        return solution, diagonal, self._log_determinant + (self.rows.n - self.n_columns) * math.log(self.alpha)


def exact_solution(problem: Problem, rows: LearnedRows, alpha: float, n_columns: int) -> Solution:
    """In the smaller space."""
    return (RowSolution if rows.n <= n_columns else CellSolution).of(problem, rows, alpha, n_columns)
