"""Learn, ask for 90 % intervals, and count, in every situation and for every regressor."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, NamedTuple

import numpy as np

from benchmarks.coverage.situations import SITUATIONS, Situation, thirds
from hedgerow import (
    BARTRegressor,
    BayesianTreeRegressor,
    MondrianBoostingRegressor,
    MondrianForestRegressor,
    MondrianKernelRidge,
    OnlineConformalRegressor,
    OnlineForestRegressor,
    OnlineQuantileForestRegressor,
)

CONFIDENCE = 0.9
N_ROWS, N_TEST, N_SEEDS = 1000, 5000, 1

MODELS: dict[str, Callable[[int], Any]] = {
    "MondrianForestRegressor": lambda seed: MondrianForestRegressor(random_state=seed),
    "MondrianBoostingRegressor": lambda seed: MondrianBoostingRegressor(random_state=seed),
    "MondrianKernelRidge": lambda seed: MondrianKernelRidge(random_state=seed),
    "BARTRegressor": lambda seed: BARTRegressor(random_state=seed),
    "BARTRegressor, varying noise": lambda seed: BARTRegressor(noise="varying", random_state=seed),
    "BayesianTreeRegressor": lambda seed: BayesianTreeRegressor(random_state=seed),
    "OnlineForestRegressor": lambda seed: OnlineForestRegressor(random_state=seed),
    "OnlineConformalRegressor": lambda seed: OnlineConformalRegressor(random_state=seed),
    "OnlineConformalRegressor, normalised": lambda seed: OnlineConformalRegressor(normalised=True, random_state=seed),
    "OnlineQuantileForestRegressor": lambda seed: OnlineQuantileForestRegressor(random_state=seed),
}
GROUPS = {
    "overall": "all rows, noise the same everywhere",
    "narrowest third": "of the predicted intervals",
    "widest third": "of the predicted intervals",
    "lowest third of x0": "x0 is the column that explains most",
    "highest third of x0": "",
    "quietest third": "noise grows eleven-fold along a column",
    "noisiest third": "",
    "in the gap": "no rows in 30 % of the range of x0",
    "beyond the rows": "x0 up to 0.7 learned, up to 1 asked",
    "after a shift": "x0 was mostly small, and is now mostly large",
    "weights 0.5 to 2": "sample weights",
    "a bootstrap sample": "rows that come several times",
    "columns explain nothing": "exponential targets",
    "ratings on a grid": "targets 1 to 10, columns 0 to 5",
}
"""What is shown, in this order, with a word on each."""


class Count(NamedTuple):
    """How often intervals covered their targets in one group, and how wide they were."""

    model: str
    group: str
    coverage: float
    width: float


def run(quick: bool) -> Iterator[Count]:
    """Yield what is counted, averaged over seeds, as it is counted. One process a core, one thread each."""
    n_rows, n_seeds = (300, 1) if quick else (N_ROWS, N_SEEDS)
    tasks = [(model, situation, n_rows, n_seeds) for model in MODELS for situation in SITUATIONS]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context, initializer=_one_thread) as pool:
        for future in as_completed([pool.submit(count, *task) for task in tasks]):
            yield from future.result()


def _one_thread() -> None:
    os.environ["OMP_NUM_THREADS"] = "1"


def count(model: str, name: str, n_rows: int, n_seeds: int) -> list[Count]:
    """Count in one situation; nothing where the model cannot learn it."""
    found: dict[str, list[tuple[float, float]]] = {}
    for seed in range(n_seeds):
        situation: Situation = SITUATIONS[name](np.random.default_rng([seed, 7]), n_rows, N_TEST)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                intervals = _intervals(MODELS[model](seed), situation)
            except ValueError:  # such as weights that are no whole numbers
                return []
        low, high = intervals.T
        covered = (low <= situation.y_test) & (situation.y_test <= high)
        groups = dict(situation.groups)
        if name == "plain":
            narrow, _, wide = thirds(high - low)
            groups |= {"overall": np.ones(N_TEST, dtype=bool), "narrowest third": narrow, "widest third": wide}
        for group, rows in groups.items():
            found.setdefault(group, []).append((float(covered[rows].mean()), float((high - low)[rows].mean())))
    return [Count(model, group, *np.mean(pairs, axis=0)) for group, pairs in found.items() if group in GROUPS]


def _intervals(model: Any, situation: Situation) -> Any:
    learn = model.fit if hasattr(model, "fit") else model.partial_fit
    learn(situation.X, situation.y, situation.weights)
    return model.predict_interval(situation.X_test, confidence=CONFIDENCE)
