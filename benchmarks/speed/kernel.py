"""Fitting kernel ridge regression as it comes, on rows of many shapes."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.shared.data import Floats, friedman
from benchmarks.shared.page import Options, Page
from benchmarks.shared.timing import interleave
from hedgerow import MondrianKernelRidge

SHAPES = ((600, 2), (1000, 10), (2400, 4), (5000, 1), (5000, 10), (5000, 100), (10_000, 10))


def fit(page: Page, options: Options) -> None:
    """Fit the default model; of integers, skewed columns and copies of rows too."""
    rows = []
    for n, width in SHAPES:
        n = options.pick(n // 20, n)
        data = friedman(n, max(width, 5))
        rows.append(_row(f"{n:,} x {width}", data.X[:, :width], data.y, options))
    n = options.pick(250, 5000)
    for what, (X, y) in _odd_rows(n).items():
        rows.append(_row(f"{n:,} x {X.shape[1]}, {what}", X, y, options))
    headings = ("rows x columns", "fit", "lifetimes looked at", "time each", "cells in use", "solution")
    page.table("Fit MondrianKernelRidge, default parameters", headings, rows)


def _row(what: str, X: Floats, y: Floats, options: Options) -> tuple[str, ...]:
    model = MondrianKernelRidge(n_jobs=1, random_state=0)
    X = np.ascontiguousarray(X)
    timing = interleave({what: lambda: partial(model.fit, X, y)}, options.pick(1, 3))[what]
    try:
        model.loo_predict()
        solution = "exact"
    except ValueError:
        solution = "iterative"
    n_lifetimes = len(model.path_)
    each = f"{timing.best / n_lifetimes * 1e3:.3g} ms"
    return what, str(timing), f"{n_lifetimes:,}", each, f"{model.n_cells_:,}", solution


def _odd_rows(n: int) -> dict[str, tuple[Floats, Floats]]:
    rng = np.random.default_rng(0)
    digits = rng.integers(0, 4, size=(n, 6)).astype(float)
    skewed = np.exp(1.5 * rng.normal(size=(n, 20)))
    copies = rng.uniform(size=(n // 10, 5))[rng.integers(0, n // 10, size=n)]
    noise = 0.2 * rng.normal(size=n)
    return {
        "integers": (digits, digits[:, 0] * digits[:, 1] + noise),
        "log-normal": (skewed, np.log(skewed[:, 0]) * np.log(skewed[:, 1]) + noise),
        "copies": (copies, np.sin(9.0 * copies[:, 0]) + copies[:, 1] + noise),
    }
