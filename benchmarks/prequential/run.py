"""Forecast each row, then learn it: forest and boosting next to river's forests, in error and in time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import geometric_mean
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.shared.data import Floats, Table, class_sets, regression_sets
from benchmarks.shared.page import Options, Page
from benchmarks.shared.peers import as_mappings, predict_and_learn_each, river_amf, river_arf, river_srp
from hedgerow import (
    MondrianBoostingClassifier,
    MondrianBoostingRegressor,
    MondrianForestClassifier,
    MondrianForestRegressor,
)

MOST_ROWS = 2000
AMF, ARF, SRP = "river AMF, 10", "river ARF, 10", "river SRP, 10"
WIDEST_FOR_SRP = 100
"""It takes milliseconds a row and more with every column, so it is left out on wider sets."""
INTRODUCTION = """\
Each row is forecast, then learned, one after another; of each set the first {n_rows:,} rows at most. metro_traffic, \
seoul_bike and elec2 are in order of time, the others are shuffled. Columns are in [0, 1] and targets standardised, \
which river's forests need and hedgerow's do not. The number after a model's name is that of its trees, for boosting \
that of each stage: 50 is hedgerow's default, 10 river's. Everything else is at its default, but that boosting has \
`shape="common"`: mean and standard deviation are all that is asked for. river's streaming random patches (SRP) are \
left out on sets of more than {widest} columns, for time.

