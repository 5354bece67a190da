"""Forecasts of each flight by a model before it learned the flight, and how good they were."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from hedgerow.numeric.arrays import Floats

CONFIDENCE = 0.9


@dataclass
class Forecasts:
    """One forecast a flight; NaN where a model made none."""

    name: str
    mean: Floats
    lower: Floats
    upper: Floats
    log_density: Floats
    probability: Floats
    """The predictive distribution function at the label: it shows which central intervals cover."""
    seconds: float = 0.0
    """Time for everything: learning and forecasting."""

    @classmethod
    def empty(cls, name: str, n_rows: int) -> Forecasts:
        """Return forecasts yet to be made."""
        mean, lower, upper, log_density, probability = np.full((5, n_rows), np.nan)
        return cls(name, mean, lower, upper, log_density, probability)

    def fill_normal(self, rows: slice, mean: Floats, std: Floats, y: Floats) -> None:
        """Take a Gaussian forecast of some rows."""
        half = norm.ppf((1 + CONFIDENCE) / 2) * std
        self.mean[rows], self.lower[rows], self.upper[rows] = mean, mean - half, mean + half
        self.log_density[rows] = norm.logpdf(y[rows], mean, std)
        self.probability[rows] = norm.cdf(y[rows], mean, std)

    def scores(self, y: Floats, rows: slice) -> Scores:
        """Score these rows."""
        error = self.mean[rows] - y[rows]
        return Scores(
            rmse=float(np.sqrt(np.mean(error**2))),
            mae=float(np.mean(np.abs(error))),
            nlpd=float(-np.mean(self.log_density[rows])),
            coverage=float(np.mean(np.abs(2 * self.probability[rows] - 1) <= CONFIDENCE)),
            width=float(np.mean(self.upper[rows] - self.lower[rows])),
        )


@dataclass(frozen=True)
class Scores:
    """Averages over flights; `coverage` and `width` are those of the 90 % interval."""

    rmse: float
    mae: float
    nlpd: float
    coverage: float
    width: float
