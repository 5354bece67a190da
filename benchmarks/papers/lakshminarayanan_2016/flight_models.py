"""Contestants of Tables 1 and 2, and what they say of the flights that follow."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from threadpoolctl import threadpool_limits

from benchmarks.papers.lakshminarayanan_2016.sparse_process import SparseProcess
from benchmarks.shared.data import Floats, Split
from benchmarks.shared.peers import extra_trees, mean_and_spread
from hedgerow import MondrianBoostingRegressor, MondrianForestRegressor
from hedgerow.metrics import calibration_table, nlpd

N_TREES, LEAF, LEAST_STD = 10, 5, 1e-3
CONFIDENCES = tuple(round(0.1 * k, 1) for k in range(1, 10))

FOREST, FOREST_ONLINE = "Mondrian forest, paper", "Mondrian forest, paper, online"
CODE = "Mondrian forest, rate of the code"
DEFAULT, DEFAULT_ONLINE = "Mondrian forest, default", "Mondrian forest, default, online"
FIFTY, BOOSTING = "Mondrian forest, default, 50 trees", "hedgerow boosting, default"
RANDOM, EXTRA, QUANTILE, PROCESS = "RandomForest", "ExtraTrees", "quantile-forest", "sparse Gaussian process"
LIBRARIES = {QUANTILE: "quantile-forest", PROCESS: "gpytorch"}
SLOW = (FIFTY, BOOSTING, PROCESS)
"""Run once, with one random seed."""


@dataclass(frozen=True)
class Score:
    """What one contestant reached in one run."""

    rmse: float
    nlpd: float  # not a number for a model without a density
    differences: dict[str, Floats]
    """Observed minus promised coverage at CONFIDENCES, by reading of the forecast."""
    seconds: float  # processor time of learning


def score(y: Floats, mean: Floats, density: float, forecasts: dict[str, Any], seconds: float) -> Score:
    differences = {
        reading: calibration_table(y, forecast, CONFIDENCES, reading=reading).difference
        for reading, forecast in forecasts.items()
    }
    return Score(float(np.sqrt(np.mean((mean - y) ** 2))), density, differences, seconds)


def ask_ours(model: Any, data: Split, seconds: float) -> Score:
    found = model.predict_dist(data.X_test)
    both = {"gaussian": found, "distribution": found}
    return score(data.y_test, model.predict(data.X_test), float(nlpd(data.y_test, found)), both, seconds)


def ask_gaussian(answer: tuple[Floats, Floats], data: Split, seconds: float) -> Score:
    mean, std = answer
    both = (mean, np.maximum(std, LEAST_STD))
    return score(data.y_test, mean, float(nlpd(data.y_test, both)), {"gaussian": both}, seconds)


def ask_quantiles(model: Any, data: Split, seconds: float) -> Score:
    levels = [(1 - confidence) / 2 for confidence in CONFIDENCES]
    found = model.predict(data.X_test, quantiles=[*levels, *(1 - level for level in levels)])
    n = len(levels)
    intervals = {confidence: found[:, [k, n + k]] for k, confidence in enumerate(CONFIDENCES)}
    mean = np.asarray(model.predict(data.X_test, quantiles="mean")).reshape(-1)
    return score(data.y_test, mean, float("nan"), {"distribution": intervals}, seconds)


def new_quantile_forest(seed: int) -> Any:
    from quantile_forest import RandomForestQuantileRegressor

    return RandomForestQuantileRegressor(N_TREES, min_samples_leaf=LEAF, n_jobs=1, random_state=seed)


def forest(seed: int, n_trees: int = N_TREES, **parameters: Any) -> MondrianForestRegressor:
    return MondrianForestRegressor(n_trees, n_jobs=1, random_state=seed, **parameters)


def rate_of_the_code(n_rows: int, width: int) -> dict[str, Any]:
    """Return the settings of the authors' code, whose drift rate is ten times the one that the paper prints."""
    return {"hyperparameters": "paper", "drift_rate": width / (2 * math.log2(n_rows))}


NEW: dict[str, Callable[..., Any]] = {
    FOREST: lambda seed: forest(seed, hyperparameters="paper"),
    FOREST_ONLINE: lambda seed: forest(seed, hyperparameters="paper"),
    CODE: forest,
    DEFAULT: forest,
    DEFAULT_ONLINE: forest,
    FIFTY: lambda seed: forest(seed, 50),
    BOOSTING: lambda seed: MondrianBoostingRegressor(n_jobs=1, random_state=seed),
    RANDOM: lambda seed: RandomForestRegressor(N_TREES, min_samples_leaf=LEAF, n_jobs=1, random_state=seed),
    EXTRA: lambda seed: extra_trees(N_TREES, seed, min_samples_leaf=LEAF),
    QUANTILE: new_quantile_forest,
    PROCESS: SparseProcess,
}


def measure(data: Split, name: str, seed: int) -> Score:
    """Learn, all rows at once or in their order, and ask."""
    model = NEW[name](seed, **(rate_of_the_code(*data.X.shape) if name == CODE else {}))
    with threadpool_limits(1):
        begin = time.process_time()
        (model.partial_fit if name in (FOREST_ONLINE, DEFAULT_ONLINE) else model.fit)(data.X, data.y)
        seconds = time.process_time() - begin
        if name in (RANDOM, EXTRA):
            return ask_gaussian(mean_and_spread(model, data.X_test), data, seconds)
        if name == PROCESS:
            return ask_gaussian(model.mean_and_std(data.X_test), data, seconds)
        return ask_quantiles(model, data, seconds) if name == QUANTILE else ask_ours(model, data, seconds)
