"""The methods of the report by its names, each as a function that forecasts rows one by one and learns them."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import norm

from benchmarks.papers.vasiloudis_2019.reported import APPROXIMATE, EXACT, MONDRIAN, QUANTILE
from benchmarks.shared.data import Floats
from hedgerow import (
    MondrianForestRegressor,
    OnlineConformalRegressor,
    OnlineForestRegressor,
    OnlineQuantileForestRegressor,
)

N_TREES, CALIBRATION_SIZE, UPDATE_EVERY, SKETCH_SIZE = 10, 1000, 50, 200
Forecaster = Callable[[Floats, Floats, int, float], Floats]
"""Takes rows, targets, a seed and a confidence; returns the interval of each row before it was learned."""


def base(seed: int, n_trees: int = N_TREES) -> OnlineForestRegressor:
    """Return a forest that grows by the rules, and with the parameters, of river's adaptive forest."""
    return OnlineForestRegressor(
        n_trees, grace_period=50, split_confidence=0.01, tie_threshold=0.05, max_features="sqrt", bagging_rate=1.0,
        drift_detection="adwin", split_test="hoeffding", leaf_model="mean", random_state=seed,
    )  # fmt: skip


def exact(seed: int, update_every: int = UPDATE_EVERY) -> OnlineConformalRegressor:
    """Return CPExact."""
    return OnlineConformalRegressor(
        base(seed), mode="exact", calibration_size=CALIBRATION_SIZE, update_every=update_every
    )


def approximate(seed: int) -> OnlineConformalRegressor:
    """Return CPApprox."""
    return OnlineConformalRegressor(base(seed), mode="approximate", calibration_size=CALIBRATION_SIZE)


def quantile(seed: int) -> OnlineQuantileForestRegressor:
    """Return OnlineQRF."""
    return OnlineQuantileForestRegressor(base(seed), sketch_size=SKETCH_SIZE)


def undetected(X: Floats, y: Floats, seed: int, confidence: float) -> Floats:
    """OnlineQRF whose trees are never replaced."""
    forest = quantile(seed)
    forest.base.set_params(drift_detection=False)
    return forecasting(lambda _: forest)(X, y, seed, confidence)


def forecasting(new: Callable[[int], Any]) -> Forecaster:
    """Let a model that gives intervals forecast."""

    def forecast(X: Floats, y: Floats, seed: int, confidence: float) -> Floats:
        interval: Floats = new(seed).predict_then_learn(X, y, confidence=confidence)[1]
        return interval

    return forecast


def mondrian(**parameters: Any) -> Forecaster:
    """Let a Mondrian forest forecast: mean and so many standard deviations on either side, as the report does."""

    def forecast(X: Floats, y: Floats, seed: int, confidence: float) -> Floats:
        forest = MondrianForestRegressor(N_TREES, hyperparameters="paper", random_state=seed, **parameters)
        mean, std = forest.predict_then_learn(X, y, returns="std")
        reach = norm.ppf((1 + confidence) / 2) * std
        return np.column_stack([mean - reach, mean + reach])

    return forecast


def scored_by_one_tree(X: Floats, y: Floats, seed: int, confidence: float) -> Floats:
    """CPApprox, but a row is scored by the error of a single tree; the interval is still around the mean of ten."""
    mean = base(seed).predict_then_learn(X, y, returns="std")[0]
    tree = base(seed + 1000, n_trees=1).predict_then_learn(X, y, returns="std")[0]
    reach = sliding_quantile(np.abs(y - tree), confidence, CALIBRATION_SIZE)
    return np.column_stack([mean - reach, mean + reach])


def sliding_quantile(scores: Floats, confidence: float, size: int) -> Floats:
    """Return, before each score, that of rank floor(confidence * n) among the last ones; infinite before the first."""
    found, latest, ordered = np.full(scores.size, np.inf), deque[float](), list[float]()
    for i, score in enumerate(scores.tolist()):
        if ordered:
            found[i] = ordered[min(int(confidence * len(ordered)), len(ordered) - 1)]
        latest.append(score)
        insort(ordered, score)
        if len(latest) > size:
            del ordered[bisect_left(ordered, latest.popleft())]
    return found


def leaves_begin_empty(X: Floats, y: Floats, seed: int, confidence: float) -> Floats:
    """OnlineQRF by the rules of the report's code: new leaves are empty, weights do not count. Slow: Python."""
    forest, kept = base(seed), defaultdict[tuple[int, int], list[float]](list)
    found, levels = np.full((y.size, 2), (-np.inf, np.inf)), ((1 - confidence) / 2, (1 + confidence) / 2)
    for i in range(y.size):
        row = X[i : i + 1]
        if i and (pool := [target for leaf in enumerate(forest.apply(row)[0].tolist()) for target in kept[leaf]]):
            found[i] = np.quantile(pool, levels, method="inverted_cdf")
        forest.partial_fit(row, y[i : i + 1])
        for leaf in enumerate(forest.apply(row)[0].tolist()):
            kept[leaf].append(y[i])
    return found


AS_SCIKIT_GARDEN: dict[str, Any] = {"smoothing": "moments", "min_samples_split": 2, "noise_variance": 1e-12}
METHODS: dict[str, Forecaster] = {
    MONDRIAN: mondrian(scaling="none", **AS_SCIKIT_GARDEN),
    EXACT: forecasting(exact),
    APPROXIMATE: forecasting(approximate),
    QUANTILE: forecasting(quantile),
}
OURS: dict[str, Forecaster] = {
    "OnlineConformalRegressor": forecasting(lambda seed: OnlineConformalRegressor(random_state=seed)),
    "the same, approximate and normalised": forecasting(
        lambda seed: OnlineConformalRegressor(mode="approximate", normalised=True, random_state=seed)
    ),
    "OnlineQuantileForestRegressor, conformal": forecasting(
        lambda seed: OnlineQuantileForestRegressor(conformal=True, random_state=seed)
    ),
}
CHECKS: dict[str, Forecaster] = {
    "CPApprox, rows scored by one tree": scored_by_one_tree,
    "MondrianForest, at least 10 rows a split, noise": mondrian(smoothing="moments", scaling="none"),
    "MondrianForest, columns scaled": mondrian(scaling="range", **AS_SCIKIT_GARDEN),
    "MondrianForest as in Lakshminarayanan and others (2016)": mondrian(smoothing="hierarchy", scaling="range"),
}
