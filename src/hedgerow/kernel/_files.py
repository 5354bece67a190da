"""Kernel ridge regression and files."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hedgerow import _core
from hedgerow._kept_rows import KeptRows
from hedgerow._persistence import Arrays, Saveable
from hedgerow._validation import n_threads_of
from hedgerow.kernel._features import describe_cells, restored_cells
from hedgerow.kernel._independent import IndependentSolution
from hedgerow.kernel._iterative import IterativeSolution, restored
from hedgerow.kernel._path import LifetimePath
from hedgerow.kernel._solutions import CellSolution, LearnedRows, RowSolution, Solution
from hedgerow.kernel._units import Units

KINDS: dict[str, type[Solution]] = {
    "rows": RowSolution,
    "cells": CellSolution,
    "iterative": IterativeSolution,
    "independent": IndependentSolution,
}


class RidgeFiles(Saveable):
    """The part of a kernel ridge regression that reads and writes it."""

    _cells: _core.CellFeatures
    _solution: Solution
    n_jobs: int | None

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        if not hasattr(self, "_solution"):
            return None
        (kind,) = (name for name, cls in KINDS.items() if type(self._solution) is cls)
        X, y, weights = self._rows.arrays
        arrays: Arrays = {
            **self._cells.archive(),
            **self._units.arrays(),
            **self.path_.arrays(),
            **self._solution.arrays(),
            "rows.X": X.ravel(),
            "rows.y": y,
            "rows.weights": weights,
            "rows.columns": self._solution.rows._columns[: y.size].ravel(),
        }
        numbers = describe_cells(self, self._cells) | {
            "kind": kind,
            "alpha": self._solution.alpha,
            "origin": self._origin,
            "scale": self._scale,
            "largest": self._largest,
            "next_review": self._next_review,
        }
        return numbers, arrays

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        self._cells = restored_cells(self, numbers, arrays)
        self._units = Units.from_arrays(arrays, self._cells.width)
        self.path_ = LifetimePath.from_arrays(arrays)
        X, y, weights = (_finite(arrays[f"rows.{name}"]) for name in ("X", "y", "weights"))
        n = y.size
        if n == 0 or X.size != n * self._cells.width or weights.size not in (0, n) or (weights <= 0).any():
            raise ValueError("its rows have the wrong shape")
        self._rows = KeptRows(X.reshape(n, -1), y, weights)
        alpha, self._origin, self._scale, self._largest = (
            float(numbers[name]) for name in ("alpha", "origin", "scale", "largest")
        )
        if not all(1e-200 < number < 1e200 for number in (alpha, self._scale, self._largest)):
            raise ValueError("its ridge, its scale or its largest lifetime is out of range")
        self._seed, self._next_review = self._cells.seed, int(numbers["next_review"])
        if not math.isfinite(self._origin) or not n <= self._next_review <= 2 * n:
            raise ValueError("its origin or its next review is out of range")
        columns = arrays["rows.columns"]
        if columns.dtype != np.uint32 or columns.shape != (n * self._cells.n_trees,):
            raise ValueError("its rows have another number of cells than there are trees")
        if columns.max() != self._cells.n_columns - 1:
            raise ValueError("its rows lie in cells that are not there")
        labels = (y - self._origin) / self._scale
        rows = LearnedRows(columns.reshape(n, -1), labels, weights if weights.size else np.ones(n))
        self._solution = self._restored_solution(KINDS[numbers["kind"]], rows, alpha, arrays)

    def _restored_solution(self, kind: type[Solution], rows: LearnedRows, alpha: float, arrays: Arrays) -> Solution:
        n_columns, n_threads = self._cells.n_columns, n_threads_of(self.n_jobs)
        if kind is IndependentSolution:
            return IndependentSolution(rows, alpha, n_columns, n_threads)
        if kind is IterativeSolution:
            return restored(rows, alpha, n_columns, n_threads, arrays)
        inverse, determinant = _finite(arrays["solution.inverse"]), _finite(arrays["solution.log_determinant"])
        size = rows.n if kind is RowSolution else n_columns
        if inverse.size != size**2 or determinant.size != 1:
            raise ValueError("its solution has the wrong size")
        return kind(rows, alpha, n_columns, n_threads, inverse.reshape(size, size), float(determinant[0]))  # type: ignore[call-arg]


def _finite(array: Any) -> Any:
    if array.dtype != np.float64 or array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError("an array is not made of finite numbers")
    return array
