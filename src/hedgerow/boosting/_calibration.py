"""From leave-one-out residuals and doubts to a calibrated predictive distribution."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from hedgerow.predictive import LocationScale
from hedgerow.predictive._shapes import SHAPES, NormalShape, Shape, shape_from_numbers

Floats = npt.NDArray[np.float64]

MOST_ROWS = 5000
"""Rows that are looked at, at most."""

LEAST_LOGS = np.array([-4.6, -12.0, -12.0])
"""The noise is at least a hundredth of the error: rows that come twice must not talk it down to nothing."""

HEAD_START = 100.0
"""Rows for which the leave-one-out calibration counts when forecasts are compared with it."""


class Calibration(NamedTuple):
    """Variance = noise + doubt within trees * share + doubt between trees * share; and a shape.

    Times how far forecasts have been off since.
    """

    noise: float
    shares: tuple[float, float]
    shape: Shape
    weight: float = HEAD_START  # of the forecasts that `inflation` is the mean of
    inflation: float = 1.0

    def distribution(self, mean: Floats, doubt: Floats) -> LocationScale:
        """Return the predictive distribution at rows."""
        return LocationScale(mean, np.sqrt(self.inflation * self._variance(doubt)), self.shape)

    def after(self, misses: Floats, doubts: Floats, weights: Floats) -> Calibration:
        """Return the calibration after these forecasts have been compared with their labels, in order."""
        squares = misses**2 / self._variance(doubts) / self.shape.std**2
        weight, inflation = self.weight, self.inflation
        for square, added in zip(squares, weights if weights.size else np.ones(squares.size), strict=True):
            weight += added
            inflation += added / weight * (min(square, 25.0) - inflation)
        return self._replace(weight=weight, inflation=inflation)

    def described(self) -> dict[str, Any]:
        """Return what it is made of, for a file."""
        name = type(self.shape).__name__.removesuffix("Shape").lower()
        numbers = [self.noise, *self.shares, self.weight, self.inflation]
        return {"calibration": numbers, "shape": [name, self.shape.numbers()]}

    @classmethod
    def from_description(cls, described: dict[str, Any]) -> Calibration:
        """Take back what `described` gave, or ValueError."""
        five = [float(number) for number in described["calibration"]]
        if len(five) != 5 or not all(math.isfinite(number) and number > 0 for number in five):
            raise ValueError("its calibration is not positive and finite")
        noise, within, between, weight, inflation = five
        name, made_from = described["shape"]
        return cls(noise, (within, between), shape_from_numbers(name, made_from), weight, inflation)

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
    error = float(np.average(residuals**2, weights=weights))
    typical = np.average(doubts, axis=0, weights=weights)
    if not error > 0.0:
        return Calibration(1e-300, (1.0, 1.0), NormalShape())
    typical = np.where(typical > 0.0, typical, error)

    def numbers(logs: Floats) -> tuple[float, tuple[float, float]]:
        noise, within, between = np.exp(np.clip(logs, LEAST_LOGS, 4.0)) * error
        return float(noise), (float(within / typical[0]), float(between / typical[1]))

    def loss(logs: Floats) -> float:
        noise, shares = numbers(logs)
        variance = noise + doubts @ np.array(shares)
        return float(np.average(np.log(variance) + residuals**2 / variance, weights=weights))

    start = np.array([-1.0, -1.5, -1.5])
    simplex = np.vstack([start, start + np.diag([1.0, -1.5, 1.5])])
    found = minimize(loss, start, method="Nelder-Mead", options={"maxfev": 90, "initial_simplex": simplex})
    noise, shares = numbers(found.x)
    kind: Any = SHAPES[tail] if residuals.size >= 30 else NormalShape
    return Calibration(noise, shares, kind.fitted(residuals / np.sqrt(noise + doubts @ np.array(shares)), weights))
