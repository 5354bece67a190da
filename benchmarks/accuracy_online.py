"""Forecast each row, then learn it: this library's models next to river's forests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from river.forest import AMFRegressor, ARFRegressor
from threadpoolctl import threadpool_limits

from benchmarks.accuracy_data import RegressionData
from benchmarks.accuracy_models import boosting, hedgerow_forest
from benchmarks.online import as_mappings
from benchmarks.report import Line

Floats = npt.NDArray[np.float64]

ERROR = "each row forecast, then learned: RMSE; the peer is the better of river's two forests; reached is ours over its"
SPEED = "the same: processor time a row; the peer is river's AMFRegressor; reached is its time over ours"
CHUNK = 20
"""Rows that boosting forecasts before it learns them."""


def run(sets: list[RegressionData], n_rows: int) -> Iterator[Line]:
    """Yield the errors on all sets, then the times."""
    speeds = []
    for data in sets:
        stream = data.stream(n_rows)
        errors, seconds = {}, {}
        for name, forecasts in CONTESTANTS.items():
            with threadpool_limits(1):
                begin = time.process_time()
                said = forecasts(stream)
                seconds[name] = (time.process_time() - begin) / stream.y.size
            errors[name] = float(np.sqrt(np.mean((stream.y - said) ** 2)))
        best = min(("AMF", "ARF"), key=errors.__getitem__)
        for name in ("forest", "boosting"):
            what = f"{name}, {data.name}, {stream.y.size:,} rows"
            their = f"{best} {errors[best]:.3f}"
            yield Line(ERROR, what, f"{errors[name]:.3f}", their, errors[name] / errors[best])
            ours, peer = (f"{1e6 * seconds[each]:.0f} µs" for each in (name, "AMF"))
            speeds.append(
                Line(SPEED, what, ours, f"{peer} (ARF {1e6 * seconds['ARF']:.0f})", seconds["AMF"] / seconds[name])
            )
    yield from speeds


def by_forest(stream: RegressionData) -> Floats:
    return hedgerow_forest().predict_then_learn(stream.X, stream.y).mean()


def by_boosting(stream: RegressionData) -> Floats:
    """Forecast a few rows, then learn them; it forecasts no row of a chunk with the help of another."""
    model, said = boosting(), np.zeros(stream.y.size)
    for begin in range(0, stream.y.size, CHUNK):
        rows = slice(begin, begin + CHUNK)
        if begin:
            said[rows] = model.predict(stream.X[rows])
        model.partial_fit(stream.X[rows], stream.y[rows])
    return said


def by_river(new_model: Callable[[], AMFRegressor | ARFRegressor], stream: RegressionData) -> Floats:
    model, said = new_model(), []
    for row, label in zip(as_mappings(stream.X), stream.y.tolist(), strict=True):
        said.append(model.predict_one(row) or 0.0)
        model.learn_one(row, label)
    return np.array(said)


CONTESTANTS: dict[str, Callable[[RegressionData], Floats]] = {
    "forest": by_forest,
    "boosting": by_boosting,
    "AMF": lambda stream: by_river(lambda: AMFRegressor(n_estimators=10, seed=0), stream),
    "ARF": lambda stream: by_river(lambda: ARFRegressor(n_models=10, seed=0), stream),
}
