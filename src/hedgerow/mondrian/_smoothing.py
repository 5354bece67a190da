"""Hyper-parameters of the label model: Lakshminarayanan, Roy and Teh (2016), appendix B, and what a user sets instead.

N is the total weight of the rows held. gamma_2 and K are set at reviews, when N has doubled; mu_H and gamma_1 follow
the labels row by row, because they enter in the query only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from hedgerow._core import QueryRule
from hedgerow.base.settings import Query, positive, target_like, variance
from hedgerow.files import Stored
from hedgerow.mondrian._calibration import Calibration

SMALLEST, LARGEST = 1e-250, 1e250
"""Between these are the numbers of smoothing that a file may hold; beyond, products with them overflow."""
FIRST_RATE, FIRST_RATIO = 1.0, 20.0
"""gamma_2 and K before there are enough rows to learn from."""


@dataclass(frozen=True)
class Smoothing(Query):
    """What a user set of mu_H, gamma_1, gamma_2, sigma_y^2 and K; None where the data or appendix B decide."""

    prior_mean: float | None = target_like()
    drift_variance: float | None = variance(or_none=True)
    drift_rate: float | None = positive(or_none=True)
    noise_variance: float | None = variance(or_none=True)
    signal_to_noise: float | None = positive(or_none=True)

    def _check_together(self) -> None:
        if self.noise_variance is not None and self.signal_to_noise is not None:
            raise ValueError("noise_variance and signal_to_noise both fix the noise; set one of them")

    @staticmethod
    @cache
    def free(n_threads: int) -> Smoothing:
        """Return that of forests of which no user has set anything."""
        return Smoothing(n_threads, None, None, None, None, None)

    def rate(self, n_features: int, weight: float) -> float:
        """gamma_2 = D / (20 log2 N)."""
        if self.drift_rate is not None:
            return self.drift_rate
        return n_features / (20.0 * math.log2(max(weight, 2.0)))

    def ratio(self, rate: float, weight: float, label_variance: float, lifetime: float) -> float:
        """K = gamma_1 / sigma_y^2 = min(2000, 2 N), unless the noise is known."""
        if self.noise_variance is None:
            return self.signal_to_noise if self.signal_to_noise is not None else paper_ratio(weight)
        if self.drift_variance is not None:
            return self.drift_variance / self.noise_variance
        signal = max(label_variance - self.noise_variance, 1e-3 * max(label_variance, self.noise_variance))
        return signal / _share_gained(rate, lifetime) / self.noise_variance

    def hierarchy_rule(self, model: tuple[float, float], origin: float, lifetime: float) -> QueryRule:
        """mu_H and gamma_1, from gamma_1 (1/2 + 1/K) = Var y, where the model is (gamma_2, K)."""
        rate, ratio = model
        fixed = self.drift_variance if self.noise_variance is None else ratio * self.noise_variance
        return QueryRule(
            centre=math.nan if self.prior_mean is None else self.prior_mean - origin,
            variance=math.nan if fixed is None else fixed,
            share=1.0 / (_share_gained(rate, lifetime) + 1.0 / ratio),
            origin=origin,
            noise_share=1.0 / ratio,
        )

    def known_ratio(self) -> float | None:
        """K, if the user has fixed it."""
        if self.drift_variance is not None and self.noise_variance is not None:
            return self.drift_variance / self.noise_variance
        return self.signal_to_noise

    def first_guess(self) -> tuple[float, float]:
        """gamma_2 and K before there are enough rows to learn from."""
        return self.drift_rate or FIRST_RATE, self.known_ratio() or FIRST_RATIO

    def learned_rule(
        self, model: tuple[float, float], calibration: Calibration, origin: float, lifetime: float
    ) -> QueryRule:
        """mu_H, gamma_1 and sigma_y^2: set by the user, calibrated or, before, from gamma_1 (Psi(0) + 1/K) = Var y."""
        rate, ratio = model
        variance = calibration.variance if self.drift_variance is None else self.drift_variance
        noise = calibration.noise if self.noise_variance is None else self.noise_variance
        if math.isnan(variance) and self.noise_variance is not None:
            variance = ratio * self.noise_variance
        return QueryRule(
            centre=math.nan if self.prior_mean is None else self.prior_mean - origin,
            variance=variance,
            share=1.0 / (1.0 - math.exp(-rate * lifetime) + 1.0 / ratio),
            origin=origin,
            noise_share=1.0 / ratio if math.isnan(noise) else noise / variance,
            spread=calibration.spread,
            keeps_mean=True,
            near=calibration.near,
            far=calibration.far,
            most=calibration.most,
        )

    def moments_rule(self, ratio: float, origin: float, keeps_mean: bool) -> QueryRule:
        """Only the noise variance, gamma_1 / K; appendix C needs no other."""
        return QueryRule(
            centre=math.nan,
            variance=math.nan if self.noise_variance is None else self.noise_variance,
            share=1.0 / (0.5 * ratio + 1.0),
            origin=origin,
            keeps_mean=keeps_mean,
        )


def _share_gained(rate: float, lifetime: float) -> float:
    """Of gamma_1, on the way from the root to a leaf: 1/2, or less when the lifetime is finite."""
    fading = math.exp(-rate * lifetime)
    return 0.5 - fading / (1.0 + fading)


def paper_ratio(weight: float) -> float:
    """K = min(2000, 2 N)."""
    return min(2000.0, 2.0 * max(weight, 1.0))


def smoothing_in(stored: Stored) -> list[float]:
    """Return the numbers of smoothing that a file holds."""
    model = [float(number) for number in stored.sequence("model")]
    if not model or not all(SMALLEST <= number <= LARGEST for number in model):
        raise ValueError(f"its smoothing is not between {SMALLEST:g} and {LARGEST:g}")
    return model
