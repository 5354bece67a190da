"""How much is hoped of a place: from what the forest predicts there. More is better; values are to be small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtr

from hedgerow.numeric.arrays import Floats

Acquisition = Callable[[Any, Floats, float, float, np.random.Generator], Floats]
"""Forest, columns of the candidates, the least value so far, how bold to be, randomness."""


def confidence_bound(
    forest: Any, columns: Floats, least: float, exploration: float, rng: np.random.Generator
) -> Floats:
    """Standard deviations below the mean.

    Lakshminarayanan, Roy and Teh (2016), footnote 9, where it is one and values are to be large.
    """
    mean, std = forest.predict(columns, return_std=True)
    hope: Floats = exploration * std - mean
    return hope


def expected_improvement(
    forest: Any, columns: Floats, least: float, exploration: float, rng: np.random.Generator
) -> Floats:
    """E[max(least - y, 0)] of a Gaussian with the mixture's mean and `exploration` times its standard deviation."""
    mean, std = forest.predict(columns, return_std=True)
    std = np.maximum(exploration * std, np.finfo(float).tiny)
    gap = (least - mean) / std
    hope: Floats = std * (gap * ndtr(gap) + np.exp(-0.5 * gap**2) / np.sqrt(2.0 * np.pi))
    return hope


def thompson(forest: Any, columns: Floats, least: float, exploration: float, rng: np.random.Generator) -> Floats:
    """Minus one draw from the mixture of each candidate, its distance from the mean `exploration` times as far."""
    forecasts = forest.predict_dist(columns)
    mean = forecasts.mean()
    draws = forecasts.rvs(random_state=np.random.RandomState(rng.integers(2**32, dtype=np.uint32)))
    hope: Floats = -(mean + exploration * (np.reshape(draws, -1) - mean))
    return hope


ACQUISITIONS: dict[str, Acquisition] = {
    "ucb": confidence_bound,
    "ei": expected_improvement,
    "thompson": thompson,
}
