"""Several targets in units in which they can be compared: each from an origin, and by a scale."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow.files import Stored
from hedgerow.numeric.arrays import Floats

ROUNDING = 2.0**-52
"""Targets that do not vary have the scale that rounding would give them, a share of their size."""

FEWEST_ROWS = 16
"""With fewer rows they may still begin to, and their size is all that is known."""

LEAST_SCALE, LARGEST = 1e-150, 1e101
"""Of scales, and the largest scale or origin: targets are within 1e100 of zero."""
FARTHEST = 1e30
"""Values are at most this large: they are kept in single precision."""


class Standardised(NamedTuple):
    """Origins and scales, one for each target."""

    origin: Floats
    scale: Floats

    @property
    def n_targets(self) -> int:
        """Targets of a row."""
        return self.origin.size

    @classmethod
    def unknown(cls, n_targets: int) -> Standardised:
        """Return units for targets of which nothing is known."""
        return cls(np.zeros(n_targets), np.ones(n_targets))

    @classmethod
    def of(cls, targets: Floats, weights: Floats) -> Standardised:
        """Return mean and standard deviation of each target; of a few that are equal, their size."""
        share = weights / weights.sum() if weights.size else np.full(targets.shape[0], 1.0 / targets.shape[0])
        low, high = targets.min(axis=0), targets.max(axis=0)
        half = 0.5 * (high - low)
        middle, unit = low + half, np.where(half > 0.0, half, 1.0)
        about = (targets - middle) / unit  # from -1 to 1, so that squares are numbers
        mean = (share[:, None] * about).sum(axis=0)
        spread = unit * np.sqrt((share[:, None] * (about - mean) ** 2).sum(axis=0))
        size = np.abs(middle)
        still = size if targets.shape[0] < FEWEST_ROWS else ROUNDING * size
        still = np.where(size > 0.0, still, 1.0)
        return cls(middle + unit * mean, np.maximum(np.where(half > 0.0, spread, still), LEAST_SCALE))

    def encode(self, targets: Floats) -> Floats:
        """Targets in these units."""
        with np.errstate(over="ignore"):
            found: Floats = np.minimum(np.maximum((targets - self.origin) / self.scale, -FARTHEST), FARTHEST)
        return found

    def decode(self, values: Floats) -> Floats:
        """Targets of values in these units."""
        found: Floats = self.origin + self.scale * values
        return found

    def state(self) -> dict[str, Floats]:
        """Return what a file keeps."""
        return {"origin": self.origin, "scale": self.scale}

    @classmethod
    def from_state(cls, stored: Stored) -> Standardised:
        """Take back what `state` gave, or ValueError."""
        origin = stored.array("origin")
        scale = stored.array("scale", origin.shape)
        if origin.size < 2 or not ((scale >= LEAST_SCALE) & (scale <= LARGEST)).all():
            raise ValueError("the scales of its targets are out of range, or too few")
        if not (np.abs(origin) <= LARGEST).all():
            raise ValueError("the origins of its targets are out of range")
        return cls(origin, scale)
