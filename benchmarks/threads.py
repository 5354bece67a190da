"""Two threads next to one, by the wall clock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from benchmarks.data import friedman
from benchmarks.peers import hedgerow_forest
from benchmarks.report import Line
from benchmarks.timing import Contestant, Effort, interleave

SECTION = "two threads (left) against one (right), wall clock; Friedman1 with 10 columns"
TARGET = 1.7


def run(effort: Effort) -> Iterator[Line]:
    """Yield a line for each kind of work."""
    n_rows = effort.rows(100_000)
    data = friedman(n_rows, 10, n_test=100_000)
    fitted = hedgerow_forest().fit(data.X, data.y)

    def fit(n_jobs: int) -> Contestant:
        return lambda: partial(hedgerow_forest(n_jobs=n_jobs).fit, data.X, data.y)

    def partial_fit(n_jobs: int) -> Contestant:
        return lambda: partial(hedgerow_forest(n_jobs=n_jobs).partial_fit, data.X, data.y)

    def predict(n_rows: int, n_jobs: int) -> Contestant:
        def prepare() -> partial[object]:
            fitted.set_params(n_jobs=n_jobs)
            return partial(fitted.predict, data.X_test[:n_rows], return_std=True)

        return prepare

    works = (
        (f"fit {n_rows:,} rows", fit, 21),
        (f"partial_fit {n_rows:,} rows", partial_fit, 7),
        ("predict 10,000 rows", partial(predict, 10_000), 41),
        ("predict 100,000 rows", partial(predict, 100_000), 11),
    )
    for what, work, rounds in works:
        timings = interleave({"one": work(1), "two": work(2)}, effort.rounds(rounds), time.perf_counter)
        ratio = timings["one"].best / timings["two"].best
        yield Line(SECTION, what, str(timings["two"]), str(timings["one"]), ratio, TARGET)
