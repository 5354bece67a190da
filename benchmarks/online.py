"""Learning row by row next to river's AMFRegressor, and unlearning next to learning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.data import Dataset, friedman
from benchmarks.peers import hedgerow_forest, river_forest
from benchmarks.report import Line
from benchmarks.timing import Contestant, Effort, Timing, interleave

BULK = "partial_fit, against river's AMFRegressor; min_samples_split 2"
SINGLE = "predict_one, then learn_one, called from Python, against river's AMFRegressor; min_samples_split 2"
UNLEARN = "unlearn the last half of 20,000 rows (left) against learning it (right)"
ERROR = "error after these rows (RMSE on 1,000 new rows; noise 1); reached is hedgerow's over river's"

BULK_TARGETS = {"moments": 150.0, "hierarchy": 100.0}
SINGLE_TARGET = 60.0
UNLEARN_TARGET = 0.5
WIDTH = 10


def run(effort: Effort) -> Iterator[Line]:
    """Yield the lines on bulk learning, single rows, error and unlearning.

    All models first learn the rows 0 to n, untimed, and are timed over the rows n to 2 n. That stretch holds
    one of the reviews that a forest makes whenever its rows have doubled, so the cost of reviews is included.
    """
    n = effort.rows(30_000) // 10
    data = friedman(2 * n, WIDTH, n_test=1000)
    yield from bulk(data, n, effort.rounds(3))
    yield from single(data, n, effort.rounds(3))
    yield from error(data)
    yield from unlearn(effort)


def bulk(data: Dataset, n: int, rounds: int) -> Iterator[Line]:
    """Let both learn a stretch of rows: hedgerow in one call, river in a loop, which is all it offers."""
    rows, labels = as_mappings(data.X), data.y.tolist()

    def river() -> partial[None]:
        model = river_forest()
        learn_each(model, rows[:n], labels[:n])
        return partial(learn_each, model, rows[n:], labels[n:])

    def hedgerow(smoothing: str) -> Contestant:
        def prepare() -> partial[object]:
            model = hedgerow_forest(smoothing=smoothing, min_samples_split=2)
            model.partial_fit(data.X[:n], data.y[:n])
            return partial(model.partial_fit, data.X[n:], data.y[n:])

        return prepare

    short = {smoothing: hedgerow(smoothing) for smoothing in BULK_TARGETS}
    timings = best_of_more(short, {"river": river}, rounds)
    for smoothing, target in BULK_TARGETS.items():
        ours, peer = timings[smoothing], timings["river"]
        what = f"{smoothing}, rows {n:,} to {2 * n:,}"
        yield Line(BULK, what, ours.per_row(n), peer.per_row(n), peer.best / ours.best, target)


def single(data: Dataset, n: int, rounds: int) -> Iterator[Line]:
    """Let both predict and then learn each row of a stretch, one call at a time."""
    labels = data.y.tolist()
    forms: dict[str, Sequence[Any]] = {"arrays": list(data.X), "dicts": as_mappings(data.X)}

    def contestant(new_model: Any, rows: Sequence[Any]) -> Contestant:
        def prepare() -> partial[None]:
            model = new_model()
            learn_each(model, rows[:n], labels[:n])
            return partial(predict_and_learn_each, model, rows[n:], labels[n:])

        return prepare

    ours = {
        f"{smoothing}, rows as {form}": contestant(
            partial(hedgerow_forest, smoothing=smoothing, min_samples_split=2), rows
        )
        for smoothing in BULK_TARGETS
        for form, rows in forms.items()
    }
    timings = best_of_more(ours, {"river": contestant(river_forest, forms["dicts"])}, rounds)
    for what in ours:
        mine, peer = timings[what], timings["river"]
        yield Line(SINGLE, what, mine.per_row(n), peer.per_row(n), peer.best / mine.best, SINGLE_TARGET)


def error(data: Dataset) -> Iterator[Line]:
    """Compare how well both predict after the same rows."""
    river = river_forest()
    learn_each(river, as_mappings(data.X), data.y.tolist())
    their_error = data.rmse(np.array([river.predict_one(row) for row in as_mappings(data.X_test)]))
    for smoothing in BULK_TARGETS:
        ours = hedgerow_forest(smoothing=smoothing, min_samples_split=2).partial_fit(data.X, data.y)
        our_error = data.rmse(ours.predict(data.X_test))
        what = f"{smoothing} (labels' sd {np.std(data.y_test):.2f})"
        yield Line(ERROR, what, f"{our_error:.3f}", f"{their_error:.3f}", our_error / their_error)


def unlearn(effort: Effort) -> Iterator[Line]:
    """Compare forgetting rows with learning them."""
    n = effort.rows(100_000) // 10
    data = friedman(2 * n, WIDTH)
    first, last = (data.X[:n], data.y[:n]), (data.X[n:], data.y[n:])
    for smoothing in BULK_TARGETS:
        for min_samples_split in (2, 10):
            new_model = partial(hedgerow_forest, smoothing=smoothing, min_samples_split=min_samples_split)
            timings = interleave(
                {
                    "learn": lambda new=new_model: partial(new().partial_fit(*first).partial_fit, *last),
                    "unlearn": lambda new=new_model: partial(
                        new().partial_fit(*first).partial_fit(*last).unlearn, *last
                    ),
                },
                effort.rounds(7),
            )
            forget, learn = timings["unlearn"], timings["learn"]
            what = f"{smoothing}, min_samples_split {min_samples_split}"
            ratio = learn.best / forget.best
            yield Line(UNLEARN, what, forget.per_row(n), learn.per_row(n), ratio, UNLEARN_TARGET)


def best_of_more(
    short: dict[str, Contestant], long: dict[str, Contestant], rounds: int, turns: int = 3
) -> dict[str, Timing]:
    """Interleave contestants of which some take far less time, and give those `turns` turns a round."""
    timings: dict[str, Timing] = {}
    for _ in range(rounds):
        for name, timing in (interleave(short, turns) | interleave(long, 1)).items():
            before = timings[name].seconds if name in timings else ()
            timings[name] = Timing(before + timing.seconds)
    return timings


def as_mappings(X: Any) -> list[dict[str, float]]:
    """Return rows as river takes them."""
    names = [f"x{column}" for column in range(X.shape[1])]
    return [dict(zip(names, row, strict=True)) for row in X.tolist()]


def learn_each(model: Any, rows: Sequence[Any], labels: Sequence[float]) -> None:
    """Let a model learn rows one call at a time."""
    for row, label in zip(rows, labels, strict=True):
        model.learn_one(row, label)


def predict_and_learn_each(model: Any, rows: Sequence[Any], labels: Sequence[float]) -> None:
    """Let a model predict each row before it learns it."""
    for row, label in zip(rows, labels, strict=True):
        model.predict_one(row)
        model.learn_one(row, label)
