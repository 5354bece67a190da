"""From leave-one-out residuals and variances to a calibrated predictive distribution."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hedgerow.files import Stored
from hedgerow.mondrian._calibration import NEAR, WIDEST
from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.simplex import Point, around, minimise
from hedgerow.predictive import LocationScale
from hedgerow.predictive._shapes import SHAPES, NormalShape, Shape, shape_from_numbers

MOST_ROWS = 5000
"""Rows that are looked at, at most."""

LEAST_LOGS = (-4.6, -12.0, -12.0)
"""The noise is at least a hundredth of the error: rows that come twice must not talk it down to nothing."""

HEAD_START = 100.0
"""Rows for which the leave-one-out calibration counts when forecasts are compared with it."""


MOST_SURPRISING = 25.0
"""A squared miss counts at most as this many variances."""


LEAST_TYPICAL = 1e-6
"""Variances that are smaller than this share of the mean squared error, on average, are not informative."""

LEAST_NUMBER = 1e-250
"""In files variances and weights are at least this: targets differ by 1e-100, and quotients must be finite."""


class Calibration(NamedTuple):
    """Variance = noise + variance within trees * share + variance between trees * share + what gaps add; and a shape.

    Far from rows, where the variance within trees exceeds that of most rows, it counts more. All but noise has a bound.
    Times how far forecasts have been off since.
    """

    noise: float
    shares: tuple[float, float]
    shape: Shape
    near: float = 1e300  # variance within trees of rows that are near to others
    far: float = 0.0  # how much steeper it counts beyond that
    most: float = 1e300  # what all but the noise counts as, at most
    weight: float = HEAD_START  # of the forecasts that were compared with their labels
    squares: float = HEAD_START  # their squared misses, in units of the variance they were given, added up

    @property
    def inflation(self) -> float:
        """How much larger variances are than by leave-one-out, because forecasts have been further off."""
        return self.squares / self.weight

    def distribution(self, mean: Floats, variances: Floats, inflation: float | Floats | None = None) -> LocationScale:
        """Return the predictive distribution at rows."""
        inflation = self.inflation if inflation is None else inflation
        return LocationScale(mean, np.sqrt(inflation * self._variance(variances)), self.shape)

    def parts(self, variances: Floats, typical: float) -> tuple[Floats, Floats, Floats]:
        """Return what noise, disagreement of trees and distance from rows contribute to the variance at rows.

        Variance within trees up to what is typical of rows left out is noise: the two cannot be separated there.
        """
        near = np.minimum(variances[:, 0], typical)
        within = self.shares[0] * variances[:, 0] + self.far * np.maximum(variances[:, 0] - self.near, 0.0)
        between, of_near = self.shares[1] * variances[:, 1], self.shares[0] * near
        scale = self.most / np.maximum(within + between + variances[:, 2], self.most)
        return self.noise + scale * of_near, scale * between, scale * (within - of_near + variances[:, 2])

    def after(self, misses: Floats, variances: Floats, weights: Floats) -> tuple[Calibration, Floats]:
        """Compare forecasts with their labels, in order; return the calibration after that, and the inflation of each.

        Sums from first to last, as if rows came one by one.
        """
        squares = np.minimum(misses**2 / self._variance(variances) / self.shape.std**2, MOST_SURPRISING)
        weights = weights if weights.size else np.ones(squares.size)
        up_to = np.cumsum(np.concatenate([[self.weight], weights]))
        total = np.cumsum(np.concatenate([[self.squares], weights * squares]))
        return self._replace(weight=float(up_to[-1]), squares=float(total[-1])), (total / up_to)[:-1]

    def spread(self, variances: Floats) -> Floats:
        """Return the scale of the distribution at rows, by leave-one-out."""
        return np.sqrt(self._variance(variances))

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        name = type(self.shape).__name__.removesuffix("Shape").lower()
        numbers = [self.noise, *self.shares, self.near, self.far, self.most, self.weight, self.squares]
        return {"numbers": numbers, "shape": name, "shape_numbers": self.shape.numbers()}

    @classmethod
    def from_state(cls, stored: Stored) -> Calibration:
        """Take back what `state` gave, or ValueError."""
        noise, *shares, near, far, most, weight, squares = map(float, stored.sequence("numbers"))
        found = noise, *shares, near, far, most, weight, squares
        if len(shares) != 2 or not all(math.isfinite(number) and number >= 0.0 for number in found):
            raise ValueError("its calibration is not positive and finite")
        if min(noise, near, most, weight, squares) < LEAST_NUMBER:
            raise ValueError("its calibration is not positive")
        shape = shape_from_numbers(stored.word("shape", *SHAPES), stored.sequence("shape_numbers"))
        return cls(noise, (shares[0], shares[1]), shape, near, far, most, weight, squares)

    def _variance(self, variances: Floats) -> Floats:
        # Not a product of matrices: its last bits depend on how many rows there are.
        counted = self.shares[0] * variances[:, 0] + self.shares[1] * variances[:, 1]
        counted = counted + self.far * np.maximum(variances[:, 0] - self.near, 0.0) + variances[:, 2]
        variance: Floats = self.noise + np.minimum(counted, self.most)
        return variance


def calibrate(residuals: Floats, variances: Floats, weights: Floats, tail: str) -> Calibration:
    """Return noise and share by Gaussian likelihood, then the shape of what is left."""
    if residuals.size > MOST_ROWS:
        kept = np.linspace(0, residuals.size - 1, MOST_ROWS).astype(np.intp)
        residuals, variances, weights = residuals[kept], variances[kept], weights[kept] if weights.size else weights
    weights = weights if weights.size else np.ones(residuals.size)
    share = weights / weights.sum()
    variances = variances[:, :2]  # gaps add nothing where rows are
    error, typical = float(share @ residuals**2), share @ variances
    if not error > 0.0:
        return Calibration(LEAST_NUMBER, (1.0, 1.0), NormalShape())
    is_informative, squares = typical > LEAST_TYPICAL * error, residuals**2
    typical = np.where(is_informative, typical, math.inf)

    def numbers(logs: Point) -> tuple[float, tuple[float, float]]:
        noise, within, between = (
            math.exp(min(max(log, least), 4.0)) * error for log, least in zip(logs, LEAST_LOGS, strict=True)
        )
        return noise, (within / float(typical[0]), between / float(typical[1]))

    def loss(logs: Point) -> float:
        noise, shares = numbers(logs)
        variance = noise + variances @ np.array(shares)
        return float(share @ (np.log(variance) + squares / variance))

    best, _ = minimise(loss, around((-1.0, -1.5, -1.5), (1.0, -1.5, 1.5)), 90)
    noise, shares = numbers(best)
    kind: Any = SHAPES[tail] if residuals.size >= 30 else NormalShape
    return Calibration(noise, shares, kind.fitted(residuals / np.sqrt(noise + variances @ np.array(shares)), weights))


def with_distance(
    calibration: Calibration, variances: Floats, variance: float, of_one_row: float, largest: float
) -> Calibration:
    """Let predictions without evidence be as wide as all targets, of that variance, are: no less, and hardly more.

    `variances` are those of rows left out one at a time, `of_one_row` and `largest` the one within trees where there is
    one row alone, and where there is none. Where noise is unequal, rows left out may need more than the variance of all
    targets; as much as they needed stays allowed.
    """
    if not variance > 0.0:
        return calibration
    widest = WIDEST * variance / max(calibration.shape.std**2, 1.0)
    needed = float(np.quantile(variances[:, :2] @ np.array(calibration.shares), NEAR))
    most = max(widest - calibration.noise, (WIDEST - 1.0) * variance, needed)
    near = max(float(np.quantile(variances[:, 0], NEAR)), of_one_row)
    missing = variance - calibration.noise - calibration.shares[0] * largest
    steeper = max(missing, 0.0) / (largest - near) if largest > 1.01 * near else 0.0
    return calibration._replace(near=near, far=steeper, most=most)
