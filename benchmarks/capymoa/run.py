"""Forecast each row, then learn it: forests and boosting next to the forests of CapyMOA, in error and in time."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from statistics import geometric_mean
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.shared.data import Floats, Table, regression_sets
from benchmarks.shared.page import Options, Page
from hedgerow import MondrianBoostingRegressor, MondrianForestRegressor, OnlineForestRegressor

MOST_ROWS, WARM_UP = 2000, 100
ARF, SOKNL = "CapyMOA ARF, 10", "CapyMOA SOKNL, 10"
PEERS = (ARF, SOKNL)
INTRODUCTION = """\
CapyMOA is a Python library on top of MOA, which is written in Java. Each row is forecast, then learned; of each set \
the first {n_rows:,} rows at most, as on the page [row by row](../prequential/report.md), which has river's forests. \
Columns are in [0, 1] and targets standardised. All models have 10 trees, for boosting in each stage, and are else at \
their defaults, but that boosting has `shape="common"`. CapyMOA's adaptive random forest (ARF-Reg) and SOKNL (Sun and \
others 2022) predict the mean, in a loop; hedgerow's models predict mean and standard deviation, in one call. Times \
are processor time of all threads of the process, those of the Java machine included; it runs before the clock \
starts."""


def run(page: Page, options: Options) -> None:
    """Take one stream after another."""
    n_rows = options.pick(300, MOST_ROWS, 10_000)
    page.begin("Next to CapyMOA, row by row", INTRODUCTION.format(n_rows=n_rows), "numpy")
    models = {name: new for name, new in CONTESTANTS.items() if name not in PEERS or page.has("capymoa")}
    tables = regression_sets(options.data, n_rows)[: options.pick(2, None)]
    errors: dict[str, dict[str, float]] = {}
    microseconds: dict[str, dict[str, float]] = {}
    sizes = {}
    for model in set(PEERS) & set(models):
        models[model](tables[0].stream(WARM_UP).standardised())  # the Java machine is running when the clock starts
    for table in tables:
        stream = table.stream(n_rows).standardised()
        sizes[stream.name] = stream.y.size
        for model, forecast in models.items():
            with threadpool_limits(1):
                begin = time.process_time()
                mean = forecast(stream)
                seconds = time.process_time() - begin
            errors.setdefault(model, {})[stream.name] = float(np.sqrt(np.mean((stream.y - mean) ** 2)))
            microseconds.setdefault(model, {})[stream.name] = 1e6 * seconds / stream.y.size
        page.tell(stream.name)
    if set(PEERS) <= set(models):
        summary(page, errors, microseconds, list(sizes))
    for title, found, digits in (("RMSE by set", errors, 3), ("Processor time by set, µs a row", microseconds, 0)):
        rows = [
            (name, f"{n:,}", *(f"{found[model][name]:.{digits}f}" for model in models)) for name, n in sizes.items()
        ]
        page.table(title, ("", "rows", *models), rows)


def summary(
    page: Page, errors: dict[str, dict[str, float]], microseconds: dict[str, dict[str, float]], names: list[str]
) -> None:
    """Compare over all sets."""
    best = {name: min(errors[peer][name] for peer in PEERS) for name in names}
    rows = []
    for model, found in errors.items():
        quotient = geometric_mean(found[name] / best[name] for name in names)
        won = "" if model in PEERS else f"{sum(found[name] < best[name] for name in names)} of {len(names)}"
        cost = geometric_mean(microseconds[model].values())
        rows.append((model, f"{quotient:.3f}", won, f"{cost:.0f}"))
    headings = ("", "RMSE, the better of CapyMOA's = 1", "better than both on", "µs a row")
    page.table("All sets", headings, rows, f"Geometric means over {len(names)} sets.")


def by_hedgerow(model: type[Any], stream: Table, **parameters: Any) -> Floats:
    """Mean and standard deviation of each row, in one call."""
    forest = model(10, n_jobs=1, random_state=0, **parameters)
    mean: Floats = forest.predict_then_learn(stream.X, stream.y, returns="std")[0]
    return mean


def by_capymoa(kind: str, stream: Table) -> Floats:
    """The mean of each row, in a loop."""
    from capymoa import regressor
    from capymoa.stream import NumpyStream

    source = NumpyStream(stream.X, stream.y, dataset_name=stream.name, target_type="numeric")
    model = getattr(regressor, kind)(schema=source.get_schema(), ensemble_size=10, random_seed=1)
    found = []
    while source.has_more_instances():
        row = source.next_instance()
        predicted = model.predict(row)
        found.append(0.0 if predicted is None else float(predicted))
        model.train(row)
    return np.array(found)


CONTESTANTS: dict[str, Callable[[Table], Floats]] = {
    "forest, 10": partial(by_hedgerow, MondrianForestRegressor),
    "boosting, 10": partial(by_hedgerow, MondrianBoostingRegressor, shape="common"),
    "online forest, 10": partial(by_hedgerow, OnlineForestRegressor),
    ARF: partial(by_capymoa, "AdaptiveRandomForestRegressor"),
    SOKNL: partial(by_capymoa, "SOKNL"),
}
