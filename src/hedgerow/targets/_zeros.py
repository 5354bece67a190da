"""More zeros, or fewer, than the hidden value of a count implies: a small forest of the indicator of zero."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from hedgerow.files import Stored
from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.simplex import Point, around, minimise

FEWEST = 20
"""Zeros, and other counts, that there must be at least."""

SURE = 1e-3
"""No probability that goes in is nearer than this to 0 or 1."""


PLAIN, BOUNDS = (0.0, 1.0, 0.0), ((-3.0, 3.0), (0.0, 2.0), (0.0, 2.0))
"""Offset and slopes of a forest that is taken at its word, from which they depart as far as a prior of variance 1 lets
them, within bounds: where a column separates all zeros, likelihood alone would let them grow without end."""


class Zeros(NamedTuple):
    """logit P(0) = offset + slope * logit(P(0) by the forest) + hidden_slope * logit(P(0) by the hidden value)."""

    forest: Any  # a small forest of the indicator
    offset: float
    slope: float
    hidden_slope: float

    def probability(self, X: Floats, hidden: Floats, left_out: bool = False) -> Floats:
        """Probability of zero of each row; of rows that it was learned from, as they would be without themselves."""
        return self.combined((self.forest.means_without if left_out else self.forest.means)(X), hidden)

    def combined(self, by_forest: Floats, hidden: Floats) -> Floats:
        """Return the same, from the probability by the forest."""
        logits = self.offset + self.slope * _logit(by_forest) + self.hidden_slope * _logit(hidden)
        probability: Floats = expit(np.clip(logits, -30.0, 30.0))
        return probability

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"numbers": [self.offset, self.slope, self.hidden_slope], "forest": self.forest.state()}

    @classmethod
    def from_state(cls, stored: Stored, forest: Any) -> Zeros:
        """Take back what `state` gave, or ValueError, with the forest that it holds."""
        offset, slope, hidden_slope = (float(number) for number in stored.sequence("numbers"))
        numbers = zip((offset, slope, hidden_slope), BOUNDS, strict=True)
        if not all(low <= number <= high for number, (low, high) in numbers):
            raise ValueError("its probability of zero is not made of numbers within bounds")
        return cls(forest, offset, slope, hidden_slope)


def learn_zeros(
    X: Floats, is_zero: npt.NDArray[np.bool_], shares: Floats, hidden: Floats, grow: Any
) -> tuple[Zeros, Floats]:
    """Learn from zeros, and from their probability by the hidden value of each row without it.

    Returns the probability of zero of each row too, as predicted without the row. The shares of rows add up to 1.
    """
    grown = grow(X, is_zero.astype(np.float64), shares * is_zero.size)
    by_forest = grown.left_out().mean()

    def zeros(point: Point) -> Zeros:
        return Zeros(grown, *(min(max(number, low), high) for number, (low, high) in zip(point, BOUNDS, strict=True)))

    def departure(point: Point) -> float:
        return 0.5 * sum((number - plain) ** 2 for number, plain in zip(point, PLAIN, strict=True)) / is_zero.size

    def loss(probability: Floats) -> float:
        probability = np.clip(probability, 1e-12, 1.0 - 1e-12)
        return -float(shares @ np.log(np.where(is_zero, probability, 1.0 - probability)))

    best, _ = minimise(
        lambda point: loss(zeros(point).combined(by_forest, hidden)) + departure(point),
        around(PLAIN, (0.3, -0.3, 0.3)),
        120,
    )
    found = zeros(best)
    return found, found.combined(by_forest, hidden)


def _logit(probability: Floats) -> Floats:
    found: Floats = logit(np.clip(probability, SURE, 1.0 - SURE))
    return found
