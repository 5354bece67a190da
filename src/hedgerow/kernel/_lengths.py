"""Length scales learned from how fast a Mondrian forest would cut each column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from hedgerow.base.rows import Rows
from hedgerow.kernel._settings import RidgeSettings
from hedgerow.kernel._units import LARGEST, SMALLEST, length_scales
from hedgerow.mondrian._small_forests import learned_rates

FEWEST_ROWS, MOST_ROWS, MOST_TREES = 16, 400, 25
"""With fewer rows nothing is learned; with how many rows and trees powers are compared."""

POWERS = (0.0, 0.5, 1.0)
LEAST_RATE = 1e-3


def with_lengths(
    rows: Rows, settings: RidgeSettings, seed: int, n_threads: int, review: Callable[..., Any]
) -> RidgeSettings:
    """Return settings with one length scale a column: its range over a power of its rate, chosen by what decides.

    The power is chosen on some of the rows; at power 0, scales are ranges.
    """
    ranges = length_scales("range", rows.X.min(axis=0), rows.X.max(axis=0))
    n = rows.y.size
    rates = learned_rates(rows, n_threads) if n >= FEWEST_ROWS else np.empty(0)
    if not rates.size or rows.X.shape[1] == 1:
        return replace(settings, length_scale=tuple(ranges.tolist()))
    few = rows.part(np.sort(np.random.default_rng([seed, 2]).choice(n, min(n, MOST_ROWS), replace=False)))

    def at(power: float) -> RidgeSettings:
        scales = np.clip(ranges / np.maximum(rates, LEAST_RATE) ** power, SMALLEST, LARGEST)
        return replace(settings, length_scale=tuple(scales.tolist()))

    def loss(power: float) -> float:
        found = review(few, replace(at(power), n_estimators=min(settings.n_estimators, MOST_TREES)), seed, n_threads)
        if settings.selection == "marginal_likelihood":
            return -float(found.log_likelihood(n_threads))
        return float(found.loo_error(few, n_threads))

    return at(min(POWERS, key=loss))
