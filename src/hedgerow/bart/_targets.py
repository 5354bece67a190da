"""Targets as the core takes them, and what is known of the noise before any tree has grown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.stats import chi2

from hedgerow.base.rows import Floats
from hedgerow.base.targets import LARGEST_TARGET
from hedgerow.files import Stored
from hedgerow.numeric.blas import one_blas_thread

MOST_COLUMNS = 2000
"""Of a linear function that is fitted for a first guess of the noise."""
LEAST_NOISE = 1e-3
"""Of the range of the targets: what is expected, before data, of targets that a linear function fits exactly."""


@dataclass(frozen=True)
class TargetUnits:
    """Targets run from -1/2 to 1/2 in the core (Chipman, George and McCulloch 2010, section 3.2)."""

    centre: float
    width: float

    @classmethod
    def of(cls, y: Floats) -> Self:
        """Return the units in which these targets just fit. Targets that are all equal do not show their scale."""
        lowest, highest = float(y.min()), float(y.max())
        return cls(0.5 * lowest + 0.5 * highest, highest - lowest if highest > lowest else 1.0)

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Take back a centre and a width."""
        largest = LARGEST_TARGET
        return cls(stored.number("centre", -largest, largest), stored.number("width", math.ulp(0.0), 2.0 * largest))

    def inward(self, y: Floats) -> Floats:
        """Targets for the core."""
        targets: Floats = np.clip((y - self.centre) / self.width, -0.5, 0.5)
        return targets


def noise_scale(X: Floats, targets: Floats, weights: Floats, df: float, quantile: float) -> float:
    """Return the scale of the noise's prior.

    The variance is ``df * scale`` over a chi-squared variable of `df` degrees of freedom. The scale is such that the
    standard deviation is below a rough guess with probability `quantile` (Chipman et al. 2010, section 3.2).
    """
    guess = guessed_noise(X, targets, weights)
    return max(guess**2 * float(chi2.ppf(1.0 - quantile, df)) / df, 1e-300)


def guessed_noise(X: Floats, targets: Floats, weights: Floats) -> float:
    """Return the rough guess: never zero."""
    return max(rough_noise(X, targets, weights), LEAST_NOISE)


def rough_noise(X: Floats, targets: Floats, weights: Floats) -> float:
    """Standard deviation of what a linear function leaves of the targets; of the targets if rows do not suffice.

    The same if columns are too many to solve for. A row of weight w counts as w rows.
    """
    shares = weights if weights.size else np.ones(targets.size)
    total = float(shares.sum())
    y = targets - (shares / total) @ targets
    squares = float(shares @ y**2)
    if X.shape[1] > MOST_COLUMNS:
        return math.sqrt(squares / total)
    columns = _standardised(X, shares / total)
    with one_blas_thread():
        values, vectors = np.linalg.eigh((columns * shares[:, None]).T @ columns)
        along = vectors.T @ (columns.T @ (shares * y))
    counts = values > 1e-10 * max(float(values.max(initial=0.0)), 1e-300)
    freedom = total - 1.0 - int(counts.sum())
    if freedom < 1.0:
        return math.sqrt(squares / total)
    return math.sqrt(max(squares - float((along[counts] ** 2 / values[counts]).sum()), 0.0) / freedom)


def _standardised(X: Floats, shares: Floats) -> Floats:
    """Columns with mean zero and variance one, those that are constant left out; no value is too large for it."""
    highest = np.abs(X).max(axis=0)
    columns = X / np.where(highest > 1e-300, highest, np.inf)  # what is smaller still may count as constant
    columns -= shares @ columns
    spread = np.sqrt(shares @ columns**2)
    varies = spread > 1e-12
    found: Floats = columns[:, varies] / spread[varies]
    return found