hedgerow's models predict mean and standard deviation of every row, in one call of `predict_then_learn`; river's \
forests predict the mean, in a loop over `predict_one` and `learn_one`. Times are processor time on one thread, and \
include all that is learned anew when the number of rows has doubled. Contestants take turns, set by set."""


@dataclass(frozen=True)
class Found:
    """What one contestant reached on one stream."""

    error: float  # RMSE, or the log loss of classes
    microseconds: float  # processor time a row


def run(page: Page, options: Options) -> None:
    """Take one stream after another."""
    n_rows = options.pick(300, MOST_ROWS, 10_000)
    page.begin("Row by row: forecast, then learn", INTRODUCTION.format(n_rows=n_rows, widest=WIDEST_FOR_SRP), "numpy")
    models = {name: new for name, new in CONTESTANTS.items() if "river" not in name or page.has("river")}
    tables = regression_sets(options.data, n_rows)
    sizes: dict[str, int] = {}
    found: dict[tuple[str, str], Found] = {}
    for table in tables[: options.pick(2, len(tables))]:
        stream = table.stream(n_rows).standardised()
        sizes[stream.name] = stream.y.size
        for model, forecast in models.items():
            if model == SRP and stream.X.shape[1] > WIDEST_FOR_SRP:
                continue
            mean, microseconds = timed(forecast, stream)
            found[stream.name, model] = Found(float(np.sqrt(np.mean((stream.y - mean) ** 2))), microseconds)
        page.tell(stream.name)
    summary(page, found, list(sizes), list(models))
    if options.data is not None and (options.data / "elec2.parquet").is_file():
        stream = class_sets(options.data, ("elec2",))[0].stream(n_rows)
        sizes["elec2"] = stream.y.size
        for model in models:
            if model in CLASS_CONTESTANTS:
                right, microseconds = timed(CLASS_CONTESTANTS[model], stream)
                found["elec2", model] = Found(-float(np.mean(np.log(np.maximum(right, 2.2e-16)))), microseconds)
    for title, cell in (
        ("Error by set: RMSE, and for elec2, which has classes, log loss", "{.error:.3f}"),
        ("Processor time by set, µs a row", "{.microseconds:.0f}"),
    ):
        rows = [
            (name, f"{n:,}", *(cell.format(found[name, model]) if (name, model) in found else "" for model in models))
            for name, n in sizes.items()
        ]
        page.table(title, ("", "rows", *models), rows)


def summary(page: Page, found: dict[tuple[str, str], Found], names: list[str], models: list[str]) -> None:
    """Compare over all streams with numbers as targets."""
    peers = [model for model in models if "river" in model]

    def met(model: str) -> list[str]:
        return [name for name in names if (name, model) in found]

    def mean(model: str) -> float:
        return geometric_mean(found[name, model].microseconds for name in met(model))

    rows = []
    for model in models:
        cells = [f"{mean(model):.0f}"]
        if peers:
            best = {name: min(found[name, peer].error for peer in peers if (name, peer) in found) for name in names}
            quotient = geometric_mean(found[name, model].error / best[name] for name in met(model))
            won = sum(found[name, model].error < best[name] for name in names)
            faster = "" if model in peers else ", ".join(f"{mean(peer) / mean(model):.1f}" for peer in peers)
            cells = [f"{quotient:.3f}", "" if model in peers else f"{won} of {len(names)}", *cells, faster]
        rows.append((model, *cells))
    headings = [
        "",
        "RMSE, the best of river's = 1",
        "better than all of river's on",
        "µs a row",
        f"times as fast as {', '.join(peer.removeprefix('river ').removesuffix(', 10') for peer in peers)}",
    ]
    words = f"Geometric means over {len(names)} sets."
    page.table("All sets", headings if peers else ["", "µs a row"], rows, words)


def timed(forecast: Callable[[Table], Floats], stream: Table) -> tuple[Floats, float]:
    """Return the forecasts, and the processor time a row in microseconds, of all threads of this process."""
    with threadpool_limits(1):
        begin = time.process_time()
        found = forecast(stream)
        return found, 1e6 * (time.process_time() - begin) / stream.y.size


def by_hedgerow(model: type[Any], n_trees: int, stream: Table, **parameters: Any) -> Floats:
    """Mean and standard deviation of each row, in one call."""
    forest = model(n_trees, n_jobs=1, random_state=0, **parameters)
    mean: Floats = forest.predict_then_learn(stream.X, stream.y, returns="std")[0]
    return mean


def by_river(new: Callable[[], Any], stream: Table) -> Floats:
    """The mean of each row, in a loop, which is all there is."""
    return np.array([found or 0.0 for found in predict_and_learn_each(new(), as_mappings(stream.X), stream.y.tolist())])


def classes_by_hedgerow(kind: type[Any], n_trees: int, stream: Table) -> Floats:
    """Return, for each row, the probability of the class that it turned out to have."""
    model = kind(n_trees, n_jobs=1, random_state=0)
    found: Floats = model.predict_then_learn(stream.X, stream.y, classes=[0, 1])
    return found[np.arange(stream.y.size), stream.y]


def classes_by_river(new: Callable[[], Any], stream: Table) -> Floats:
    """Return the same of river's forests, which know nothing of a class before they have met it."""
    labels = stream.y.tolist()
    found = predict_and_learn_each(new(), as_mappings(stream.X), labels)
    return np.array([each.get(y, 0.0) if each else 0.5 for each, y in zip(found, labels, strict=True)])


CONTESTANTS: dict[str, Callable[[Table], Floats]] = {
    "forest, 10": partial(by_hedgerow, MondrianForestRegressor, 10),
    "forest, 50": partial(by_hedgerow, MondrianForestRegressor, 50),
    AMF: partial(by_river, river_amf),
    "boosting, 10": partial(by_hedgerow, MondrianBoostingRegressor, 10, shape="common"),
    "boosting, 50": partial(by_hedgerow, MondrianBoostingRegressor, 50, shape="common"),
    ARF: partial(by_river, river_arf),
    SRP: partial(by_river, river_srp),
}
CLASS_CONTESTANTS: dict[str, Callable[[Table], Floats]] = {
    "forest, 10": partial(classes_by_hedgerow, MondrianForestClassifier, 10),
    "forest, 50": partial(classes_by_hedgerow, MondrianForestClassifier, 50),
    "boosting, 10": partial(classes_by_hedgerow, MondrianBoostingClassifier, 10),
    "boosting, 50": partial(classes_by_hedgerow, MondrianBoostingClassifier, 50),
    AMF: partial(classes_by_river, partial(river_amf, classes=True)),
    ARF: partial(classes_by_river, partial(river_arf, classes=True)),
    SRP: partial(classes_by_river, partial(river_srp, classes=True)),
}
