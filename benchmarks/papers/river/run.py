"""The streams that come with river, forecast row by row, next to river's own forests."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.shared.data import Floats
from benchmarks.shared.page import Options, Page
from benchmarks.shared.peers import predict_and_learn_each, river_amf, river_arf
from hedgerow import (
    MondrianBoostingClassifier,
    MondrianBoostingRegressor,
    MondrianForestClassifier,
    MondrianForestRegressor,
)

NUMBERS = ("AirlinePassengers", "ChickWeights", "TrumpApproval", "WaterFlow", "SP500Stocks")
CLASSES = ("Bananas", "ImageSegments", "Phishing", "Shuttle")
LIVELY = "boosting, 50, linear and mondrian"
MOST_ROWS, QUICK_ROWS = 6000, 200
IMPOSSIBLE = 2.2e-16
"""Probabilities below count as this one in the log loss."""
INTRODUCTION = """\
All streams of one target that are part of river itself, in river's order: each row is forecast, then learned; of \
Shuttle the first {most:,} rows. Dates are told to all models as the number of days, the hour, the day of the week and \
the month, where these vary. hedgerow's models take rows as they are. river's forests have in front of them what they \
need: the aggregated Mondrian forest (AMF) its `MinMaxScaler`, the adaptive random forest for numbers (ARF), whose \
leaves have linear models, its `StandardScaler`, and both, for numbers, its `TargetStandardScaler`. The number after \
a name is that of trees, 50 being hedgerow's default and 10 river's; all else is at its default, but for \
`shape="common"` of boosting. One seed."""
ABOUT_NUMBERS = """\
Root mean squared error over all rows but the first, in the targets' own units; the lowest of a row is **bold**. The \
last columns are the share of targets in hedgerow's 90 % intervals, each given before the target was known.

All but the stocks come in order of time with the time as a column, so that every row lies beyond those learned. \
Mondrian stages of a boosting learn every row, but greedy trees and the kernel are fitted anew only when the number of \
rows has doubled; between that they stand still, and count as much as recent forecasts say. With \
`stages=["linear", "mondrian"]` they are left out. Intervals promise 90 % for rows like those before, which these are \
not."""
ABOUT_CLASSES = """\
Share of rows, but for the first, whose class was not the most probable; then the mean log loss, with probabilities \
of at least {least:g}. hedgerow's models are told the classes beforehand; river's cannot be, and have no probability \
for a class that they have not met, or that a tree of theirs rules out."""
ABOUT_TIMES = "Processor time a row, forecast and learning, µs, on one thread; contestants one after another."


class Stream(NamedTuple):
    """Rows as mappings of names to numbers, and targets or labels."""

    name: str
    rows: list[dict[str, float]]
    y: list[Any]

    @property
    def columns(self) -> Floats:
        return np.array([list(row.values()) for row in self.rows], dtype=np.float64)


class Found(NamedTuple):
    """What one contestant reached on one stream."""

    error: float  # RMSE, or the share of wrong classes
    second: float  # share of targets in intervals, or log loss; NaN if it has none
    microseconds: float


def run(page: Page, options: Options) -> None:
    """Take one stream after another, numbers first."""
    most = options.pick(QUICK_ROWS, MOST_ROWS, 50_000)
    page.begin("Streams of river", INTRODUCTION.format(most=most), "numpy")
    if not page.has("river"):
        page.text("Skipped: it needs the package `river`.")
        return
    numbers = contest(page, [read(name, most) for name in NUMBERS], OF_NUMBERS)
    classes = contest(page, [read(name, most) for name in CLASSES], OF_CLASSES)
    ours = [name for name in OF_NUMBERS if "river" not in name]
    show(page, "Numbers", numbers, list(OF_NUMBERS), [("90 % interval", ours, "{:.1%}")], ABOUT_NUMBERS)
    log_losses = [("log loss", list(OF_CLASSES), "{:.3f}")]
    show(page, "Classes", classes, list(OF_CLASSES), log_losses, ABOUT_CLASSES.format(least=IMPOSSIBLE))
    times = [
        (name, f"{n:,}", *(f"{each[model].microseconds:.0f}" if model in each else "" for model in OF_NUMBERS))
        for name, (n, each) in (numbers | classes).items()
    ]
    page.table("Times", ("", "rows", *OF_NUMBERS), times, ABOUT_TIMES)


def read(name: str, most: int) -> Stream:
    """Return the beginning of a stream, with numbers in the place of dates."""
    from river import datasets

    rows, y = [], []
    for x, target in getattr(datasets, name)().take(most):
        rows.append({key: value for name, given in x.items() for key, value in as_numbers(name, given)})
        y.append(target)
    varies = [key for key in rows[0] if len({row[key] for row in rows}) > 1]
    return Stream(name, [{key: row[key] for key in varies} for row in rows], y)


def as_numbers(name: str, value: Any) -> list[tuple[str, float]]:
    """Return a value, or the parts of a date, by name."""
    if not isinstance(value, datetime):
        return [(name, float(value))]
    parts = {"hour": value.hour + value.minute / 60, "weekday": value.weekday(), "month": value.month}
    return [(f"{name}, day", value.timestamp() / 86_400), *((f"{name}, {part}", float(parts[part])) for part in parts)]


Contestant = Callable[[Stream], tuple[Any, Any]]
Contests = dict[str, tuple[int, dict[str, Found]]]
"""By name of the stream: rows, and what each contestant reached."""


