"""The models: hedgerow online, scikit-learn's forests retrained now and then, and a running mean."""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
from rich.progress import Progress
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

from hedgerow import MondrianForestRegressor
from hedgerow.cli.demo import PARTS
from hedgerow.cli.demo._flights import Flights
from hedgerow.cli.demo._forecasts import CONFIDENCE, Forecasts

CHUNK = 2000

LEAST_SPREAD = 0.5
"""Minutes. Trees that agree exactly would make a Gaussian of width zero; delays are whole minutes anyway."""


def part_edges(n_rows: int) -> list[int]:
    """Where the parts begin and end."""
    return [n_rows * part // PARTS for part in range(PARTS + 1)]


def all_online(trees: int, flights: Flights, bar: Progress, **shared: Any) -> list[Forecasts]:
    """Let hedgerow's forests forecast, with both ways of smoothing."""
    return [
        online(f"hedgerow, {each}", MondrianForestRegressor(trees, smoothing=each, **shared), flights, bar)
        for each in ("hierarchy", "moments")
    ]


def all_retrained(trees: int, flights: Flights, bar: Progress, **shared: Any) -> list[Forecasts]:
    """Let scikit-learn's forests forecast."""
    kinds = {"ExtraTrees": ExtraTreesRegressor, "RandomForest": RandomForestRegressor}
    return [
        retrained(f"{name} retrained", kind(trees, min_samples_leaf=5, **shared), flights, bar)
        for name, kind in kinds.items()
    ]


def online(name: str, forest: MondrianForestRegressor, flights: Flights, bar: Progress) -> Forecasts:
    """Forecast each flight just before learning it. Chunks feed the progress bar and change no bit."""
    forecasts = Forecasts.empty(name, len(flights))
    task = bar.add_task(name, total=len(flights), notes="")
    squares = covered = 0.0
    for begin in range(0, len(flights), CHUNK):
        rows = slice(begin, min(begin + CHUNK, len(flights)))
        y = flights.y[rows]
        start = perf_counter()
        dist = forest.predict_then_learn(flights.X[rows], y)
        forecasts.mean[rows] = dist.mean()
        forecasts.lower[rows], forecasts.upper[rows] = dist.interval(CONFIDENCE).T
        forecasts.log_density[rows] = dist.logpdf(y)
        forecasts.probability[rows] = dist.cdf(y)
        forecasts.seconds += perf_counter() - start
        squares += float(np.sum((forecasts.mean[rows] - y) ** 2))
        covered += float(np.sum(np.abs(2 * forecasts.probability[rows] - 1) <= CONFIDENCE))
        bar.update(
            task,
            completed=rows.stop,
            notes=_notes(rows.stop / forecasts.seconds, np.sqrt(squares / rows.stop), covered / rows.stop),
        )
    return forecasts


def retrained(name: str, forest: Any, flights: Flights, bar: Progress) -> Forecasts:
    """Fit a scikit-learn forest after each part, on all flights so far, and forecast the next part.

    It offers no distribution. As in Lakshminarayanan, Roy and Teh (2016), Table 1, a Gaussian with the mean
    and the variance of the trees' predictions stands in for one.
    """
    forecasts = Forecasts.empty(name, len(flights))
    edges = part_edges(len(flights))
    task = bar.add_task(name, total=len(flights), completed=edges[1], notes="")
    for begin, end in pairwise(edges[1:]):
        bar.update(task, notes=f"training on {begin:,} rows")
        start = perf_counter()
        forest.fit(flights.X[:begin], flights.y[:begin])
        trees = np.stack([tree.predict(flights.X[begin:end]) for tree in forest.estimators_])
        spread = np.maximum(trees.std(axis=0), LEAST_SPREAD)
        forecasts.fill_normal(slice(begin, end), trees.mean(axis=0), spread, flights.y)
        forecasts.seconds += perf_counter() - start
        bar.update(task, completed=end, notes="")
    scores = forecasts.scores(flights.y, slice(edges[1], None))
    speed = (len(flights) - edges[1]) / forecasts.seconds
    bar.update(task, notes=_notes(speed, scores.rmse, scores.coverage))
    return forecasts


def running_mean(name: str, flights: Flights) -> Forecasts:
    """Forecast with the mean and the standard deviation of all delays so far, whatever the flight."""
    forecasts = Forecasts.empty(name, len(flights))
    start = perf_counter()
    n_before = np.arange(2, len(flights))
    mean = np.cumsum(flights.y)[1:-1] / n_before
    square = np.cumsum(flights.y**2)[1:-1] / n_before
    std = np.maximum(np.sqrt(np.maximum(square - mean**2, 0)), LEAST_SPREAD)
    forecasts.fill_normal(slice(2, None), mean, std, flights.y)
    forecasts.seconds = perf_counter() - start
    return forecasts


def _notes(speed: float, rmse: float, coverage: float) -> str:
    """Say how it goes, within what 80 columns leave beside the bar."""
    return f"{speed:,.0f} rows/s RMSE {rmse:.1f} cover {coverage:.0%}"
