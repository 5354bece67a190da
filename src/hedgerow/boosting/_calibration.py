"""From leave-one-out residuals and doubts to a calibrated predictive distribution."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow._simplex import Point, around, minimise
from hedgerow.predictive import LocationScale
from hedgerow.predictive._shapes import SHAPES, NormalShape, Shape, shape_from_numbers

Floats = npt.NDArray[np.float64]

MOST_ROWS = 5000
"""Rows that are looked at, at most."""

LEAST_LOGS = (-4.6, -12.0, -12.0)
"""The noise is at least a hundredth of the error: rows that come twice must not talk it down to nothing."""

HEAD_START = 100.0
"""Rows for which the leave-one-out calibration counts when forecasts are compared with it."""


MOST_SURPRISING = 25.0
"""A squared miss counts at most as this many variances."""


class Calibration(NamedTuple):
    """Variance = noise + doubt within trees * share + doubt between trees * share; and a shape.

    Times how far forecasts have been off since.
    """

    noise: float
    shares: tuple[float, float]
    shape: Shape
    weight: float = HEAD_START  # of the forecasts that were compared with their labels
    squares: float = HEAD_START  # their squared misses, in units of the variance they were given, added up

    @property
    def inflation(self) -> float:
        """How much larger variances are than leave-one-out has told, because forecasts have been further off."""
        return self.squares / self.weight

    def distribution(self, mean: Floats, doubt: Floats, inflation: float | Floats | None = None) -> LocationScale:
        """Return the predictive distribution at rows."""
        inflation = self.inflation if inflation is None else inflation
        return LocationScale(mean, np.sqrt(inflation * self._variance(doubt)), self.shape)

    def after(self, misses: Floats, doubts: Floats, weights: Floats) -> tuple[Calibration, Floats]:
        """Return the calibration after these forecasts have met their labels, in order, and the inflation of each.

        Sums from first to last, as if rows came one by one.
        """
        squares = np.minimum(misses**2 / self._variance(doubts) / self.shape.std**2, MOST_SURPRISING)
        weights = weights if weights.size else np.ones(squares.size)
        up_to = np.cumsum(np.concatenate([[self.weight], weights]))
        total = np.cumsum(np.concatenate([[self.squares], weights * squares]))
        return self._replace(weight=float(up_to[-1]), squares=float(total[-1])), (total / up_to)[:-1]

    def spread(self, doubt: Floats) -> Floats:
        """Return the scale of the distribution at rows as leave-one-out has told it."""
        return np.sqrt(self._variance(doubt))

    def described(self) -> dict[str, Any]:
        """Return what it is made of, for a file."""
        name = type(self.shape).__name__.removesuffix("Shape").lower()
        numbers = [self.noise, *self.shares, self.weight, self.squares]
        return {"calibration": numbers, "shape": [name, self.shape.numbers()]}

    @classmethod
    def from_description(cls, described: dict[str, Any]) -> Calibration:
        """Take back what `described` gave, or ValueError."""
        five = [float(number) for number in described["calibration"]]
        if len(five) != 5 or not all(math.isfinite(number) and number > 0 for number in five):
            raise ValueError("its calibration is not positive and finite")
        noise, within, between, weight, squares = five
        name, made_from = described["shape"]
        return cls(noise, (within, between), shape_from_numbers(name, made_from), weight, squares)

    def _variance(self, doubt: Floats) -> Floats:
        within, between = self.shares
        variance: Floats = self.noise + within * doubt[:, 0] + between * doubt[:, 1]
        return variance


def calibrate(residuals: Floats, doubts: Floats, weights: Floats, tail: str) -> Calibration:
    """Return noise and share by Gaussian likelihood, then the shape of what is left."""
    if residuals.size > MOST_ROWS:
        kept = np.linspace(0, residuals.size - 1, MOST_ROWS).astype(np.intp)
        residuals, doubts, weights = residuals[kept], doubts[kept], weights[kept] if weights.size else weights
    weights = weights if weights.size else np.ones(residuals.size)
    share = weights / weights.sum()
    error, typical = float(share @ residuals**2), share @ doubts
    if not error > 0.0:
        return Calibration(1e-300, (1.0, 1.0), NormalShape())
    typical, squares = np.where(typical > 0.0, typical, error), residuals**2

    def numbers(logs: Point) -> tuple[float, tuple[float, float]]:
        noise, within, between = (
            math.exp(min(max(log, least), 4.0)) * error for log, least in zip(logs, LEAST_LOGS, strict=True)
        )
        return noise, (within / float(typical[0]), between / float(typical[1]))

    def loss(logs: Point) -> float:
        noise, shares = numbers(logs)
        variance = noise + doubts @ np.array(shares)
        return float(share @ (np.log(variance) + squares / variance))

    best, _ = minimise(loss, around((-1.0, -1.5, -1.5), (1.0, -1.5, 1.5)), 90)
    noise, shares = numbers(best)
    kind: Any = SHAPES[tail] if residuals.size >= 30 else NormalShape
    return Calibration(noise, shares, kind.fitted(residuals / np.sqrt(noise + doubts @ np.array(shares)), weights))
