"""Boosting next to ExtraTrees with 100 trees, and to gradient boosting where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import geometric_mean
from typing import Any

import numpy as np

from benchmarks.shared.data import Split, friedman, regression_sets
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


def sets(page: Page, options: Options) -> None:
    """Fit regression sets of the folder, or of scikit-learn, next to ExtraTrees."""
    quotients, rows = [], []
    tables = regression_sets(options.data, options.pick(400, 4000), SOME_SETS)
    for table in tables[: options.pick(2, len(tables))]:
        data = table.split(0, options.pick(300, 8000), 1)
        models = {name: contestants(page, False)[name] for name in (NAMES[0], EXTRA_TREES)}
        timings = interleave(
            {name: lambda new=new, data=data: partial(new().fit, data.X, data.y) for name, new in models.items()}, 1
        )
        quotients.append(timings[NAMES[0]].best / timings[EXTRA_TREES].best)
        what = f"{len(data.X):,} x {data.X.shape[1]}"
        rows.append((table.name, what, *(str(timings[name]) for name in models), ratio(quotients[-1])))
    words = f"Over these sets, in the geometric mean: {ratio(geometric_mean(quotients))}."
    headings = ("", "rows x columns", NAMES[0], EXTRA_TREES, "times ExtraTrees")
    page.table("Fit boosting on sets of at most 8,000 rows", headings, rows, words)


def stages(page: Page, options: Options) -> None:
    """Leave kinds of stages out: what each costs, and what it brings."""
    n, n_asked = options.pick(400, 8000), options.pick(500, 10_000)
    data = friedman(n, 10, n_test=n_asked)
    works, rows = {}, []
    kinds = {
        "all": "auto",
        "no kernel": ["linear", "mondrian", "greedy"],
        "no greedy trees": ["linear", "kernel", "mondrian"],
    }
    kinds["linear and Mondrian"] = ["linear", "mondrian"]
    for name, chosen in kinds.items():
        model = MondrianBoostingRegressor(stages=chosen, n_jobs=1, random_state=0).fit(data.X, data.y)
        works[f"fit, {name}"] = partial(model.fit, data.X, data.y)
        works[f"predict, {name}"] = partial(model.predict, data.X_test, return_std=True)
        rows.append([name, f"{data.rmse(model.predict(data.X_test)):.3f}"])
    timings = interleave({name: lambda work=work: work for name, work in works.items()}, options.pick(1, 3))
    for row in rows:
        row[1:1] = [str(timings[f"fit, {row[0]}"]), timings[f"predict, {row[0]}"].per_row(n_asked)]
    headings = ("stages", "fit", "predict mean and std, a row", "RMSE")
    words = "What each kind costs and brings on Friedman's function, whose noise has a standard deviation of 1."
    page.table(f"Kinds of stages of boosting, {n:,} x 10", headings, rows, words)


SOME_SETS = (
    "abalone", "ailerons", "airfoil", "bank32nh", "cal_housing", "concrete", "cpu_act", "house_8L", "kin8nm",
    "power_plant", "puma8NH", "seoul_bike", "wind", "wine_red",
)  # fmt: skip
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
