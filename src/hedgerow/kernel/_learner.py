"""Ridge regression in random features that is reviewed whenever the number of rows has doubled."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, Self

import numpy as np

from hedgerow.base.kept_rows import KeptRows
from hedgerow.base.rows import NO_WEIGHTS, Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.base.targets import read_targets
from hedgerow.base.work import interrupted_after
from hedgerow.files import Stored
from hedgerow.kernel._fit import Fit
from hedgerow.kernel._review import review
from hedgerow.kernel._settings import RidgeSettings
from hedgerow.kernel._units import Units
from hedgerow.predictive import LocationScale
from hedgerow.predictive._shapes import NormalShape

FIRST_REVIEW = 1
PIECE = 64
"""Rows that are learned between two looks for Ctrl-C."""


class RidgeLearner:
    """All rows, and what has been found by the last review of them and learned since."""

    _found: Fit | None = None

    def __init__(self, settings: RidgeSettings, seed: int, rows: Rows) -> None:
        self.settings, self.seed, self.rows = settings, seed, KeptRows(*rows)
        self.next_review = FIRST_REVIEW
        self._width = rows.X.shape[1]  # at the last review

    @classmethod
    def begin(cls, rows: Rows, settings: RidgeSettings, seed: int, query: Query) -> Self:
        """Learn all rows of a batch."""
        Units.around(rows.X[:1], settings.length_scale, 1.0)  # ValueError unless it fits the columns
        learner = cls(settings, seed, rows)
        learner.review_if_due(query)
        return learner

    @classmethod
    def open(cls, first: Rows, settings: RidgeSettings, seed: int, query: Query) -> Self:
        """Return a learner for a stream that begins with this row."""
        Units.around(first.X, settings.length_scale, 1.0)  # ValueError unless it fits the columns
        return cls(settings, seed, first.part(slice(0)))

    @property
    def n_seen(self) -> int:
        """Rows learned."""
        return len(self.rows)

    @property
    def all_rows(self) -> Rows:
        """As they were given."""
        return Rows(*self.rows.arrays)

    @property
    def row_axes(self) -> Floats:
        """What it sees of the rows that it holds."""
        return self.rows.arrays[0]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to predict from."""
        return self.next_review == FIRST_REVIEW

    @property
    def found(self) -> Fit:
        """What the last review has found and was learned since; made again, with the same bits, if that has failed."""
        if self._found is None:
            X, y, weights = self.rows.arrays
            known, n = Rows(np.ascontiguousarray(X[:, : self._width]), y, weights), self.next_review // 2
            found = review(known.part(slice(n)), self.settings, self.seed, 1)
            found.learn(known.part(slice(n, None)), 1)
            self._found = found
        return self._found

    def learn(self, rows: Rows, query: Query) -> None:
        """Learn rows, one after another, or none if they cannot be; Ctrl-C is noticed between two pieces of them."""
        mark = self.mark
        try:
            self._learn(rows, query)
        except ValueError:
            self.go_back(mark)
            raise

    @property
    def mark(self) -> tuple[Any, ...]:
        """What separates the rows learned until now from later ones."""
        return self.rows, self.rows.mark, self.next_review, self._width

    def go_back(self, mark: tuple[Any, ...]) -> None:
        """Be as it was then; what was found is found again when it is needed, unless nothing was learned since."""
        if mark == self.mark:
            return
        self.rows, of_rows, self.next_review, self._width = mark
        self.rows.go_back(of_rows)
        self._found = None

    def _learn(self, rows: Rows, query: Query) -> None:
        begin, n = 0, rows.y.size
        while begin < n:
            self.review_if_due(query)  # only if the last one was interrupted
            end = min(begin + PIECE, begin + self.next_review - len(self.rows), n)
            part = rows.part(slice(begin, end))
            with interrupted_after():  # or rows would have been learned in part
                self._update(part, query)
            self.review_if_due(query)
            begin = end

    def _update(self, rows: Rows, query: Query) -> None:
        """Learn rows, or none: then what was learned since the last review is learned again when it is needed."""
        try:
            if not self.is_empty:
                self.found.learn(rows, query.n_threads)
            self.rows.append(*rows)
        except Exception as error:
            self._found = None
            if isinstance(error, MemoryError | SystemError):  # NumPy does not always raise the same
                raise
            raise ValueError(
                "these rows cannot be learned by an update, for their weights or targets are too large next to those "
                "of the others; nothing was changed. Fit all rows at once, or divide the weights by a constant"
            ) from error

    def learn_one(self, row: Floats, y: float, weight: float, query: Query) -> None:
        """Learn one row of weight one."""
        self.learn(Rows(row.reshape(1, -1), np.array([y]), NO_WEIGHTS), query)

    def forecast(self, X: Floats, query: Query) -> LocationScale:
        """Return the predictive distribution of each row; before the first, a standard normal one."""
        if self.is_empty:
            return LocationScale(np.zeros(X.shape[0]), np.ones(X.shape[0]), NormalShape())
        return self.found.forecast(X, query.n_threads)

    def forecast_then_learn(self, rows: Rows, query: Query) -> Iterator[LocationScale]:
        """Yield the predictive distribution of each row given those before."""
        means, deviations = np.empty(rows.y.size), np.empty(rows.y.size)
        for i in range(rows.y.size):
            row = rows.part(slice(i, i + 1))
            forecast = self.forecast(row.X, query)
            means[i], deviations[i] = forecast.mean()[0], forecast.std()[0]
            self.learn(row, query)
        yield LocationScale(means, deviations, NormalShape())

    def review_if_due(self, query: Query) -> None:
        n = len(self.rows)
        if n >= self.next_review:
            found = review(Rows(*self.rows.arrays), self.settings, self.seed, query.n_threads)
            with interrupted_after():
                self._found, self.next_review, self._width = found, 2 * n, self.rows.arrays[0].shape[1]

    def widened(self, values: Floats) -> Self:
        """Return a learner of wider rows, which had `values` before. The next review sees the columns."""
        wider = copy(self)
        X, y, weights = self.rows.arrays
        wider.rows = KeptRows(np.column_stack([X, np.tile(values, (y.size, 1))]), y, weights)
        return wider

    # Files.

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {
            "seed": self.seed,
            "rows": Rows(*self.rows.arrays)._asdict(),
            "next_review": self.next_review,
            "found": None if self.is_empty else self.found.state(),
        }

    @classmethod
    def from_state(cls, stored: Stored, settings: RidgeSettings, width: int) -> Self:
        """Take back what `state` gave."""
        kept = stored.part("rows")
        y, weights = kept.array("y"), kept.array("weights")
        if weights.size not in (0, y.size) or (weights <= 0).any():
            raise ValueError("its weights are not one positive number a row")
        rows = Rows(kept.array("X", (y.size, width)), read_targets(y), weights)
        learner = cls(settings, stored.integer("seed", 0, 2**64 - 1), rows)
        if stored.any("found") is None:
            if y.size > 1:
                raise ValueError("it has rows, but nothing was learned from them")
        else:
            learner.next_review = stored.integer("next_review", max(1, y.size), 2 * y.size)
            learner._found = Fit.from_state(stored.part("found"), rows, settings.n_estimators, learner.seed)
            learner._width = learner._found.units.centre.size
        return learner
