"""Hyper-parameters of the label models: document 002, appendix B, and what a user sets instead."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import expit

SMALLEST_VARIANCE = 1e-300


@dataclass(frozen=True)
class LabelMoments:
    """Total weight, mean and variance of the labels held, measured from an origin."""

    weight: float
    mean: float
    variance: float

    @classmethod
    def of(cls, weight: float, mean: float, squares: float, origin: float) -> LabelMoments:
        """From running sums. Labels that do not vary get the variance that rounding would give them."""
        least = max((2.0**-52 * abs(origin + mean)) ** 2, SMALLEST_VARIANCE)
        return cls(weight, mean, max(squares / weight, least) if weight > 0 else least)


@dataclass(frozen=True)
class HierarchySettings:
    """What a user set of mu_H, gamma_1, gamma_2, sigma_y^2 and K; None where appendix B decides."""

    prior_mean: float | None
    drift_variance: float | None
    drift_rate: float | None
    noise_variance: float | None
    signal_to_noise: float | None
    lifetime: float

    def rate(self, n_features: int, weight: float) -> float:
        """gamma_2 = D / (20 log2 N)."""
        if self.drift_rate is not None:
            return self.drift_rate
        return n_features / (20.0 * math.log2(max(weight, 2.0)))

    def ratio(self, rate: float, labels: LabelMoments) -> float:
        """K = gamma_1 / sigma_y^2 = min(2000, 2 N)."""
        if self.noise_variance is None:
            return self.signal_to_noise if self.signal_to_noise is not None else paper_ratio(labels.weight)
        if self.drift_variance is not None:
            return self.drift_variance / self.noise_variance
        signal = max(labels.variance - self.noise_variance, 1e-3 * labels.variance)
        return signal / self._share_gained(rate) / self.noise_variance

    def variance(self, rate: float, ratio: float, labels: LabelMoments) -> float:
        """gamma_1, from gamma_1 (1/2 + 1/K) = Var y. A finite lifetime gains less than 1/2 on the way down."""
        if self.noise_variance is not None:
            return ratio * self.noise_variance
        if self.drift_variance is not None:
            return self.drift_variance
        return labels.variance / (self._share_gained(rate) + 1.0 / ratio)

    def _share_gained(self, rate: float) -> float:
        return float(0.5 - expit(-rate * self.lifetime))


def paper_ratio(weight: float) -> float:
    """K = min(2000, 2 N)."""
    return min(2000.0, 2.0 * weight)
