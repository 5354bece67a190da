"""Forecast each row, then learn it: this library's models next to river's forests, in error and in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np
import numpy.typing as npt
from river.forest import AMFClassifier, AMFRegressor, ARFClassifier, ARFRegressor
from threadpoolctl import threadpool_limits

from benchmarks import accuracy_data
from benchmarks.accuracy_data import RegressionData
from benchmarks.online import as_mappings
from benchmarks.report import Line
from hedgerow import MondrianBoostingRegressor, MondrianForestClassifier, MondrianForestRegressor

Floats = npt.NDArray[np.float64]

FOREST_10, FOREST_50, BOOSTING_10, BOOSTING_50 = "forest 10", "forest 50", "boosting 10", "boosting 50"
AMF, ARF = "river AMF 10", "river ARF 10"
MOST_ROWS = 2000
SHARE_WON, SPEED = 0.9, 50.0
"""What is aimed at: lower errors than both of river's forests on so many of the sets, at so many times their speed."""

WON = "sets with a lower error than both of river's forests"
FASTER = "processor time a row: geometric means over the sets; reached is river's over ours"
NEARER = "RMSE: geometric means over the sets; reached is ours over the better of river's"


@dataclass(frozen=True)
class Prequential:
    """What one contestant reached on one stream."""

    data: str
    model: str
    n_rows: int
    error: float  # RMSE, or the log-loss of classes
    seconds: float  # processor time a row

    @property
    def microseconds(self) -> float:
        return 1e6 * self.seconds

    def __str__(self) -> str:
        return f"{self.data}, {self.model}: error {self.error:.3f}, {self.microseconds:.0f} µs a row"


def run(folder: Path | None, quick: bool) -> Iterator[Prequential]:
    """Yield errors and times, one stream after another; contestants take turns on each."""
    n_rows = 300 if quick else MOST_ROWS
    sets = accuracy_data.built_in(n_rows) if folder is None else accuracy_data.from_folder(folder)
    for data in sets[:2] if quick else sets:
        stream = data.stream(n_rows)
        for model, forecasts in CONTESTANTS.items():
            said, seconds = timed(forecasts, stream)
            yield Prequential(data.name, model, stream.y.size, float(np.sqrt(np.mean((stream.y - said) ** 2))), seconds)
    if folder is not None and (folder / "elec2.parquet").is_file():
        stream = accuracy_data.in_order(folder / "elec2.parquet", n_rows)
        for model, forecasts in CLASS_CONTESTANTS.items():
            said, seconds = timed(forecasts, stream)
            loss = -float(np.mean(np.log(np.maximum(said, 2.2e-16))))
            yield Prequential(stream.name, model, stream.y.size, loss, seconds)


def timed(forecasts: Callable[[RegressionData], Floats], stream: RegressionData) -> tuple[Floats, float]:
    """Return what was said, and the processor time a row, of all threads of this process."""
    with threadpool_limits(1):
        begin = time.process_time()
        said = forecasts(stream)
        return said, (time.process_time() - begin) / stream.y.size


def new_boosting(n_trees: int) -> MondrianBoostingRegressor:
    """Return boosting whose shape is common to all rows: mean and standard deviation are all that is asked for."""
    return MondrianBoostingRegressor(n_trees, shape="common", n_jobs=1, random_state=0)


def by_hedgerow(new_model: Callable[[], Any]) -> Callable[[RegressionData], Floats]:
    """Mean and standard deviation of each row, in one call."""
    return lambda stream: new_model().predict_then_learn(stream.X, stream.y, returns="std")[0]


def by_river(new_model: Callable[[], Any]) -> Callable[[RegressionData], Floats]:
    """The mean of each row, in a loop, which is all there is."""

    def forecasts(stream: RegressionData) -> Floats:
        model, said = new_model(), []
        for row, label in zip(as_mappings(stream.X), stream.y.tolist(), strict=True):
            said.append(model.predict_one(row) or 0.0)
            model.learn_one(row, label)
        return np.array(said)

    return forecasts


def classes_by_hedgerow(n_trees: int) -> Callable[[RegressionData], Floats]:
    """Return, of each row, the probability of the class that it turned out to have."""

    def forecasts(stream: RegressionData) -> Floats:
        model, labels = MondrianForestClassifier(n_trees, n_jobs=1, random_state=0), stream.y.astype(np.int64)
        said = model.predict_then_learn(stream.X, labels, classes=[0, 1])
        return said[np.arange(labels.size), labels]

    return forecasts


def classes_by_river(new_model: Callable[[], Any]) -> Callable[[RegressionData], Floats]:
    def forecasts(stream: RegressionData) -> Floats:
        model, said = new_model(), []
        for row, label in zip(as_mappings(stream.X), stream.y.astype(np.int64).tolist(), strict=True):
            probabilities = model.predict_proba_one(row)
            said.append(probabilities.get(label, 0.0) if probabilities else 0.5)
            model.learn_one(row, label)
        return np.array(said)

    return forecasts


CONTESTANTS: dict[str, Callable[[RegressionData], Floats]] = {
    FOREST_10: by_hedgerow(lambda: MondrianForestRegressor(10, n_jobs=1, random_state=0)),
    FOREST_50: by_hedgerow(lambda: MondrianForestRegressor(50, n_jobs=1, random_state=0)),
    AMF: by_river(lambda: AMFRegressor(n_estimators=10, seed=0)),
    BOOSTING_10: by_hedgerow(lambda: new_boosting(10)),
    BOOSTING_50: by_hedgerow(lambda: new_boosting(50)),
    ARF: by_river(lambda: ARFRegressor(n_models=10, seed=0)),
}
CLASS_CONTESTANTS: dict[str, Callable[[RegressionData], Floats]] = {
    FOREST_10: classes_by_hedgerow(10),
    FOREST_50: classes_by_hedgerow(50),
    AMF: classes_by_river(lambda: AMFClassifier(n_estimators=10, seed=0)),
    ARF: classes_by_river(lambda: ARFClassifier(n_models=10, seed=0)),
}
OURS, PEERS = (FOREST_10, FOREST_50, BOOSTING_10, BOOSTING_50), (AMF, ARF)


def verdicts(found: Sequence[Prequential]) -> Iterator[Line]:
    """Compare over all streams with real labels; the one with classes is in the tables."""
    by_name = {(one.data, one.model): one for one in found}
    names = [name for name in dict.fromkeys(one.data for one in found) if (name, BOOSTING_50) in by_name]

    def mean(what: Callable[[str], float]) -> float:
        return geometric_mean(what(name) for name in names)

    def best(name: str) -> float:
        return min(by_name[name, peer].error for peer in PEERS)

    for model in OURS:
        won = sum(by_name[name, model].error < best(name) for name in names)
        yield Line(WON, model, f"{won} of {len(names)}", "", won / len(names), SHARE_WON, unit="")
    for model in OURS:
        ratio = mean(lambda name, model=model: by_name[name, model].error / best(name))
        yield Line(NEARER, model, "", "the better of AMF and ARF", ratio)
    for model in OURS:
        for peer in PEERS:
            ours, theirs = (mean(lambda name, one=one: by_name[name, one].seconds) for one in (model, peer))
            what = f"{model}, against {peer}"
            yield Line(FASTER, what, f"{1e6 * ours:.0f} µs", f"{1e6 * theirs:.0f} µs", theirs / ours, SPEED)
