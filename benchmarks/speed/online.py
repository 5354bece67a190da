"""Learning row by row next to river's AMFRegressor, and unlearning next to learning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.shared.data import friedman
from benchmarks.shared.page import Options, Page, ratio
from benchmarks.shared.peers import as_mappings, learn_each, predict_and_learn_each, river_amf
from benchmarks.shared.timing import Contestant, interleave
from benchmarks.speed.batch import N_TREES, hedgerow_forest

SMOOTHINGS = ("moments", "hierarchy")
WORDS = """\
All models first learn the rows up to {n:,}, untimed, and are timed over as many more. That stretch holds one of the \
reviews of its hyper-parameters that a forest makes whenever its rows have doubled. `min_samples_split` is 2, as in \
river, where rows are learned in a loop over `learn_one`."""
BULK, ARRAYS, DICTS = "`partial_fit`", "`predict_one`, `learn_one`, rows as arrays", "the same, rows as dicts"


def learn(page: Page, options: Options) -> None:
    """Learn a stretch of rows: in bulk, and one row a call with a forecast before it."""
    n = options.pick(200, 3000)
    data = friedman(2 * n, 10, n_test=1000)
    arrays, mappings, targets = list(data.X), as_mappings(data.X), data.y.tolist()
    with_river = page.has("river")

    def each(new: Callable[[], Any], rows: Sequence[Any], work: Callable[..., object]) -> Contestant:
        def prepare() -> partial[object]:
            model = new()
            learn_each(model, rows[:n], targets[:n])
            return partial(work, model, rows[n:], targets[n:])

        return prepare

    def bulk(new: Callable[[], Any]) -> Contestant:
        return lambda: partial(new().partial_fit(data.X[:n], data.y[:n]).partial_fit, data.X[n:], data.y[n:])

    contestants: dict[str, Contestant] = {}
    for smoothing in SMOOTHINGS:
        new = partial(hedgerow_forest, smoothing=smoothing, min_samples_split=2)
        contestants[f"{BULK}, {smoothing}"] = bulk(new)
        contestants[f"{ARRAYS}, {smoothing}"] = each(new, arrays, predict_and_learn_each)
        contestants[f"{DICTS}, {smoothing}"] = each(new, mappings, predict_and_learn_each)
    turns = dict.fromkeys(contestants, 3)
    if with_river:
        contestants["learn"] = each(river_amf, mappings, learn_each)
        contestants["forecast, learn"] = each(river_amf, mappings, predict_and_learn_each)
    timings = interleave(contestants, options.pick(1, 3), turns=turns)
    rows = []
    for what in turns:
        peer = timings.get("learn" if what.startswith(BULK) else "forecast, learn")
        theirs = (peer.per_row(n), ratio(peer.best / timings[what].best)) if peer else ("not installed", "")
        rows.append((what, timings[what].per_row(n), *theirs))
    page.table(
        "Learn rows online, time a row", ("", "hedgerow", "river's AMF", "times as fast"), rows, WORDS.format(n=n)
    )

    errors = []
    for smoothing in SMOOTHINGS:
        forest = hedgerow_forest(smoothing=smoothing, min_samples_split=2).partial_fit(data.X, data.y)
        errors.append(f"hedgerow, {smoothing} {data.rmse(forest.predict(data.X_test)):.2f}")
    if with_river:
        peer_forest = river_amf(N_TREES)
        learn_each(peer_forest, mappings, targets)
        said = np.array([peer_forest.predict_one(row) for row in as_mappings(data.X_test)])
        errors.append(f"river's AMF {data.rmse(said):.2f}")
    page.text(f"RMSE on 1,000 new rows after these {2 * n:,}: {', '.join(errors)}.")


def unlearn(page: Page, options: Options) -> None:
    """Compare forgetting rows with learning them."""
    n, rows = options.pick(500, 10_000), []
    data = friedman(2 * n, 10)
    first, last = (data.X[:n], data.y[:n]), (data.X[n:], data.y[n:])
    for smoothing in SMOOTHINGS:
        for least in (2, 10):
            new = partial(hedgerow_forest, smoothing=smoothing, min_samples_split=least)
            found = interleave(
                {
                    "learn": lambda new=new: partial(new().partial_fit(*first).partial_fit, *last),
                    "unlearn": lambda new=new: partial(new().partial_fit(*first).partial_fit(*last).unlearn, *last),
                },
                options.pick(2, 7),
            )
            times = (found[name].per_row(n) for name in ("unlearn", "learn"))
            what = f"{smoothing}, `min_samples_split` {least}"
            rows.append((what, *times, ratio(found["learn"].best / found["unlearn"].best)))
    headings = ("", "unlearn", "learn", "times as fast")
    page.table(f"Unlearn the last half of {2 * n:,} rows, time a row", headings, rows)
