"""Boosting next to ExtraTrees with 100 trees, and to gradient boosting where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks.shared.data import Split, friedman
from benchmarks.shared.page import Options, Page, ratio
from benchmarks.shared.peers import cat_boost, extra_trees, light_gbm
from benchmarks.shared.timing import interleave
from hedgerow import MondrianBoostingClassifier, MondrianBoostingRegressor

N_TREES = 100
EXTRA_TREES = "ExtraTrees"


def fit(page: Page, options: Options) -> None:
    """Fit regressors and classifiers; the quotient is that of hedgerow's time and ExtraTrees'."""
    cases = ((2000, 10, 1, 3), (8000, 10, 1, 3), (8000, 10, 4, 3), (100_000, 10, 1, 1))
    rows = []
    for n, width, n_classes, rounds in cases:
        n = options.pick(n // 20, n)
        data = in_classes(friedman(n, width), n_classes)
        models = contestants(page, n_classes > 1)
        works = {name: lambda new=new, data=data: partial(new().fit, data.X, data.y) for name, new in models.items()}
        timings = interleave(works, options.pick(1, rounds))
        what = f"{n:,} x {width}" + (f", {n_classes} classes" if n_classes > 1 else "")
        shown = [str(timings[name]) if name in timings else "not installed" for name in NAMES]
        rows.append((what, *shown, ratio(timings[NAMES[0]].best / timings[EXTRA_TREES].best)))
    page.table("Fit boosting", ("rows x columns", *NAMES, "times ExtraTrees"), rows, WORDS)


def predict(page: Page, options: Options) -> None:
    """Predict mean and standard deviation, for several widths and for targets that take few values."""
    n, n_asked = options.pick(400, 8000), options.pick(500, 10_000)
    rows = []
    for width, what in ((10, ""), (20, ""), (30, ""), (10, ", targets of six whole numbers")):
        data = friedman(n, width, n_test=n_asked)
        if what:
            data = replace(data, y=np.clip(np.round(data.y / 5.0), 0, 5), y_test=data.y_test)
        fitted = {name: new().fit(data.X, data.y) for name, new in contestants(page, False).items()}
        works = {name: partial(model.predict, data.X_test) for name, model in fitted.items()}
        works[NAMES[0]] = partial(fitted[NAMES[0]].predict, data.X_test, return_std=True)
        timings = interleave({name: lambda work=work: work for name, work in works.items()}, options.pick(1, 5))
        shown = [timings[name].per_row(n_asked) if name in timings else "not installed" for name in NAMES]
        rows.append((f"{width}{what}", *shown, ratio(timings[NAMES[0]].best / timings[EXTRA_TREES].best)))
    title = f"Predict {n_asked:,} rows with boosting fitted on {n:,}, time a row"
    headings = ("columns", f"{NAMES[0]}, mean and std", *NAMES[1:], "times ExtraTrees")
    page.table(title, headings, rows, "hedgerow predicts mean and standard deviation, the others the mean.")


NAMES = ("hedgerow", EXTRA_TREES, "LightGBM", "CatBoost")
WORDS = "Default parameters; ExtraTrees has 100 trees. The last column is the time of hedgerow over that of ExtraTrees."


def contestants(page: Page, classes: bool) -> dict[str, Callable[[], Any]]:
    """Return what makes each model that is installed."""
    ours = MondrianBoostingClassifier if classes else MondrianBoostingRegressor
    found: dict[str, Callable[[], Any]] = {
        NAMES[0]: partial(ours, n_jobs=1, random_state=0),
        EXTRA_TREES: class_trees if classes else partial(extra_trees, N_TREES),
    }
    if page.has("lightgbm"):
        found["LightGBM"] = partial(light_gbm, classes=classes)
    if page.has("catboost"):
        found["CatBoost"] = partial(cat_boost, classes=classes)
    return found


def class_trees() -> Any:
    """Return scikit-learn's ExtraTreesClassifier."""
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(N_TREES, n_jobs=1, random_state=0)


def in_classes(data: Split, n_classes: int) -> Split:
    """Return targets cut into so many classes of equal size; as they are if there is to be one."""
    if n_classes == 1:
        return data
    edges = np.quantile(data.y, np.arange(1, n_classes) / n_classes)
    return replace(data, y=np.searchsorted(edges, data.y), y_test=np.searchsorted(edges, data.y_test))
