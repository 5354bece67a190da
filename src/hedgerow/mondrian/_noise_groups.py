"""Noise that differs between two groups of rows, such as those with a value in a column and those without.

The forest of `_noise.py` is a smoother: of how much larger errors are where a value is missing, it predicts half.
Two groups of many rows need no smoothing. Each axis with two values gets a factor of its own, in the order of what they
gain, as in regressions of log variances (Harvey 1976).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.files import Stored
from hedgerow.numeric.arrays import Floats

FEWEST_ROWS = 30
"""Of either group."""

MOST_AXES = 8

LEAST_GAIN = 1.0
"""In log likelihood, of all rows, if there is one axis to choose from."""

PRIOR_ROWS = 10.0
"""Rows of no difference that each group is mixed with."""

SMALLEST = 1e-9
"""A mean of squares counts as no less than this share of that of all rows."""

LARGEST_LOG = math.log(100.0)


class NoiseGroups(NamedTuple):
    """Variances are exp(offset) times as large, and of rows above a threshold on an axis exp(log) times that."""

    axes: npt.NDArray[np.uint32]
    thresholds: Floats
    logs: Floats
    offset: float

    @classmethod
    def none(cls) -> NoiseGroups:
        """Return groups that do not differ."""
        return cls(np.empty(0, np.uint32), np.empty(0), np.empty(0), 0.0)

    def logs_of(self, X: Floats) -> Floats:
        """Effects of each row's groups on the logarithm of its variance."""
        logs = np.full(X.shape[0], self.offset)
        for axis, threshold, log in zip(self.axes, self.thresholds, self.logs, strict=True):
            logs += np.where(X[:, axis] > threshold, log, 0.0)
        return logs

    def plus(self, others: NoiseGroups) -> NoiseGroups:
        """Return groups that differ by the sum of these effects and others."""
        axes, unit = np.unique(np.concatenate([self.axes, others.axes]), return_inverse=True)
        thresholds = np.empty(axes.size)
        thresholds[unit] = np.concatenate([self.thresholds, others.thresholds])
        logs = np.bincount(unit, weights=np.concatenate([self.logs, others.logs]), minlength=axes.size)
        return NoiseGroups(axes, thresholds, np.clip(logs, -LARGEST_LOG, LARGEST_LOG), self.offset + others.offset)

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return self._asdict()

    @classmethod
    def from_state(cls, stored: Stored, width: int) -> NoiseGroups:
        """Take back what `state` gave, or ValueError; `width` is the number of the model's columns."""
        axes = stored.array("axes", dtype=np.uint32)
        if (axes >= width).any() or np.unique(axes).size < axes.size:
            raise ValueError("its groups of noise are of columns that it does not have")
        thresholds, logs = stored.array("thresholds", axes.shape), stored.array("logs", axes.shape)
        if (np.abs(logs) > LARGEST_LOG).any():
            raise ValueError("its groups of noise differ by too much")
        return cls(axes, thresholds, logs, stored.number("offset", -10.0 * LARGEST_LOG, 10.0 * LARGEST_LOG))


def learn_groups(X: Floats, squares: Floats, weights: Floats) -> NoiseGroups:
    """Learn from squared residuals, in units of their variance, how they differ by axes with two values.

    The axis that gains most comes first, and so on. The log likelihood of a group of n rows whose squares have the mean
    m gains n / 2 log(1 / m) if it has a variance of its own; squares with heavy tails vary more, and must gain more.
    """
    low, high = X.min(axis=0), X.max(axis=0)
    axes = np.flatnonzero((np.equal(X, low) | np.equal(X, high)).all(axis=0) & (low < high))
    upper = X[:, axes] == high[axes]
    has_enough = np.minimum(upper.sum(axis=0), (~upper).sum(axis=0)) >= FEWEST_ROWS
    axes, upper = axes[has_enough], upper[:, has_enough]
    share = weights / weights.sum() if weights.size else np.full(squares.size, 1.0 / squares.size)
    n_rows = 1.0 / float(share @ share)  # as many rows of equal weights are as informative
    n_upper, found = n_rows * (share @ upper), NoiseGroups.none()
    counts, is_left = np.stack([n_rows - n_upper, n_upper]), np.ones(axes.size, dtype=bool)
    while found.axes.size < MOST_AXES and is_left.any() and (mean := float(share @ squares)) > 0.0:
        of_upper = n_rows * ((share * squares) @ upper)
        sums = np.stack([n_rows * mean - of_upper, of_upper]) / mean
        gains = -0.5 * (counts * np.log(np.maximum(sums / counts, SMALLEST))).sum(axis=0)
        best = int(np.argmax(np.where(is_left, gains, -math.inf)))
        excess = max(1.0, float(share @ (squares / mean - 1.0) ** 2) / 2.0)  # 1 if residuals are normal
        if gains[best] < excess * (LEAST_GAIN + math.log(axes.size)):
            break
        below, above = np.log((sums[:, best] + PRIOR_ROWS) / (counts[:, best] + PRIOR_ROWS)) + math.log(mean)
        axis = axes[best]
        threshold, log = 0.5 * low[axis] + 0.5 * high[axis], np.clip(above - below, -LARGEST_LOG, LARGEST_LOG)
        group = NoiseGroups(np.array([axis], np.uint32), np.array([threshold]), np.array([log]), float(below))
        found, squares = found.plus(group), squares * np.exp(-group.logs_of(X))
        is_left[best] = False
    return found
