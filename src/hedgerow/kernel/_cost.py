"""Which route is taken: by how much work each is predicted to be, not by a clock, so that all machines take the same.

Work is counted in nanoseconds, as they were measured once on one core of an Intel Xeon of 2023. Each number is for
what there is most of: the cube of a matrix's size, pairs of rows, rows in trees.
"""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.kernel._selection import N_COARSE, N_FINE, N_FIRST

SPECTRUM, INVERSE = 0.25, 0.045
"""Of a matrix, for the cube of its size: all eigenvectors, and an inverse."""

PAIR = 0.17
"""Of two rows, for each tree: whether they share its cell."""

MEETING = 2.0
"""Of two cells of a row, for each pair of trees."""

EVENT = 0.25
"""Of an event, for each pair of rows: the update of the inverse."""

EVENTS_A_ROW = 10
"""All events are followed if there are no more for each row, copies counted once; else a grid costs less."""

MOST_FOR_PATH, MOST_FOR_SOLUTION = 1e9, 0.9e9
"""Exact curves, and the exact solution, are computed if they cost no more."""


@dataclass(frozen=True)
class Size:
    """Of a problem: rows, those that differ, cells at the largest lifetime, and trees."""

    n: int
    n_distinct: int
    n_columns: int
    n_trees: int

    @property
    def follows_events(self) -> bool:
        """Whether exact curves are known at all events."""
        return self.n_columns - self.n_trees <= EVENTS_A_ROW * self.n_distinct

    def has_exact_path(self, is_ridge_given: bool) -> bool:
        """Whether exact curves are worth their cost, at one ridge or at all of them first."""
        events = EVENT * (self.n_columns - self.n_trees) * self.n**2
        curves = events if self.follows_events else n_looked_at(N_FINE) * self._inverse()
        ridges = 0.0 if is_ridge_given else n_looked_at(N_COARSE) * (self._matrix() + SPECTRUM * self._smaller**3)
        return curves + ridges <= MOST_FOR_PATH

    @property
    def has_exact_solution(self) -> bool:
        """Whether the exact solution is worth its cost."""
        return self._inverse() <= MOST_FOR_SOLUTION

    @property
    def _smaller(self) -> int:
        return min(self.n, self.n_columns)

    def _matrix(self) -> float:
        """In the space of rows or of cells."""
        if self.n <= self.n_columns:
            return PAIR * self.n**2 * self.n_trees
        return MEETING * self.n * self.n_trees**2

    def _inverse(self) -> float:
        return self._matrix() + INVERSE * self._smaller**3


def n_looked_at(n_times: int) -> int:
    """At how many lifetimes of a grid `look` looks, about."""
    return N_FIRST + 2 * ((n_times // N_FIRST).bit_length() - 1)
