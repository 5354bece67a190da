"""BART: predicting from all draws, chains on two threads, and ending early."""

from __future__ import annotations

import time
import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.shared.data import Floats, Split, friedman, friedman_mean
from benchmarks.shared.page import Options, Page, ratio
from benchmarks.shared.timing import Contestant, interleave
from hedgerow import BARTRegressor


def measure(page: Page, options: Options) -> None:
    """Measure everything, one part after another."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        data = friedman(options.pick(500, 10_000), 10)
        given = options.pick({"n_draws": 50, "n_burn_in": 20}, {})
        model = threads(page, options, data, given)
        predict(page, options, data, model)
        auto(page, options)


def threads(page: Page, options: Options, data: Split, given: dict[str, Any]) -> BARTRegressor:
    """Fit on one and on two threads; return a fitted model."""
    model = BARTRegressor(random_state=0, **given)

    def fit(n_jobs: int) -> Contestant:
        return lambda: partial(model.set_params(n_jobs=n_jobs).fit, data.X, data.y)

    found = interleave({"one": fit(1), "two": fit(2)}, options.pick(1, 2), time.perf_counter)
    quotient = ratio(found["one"].best / found["two"].best)
    rows = [(f"{len(data.X):,} x 10", str(found["one"]), str(found["two"]), quotient)]
    words = f"{model.n_chains} chains of {model.n_draws_:,} draws after {model.n_burn_in} sweeps, 200 trees."
    headings = ("rows x columns", "one thread", "two threads", "times as fast")
    page.table("BART: fit, by the wall clock", headings, rows, words)
    return model.set_params(n_jobs=1)


def predict(page: Page, options: Options, data: Split, model: BARTRegressor) -> None:
    """Ask for the mean, for more of the distribution, and for all draws."""
    n_rows = options.pick(500, 10_000)
    rows = data.X_test[:n_rows]
    works: dict[str, Any] = {
        "mean": partial(model.predict, rows),
        "mean and std": partial(model.predict, rows, return_std=True),
        "90 % interval of the mean": partial(model.predict_interval, rows, kind="mean"),
        "90 % interval of a target": partial(model.predict_interval, rows),
    }
    contestants: dict[str, Contestant] = {name: lambda work=work: work for name, work in works.items()}
    timings = interleave(contestants, options.pick(1, 5))
    n_trees = n_rows * model.n_chains * model.n_draws_ * model.n_estimators
    lines = [(name, str(found), f"{found.best / n_trees * 1e12:.0f}") for name, found in timings.items()]
    words = "The last column is the time for each row, draw and tree."
    page.table(f"BART: predict {n_rows:,} rows", ("", "seconds", "ps"), lines, words)


def auto(page: Page, options: Options) -> None:
    """End early next to a fixed number of draws: time, and what it costs in accuracy."""
    lines = []
    for name, function in {"nothing": nothing, "steps": steps, "Friedman's": friedman_mean}.items():
        for n in options.pick((100,), (500, 2000)):
            for n_draws in (options.pick(100, 1000), "auto"):
                lines.append((name, f"{n:,}", f"{n_draws}", *auto_line(function, n, n_draws, options)))
    headings = ("function", "rows", "n_draws", "draws", "fit", "RMSE of the mean", "coverage of 90 %", "least ESS")
    words = "10 columns, noise of standard deviation 1; 2,000 new rows. ESS is that of predictions at 20 rows."
    page.table('BART: n_draws="auto"', headings, lines, words)


def auto_line(function: Any, n: int, n_draws: int | str, options: Options) -> tuple[str, ...]:
    """Fit once; return what the table shows of it."""
    rng = np.random.default_rng(0)
    X, X_new = rng.uniform(size=(n, 10)), rng.uniform(size=(2000, 10))
    mean, y, y_new = function(X_new), function(X) + rng.normal(size=n), function(X_new) + rng.normal(size=2000)
    model = BARTRegressor(n_draws=n_draws, n_burn_in=options.pick(20, 500), n_jobs=1, random_state=0)
    found = interleave({"fit": lambda: partial(model.fit, X, y)}, 1)["fit"]
    lower, upper = model.predict_interval(X_new).T
    error = np.sqrt(np.mean((model.predict(X_new) - mean) ** 2))
    coverage = np.mean((lower <= y_new) & (y_new <= upper))
    ess = model.diagnostics().ess["predictions"]
    return f"{model.n_draws_:,}", f"{found.best:.1f} s", f"{error:.3f}", f"{coverage:.3f}", f"{ess:.0f}"


def nothing(X: Floats) -> Floats:
    """Noise only."""
    return np.zeros(len(X))


def steps(X: Floats) -> Floats:
    """Two steps, one of them in a quarter of the rows."""
    found: Floats = 4.0 * (X[:, 0] > 0.5) + 3.0 * (X[:, 1] > 0.3) * (X[:, 2] > 0.6)
    return found
