"""Online forests with intervals, a peer, and how well their intervals do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.shared.data import Floats, Table
from benchmarks.shared.peers import as_mappings, river_arf
from hedgerow import (
    MondrianForestRegressor,
    OnlineConformalRegressor,
    OnlineForestRegressor,
    OnlineQuantileForestRegressor,
)
from hedgerow.metrics import mean_error_rate, quantile_loss, relative_interval_size, utility

N_TREES = 10
RIVER = "river: ARF and jackknife"


def forest(**parameters: Any) -> OnlineForestRegressor:
    """Return the base learner."""
    return OnlineForestRegressor(N_TREES, random_state=0, **parameters)


def mondrian() -> MondrianForestRegressor:
    """Return a Mondrian forest by the rules of the paper, which keeps all rows."""
    return MondrianForestRegressor(N_TREES, hyperparameters="paper", random_state=0)


METHODS: dict[str, Callable[[], Any]] = {
    "MondrianForestRegressor": mondrian,
    "conformal, Mondrian": lambda: OnlineConformalRegressor(mondrian(), normalised=True),
    "conformal, exact": lambda: OnlineConformalRegressor(forest()),
    "conformal, exact, normalised": lambda: OnlineConformalRegressor(forest(), normalised=True),
    "conformal, approximate": lambda: OnlineConformalRegressor(forest(), mode="approximate"),
    "conformal, approximate, normalised": lambda: OnlineConformalRegressor(
        forest(), mode="approximate", normalised=True
    ),
    "quantile": lambda: OnlineQuantileForestRegressor(forest()),
    "quantile, conformal": lambda: OnlineQuantileForestRegressor(forest(), conformal=True),
}


@dataclass(frozen=True)
class Scores:
    """How the intervals of one method did on one set."""

    miss_rate: float
    size: float
    loss: float
    utility: float

    @classmethod
    def of(cls, y: Floats, interval: Floats, confidence: float = 0.9) -> Scores:
        return cls(
            mean_error_rate(y, interval),
            relative_interval_size(y, interval),
            quantile_loss(y, interval, confidence),
            utility(y, interval, confidence),
        )


def intervals(model: Any, stream: Table) -> Floats:
    """Forecast each row before it is learned."""
    if isinstance(model, MondrianForestRegressor):
        found: Floats = model.predict_then_learn(stream.X, stream.y, returns="interval")[-1]
        return found
    interval: Floats = model.predict_then_learn(stream.X, stream.y, confidence=0.9)[1]
    return interval


def river_intervals(stream: Table) -> Floats:
    """Let river's adaptive forest, with a jackknife over its last thousand residuals, do the same."""
    from river.conf import RegressionJackknife

    base = river_arf(N_TREES, leaf_prediction="mean")
    model, found = RegressionJackknife(base, confidence_level=0.9, window_size=1000), []
    for row, target in zip(as_mappings(stream.X), stream.y.tolist(), strict=True):
        interval = model.predict_one(row, with_interval=True)
        found.append((interval.lower, interval.upper))
        model.learn_one(row, target)
    return np.array(found, dtype=np.float64)
