"""Online forests with intervals next to river's: speed, the tables of document 003, drift, memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from river.forest import ARFRegressor

from benchmarks.online import as_mappings
from benchmarks.report import Line
from benchmarks.stream_methods import (
    METHODS,
    N_TREES,
    PEER_ROWS,
    PLAIN_MONDRIAN,
    RIVER,
    SETS,
    Scores,
    forest,
    intervals,
    load,
    river_intervals,
)
from benchmarks.timing import Work, interleave
from hedgerow import OnlineConformalRegressor, OnlineQuantileForestRegressor
from hedgerow.stream import evaluate, friedman_drift

SPEED = "predict each row, then learn it; Friedman's function, 10 trees, against river's ARFRegressor of mean leaves"
RATES = "rows a second next to the base learner's, predicting an interval for each row before learning it"
TABLE = "12 sets of document 003, alpha 0.1; its best method reached a utility of 0.721 and a loss of 0.0335"
DRIFT = "after the drift of Friedman's function: miss rate of the first window of 10,000 rows, a million rows in all"
MEMORY = "memory with max_nodes=1001, a million rows"
MEGABYTE = 1e6
POINTS = 100


def run(data: Path | None, quick: bool) -> Iterator[Line | Scores]:
    """Yield everything; a quick run leaves out the sets and is a tenth as long."""
    scale = 10 if quick else 1
    yield from speed(10_000 // scale, 1 if quick else 3)
    yield from rates(20_000 // scale, 3)
    yield from drift(1_000_000 // scale)
    yield from memory(1_000_000 // scale)
    if not quick:
        yield from table(data)


def stationary(n: int) -> tuple[Any, Any]:
    """Rows of the report's stream before its drift."""
    X, y = friedman_drift("report", 4 * n, random_state=0).arrays()
    return X[:n], y[:n]


def speed(n: int, rounds: int) -> Iterator[Line]:
    """Both meet the same rows; river's forest has one turn, which takes minutes."""
    X, y = stationary(n)
    rows, labels = as_mappings(X), y.tolist()
    errors: dict[str, float] = {}

    def ours() -> Work:
        def work() -> None:
            errors["hedgerow"] = float(np.abs(forest().predict_then_learn(X, y, returns="std")[0] - y).mean())

        return work

    def river() -> Work:
        def work() -> None:
            model, total = ARFRegressor(n_models=N_TREES, leaf_prediction="mean", seed=0), 0.0
            for row, label in zip(rows, labels, strict=True):
                total += abs(model.predict_one(row) - label)
                model.learn_one(row, label)
            errors["river"] = total / n

        return work

    mine = interleave({"hedgerow": ours}, rounds)["hedgerow"]
    peer = interleave({"river": river}, 1)["river"]
    mine_again = interleave({"hedgerow": ours}, rounds)["hedgerow"]
    slower = max(mine, mine_again, key=lambda timing: timing.best)
    yield Line(SPEED, f"{n:,} rows", slower.per_row(n), peer.per_row(n), peer.best / slower.best, 100.0)
    error, peer_error = errors["hedgerow"], errors["river"]
    what = "mean absolute error of the forecasts; reached is hedgerow's over river's"
    yield Line(SPEED, what, f"{error:.3f}", f"{peer_error:.3f}", error / peer_error, 1.0, at_most=True)


def rates(n: int, rounds: int) -> Iterator[Line]:
    """All in turn, on the same rows; the base learner returns what its trees say."""
    X, y = stationary(n)
    contestants: dict[str, tuple[Callable[[], Any], float | None]] = {
        "OnlineForestRegressor": (forest, None),
        "conformal, exact, update_every=1": (lambda: OnlineConformalRegressor(forest()), 0.5),
        "conformal, exact, all options": (
            lambda: OnlineConformalRegressor(forest(), normalised=True, adaptive=True, size_matched=True),
            None,
        ),
        "conformal, approximate": (lambda: OnlineConformalRegressor(forest(), mode="approximate"), None),
        "quantile": (lambda: OnlineQuantileForestRegressor(forest()), 1 / 3),
        "quantile, conformal": (lambda: OnlineQuantileForestRegressor(forest(), conformal=True), 1 / 3),
    }
    timings = interleave({name: partial(_prepared, new, X, y) for name, (new, _) in contestants.items()}, rounds)
    base = timings["OnlineForestRegressor"]
    for name, (_, target) in contestants.items():
        own = timings[name]
        yield Line(
            RATES, name, f"{n / own.best:,.0f} rows/s", f"{n / base.best:,.0f} rows/s", base.best / own.best, target
        )


