"""How error and time grow with the number of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.accuracy.gradient_boosting import CATBOOST, LIGHTGBM, POINTS
from benchmarks.accuracy.models import BOOSTING, boosting
from benchmarks.shared.data import Split, Table, friedman
from benchmarks.shared.page import Page
from benchmarks.shared.timing import Work, interleave

REAL = ("flight_nyc2013", "kin40k")
MOST_TEST, MANY, ROUNDS = 10_000, 50_000, 3
"""Test rows; rows to learn, from which on there is one turn instead of several."""
NEW: dict[str, Callable[[int], Any]] = {BOOSTING: boosting, **{name: POINTS[name][1] for name in (LIGHTGBM, CATBOOST)}}


def growth(page: Page, sets: Sequence[Table], models: Sequence[str], sizes: Sequence[int]) -> None:
    """Fit the first rows of each set, more and more of them, and predict the same others."""
    contestants, rows = [model for model in NEW if model in models], []
    real = [table.split(0, sizes[-1], MOST_TEST).in_target_units() for table in sets if table.name in REAL]
    for data in (friedman(sizes[-1], n_test=MOST_TEST), *real):
        for n_rows in sorted({min(size, data.y.size) for size in sizes}):
            first = replace(data, X=data.X[:n_rows], y=data.y[:n_rows])
            errors, seconds = fits(first, contestants)
            page.tell(f"{data.name}, {n_rows:,} rows: {seconds}")
            cells = (*(f"{error:.3f}" for error in errors), *(f"{each:.3g}" for each in seconds))
            rows.append((data.name, f"{n_rows:,}", *cells))
    words = (
        f"LightGBM and CatBoost are fitted once, without rows held out, so they predict a mean only. {MOST_TEST:,} "
        "other rows at most are predicted. friedman1 is in its own units, with noise of standard deviation 1, others "
        "in units of the standard deviation of the most targets learned. Times are processor time in seconds on one "
        f"thread, of fewer than {MANY:,} rows the best of {ROUNDS} turns."
    )
    headings = [f"{what}, {model.removeprefix('hedgerow ')}" for what in ("RMSE", "fit") for model in contestants]
    page.table("Growth", ("", "rows", *headings), rows, words)


def fits(data: Split, contestants: Sequence[str]) -> tuple[list[float], list[float]]:
    """Return errors, and the processor time of the best turn."""
    fitted: dict[str, Any] = {}

    def prepare(name: str) -> Work:
        fitted[name] = NEW[name](0)
        return lambda: fitted[name].fit(data.X, data.y)

    with threadpool_limits(1):
        turns = {name: partial(prepare, name) for name in contestants}
        timings = interleave(turns, ROUNDS if data.y.size < MANY else 1)
        return [data.rmse(fitted[name].predict(data.X_test)) for name in turns], [t.best for t in timings.values()]
