"""Fitting and predicting next to scikit-learn's ExtraTreesRegressor, and two threads next to one."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from benchmarks.shared.data import friedman
from benchmarks.shared.page import Options, Page, ratio
from benchmarks.shared.peers import extra_trees
from benchmarks.shared.timing import Contestant, interleave
from hedgerow import MondrianForestRegressor

N_TREES = 10


def hedgerow_forest(**parameters: Any) -> MondrianForestRegressor:
    """Return this library's forest, on one thread unless `parameters` say otherwise."""
    settings = {"n_estimators": N_TREES, "hyperparameters": "paper", "n_jobs": 1, "random_state": 0, **parameters}
    return MondrianForestRegressor(**settings)


def peer(**parameters: Any) -> Any:
    """Return scikit-learn's fastest forest to fit: random cuts, the best of one cut per column."""
    return extra_trees(N_TREES, min_samples_leaf=5, **parameters)


def fit(page: Page, options: Options) -> None:
    """Fit both in turn, and say what errors the time buys."""
    cases = ((100_000, 10, False, 7), (700_000, 8, False, 2), (100_000, 90, False, 2), (100_000, 10, True, 7))
    rows = []
    for n, width, skewed, rounds in cases:
        n = options.pick(n // 50, n)
        data = friedman(n, width, skewed=skewed)
        ours, theirs = hedgerow_forest(), peer()
        timings = interleave(
            {
                "ours": lambda ours=ours, data=data: partial(ours.fit, data.X, data.y),
                "theirs": lambda theirs=theirs, data=data: partial(theirs.fit, data.X, data.y),
            },
            options.pick(2, rounds),
        )
        errors = [f"{data.rmse(model.predict(data.X_test)):.2f}" for model in (ours, theirs)]
        what = f"{n:,} x {width}" + (", exponential marginals" if skewed else "")
        quotient = timings["theirs"].best / timings["ours"].best
        rows.append((what, str(timings["ours"]), str(timings["theirs"]), ratio(quotient), *errors))
    headings = ("rows x columns", "hedgerow", "ExtraTrees", "times as fast", "RMSE, hedgerow", "RMSE, ExtraTrees")
    words = "RMSE is on 10,000 new rows; targets have a standard deviation of 4.9. Splits do not look at targets."
    page.table("Fit", headings, rows, words)


def predict(page: Page, options: Options) -> None:
    """Predict the mean, and mean and standard deviation together."""
    n, rows = options.pick(2000, 100_000), []
    for width in (8, 10, 16, 90):
        data = friedman(n, width)
        ours, theirs = hedgerow_forest().fit(data.X, data.y), peer().fit(data.X, data.y)
        works = {
            "both": partial(ours.predict, data.X_test, return_std=True),
            "mean": partial(ours.predict, data.X_test),
            "theirs": partial(theirs.predict, data.X_test),
        }
        contestants: dict[str, Contestant] = {name: lambda work=work: work for name, work in works.items()}
        timings = interleave(contestants, options.pick(2, 15))
        quotient = timings["theirs"].best / timings["both"].best
        rows.append((f"{width}", *(str(timings[name]) for name in works), ratio(quotient)))
    headings = ("columns", "hedgerow, mean and std", "hedgerow, mean", "ExtraTrees, mean", "times as fast, with std")
    page.table(f"Predict 10,000 rows, fitted on {n:,}", headings, rows)


def threads(page: Page, options: Options) -> None:
    """Two threads next to one."""
    n = options.pick(2000, 100_000)
    data = friedman(n, 10, n_test=n)
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
        (f"fit {n:,} rows", fit, 21),
        (f"partial_fit {n:,} rows", partial_fit, 7),
        (f"predict {n // 10:,} rows", partial(predict, n // 10), 41),
        (f"predict {n:,} rows", partial(predict, n), 11),
    )
    rows = []
    for what, work, rounds in works:
        found = interleave({"one": work(1), "two": work(2)}, options.pick(2, rounds), time.perf_counter)
        rows.append((what, str(found["one"]), str(found["two"]), ratio(found["one"].best / found["two"].best)))
    page.table("Two threads, by the wall clock", ("", "one thread", "two threads", "times as fast"), rows)