def _prepared(new: Callable[[], Any], X: Any, y: Any) -> Work:
    return partial(new().predict_then_learn, X, y)


def drift(n: int) -> Iterator[Line]:
    """The window right after the first change, and the one before it."""
    options: dict[str, dict[str, Any]] = {
        "conformal, exact": {},
        "conformal, exact, adaptive": {"adaptive": True},
        "conformal, approximate, normalised, adaptive": {
            "mode": "approximate",
            "normalised": True,
            "adaptive": True,
        },
    }
    for name, chosen in options.items():
        window = n // 100
        stream = friedman_drift("report", n, random_state=0)
        history = evaluate(OnlineConformalRegressor(forest(), **chosen), stream, window=window, progress=False).history
        at = stream.change_points[0] // window
        misses, sizes = history["mean_error_rate"], history["relative_interval_size"]
        before = f"before {misses[at - 1]:.3f}, size {sizes[at - 1]:.3f}"
        after = f"150,000 rows later {misses[at + 15]:.3f}, size {sizes[at + 15]:.3f}"
        target = 0.12 if "adaptive" in name else None
        yield Line(
            DRIFT, f"{name} (size {sizes[at]:.3f})", before, after, float(misses[at]), target, at_most=True, unit=""
        )


def memory(n: int) -> Iterator[Line]:
    """The size of a bounded forest along the way. Its peaks are when trees grow: at first, and after the drifts."""
    sizes = memory_curve(n, 1001)
    early, late = max(sizes[: POINTS // 4]), max(sizes[POINTS // 4 :])
    what = "largest size in the last three quarters next to that in the first"
    yield Line(MEMORY, what, f"{late:.2f} MB", f"{early:.2f} MB", late / early, 1.05, at_most=True)


def memory_curve(n: int, max_nodes: int | None) -> list[float]:
    """Megabytes at evenly spaced points of the report's drift stream."""
    model, sizes = forest(max_nodes=max_nodes), []
    for chunk in friedman_drift("report", n, random_state=0).chunks(size=n // POINTS):
        model.partial_fit(chunk.X, chunk.y)
        sizes.append(model.__sizeof__() / MEGABYTE)
    return sizes


def table(data: Path | None) -> Iterator[Scores]:
    """Yield the scores of all methods on all sets; with river's on the first rows of each, and ours on these."""
    for name in SETS:
        X, y = load(data, name)
        for method, new in METHODS.items():
            interval = intervals(new(), X, y)
            yield Scores.of(name, method, y, interval)
            first = slice(0, PEER_ROWS)
            yield Scores.of(f"{name}, first rows", method, y[first], interval[first])
        X, y = X[:PEER_ROWS], y[:PEER_ROWS]
        yield Scores.of(f"{name}, first rows", RIVER, y, river_intervals(X, y))


def verdicts(scores: list[Scores]) -> Iterator[Line]:
    """What the scores say about the targets."""
    whole = [each for each in scores if not each.data.endswith("first rows")]
    if not whole:
        return
    means = {
        method: tuple(
            float(np.mean([getattr(each, what) for each in whole if each.method == method]))
            for what in ("utility", "loss")
        )
        for method in METHODS
    }
    best = max(means, key=lambda method: means[method][0])
    yield Line(TABLE, f"mean utility of {best}", f"{means[best][0]:.3f}", "0.721", means[best][0], 0.721, unit="")
    best = min(means, key=lambda method: means[method][1])
    loss = means[best][1]
    yield Line(TABLE, f"mean quantile loss of {best}", f"{loss:.4f}", "0.0335", loss, 0.0335, at_most=True, unit="")
    losses = {(each.data, each.method): each.loss for each in scores if each.data.endswith("first rows")}
    won = [losses[data, best] < losses[data, RIVER] for data, method in losses if method == RIVER]
    what = f"sets of which {best} has a lower loss than river over the first {PEER_ROWS:,} rows"
    yield Line(TABLE, what, f"{sum(won)} of {len(won)}", "", sum(won) / len(won), 0.75, unit="")
    worst = max((each for each in whole if each.method != PLAIN_MONDRIAN), key=lambda each: each.miss_rate)
    what = f"highest miss rate but of plain Mondrian forests ({worst.method} on {worst.data})"
    yield Line(TABLE, what, f"{worst.miss_rate:.3f}", "", worst.miss_rate, 0.11, at_most=True, unit="")
