"""Noise that varies: the prior of the trees whose product it is."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, polygamma

from hedgerow import _core
from hedgerow.base.rows import Floats
from hedgerow.files import Stored

N_TREES = 20
"""Fewer than the 40 of Pratola, Chipman, George and McCulloch (2020): as good where we looked, and quicker."""
MOST_TREES = 2**20
LOG_SPREAD = 1.0
"""Standard deviation, before data, of the logarithm of a row's variance about that which all rows share."""
LEAST_SHARE = 1e-3
"""Of the noise that is guessed before any tree has grown: the least that a row's noise is believed to be."""


@dataclass(frozen=True)
class VaryingNoise:
    """Factors of the leaves are inverse gamma.

    Squared residuals count as the square of `floor` larger, in the units of the targets of the core: or rows with equal
    targets, which trees fit exactly, would have no noise at all.
    """

    n_trees: int
    leaf_shape: float
    leaf_scale: float
    floor: float

    @classmethod
    def about(cls, guess: float, targets: Floats) -> Self:
        """Logarithms of factors have mean zero, and those of rows the standard deviation `LOG_SPREAD`.

        Targets are taken to be rounded to multiples of the smallest difference between two of them.
        """
        variance = LOG_SPREAD**2 / N_TREES
        # The trigamma function is between 1/x and 1/x + 1/x^2.
        shape = float(brentq(lambda x: float(polygamma(1, x)) - variance, 1.0 / variance, 1.0 / variance + 1.0))
        unit = float(np.diff(np.unique(targets)).min(initial=math.inf))
        rounding = unit / math.sqrt(12.0) if unit < math.inf else 0.0
        return cls(N_TREES, shape, math.exp(float(digamma(shape))), max(LEAST_SHARE * guess, rounding))

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Take back what `asdict` gave."""
        return cls(
            stored.integer("n_trees", 1, MOST_TREES),
            stored.number("leaf_shape", 1e-3, 1e15),
            stored.number("leaf_scale", 1e-100, 1e100),
            stored.number("floor", 1e-30, 1e30),
        )

    def core(self) -> Any:
        """Return it as the core takes it."""
        return _core.VaryingNoise(**asdict(self))
