"""Noise that varies: a small forest that learns from leave-one-out residuals how large errors are where.

Beside it stand groups of rows, such as those whose value in a column is missing.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hedgerow.files import Stored
from hedgerow.mondrian._noise_groups import NoiseGroups, learn_groups
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

LARGEST_LOG = math.log(100.0)
"""By how much logarithms of variances may differ from what they would be without it, at most."""


class Noise(NamedTuple):
    """Variances are multiplied by exp(offset + slope * prediction of the forest + effects of groups)."""

    forest: Any  # a SmallForest, or None if only groups differ
    offset: float
    slope: float
    groups: NoiseGroups

    def factors(self, X: Floats) -> Floats:
        """By how much the variance of each row differs; columns that have come since are not looked at."""
        return self._factors(X, np.zeros(X.shape[0]) if self.forest is None else self.forest.means(X))

    def left_out_factors(self, X: Floats) -> Floats:
        """The same of rows that may be among those it was learned from, each without itself."""
        return self._factors(X, np.zeros(X.shape[0]) if self.forest is None else self.forest.means_without(X))

    def _factors(self, X: Floats, by_forest: Floats) -> Floats:
        logs = self.offset + self.slope * by_forest + self.groups.logs_of(X)
        return np.exp(np.clip(logs, -LARGEST_LOG, LARGEST_LOG))

    @classmethod
    def of_groups(cls, groups: NoiseGroups) -> Noise:
        """Return noise that differs between groups only."""
        return cls(None, 0.0, 1.0, groups)

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        forest = None if self.forest is None else self.forest.state()
        return {"offset": self.offset, "slope": self.slope, "forest": forest, "groups": self.groups.state()}

    @classmethod
    def from_state(cls, stored: Stored, width: int) -> Noise:
        """Take back what `state` gave, or ValueError; `width` is the number of the model's columns."""
        from hedgerow.mondrian._small_forests import SmallForest  # whose labels may have noise of their own

        forest = SmallForest.from_state(stored.part("forest")) if "forest" in stored else None
        if forest is not None and forest.width > width:
            raise ValueError("the forest of its noise has more columns than it has")
        groups = NoiseGroups.from_state(stored.part("groups"), width) if "groups" in stored else NoiseGroups.none()
        return cls(forest, stored.number("offset"), stored.positive("slope"), groups)


def learn_noise(X: Floats, squares: Floats, weights: Floats, grow: Any, seed: int) -> tuple[Noise | None, Floats]:
    """Learn from squared leave-one-out residuals, in units of the variance that rows were given.

    `grow` learns a small forest from rows, targets and weights. Returns None if that does not pay; and the factor of
    each row, as predicted without the row if it was learned from.
    """
    n = squares.size
    drawn = np.sort(np.random.default_rng(seed).choice(n, min(n, MOST_ROWS), replace=False))
    everywhere, squares = np.ones(n), np.minimum(squares[drawn], MOST_SURPRISING)
    share = weights[drawn] / weights[drawn].sum() if weights.size else np.full(drawn.size, 1.0 / drawn.size)
    if not share @ squares > 0.0:  # everything is explained
        return None, everywhere
    forest = grow(X[drawn], np.log(squares + SMALLEST), weights[drawn] if weights.size else weights)
    by_forest = forest.left_out().mean()

    def noise(point: Point) -> Noise:
        return Noise(forest, point[0], math.exp(min(max(point[1], -4.0), 1.5)), NoiseGroups.none())

    def loss(factors: Floats) -> float:
        return 0.5 * float(share @ (np.log(factors) + squares / factors))

    typical = float(share @ by_forest)
    start = around((-typical, 0.0), (1.0, -1.0))
    best, least = minimise(lambda point: loss(noise(point)._factors(X[drawn], by_forest)), start, 50)
    plain = loss(np.full(squares.size, float(share @ squares)))
    if not least < plain - LEAST_GAIN - 2.0 / squares.size:
        return None, everywhere
    found = noise(best)
    if drawn.size < n:
        everywhere = found.factors(X)
    everywhere[drawn] = found._factors(X[drawn], by_forest)
    return found, everywhere


def with_groups(noise: Noise | None, X: Floats, squares: Floats, weights: Floats) -> tuple[Noise | None, NoiseGroups]:
    """Let groups of rows differ too, learned from squared residuals in units of their variance, noise included.

    Returns also what was learned of groups now; the noise stays as it is if they do not differ.
    """
    groups = learn_groups(X, np.minimum(squares, MOST_SURPRISING), weights)
    if not groups.axes.size:
        return noise, groups
    return Noise.of_groups(groups) if noise is None else noise._replace(groups=noise.groups.plus(groups)), groups