def contest(page: Page, streams: Sequence[Stream], contestants: dict[str, Contestant]) -> Contests:
    """Let all contestants forecast all streams."""
    contests: Contests = {}
    for stream in streams:
        reached: dict[str, Found] = {}
        for name, forecast in contestants.items():
            with threadpool_limits(1):
                begin = time.process_time()
                errors, second = forecast(stream)
                spent = 1e6 * (time.process_time() - begin) / len(stream.y)
            reached[name] = Found(errors, second, spent)
            page.tell(f"{stream.name}, {name}: {errors:.4g}, {second:.4g}, {spent:.0f} µs a row")
        contests[stream.name] = len(stream.y), reached
    return contests


def show(
    page: Page,
    title: str,
    contests: Contests,
    names: Sequence[str],
    more: Sequence[tuple[str, Sequence[str], str]],
    words: str,
) -> None:
    """Show a table of errors, then of what else is known."""
    rows = []
    for stream, (n, reached) in contests.items():
        errors = [f"{reached[name].error:.3g}" for name in names]
        least = min(map(float, errors))
        cells = [f"**{error}**" if float(error) == least else error for error in errors]
        cells += [form.format(reached[name].second) for _, some, form in more for name in some]
        rows.append((stream, f"{n:,}", *cells))
    others = (f"{what}, {name}" for what, some, _ in more for name in some)
    page.table(title, ("", "rows", *names, *others), rows, words)


def by_hedgerow(model: type[Any], n_trees: int, stream: Stream, **parameters: Any) -> tuple[float, float]:
    """RMSE, and the share of targets in 90 % intervals."""
    forest, y = model(n_trees, n_jobs=1, random_state=0, **parameters), np.array(stream.y, dtype=np.float64)
    found = forest.predict_then_learn(stream.columns, y, returns="interval", confidence=0.9)
    mean, (low, high) = found[0][1:], found[2][1:].T
    return float(np.sqrt(np.mean((y[1:] - mean) ** 2))), float(np.mean((low <= y[1:]) & (y[1:] <= high)))


def by_river(new: Callable[[], Any], stream: Stream) -> tuple[float, float]:
    """RMSE of the mean, which is all there is."""
    found = np.array(after_first(new(), stream))
    return float(np.sqrt(np.mean((np.array(stream.y[1:]) - found) ** 2))), float("nan")


def classes_by_hedgerow(model: type[Any], n_trees: int, stream: Stream) -> tuple[float, float]:
    """Share of wrong classes, and log loss."""
    forest, classes = model(n_trees, n_jobs=1, random_state=0), sorted(set(stream.y))
    found = forest.predict_then_learn(stream.columns, np.array(stream.y), classes=classes)
    return class_scores([dict(zip(classes, row, strict=True)) for row in found[1:].tolist()], stream.y[1:])


def classes_by_river(new: Callable[[], Any], stream: Stream) -> tuple[float, float]:
    """The same of river's forests."""
    return class_scores(after_first(new(), stream), stream.y[1:])


def after_first(model: Any, stream: Stream) -> list[Any]:
    """Learn the first row; then forecast each, and learn it."""
    model.learn_one(stream.rows[0], stream.y[0])
    return predict_and_learn_each(model, stream.rows[1:], stream.y[1:])


def class_scores(found: Sequence[dict[Any, float]], y: Sequence[Any]) -> tuple[float, float]:
    """Share of wrong classes and log loss."""
    pairs = list(zip(found, y, strict=True))
    wrong = [not each or max(each, key=lambda label: each[label]) != label for each, label in pairs]
    right = [max(each.get(label, 0.0), IMPOSSIBLE) for each, label in pairs]
    return float(np.mean(wrong)), float(-np.mean(np.log(right)))


def scaled_amf(*, classes: bool = False) -> Any:
    """Return river's aggregated Mondrian forest behind what it needs."""
    from river.preprocessing import MinMaxScaler, TargetStandardScaler

    scaled = MinMaxScaler() | river_amf(classes=classes)
    return scaled if classes else TargetStandardScaler(scaled)


def scaled_arf() -> Any:
    """Return river's adaptive random forest for numbers, whose leaves have linear models, behind what these need."""
    from river.preprocessing import StandardScaler, TargetStandardScaler

    return TargetStandardScaler(StandardScaler() | river_arf())


OF_NUMBERS: dict[str, Contestant] = {
    "forest, 50": partial(by_hedgerow, MondrianForestRegressor, 50),
    "boosting, 50": partial(by_hedgerow, MondrianBoostingRegressor, 50, shape="common"),
    LIVELY: partial(by_hedgerow, MondrianBoostingRegressor, 50, shape="common", stages=["linear", "mondrian"]),
    "river AMF, 10": partial(by_river, scaled_amf),
    "river ARF, 10": partial(by_river, scaled_arf),
}
OF_CLASSES: dict[str, Contestant] = {
    "forest, 50": partial(classes_by_hedgerow, MondrianForestClassifier, 50),
    "boosting, 50": partial(classes_by_hedgerow, MondrianBoostingClassifier, 50),
    "river AMF, 10": partial(classes_by_river, partial(scaled_amf, classes=True)),
    "river ARF, 10": partial(classes_by_river, partial(river_arf, classes=True)),
}
