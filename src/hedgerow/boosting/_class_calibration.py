"""From scores of classes to probabilities, by leave-one-out."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hedgerow.files import Stored
from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.simplex import around, minimise

MOST_ROWS = 5000
"""Rows that are looked at, at most."""

FEWEST_ROWS = 30
"""With fewer rows, copies counted once, nothing is learned from them."""


class ClassCalibration(NamedTuple):
    """Probabilities are proportional to max(score, floor) ^ power, but for the share of one row in all.

    Scores are least-squares estimates of probabilities: where they are small they may be anything, negative too, and
    averaging over trees has drawn them towards each other.
    """

    base: Floats  # shares of the classes among all rows
    share: float  # of the base in every prediction
    floor: float = 1e-3
    power: float = 1.0

    def probabilities(self, scores: Floats) -> Floats:
        """Probabilities of rows; those of each add up to one, and none is zero."""
        logs = self.power * np.log(np.maximum(scores, self.floor))
        powers = np.exp(logs - logs.max(axis=1, keepdims=True))
        powers /= powers.sum(axis=1, keepdims=True)
        mixed: Floats = powers + self.share * (self.base - powers)
        return mixed

    @classmethod
    def from_state(cls, stored: Stored) -> ClassCalibration:
        """Take back its parts."""
        base = stored.array("base")
        if base.size == 0 or not (base > 0).all() or abs(base.sum() - 1.0) > 1e-9:
            raise ValueError("the shares of its classes are not positive numbers that sum to one")
        share, floor, power = (stored.positive(name) for name in ("share", "floor", "power"))
        if share > 1.0:
            raise ValueError("its calibration is out of range")
        return cls(base, share, floor, power)


def class_shares(labels: Floats, weights: Floats, n_units: int, n_classes: int) -> tuple[Floats, float]:
    """Shares of the classes, as if one more row had been split among them, and the share of that row.

    It has the mean weight of the others; these are `n_units`, copies counted once.
    """
    sums = np.bincount(labels.astype(np.intp), weights=weights if weights.size else None, minlength=n_classes)
    shares: Floats = (n_units * (sums / sums.sum()) + 1.0 / n_classes) / (n_units + 1.0)
    return shares, 1.0 / (n_units + 1.0)


def log_loss(probabilities: Floats, labels: Floats, weights: Floats) -> float:
    """Weighted mean of minus the log of what each label was given."""
    given = np.take_along_axis(probabilities, labels.astype(np.intp)[:, None], axis=1)[:, 0]
    return -float(np.average(np.log(given), weights=weights if weights.size else None))


def calibrate_classes(scores: Floats, labels: Floats, weights: Floats, base: Floats, share: float) -> ClassCalibration:
    """Return floor and power under which leave-one-out labels are most likely."""
    first_guess = ClassCalibration(base, share)
    if labels.size > MOST_ROWS:
        kept = np.linspace(0, labels.size - 1, MOST_ROWS).astype(np.intp)
        scores, labels, weights = scores[kept], labels[kept], weights[kept] if weights.size else weights

    def calibration(logs: Floats) -> ClassCalibration:
        floor, power = np.exp(np.clip(logs, (-14.0, -2.0), (0.0, 3.0)))
        return first_guess._replace(floor=float(floor), power=float(power))

    def loss(logs: Floats) -> float:
        return log_loss(calibration(logs).probabilities(scores), labels, weights)

    grid = [(math.log(share / base.size), log) for share in (0.01, 0.1, 0.5) for log in (0.0, 0.5, 1.0)]
    start = min(grid, key=lambda logs: loss(np.array(logs)))
    return calibration(np.array(minimise(lambda logs: loss(np.array(logs)), around(start, (-0.8, 0.3)), 60)[0]))
