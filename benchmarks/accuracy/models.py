"""The contestants, and what is asked of their forecasts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from threadpoolctl import threadpool_limits

from benchmarks.accuracy import gradient_boosting
from benchmarks.accuracy.forecasts import ENDS, LEVELS, Forecast, gaussian
from benchmarks.shared.data import Split
from benchmarks.shared.peers import extra_trees, mean_and_spread
from benchmarks.shared.scores import pinball
from hedgerow import MondrianBoostingRegressor, MondrianForestRegressor

FOREST, BOOSTING, EXTRA, RANDOM = "hedgerow forest", "hedgerow boosting", "ExtraTrees", "RandomForest"
QUANTILE, NGBOOST = "quantile-forest", "NGBoost"
LEAST_STD = 1e-3
"""Of the Gaussian that stands in for the distribution of scikit-learn's forests, so that its density is finite."""


@dataclass(frozen=True)
class Score:
    """What one contestant reached on one split of one set."""

    data: str
    model: str
    n_train: int
    rmse: float
    nlpd: float  # not a number for a model without a density
    crps: float
    coverage: float  # of the central 90 % interval
    seconds: float  # processor time of the fit

    def __str__(self) -> str:
        return f"{self.data}, {self.model}: RMSE {self.rmse:.3f}"


def hedgerow_forest(seed: int) -> MondrianForestRegressor:
    """Return this library's forest, all at its default."""
    return MondrianForestRegressor(n_jobs=1, random_state=seed)


def boosting(seed: int) -> MondrianBoostingRegressor:
    """Return this library's boosting, all at its default."""
    return MondrianBoostingRegressor(n_jobs=1, random_state=seed)


def ask_hedgerow(model: Any, data: Split) -> Forecast:
    return Forecast(
        model.predict(data.X_test),
        model.predict_quantiles(data.X_test, LEVELS),
        model.predict_interval(data.X_test, 0.9),
        model.log_density(data.X_test, data.y_test),
    )


def ask_trees(model: Any, data: Split) -> Forecast:
    """Let a Gaussian with the mean and spread of the trees stand in: these forests offer no distribution."""
    mean, std = mean_and_spread(model, data.X_test)
    return gaussian(mean, np.maximum(std, LEAST_STD), data.y_test)


def quantile_forest(seed: int) -> Any:
    """Return quantile regression trees, extremely randomised, three rows a leaf."""
    from quantile_forest import ExtraTreesQuantileRegressor

    return ExtraTreesQuantileRegressor(100, min_samples_leaf=3, n_jobs=1, random_state=seed)


def ask_quantile_forest(model: Any, data: Split) -> Forecast:
    found = model.predict(data.X_test, quantiles=[*LEVELS, *ENDS])
    mean = np.asarray(model.predict(data.X_test, quantiles="mean")).reshape(-1)
    return Forecast(mean, found[:, :-2], found[:, -2:], None)


def ngboost(seed: int) -> Any:
    """Return natural gradient boosting, 500 rounds, all else at its default."""
    from ngboost import NGBRegressor

    return NGBRegressor(n_estimators=500, verbose=False, random_state=seed)


def ask_ngboost(model: Any, data: Split) -> Forecast:
    found = model.pred_dist(data.X_test).params
    return gaussian(found["loc"], found["scale"], data.y_test)


CONTESTANTS: dict[str, tuple[str, Callable[[int], Any], Callable[[Any, Split], Forecast]]] = {
    FOREST: ("hedgerow", hedgerow_forest, ask_hedgerow),
    BOOSTING: ("hedgerow", boosting, ask_hedgerow),
    EXTRA: ("scikit-learn", lambda seed: extra_trees(100, seed), ask_trees),
    RANDOM: ("scikit-learn", lambda seed: RandomForestRegressor(100, n_jobs=1, random_state=seed), ask_trees),
    QUANTILE: ("quantile-forest", quantile_forest, ask_quantile_forest),
    NGBOOST: ("ngboost", ngboost, ask_ngboost),
    **gradient_boosting.CONTESTANTS,
}
"""The library that each is of, how to make it with a random seed, and how to ask it."""


def measure(data: Split, model: str, seed: int) -> Score:
    """Fit, on one thread, and ask."""
    _, new, ask = CONTESTANTS[model]
    contestant = new(seed)
    with threadpool_limits(1):
        begin = time.process_time()
        contestant.fit(data.X, data.y)
        seconds = time.process_time() - begin
        found = ask(contestant, data)
    inside = (found.interval[:, 0] <= data.y_test) & (data.y_test <= found.interval[:, 1])
    nlpd = float("nan") if found.log_density is None else -float(np.mean(found.log_density))
    crps = pinball(found.quantiles, LEVELS, data.y_test)
    return Score(data.name, model, data.y.size, data.rmse(found.mean), nlpd, crps, float(np.mean(inside)), seconds)
