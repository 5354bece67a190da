"""From leave-one-out residuals of several targets to a calibrated joint distribution."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hedgerow.files import Stored
from hedgerow.mondrian._joint_noise import JointNoise, LearnNoise, learn_joint_noise
from hedgerow.mondrian._learning import FEWEST_ROWS
from hedgerow.mondrian._noise import FEWEST_ROWS as FEWEST_NOISY
from hedgerow.mondrian._variances import Calibration, calibrate, with_distance
from hedgerow.numeric.arrays import Floats
from hedgerow.predictive import Joint, LocationScale
from hedgerow.predictive._shapes import NormalShape, StudentShape
from hedgerow.targets import Standardised

LEAST_SHRINKAGE = 1e-6
"""Correlations are at least so much closer to zero than they were found: copies of a target have a density too."""

LEAST_DEGREES = 2.1
"""With few rows, their number is that of the degrees of freedom, but for one; at least this, for a finite variance."""


class JointCalibration(NamedTuple):
    """How wide the prediction of each target is, in standardised units, and the correlation of their normal scores."""

    of_each: tuple[Calibration, ...]
    correlation: Floats
    noise: JointNoise | None = None  # None where it does not vary

    @classmethod
    def unknown(cls, n_targets: int) -> JointCalibration:
        """Return what is predicted before there is a row: standard deviations of one."""
        return cls((Calibration(1.0, (0.0, 0.0), NormalShape()),) * n_targets, np.eye(n_targets))

    def factors(self, X: Floats, are_left_out: bool = False) -> Floats:
        """Factors of the variances: shape (n, k)."""
        ones = np.ones((X.shape[0], len(self.of_each)))
        return ones if self.noise is None else self.noise.factors(X, are_left_out)

    def distribution(
        self, units: Standardised, mean: Floats, variances: Floats, factors: Floats, inflation: Floats | None = None
    ) -> Joint:
        """Return the predictive distribution at rows: means of shape (n, k), and variances of shape (n, k, 3)."""
        marginals = []
        for j, calibration in enumerate(self.of_each):
            own = calibration.distribution(mean[:, j], variances[:, j], None if inflation is None else inflation[:, j])
            location = units.origin[j] + units.scale[j] * own.location
            scale = units.scale[j] * np.sqrt(factors[:, j]) * own.scale
            marginals.append(LocationScale(location, scale, own.shape))
        return Joint(marginals, self.correlation)

    def variances_of_targets(self, variances: Floats) -> Floats:
        """Variances of each target, noise that varies apart; of those predicted by trees, of shape (n, k, 3)."""
        found = [(each.spread(variances[:, j]) * each.shape.std) ** 2 for j, each in enumerate(self.of_each)]
        return np.stack(found, axis=1)

    def parts(self, variances: Floats, typical: Floats) -> tuple[Floats, Floats, Floats]:
        """Return what noise, disagreement of trees and distance contribute to variances: of shape (n, k) each."""
        of_each = zip(*(each.parts(variances[:, j], typical[j]) for j, each in enumerate(self.of_each)), strict=True)
        noise, disagreement, distance = (np.stack(arrays, axis=1) for arrays in of_each)
        return noise, disagreement, distance

    def after(self, misses: Floats, variances: Floats, weights: Floats) -> tuple[JointCalibration, Floats]:
        """Compare forecasts with their targets, in order; return the calibration after them, and each inflation."""
        found = [each.after(misses[:, j], variances[:, j], weights) for j, each in enumerate(self.of_each)]
        inflation = np.stack([inflation for _, inflation in found], axis=1)
        return self._replace(of_each=tuple(each for each, _ in found)), inflation

    def noise_covariance(self, units: Standardised) -> Floats:
        """Return the covariance of the noise: what would be left if means were known."""
        spread: Floats = units.scale * [np.sqrt(each.noise) * each.shape.std for each in self.of_each]
        covariance: Floats = spread[:, None] * self.correlation * spread
        np.fill_diagonal(covariance, spread**2)
        return covariance

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {
            "of_each": [each.state() for each in self.of_each],
            "correlation": self.correlation,
            "noise": None if self.noise is None else self.noise.state(),
        }

    @classmethod
    def from_state(cls, stored: Stored, n_targets: int, width: int) -> JointCalibration:
        """Take back what `state` gave, or ValueError."""
        of_each = tuple(Calibration.from_state(part) for part in stored.parts("of_each"))
        correlation = stored.array("correlation", (n_targets, n_targets))
        if len(of_each) != n_targets:
            raise ValueError("its calibration is that of another number of targets")
        is_one = np.allclose(np.diagonal(correlation), 1.0) and np.array_equal(correlation, correlation.T)
        if not is_one or not np.linalg.eigvalsh(correlation)[0] > 0.0:
            raise ValueError("its correlation is not that of any targets")
        noise = JointNoise.from_state(stored.part("noise"), n_targets, width) if "noise" in stored else None
        return cls(of_each, correlation, noise)


class Evidence(NamedTuple):
    """Leave-one-out residuals and variances of k targets in standardised units."""

    residuals: Floats  # of shape (n, k)
    variances: Floats  # of shape (n, k, 3)
    weights: Floats  # or none
    target_variances: Floats  # k of them
    of_one_row: Floats  # the variance within trees where there is one row alone,
    largest: Floats  # and where there is none


def variances_of(within: Floats, between: Floats, added: Floats | float) -> Floats:
    """Variances of rows as calibrations take them, of shape (n, k, 3); those between trees have shape (n, k).

    Those within trees, and what gaps add, are one number a row or one for each target.
    """
    parts = [np.reshape(part, (-1, 1)) if np.ndim(part) < 2 else part for part in (within, added)]
    return np.stack([np.broadcast_to(part, between.shape) for part in (parts[0], between, parts[1])], axis=2)


def calibrate_jointly(evidence: Evidence, tail: str, learn_noise: LearnNoise | None = None) -> JointCalibration:
    """Return the calibration of each target, and the correlation of what is left of them; and noise that varies."""
    plain = _calibrated(evidence, tail)
    if learn_noise is None or evidence.residuals.shape[0] < FEWEST_NOISY:
        return plain
    given = [each.spread(evidence.variances[:, j]) * each.shape.std for j, each in enumerate(plain.of_each)]
    squares = (evidence.residuals / np.stack(given, axis=1)) ** 2
    noise, factors = learn_joint_noise(squares, evidence.weights, learn_noise)
    if noise is None:
        return plain
    return _calibrated(evidence._replace(residuals=evidence.residuals / np.sqrt(factors)), tail)._replace(noise=noise)


def _calibrated(evidence: Evidence, tail: str) -> JointCalibration:
    n, n_targets = evidence.residuals.shape
    of_each, scores = [], np.zeros((n, n_targets))
    for j in range(n_targets):
        residuals, variances = evidence.residuals[:, j], evidence.variances[:, j]
        if not np.abs(residuals).max() > 0.0:  # then the unit is what is known
            of_each.append(Calibration(1.0, (0.0, 0.0), NormalShape(), most=1.0))
            continue
        found = calibrate(residuals, variances, evidence.weights, tail)
        if n < FEWEST_ROWS:
            found = found._replace(shape=StudentShape(max(n - 1.0, LEAST_DEGREES), 1.0))
        scores[:, j] = found.shape.normal_scores(residuals / found.spread(variances))
        about = evidence.target_variances[j], float(evidence.of_one_row[j]), float(evidence.largest[j])
        of_each.append(with_distance(found, variances, *about))
    return JointCalibration(tuple(of_each), shrunk_correlation(scores, evidence.weights))


def shrunk_correlation(scores: Floats, weights: Floats) -> Floats:
    """Correlation of columns about zero, shrunk towards none by as much as it is uncertain (Schäfer and Strimmer 2005).

    A column of zeros has no correlation with others.
    """
    n, k = scores.shape
    share = weights / weights.sum() if weights.size else np.full(n, 1.0 / n)
    products = np.einsum("i,ij,il->jl", share, scores, scores)
    sizes = np.sqrt(np.diagonal(products))
    sizes = np.where(sizes > 0.0, sizes, np.inf)
    found = np.clip(products / sizes[:, None] / sizes, -1.0, 1.0)
    np.fill_diagonal(found, 0.0)
    squares = (found**2).sum()
    uncertain = ((1.0 - found**2) ** 2).sum() - k  # of pairs
    shrinkage = uncertain / max(n - 1.0, 1e-9) / squares if squares > 0.0 else 1.0
    least = max(LEAST_SHRINKAGE, k / n**2)  # a few rows may well lie on a line
    correlation: Floats = found * (1.0 - min(max(shrinkage, least), 1.0))
    correlation = 0.5 * (correlation + correlation.T)
    np.fill_diagonal(correlation, 1.0)
    return correlation
