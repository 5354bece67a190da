"""The contestants, and what is asked of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

from benchmarks.shared.data import Floats
from benchmarks.shared.scores import pinball
from benchmarks.tables import peers
from benchmarks.tables.alternatives import ALTERNATIVES
from benchmarks.tables.data import Frames, load
from benchmarks.tables.missing import DAMAGES
from hedgerow import (
    MondrianBoostingClassifier,
    MondrianBoostingRegressor,
    MondrianForestClassifier,
    MondrianForestRegressor,
)

BOOSTING, FOREST, CATBOOST, UNCERTAIN = "hedgerow boosting", "hedgerow forest", "CatBoost", "CatBoost, uncertainty"
LIGHTGBM, HISTOGRAM = "LightGBM", "HistGradientBoosting"
LEVELS = (np.arange(50) + 0.5) / 50
"""Of the quantiles that the CRPS is computed from, the same for all."""


@dataclass(frozen=True)
class Score:
    """What one contestant reached on one split of one table."""

    data: str
    model: str
    change: str  # what was done to the table before, nothing if empty
    n_train: int
    rmse: float = float("nan")  # in units of the standard deviation of the targets learned, as is the CRPS
    crps: float = float("nan")
    log_loss: float = float("nan")
    seconds: float = float("nan")  # processor time of the fit

    def __str__(self) -> str:
        errors = {"RMSE": self.rmse, "CRPS": self.crps, "log loss": self.log_loss}
        shown = ", ".join(f"{name} {value:.4f}" for name, value in errors.items() if value == value)
        return f"{self.data}, {self.model}{self.change and f', {self.change}'}: {shown}, {self.seconds:.1f} s"


Forecast = tuple[Floats, Floats]
"""Of numbers: means, and quantiles at LEVELS. Of classes: probabilities, and nothing."""


Fit = Callable[[Frames, int], Callable[[], Forecast]]
"""From a table and a random seed to a function that asks the fitted model."""


def ours(regressor: type[Any], classifier: type[Any]) -> Fit:
    """Return models of this library, all at their defaults, given the table as it is."""

    def fit(data: Frames, seed: int) -> Callable[[], Forecast]:
        model = (classifier if data.n_classes else regressor)(n_jobs=1, random_state=seed).fit(data.X, data.y)
        if data.n_classes:
            return lambda: (model.predict_proba(data.X_test), np.empty(0))
        return lambda: (model.predict(data.X_test), model.predict_quantiles(data.X_test, LEVELS))

    return fit


def peer(kind: peers.Kind, data: Frames, seed: int) -> Callable[[], Forecast]:
    """Return a peer; around its mean, or the Gaussian that it predicts, lie its quantiles."""
    fitted = peers.fit(kind, data, seed)

    def ask() -> Forecast:
        found = fitted.predict(data.X_test)
        if data.n_classes:
            return found, np.empty(0)
        if found.ndim == 2:
            mean, variance = found.T
            return mean, norm.ppf(LEVELS, mean[:, None], np.sqrt(variance)[:, None])
        return found, fitted.around(found, LEVELS)

    return ask


CONTESTANTS: dict[str, tuple[str, Fit]] = {
    BOOSTING: ("hedgerow", ours(MondrianBoostingRegressor, MondrianBoostingClassifier)),
    FOREST: ("hedgerow", ours(MondrianForestRegressor, MondrianForestClassifier)),
    CATBOOST: ("catboost", partial(peer, peers.CatBoost)),
    UNCERTAIN: ("catboost", partial(peer, peers.CatBoostWithUncertainty)),
    LIGHTGBM: ("lightgbm", partial(peer, peers.LightGBM)),
    HISTOGRAM: ("scikit-learn", partial(peer, peers.HistGradientBoosting)),
}
"""The library that each is of, and how it is fitted."""


def measure(name: str, model: str, seed: int, most_rows: int, change: str = "") -> Score:
    """Split a table, change it if asked, fit on one thread, and ask."""
    data = load(name).split(seed, most_rows)
    if change in DAMAGES:
        data = DAMAGES[change](data, seed)
    elif change:
        data = ALTERNATIVES[change](data)
    with threadpool_limits(1):
        begin = time.process_time()
        ask = CONTESTANTS[model][1](data, seed)
        seconds = time.process_time() - begin
        found, quantiles = ask()
    score = Score(name, model, change, len(data.y), seconds=seconds)
    if data.n_classes:
        return replace(score, log_loss=float(log_loss(data.y_test, found, labels=range(data.n_classes))))
    unit, rmse = data.y.std(), np.sqrt(np.mean((found - data.y_test) ** 2))
    return replace(score, rmse=float(rmse / unit), crps=float(pinball(quantiles, LEVELS, data.y_test) / unit))
