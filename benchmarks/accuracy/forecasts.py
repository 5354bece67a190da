"""What contestants are asked for, and the Gaussian that some of them answer with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from benchmarks.shared.data import Floats

LEVELS = (np.arange(20) + 0.5) / 20
"""Of the quantiles that the CRPS is computed from."""
ENDS = (0.05, 0.95)
"""Levels of the ends of the central 90 % interval."""


@dataclass(frozen=True)
class Forecast:
    """What was predicted for the test rows."""

    mean: Floats
    quantiles: Floats  # at LEVELS
    interval: Floats  # at ENDS
    log_density: Floats | None


def gaussian(mean: Floats, std: Floats, y: Floats) -> Forecast:
    """Return a forecast that is a Gaussian."""
    frozen = norm(mean[:, None], std[:, None])
    return Forecast(mean, frozen.ppf(LEVELS), frozen.ppf(ENDS), norm.logpdf(y, mean, std))
