"""Weights of rows, and rows that came more than once."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hedgerow.base.copies import Numbers, find_copies
from hedgerow.base.rows import Rows
from hedgerow.kernel._problem import Problem
from hedgerow.numeric.arrays import Floats


class Weights(NamedTuple):
    """In units of the mean weight of a row, its copies taken with it.

    So neither copies nor a factor of all weights change what is learned: a row that weighs more than others has less
    noise than they, not more rows behind it.
    """

    each: Floats
    together: Floats  # weight of all copies of each row, itself included
    groups: Numbers  # rows of one number are copies; empty if no row has any
    unit: float

    @classmethod
    def of(cls, rows: Rows, unit: float | None = None) -> Weights:
        """Find copies; the unit is their mean weight unless it is known."""
        copies, weights = find_copies(rows.X, rows.y), rows.weights if rows.weights.size else np.ones(rows.y.size)
        unit = float(weights.sum() / copies.n_units) if unit is None else unit
        each = weights / unit
        together = each
        if copies.groups.size:
            together = np.bincount(copies.groups, each).astype(np.float64)[copies.groups]
        return cls(each, together, copies.groups, unit)

    def without_copies(self, problem: Problem) -> Problem:
        """The first of each set of copies, with the weight of all: what is chosen must not depend on the others."""
        if not self.groups.size:
            return problem
        first = np.sort(np.unique(self.groups, return_index=True)[1])
        points, targets = np.ascontiguousarray(problem.points[first]), problem.targets[first]
        return replace(problem, points=points, targets=targets, weights=self.together[first])
