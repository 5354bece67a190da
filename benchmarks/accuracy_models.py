"""The contestants of the benchmarks on accuracy, and what is asked of their forecasts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from threadpoolctl import threadpool_limits

from benchmarks.accuracy_data import Split
from hedgerow import MondrianBoostingRegressor, MondrianForestRegressor

Floats = npt.NDArray[np.float64]

FOREST, BOOSTING, EXTRA, RANDOM = "hedgerow forest", "hedgerow boosting", "ExtraTrees", "RandomForest"
QUANTILE, NGBOOST = "quantile-forest", "NGBoost"
LEVELS = (np.arange(20) + 0.5) / 20
"""Of the quantiles that the CRPS is computed from."""
LEAST_STD = 1e-3
"""Of the Gaussian that stands in for the distribution of scikit-learn's forests, so that its density is a number."""


@dataclass(frozen=True)
class Forecast:
    """What was said of the test rows."""

    mean: Floats
    quantiles: Floats  # at LEVELS
    interval: Floats  # at 5 % and 95 %
    log_density: Floats | None


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
    fit_seconds: float  # processor time

    def __str__(self) -> str:
        return f"{self.data}, {self.model}: RMSE {self.rmse:.3f}"


def hedgerow_forest(seed: int = 0) -> MondrianForestRegressor:
    """Return this library's forest, 50 trees, everything learned."""
    return MondrianForestRegressor(hyperparameters="learned", n_jobs=1, random_state=seed)


def boosting(seed: int = 0) -> MondrianBoostingRegressor:
    """Return this library's boosting, all at its default."""
    return MondrianBoostingRegressor(n_jobs=1, random_state=seed)


def ask_hedgerow(model: Any, data: Split) -> Forecast:
    return Forecast(
        model.predict(data.X_test),
        model.predict_quantiles(data.X_test, LEVELS),
        model.predict_interval(data.X_test, 0.9),
        model.log_density(data.X_test, data.y_test),
    )


def gaussian(mean: Floats, std: Floats, y: Floats) -> Forecast:
    """Return a forecast that is a Gaussian."""
    frozen = norm(mean[:, None], std[:, None])
    return Forecast(mean, frozen.ppf(LEVELS), frozen.ppf([0.05, 0.95]), norm.logpdf(y, mean, std))


def ask_trees(model: Any, data: Split) -> Forecast:
    """Let a Gaussian with the mean and spread of the trees stand in: these forests offer no distribution."""
    each = np.array([tree.predict(data.X_test.astype(np.float32)) for tree in model.estimators_])
    return gaussian(each.mean(axis=0), np.maximum(each.std(axis=0), LEAST_STD), data.y_test)


def quantile_forest(seed: int) -> Any:
    """Return quantile regression trees, extremely randomised, three rows a leaf."""
    from quantile_forest import ExtraTreesQuantileRegressor

    return ExtraTreesQuantileRegressor(100, min_samples_leaf=3, n_jobs=1, random_state=seed)


def ask_quantile_forest(model: Any, data: Split) -> Forecast:
    found = model.predict(data.X_test, quantiles=[*LEVELS, 0.05, 0.95])
    mean = np.asarray(model.predict(data.X_test, quantiles="mean")).reshape(-1)
    return Forecast(mean, found[:, :-2], found[:, -2:], None)


def ngboost(seed: int) -> Any:
    """Return natural gradient boosting, 500 rounds, all else at its default."""
    from ngboost import NGBRegressor

    return NGBRegressor(n_estimators=500, verbose=False, random_state=seed)


def ask_ngboost(model: Any, data: Split) -> Forecast:
    said = model.pred_dist(data.X_test).params
    return gaussian(said["loc"], said["scale"], data.y_test)


CONTESTANTS: dict[str, tuple[Callable[[int], Any], Callable[[Any, Split], Forecast]]] = {
    FOREST: (hedgerow_forest, ask_hedgerow),
    BOOSTING: (boosting, ask_hedgerow),
    EXTRA: (lambda seed: ExtraTreesRegressor(100, n_jobs=1, random_state=seed), ask_trees),
    RANDOM: (lambda seed: RandomForestRegressor(100, n_jobs=1, random_state=seed), ask_trees),
    QUANTILE: (quantile_forest, ask_quantile_forest),
    NGBOOST: (ngboost, ask_ngboost),
}
PEERS = (EXTRA, RANDOM, QUANTILE, NGBOOST)


def measure(name: str, data: Split, model: str, seed: int) -> Score:
    """Fit, on one thread, and ask."""
    new, ask = CONTESTANTS[model]
    contestant = new(seed)
    with threadpool_limits(1):
        begin = time.process_time()
        contestant.fit(data.X, data.y)
        seconds = time.process_time() - begin
        said = ask(contestant, data)
    misses = data.y_test - said.mean
    inside = (said.interval[:, 0] <= data.y_test) & (data.y_test <= said.interval[:, 1])
    nlpd = float("nan") if said.log_density is None else -float(np.mean(said.log_density))
    rmse, crps = float(np.sqrt(np.mean(misses**2))), pinball(said.quantiles, data.y_test)
    return Score(name, model, data.y.size, rmse, nlpd, crps, float(np.mean(inside)), seconds)


def pinball(quantiles: Floats, y: Floats) -> float:
    """Return the continuous ranked probability score: twice the mean loss of the quantiles."""
    above = y[:, None] - quantiles
    return 2.0 * float(np.mean(np.maximum(LEVELS * above, (LEVELS - 1.0) * above)))
