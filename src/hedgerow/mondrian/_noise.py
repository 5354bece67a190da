"""Noise that varies: a small forest that learns from leave-one-out residuals how large errors are where."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hedgerow.files import Stored
from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.simplex import Point, around, minimise

FEWEST_ROWS = 200
"""With fewer rows noise does not vary."""

MOST_ROWS = 2000
"""Rows that it is learned from, at most."""

SMALLEST = 0.02
"""Added to squared residuals, in units of their variance, before the logarithm is taken."""

MOST_SURPRISING = 25.0
"""A squared residual counts at most as this many variances."""

LEAST_GAIN = 0.01
"""In log density a row: noise that gains less does not vary."""

LARGEST = 100.0
"""By how much variances may differ from what they would be without it, at most."""


class Noise(NamedTuple):
    """Variances are multiplied by exp(offset + slope * what the forest says)."""

    forest: Any  # a SmallForest
    offset: float
    slope: float

    def factors(self, X: Floats) -> Floats:
        """By how much the variance of each row differs; columns that have come since are not looked at."""
        return self._factors(self.forest.means(X))

    def left_out_factors(self, X: Floats) -> Floats:
        """The same of rows that may be among those it was learned from, each without itself."""
        return self._factors(self.forest.means_without(X))

    def _factors(self, said: Floats) -> Floats:
        logs = self.offset + self.slope * said
        return np.exp(np.clip(logs, -math.log(LARGEST), math.log(LARGEST)))

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"offset": self.offset, "slope": self.slope, "forest": self.forest.state()}

    @classmethod
    def from_state(cls, stored: Stored, width: int) -> Noise:
        """Take back what `state` gave, or ValueError; `width` is the number of the model's columns."""
        from hedgerow.mondrian._small_forests import SmallForest  # whose labels may have noise of their own

        forest = SmallForest.from_state(stored.part("forest"))
        if forest.width > width:
            raise ValueError("the forest of its noise has more columns than it has")
        return cls(forest, stored.number("offset"), stored.positive("slope"))


def learn_noise(X: Floats, squares: Floats, weights: Floats, grow: Any, seed: int) -> tuple[Noise | None, Floats]:
    """Learn from squared leave-one-out residuals, in units of the variance that rows were given.

    `grow` learns a small forest from rows, targets and weights. Returns None if that does not pay; and the factor of
    each row, as said without the row if it was learned from.
    """
    n = squares.size
    drawn = np.sort(np.random.default_rng(seed).choice(n, min(n, MOST_ROWS), replace=False))
    everywhere, squares = np.ones(n), np.minimum(squares[drawn], MOST_SURPRISING)
    share = weights[drawn] / weights[drawn].sum() if weights.size else np.full(drawn.size, 1.0 / drawn.size)
    if not share @ squares > 0.0:  # everything is explained
        return None, everywhere
    forest = grow(X[drawn], np.log(squares + SMALLEST), weights[drawn] if weights.size else weights)
    said = forest.left_out().mean()

    def noise(point: Point) -> Noise:
        return Noise(forest, point[0], math.exp(min(max(point[1], -4.0), 1.5)))

    def loss(factors: Floats) -> float:
        return 0.5 * float(share @ (np.log(factors) + squares / factors))

    typical = float(share @ said)
    start = around((-typical, 0.0), (1.0, -1.0))
    best, least = minimise(lambda point: loss(noise(point)._factors(said)), start, 50)
    plain = loss(np.full(squares.size, float(share @ squares)))
    if not least < plain - LEAST_GAIN - 2.0 / squares.size:
        return None, everywhere
    found = noise(best)
    if drawn.size < n:
        everywhere = found.factors(X)
    everywhere[drawn] = found._factors(said)
    return found, everywhere
