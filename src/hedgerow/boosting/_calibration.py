"""From leave-one-out residuals and doubts to a calibrated predictive distribution."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from hedgerow.predictive import LocationScale
from hedgerow.predictive._shapes import SHAPES, NormalShape, Shape

Floats = npt.NDArray[np.float64]

MOST_ROWS = 5000
"""Rows that are looked at, at most."""

HEAD_START = 100.0
"""Rows for which the leave-one-out calibration counts when forecasts are compared with it."""


class Calibration(NamedTuple):
    """Variance = noise + share * doubt, times how far forecasts since have been off; and a shape."""

    noise: float
    share: float
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

    def _variance(self, doubt: Floats) -> Floats:
        return self.noise + self.share * doubt


def calibrate(residuals: Floats, doubts: Floats, weights: Floats, tail: str) -> Calibration:
    """Return noise and share by Gaussian likelihood, then the shape of what is left."""
    if residuals.size > MOST_ROWS:
        kept = np.linspace(0, residuals.size - 1, MOST_ROWS).astype(np.intp)
        residuals, doubts, weights = residuals[kept], doubts[kept], weights[kept] if weights.size else weights
    weights = weights if weights.size else np.ones(residuals.size)
    error = float(np.average(residuals**2, weights=weights))
    typical = float(np.average(doubts, weights=weights))
    if not error > 0.0:
        magnitude = float(np.abs(residuals).max(initial=0.0)) + 1e-150
        return Calibration(magnitude**2, 1.0, NormalShape())
    if not typical > 0.0:
        typical = error

    def numbers(logs: Floats) -> tuple[float, float]:
        noise, share = (math.exp(float(np.clip(log, -12.0, 4.0))) for log in logs)
        return error * noise, error * share / typical

    def loss(logs: Floats) -> float:
        noise, share = numbers(logs)
        variance = noise + share * doubts
        return float(np.average(np.log(variance) + residuals**2 / variance, weights=weights))

    start = np.array([[-0.7, -0.7], [-2.0, 0.0], [0.0, -2.0]])
    found = minimize(loss, start[0], method="Nelder-Mead", options={"maxfev": 60, "initial_simplex": start})
    noise, share = numbers(found.x)
    kind: Any = SHAPES[tail] if residuals.size >= 30 else NormalShape
    return Calibration(noise, share, kind.fitted(residuals / np.sqrt(noise + share * doubts), weights))
