"""What has been tried: places and values, in the order in which they came, kept in arrays that grow."""

from __future__ import annotations

import math

import numpy as np

from hedgerow.numeric.arrays import Floats

LARGEST_VALUE = 1e100
"""Models take values beyond this as this: their squares must stay finite."""


class Evaluations:
    """Places in the unit cube and the values found there; NaN where an evaluation failed."""

    def __init__(self, n_parameters: int) -> None:
        self._columns = np.empty((n_parameters, 16))  # places, one a column: searches run along parameters
        self._values = np.empty(16)
        self._known: dict[bytes, int] = {}  # how often each place was evaluated
        self.n = 0
        self.n_failed = 0
        self.best = -1  # the row of the least value; -1 while there is none
        self.worst = -math.inf  # the greatest value

    @property
    def places(self) -> Floats:
        """Places, one a row: a view that is good until the next one is added."""
        return self._columns[:, : self.n].T

    @property
    def values(self) -> Floats:
        """Values in the same order."""
        return self._values[: self.n]

    @property
    def n_succeeded(self) -> int:
        """How many evaluations gave a number."""
        return self.n - self.n_failed

    @property
    def least(self) -> float:
        """The least value; inf while there is none."""
        return float(self._values[self.best]) if self.best >= 0 else math.inf

    def add(self, place: Floats, value: float) -> None:
        """Keep one more."""
        if self.n == self._values.size:
            self._columns = np.concatenate([self._columns, np.empty_like(self._columns)], axis=1)
            self._values = np.concatenate([self._values, np.empty_like(self._values)])
        if math.isnan(value):
            self.n_failed += 1
        else:
            if value < self.least:
                self.best = self.n
            self.worst = max(self.worst, value)
        self._columns[:, self.n], self._values[self.n] = place, value
        key = place.tobytes()
        self._known[key] = self._known.get(key, 0) + 1
        self.n += 1

    def __contains__(self, place: Floats) -> bool:
        return place.tobytes() in self._known

    def distances(self, place: Floats, stretch: Floats) -> Floats:
        """Of all places from one, in the direction in which they are farthest."""
        farthest: Floats = (np.abs(self._columns[:, : self.n] - place[:, None]) * stretch[:, None]).max(axis=0)
        return farthest

    def best_places(self, n: int) -> Floats:
        """Return the places of the least values, least first, at most so many."""
        values = np.where(np.isnan(self.values), np.inf, self.values)
        n = min(n, self.n_succeeded)
        rows = np.argpartition(values, n - 1)[:n] if n < self.n else np.arange(self.n)
        chosen: Floats = self.places[rows[np.argsort(values[rows], kind="stable")][:n]]
        return chosen
