"""Rows that came more than once: which rows leave-one-out must leave out together.

A row that is left out while an equal one stays is not left out at all: its target is still there to be read. So copies,
rows with the same features and the same target, are left out together, as one row whose weight is theirs added up.
But equal rows need not be copies. Where features are coarse, many rows fall on one point, and where targets are few as
well, some of these agree by chance: leaving out all that agree would leave those that do not, and the prediction would
lean away from the target. The two are distinguished by what else lies on the points that several rows share: other
targets, or many rows, and the rows are not copies.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats

Numbers = npt.NDArray[np.uint32]
NO_GROUPS: Numbers = np.empty(0, dtype=np.uint32)

MOST_MIXED = 0.05
"""If more of the rows on shared points than this share have another target beside them, equal rows are not copies."""

MOST_COPIES = 20.0
"""Nor are they if so many rows share a point on average: these are places to which rows come back."""

AMBIGUOUS_MIXED, AMBIGUOUS_SHARE = 0.5, 0.2
"""Up to the first some points are mixed and others are not; with more equal rows than the second it is ambiguous."""


class Copies(NamedTuple):
    """Which rows are left out together."""

    groups: Numbers  # rows of one number are copies; empty if no row has any
    n_units: int  # rows, copies counted once
    is_ambiguous: bool = False  # whether some of the equal rows may be copies though they were taken for different ones

    def of(self, rows: npt.NDArray[np.intp]) -> Copies:
        """Return those of some of the rows."""
        if not self.groups.size:
            return Copies(NO_GROUPS, rows.size)
        groups = self.groups[rows]
        return Copies(groups, np.unique(groups).size)


def find_copies(X: Floats, y: Floats) -> Copies:
    """Find which rows are copies of each other: by their features and by their targets, numbers both."""
    n = X.shape[0]
    point = _numbered(prints_of(X))
    n_points = int(point.max(initial=-1)) + 1
    if n_points == n:
        return Copies(NO_GROUPS, n)
    group = _numbered(prints_of(np.column_stack([X, y])))
    n_groups = int(group.max(initial=-1)) + 1
    at_point = np.bincount(point)
    first_of_group = np.unique(group, return_index=True)[1]
    n_targets = np.bincount(point[first_of_group], minlength=n_points)
    shared = at_point > 1
    mixed = float(at_point[shared & (n_targets > 1)].sum() / at_point[shared].sum())
    if mixed <= MOST_MIXED and at_point[shared].mean() <= MOST_COPIES:
        return Copies(group.astype(np.uint32), n_groups) if n_groups < n else Copies(NO_GROUPS, n)
    n_equal = int((np.bincount(group)[group] > 1).sum())
    is_ambiguous = MOST_MIXED < mixed < AMBIGUOUS_MIXED and n_equal > AMBIGUOUS_SHARE * n
    return Copies(NO_GROUPS, n, is_ambiguous)


def warn_if_ambiguous(copies: Copies, stacklevel: int = 4) -> None:
    """Warn the caller's caller if it cannot be decided whether rows are copies."""
    if copies.is_ambiguous:
        warnings.warn(
            "many rows agree in all features and in the target, while others agree in the features only. They were "
            "taken for different rows that agree by chance; if they are copies (a bootstrap sample, oversampling), "
            "what is learned from leave-one-out is too sure: pass each row once, with its number as sample_weight",
            UserWarning,
            stacklevel=stacklevel,
        )


def prints_of(columns: Floats) -> npt.NDArray[np.uint64]:
    """Return a number for each row that equal rows share, and others all but surely do not; 0.0 equals -0.0."""
    found = np.full(columns.shape[0], 0x243F6A8885A308D3, dtype=np.uint64)
    for column in (columns + 0.0).T:
        found = (found ^ np.ascontiguousarray(column).view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(29)
    return found


def _numbered(prints: npt.NDArray[np.uint64]) -> npt.NDArray[np.intp]:
    return np.unique(prints, return_inverse=True)[1]
