"""Cells of Mondrian processes in which rows lie."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from hedgerow import _core
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.base.work import compute_in_pieces, interrupted_after, pieces
from hedgerow.files import Stored
from hedgerow.kernel._settings import FeatureSettings
from hedgerow.kernel._units import Units


class CellLearner:
    """Cells, in the order in which rows reached them."""

    def __init__(self, settings: FeatureSettings, units: Units, cells: _core.CellFeatures, n_seen: int) -> None:
        self.settings, self.units, self.cells, self.n_seen = settings, units, cells, n_seen

    @classmethod
    def around(cls, X: Floats, settings: FeatureSettings, seed: int) -> Self:
        """Return a learner that has learned nothing yet; rows lie around the centre of these."""
        units = Units.around(X, settings.length_scale, settings.largest)
        n_trees, width, time = settings.n_estimators, X.shape[1], settings.lifetime / settings.largest
        return cls(settings, units, _core.CellFeatures(width=width, n_trees=n_trees, lifetime=time, seed=seed), 0)

    @classmethod
    def begin(cls, rows: Rows, settings: FeatureSettings, seed: int, query: Query) -> Self:
        """Number the cells of all rows."""
        learner = cls.around(rows.X, settings, seed)
        learner.learn(rows, query)
        return learner

    @classmethod
    def open(cls, first: Rows, settings: FeatureSettings, seed: int, query: Query) -> Self:
        """Return a learner for a stream that begins with this row."""
        if isinstance(settings.length_scale, str):
            raise ValueError(
                "length_scale='range' needs the range of the columns: call fit first, or give numbers instead"
            )
        return cls.around(first.X, settings, seed)

    def learn(self, rows: Rows, query: Query) -> None:
        """Number the cells that no row was in before; Ctrl-C is noticed between two pieces of the rows."""
        for piece in pieces(rows.X.shape[0], self.cells.n_trees):
            part = self.units.points(rows.X[piece])
            with interrupted_after():  # or rows would not be counted
                self.cells.learn(part, query.n_threads)
                self.n_seen += part.shape[0]

    def learn_one(self, row: Floats, y: float, weight: float, query: Query) -> None:
        """Learn one row, of whatever target and weight."""
        self.learn(Rows(row.reshape(1, -1), np.array([y])), query)

    def review_if_due(self, query: Any) -> None:
        """Look at nothing: cells do not depend on the rows."""

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        seed, cells = self.cells.seed, self.cells.archive()
        return {"units": self.units.state(), "seed": seed, "cells": cells, "n_seen": self.n_seen}

    @classmethod
    def from_state(cls, stored: Stored, settings: FeatureSettings, width: int) -> Self:
        """Take back what `state` gave."""
        units, seed = Units.from_state(stored.part("units"), width), stored.integer("seed", 0, 2**64 - 1)
        time = settings.lifetime / settings.largest
        cells = restored_cells(stored.arrays("cells"), width, settings.n_estimators, lifetime=time, seed=seed)
        if settings.n_spare > 2**31 // cells.n_trees:
            raise ValueError("its number of spare columns is out of range")
        return cls(settings, units, cells, stored.integer("n_seen", 0, 2**63))


def find_cells(cells: _core.CellFeatures, points: Floats, n_threads: int) -> Any:
    """Return the column of each row in each tree, some rows at a time."""
    return compute_in_pieces(lambda rows: cells.find(rows, n_threads), points, cells.n_trees)


def restored_cells(
    arrays: dict[str, Any], width: int, n_trees: int, *, lifetime: float, seed: int
) -> _core.CellFeatures:
    """Cells from a file. The core looks at all but their number."""
    if width > arrays["cells.lower"].size or n_trees > arrays["cells.sizes"].size:
        raise ValueError("its width or its number of trees is out of range")
    cells = _core.CellFeatures(width=width, n_trees=n_trees, lifetime=lifetime, seed=seed)
    cells.restore(arrays)
    return cells
