"""What a review of all rows has found, and the rows learned since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hedgerow import _core
from hedgerow.base.rows import LARGEST_WEIGHT, LEAST_WEIGHT, Rows
from hedgerow.base.targets import LARGEST_TARGET
from hedgerow.files import Stored
from hedgerow.kernel._cells import find_cells, restored_cells
from hedgerow.kernel._independent import IndependentSolution
from hedgerow.kernel._iterative import IterativeSolution
from hedgerow.kernel._path import LifetimePath
from hedgerow.kernel._problem import Columns, signal_variance
from hedgerow.kernel._solutions import CellSolution, LearnedRows, RowSolution, Solution
from hedgerow.kernel._units import Units
from hedgerow.kernel._weights import Weights
from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.blas import one_blas_thread
from hedgerow.predictive import LocationScale
from hedgerow.predictive._shapes import NormalShape

KINDS: dict[str, type[Solution]] = {
    "rows": RowSolution,
    "cells": CellSolution,
    "iterative": IterativeSolution,
    "independent": IndependentSolution,
}


@dataclass(frozen=True)
class Fit:
    """Units of columns and of targets, curves along the path, and cells and solution at the chosen lifetime."""

    units: Units
    origin: float
    scale: float
    mean_weight: float  # at the review: weights are in units of it
    path: LifetimePath
    cells: _core.CellFeatures
    solution: Solution

    @property
    def lifetime(self) -> float:
        """In use."""
        return float(self.path.largest * self.cells.lifetime)

    def learn(self, rows: Rows, n_threads: int) -> None:
        """Learn rows by exact updates."""
        points, targets = self.units.points(rows.X), (rows.y - self.origin) / self.scale
        weights = rows.weights if rows.weights.size else np.ones(rows.y.size)
        with self._threads(n_threads):
            self.cells.learn(points, n_threads)
            for columns, target, weight in zip(self.cells.find(points, n_threads), targets, weights, strict=True):
                self.solution.learn(columns, float(target), float(weight / self.mean_weight))

    def means(self, X: Floats, n_threads: int) -> Floats:
        """Mean at each row."""
        columns = self._columns(X, n_threads)
        with self._threads(n_threads):
            means: Floats = self.origin + self.scale * self.solution.means(columns)
        return means

    def forecast(self, X: Floats, n_threads: int) -> LocationScale:
        """Return the predictive distribution of each row."""
        columns = self._columns(X, n_threads)
        with self._threads(n_threads):
            return self._distribution(self.solution.means(columns), self.solution.variances(columns))

    def variance_parts(self, X: Floats, n_threads: int) -> tuple[Floats, Floats, Floats]:
        """Noise and distance from rows, in units of the signal; its trees are one kernel, and cannot disagree."""
        columns = self._columns(X, n_threads)
        with self._threads(n_threads):
            distance = self.solution.variances(columns)
        return np.full(distance.size, self.solution.alpha), np.zeros(distance.size), distance

    def left_out(self, rows: Rows, n_threads: int) -> LocationScale:
        """Return that of each row had it not been learned; these are all rows."""
        with self._threads(n_threads):
            return self._distribution(*self.solution.left_out(self._together(rows)))

    def log_likelihood(self, n_threads: int) -> float:
        """Log marginal likelihood of all rows, in the user's units."""
        rows = self.solution.rows
        with self._threads(n_threads):
            likelihood = self.solution.criteria().log_likelihood(self.solution.alpha, rows.n, rows.total_weight)
        return float(likelihood - rows.total_weight * np.log(self.scale))

    def loo_error(self, rows: Rows, n_threads: int) -> float:
        """Root mean squared leave-one-out error; these are all rows."""
        with self._threads(n_threads):
            squares = self.solution.criteria(self._together(rows)).leave_one_out
        return self.scale * float(np.sqrt(squares / self.solution.rows.total_weight))

    def _together(self, rows: Rows) -> Floats:
        return Weights.of(rows, self.mean_weight).together

    def _threads(self, n_threads: int) -> Any:
        """Let the core have threads, and BLAS one."""
        self.solution.n_threads = n_threads
        return one_blas_thread()

    def _columns(self, X: Floats, n_threads: int) -> Columns:
        columns: Columns = find_cells(self.cells, self.units.points(X), n_threads)
        return columns

    def _distribution(self, means: Floats, variances: Floats) -> LocationScale:
        signal = signal_variance(self.solution.criteria().fit, self.solution.rows.total_weight)
        std = self.scale * np.sqrt(signal * (variances + self.solution.alpha))
        return LocationScale(self.origin + self.scale * means, std, NormalShape())

    # Files.

    def state(self) -> dict[str, Any]:
        """Return what a file keeps besides the rows."""
        (kind,) = (name for name, cls in KINDS.items() if type(self.solution) is cls)
        return {
            "units": self.units.state(),
            "origin": self.origin,
            "scale": self.scale,
            "mean_weight": self.mean_weight,
            "path": self.path.state(),
            "time": self.cells.lifetime,
            "cells": self.cells.archive(),
            "cells_of_rows": self.solution.rows.cells,
            "kind": kind,
            "solution": self.solution.state(),
        }

    @classmethod
    def from_state(cls, stored: Stored, rows: Rows, n_trees: int, seed: int) -> Self:
        """Take back what `state` gave; these are the rows."""
        n, most = rows.X.shape
        units = Units.from_state(stored.part("units"), most)
        width, path = units.centre.size, LifetimePath.from_state(stored.part("path"))
        time = stored.number("time", 0.0, 1.0)
        cells = restored_cells(stored.arrays("cells"), width, n_trees, lifetime=time, seed=seed)
        origin = stored.number("origin", -LARGEST_TARGET, LARGEST_TARGET)
        scale = stored.number("scale", 1e-200, 1e200)
        columns = stored.array("cells_of_rows", (n, n_trees), np.uint32)
        if columns.max() != cells.n_columns - 1:
            raise ValueError("its rows lie in cells that are not there")
        mean_weight = stored.number("mean_weight", 0.5 * LEAST_WEIGHT, 2.0 * LARGEST_WEIGHT * n)
        weights = (rows.weights if rows.weights.size else np.ones(n)) / mean_weight
        targets = (rows.y - origin) / scale
        if not np.abs(targets).max() <= LARGEST_TARGET:
            raise ValueError("its scale is not that of its targets")
        learned = LearnedRows(columns, targets, weights)
        kind = KINDS[stored.word("kind", *KINDS)]
        solution = kind.from_state(stored.part("solution"), learned, path.alpha, cells.n_columns)
        return cls(units, origin, scale, mean_weight, path, cells, solution)
