"""Time to learn rows with classes, next to river's AMFClassifier with as many trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from benchmarks import class_models as models
from benchmarks.class_data import ClassData
from benchmarks.online import as_mappings, best_of_more, learn_each
from benchmarks.report import Line
from benchmarks.timing import Contestant, Timing, interleave

BULK = "partial_fit with {chunk:,} rows a call, against river's AMFClassifier; {trees} trees each, {data}"
CHUNKS = "how many rows a call gets: {trees} trees learn all rows of {data}, against the call with {chunk:,} rows"
SINGLE = "predict_proba_one, then learn_one, called from Python, against river's AMFClassifier; {trees} trees, {data}"
TARGET = 100.0
TURNS = 3


def bulk(data: ClassData, stops: Sequence[int]) -> Iterator[Line]:
    """Time both over the rows between stops, then over all.

    river's forest learns each stretch once, and it is by far the longest turn of the round; ours has turns before and
    after it, and its median counts.
    """
    section = BULK.format(chunk=models.CHUNK, trees=models.N_TREES, data=data.name)
    rows, labels = as_mappings(data.X), data.y.tolist()
    river, totals = models.river_forest(), [0.0, 0.0]
    for begin, end in zip([0, *stops], stops, strict=False):
        turns = interleave({"ours": stretch(data, begin, end)}, TURNS)["ours"].seconds
        (theirs,) = interleave(
            {"river": lambda b=begin, e=end: partial(learn_each, river, rows[b:e], labels[b:e])}, 1
        ).values()
        turns += interleave({"ours": stretch(data, begin, end)}, TURNS)["ours"].seconds
        ours = sorted(turns)[len(turns) // 2]
        totals = [totals[0] + ours, totals[1] + theirs.best]
        yield Line(
            section,
            f"rows {begin:,} to {end:,}",
            per_row(ours, end - begin),
            per_row(theirs.best, end - begin),
            theirs.best / ours,
        )
    n_rows = stops[-1]
    yield Line(
        section,
        f"all {n_rows:,} rows",
        per_row(totals[0], n_rows),
        per_row(totals[1], n_rows),
        totals[1] / totals[0],
        TARGET,
    )


def chunks(data: ClassData) -> Iterator[Line]:
    """Time calls with few rows and with many; and, for scale, fit."""
    section = CHUNKS.format(trees=models.N_TREES, data=data.name, chunk=models.CHUNK)
    sizes = sorted({10, 100, models.CHUNK, data.y.size})

    def learn(size: int) -> Contestant:
        return lambda: partial(models.learn_in_chunks, models.hedgerow_forest(), data, chunk=size)

    contestants = {f"{size:,} rows a call": learn(size) for size in sizes}
    contestants["fit"] = lambda: partial(models.hedgerow_forest().fit, data.X, data.y)
    timings = interleave(contestants, TURNS)
    usual = timings[f"{models.CHUNK:,} rows a call"]
    for what, timing in timings.items():
        yield Line(section, what, timing.per_row(data.y.size), "", usual.best / timing.best)


def single(data: ClassData, n: int, n_timed: int, rounds: int) -> Iterator[Line]:
    """Let both predict and then learn rows one call at a time, after n rows."""
    section = SINGLE.format(trees=models.N_TREES, data=f"{data.name}, rows {n:,} to {n + n_timed:,}")
    labels = data.y.tolist()
    timed = slice(n, n + n_timed)

    def contestant(new_model: Callable[[], Any], rows: Sequence[Any]) -> Contestant:
        def prepare() -> partial[None]:
            model = new_model()
            learn_each(model, rows[:n], labels[:n])
            return partial(predict_and_learn_each, model, rows[timed], labels[timed])

        return prepare

    mappings = as_mappings(data.X)
    ours = {
        "rows as arrays": contestant(models.hedgerow_forest, list(data.X)),
        "rows as dicts": contestant(models.hedgerow_forest, mappings),
    }
    timings = best_of_more(ours, {"river": contestant(models.river_forest, mappings)}, rounds)
    for what in ours:
        mine, peer = timings[what], timings["river"]
        yield Line(section, what, mine.per_row(n_timed), peer.per_row(n_timed), peer.best / mine.best)


def stretch(data: ClassData, begin: int, end: int) -> Contestant:
    """Return a contestant that has learned the rows up to `begin` and is timed over those up to `end`."""

    def prepare() -> partial[None]:
        forest = models.hedgerow_forest()
        models.learn_in_chunks(forest, data, 0, begin)
        return partial(models.learn_in_chunks, forest, data, begin, end)

    return prepare


def per_row(seconds: float, n_rows: int) -> str:
    """Return a time per row in words."""
    return Timing((seconds,)).per_row(n_rows).partition(" (")[0]


def predict_and_learn_each(model: Any, rows: Sequence[Any], labels: Sequence[int]) -> None:
    """Let a model say the probabilities of each row before it learns it."""
    for row, label in zip(rows, labels, strict=True):
        model.predict_proba_one(row)
        model.learn_one(row, label)
