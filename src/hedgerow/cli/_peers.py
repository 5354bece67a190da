"""Models of other libraries, at their defaults: scikit-learn, and LightGBM and CatBoost if they are installed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from hedgerow.cli._scores import Scores, class_scores, number_scores, quantile_levels

MOST_LEVELS = 254
"""Of a category in HistGradientBoosting; one with more is a number to it, the rank of how common a level is."""

Predict = Callable[[Any], Any]
"""From encoded rows to means, or to probabilities."""


def peers() -> tuple[dict[str, Callable[..., Predict]], list[str]]:
    """Return the models that there are, by name, and the names of libraries that are not installed."""
    found = {"ExtraTrees": _extra_trees, "HistGradientBoosting": _hist_gradient_boosting}
    others = {"LightGBM": ("lightgbm", _lightgbm), "CatBoost": ("catboost", _catboost)}
    missing = [name for name, (package, _) in others.items() if find_spec(package) is None]
    return found | {name: fit for name, (_, fit) in others.items() if name not in missing}, missing


def peer_scores(
    fit: Callable[..., Predict], X: Any, y: Any, X_new: Any, y_new: Any, task: str, confidence: float, **how: Any
) -> Scores:
    """Fit another library's model, and score it.

    Its intervals and quantiles are those of its errors on a fifth of the rows, around its prediction after it was
    fitted to all: split conformal prediction, with the model fitted again.
    """
    encode = Encoder(X)
    rows, new = encode(X), encode(X_new)
    threads = how["jobs"] if how["jobs"] > 0 else None
    with warnings.catch_warnings(), threadpool_limits(threads, "openmp"):  # HistGradientBoosting takes all otherwise
        warnings.simplefilter("ignore")
        if task == "classification":
            classes, labels = np.unique(y, return_inverse=True)
            return class_scores(y_new, fit(rows, labels, encode.is_category, True, **how)(new), classes)
        is_held = np.random.default_rng(0).permutation(len(y)) % 5 == 0
        part = fit(rows[~is_held], y[~is_held], encode.is_category, False, **how)
        errors = y[is_held] - part(rows[is_held])
        mean = fit(rows, y, encode.is_category, False, **how)(new)
    quantiles = mean[:, None] + np.quantile(errors, quantile_levels(confidence))
    return number_scores(y_new, mean, quantiles[:, -2:], quantiles[:, :-2])


class Encoder:
    """Tables as these models take them: dates as what users make of them, categories as numbers of their levels."""

    def __init__(self, X: Any) -> None:
        self.levels: dict[str, dict[Any, int]] = {}
        for name, column in X.items():
            if column.dtype == object or str(column.dtype) in ("category", "str", "string"):
                order = column.map(str, na_action="ignore").value_counts().index
                self.levels[name] = {level: rank for rank, level in enumerate(order)}
        self.is_category = np.array([is_category for _, is_category in self._columns(X)])

    def __call__(self, X: Any) -> Any:
        """Return a matrix of numbers, NaN where a value is missing or a level is new."""
        return np.column_stack([values for values, _ in self._columns(X)])

    def _columns(self, X: Any) -> list[tuple[Any, bool]]:
        found = []
        for name, column in X.items():
            if name in self.levels:
                codes = column.map(str, na_action="ignore").map(self.levels[name]).astype(float).to_numpy()
                found.append((codes, len(self.levels[name]) <= MOST_LEVELS))
            elif column.dtype.kind == "M":
                clock = (column.astype("int64") / 1e9, column.dt.month, column.dt.day_of_week, column.dt.hour)
                values = [part.where(column.notna()).astype(float).to_numpy() for part in clock]
                found += [(part, False) for part in values]
            else:
                found.append((column.astype(float).to_numpy(), False))
        return found


def _extra_trees(X: Any, y: Any, is_category: Any, classes: bool, seed: int, jobs: int) -> Predict:
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    kind: Any = ExtraTreesClassifier if classes else ExtraTreesRegressor
    return _predict_method(kind(random_state=seed, n_jobs=jobs).fit(X, y), classes)


def _hist_gradient_boosting(X: Any, y: Any, is_category: Any, classes: bool, seed: int, jobs: int) -> Predict:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind: Any = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    return _predict_method(kind(categorical_features=is_category, random_state=seed).fit(X, y), classes)


def _lightgbm(X: Any, y: Any, is_category: Any, classes: bool, seed: int, jobs: int) -> Predict:
    import lightgbm

    kind: Any = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
    model = kind(random_state=seed, n_jobs=jobs, verbosity=-1)
    return _predict_method(model.fit(X, y, categorical_feature=np.flatnonzero(is_category).tolist()), classes)


def _catboost(X: Any, y: Any, is_category: Any, classes: bool, seed: int, jobs: int) -> Predict:
    import catboost
    import pandas as pd

    def frame(rows: Any) -> Any:
        places = np.flatnonzero(is_category)
        named = pd.DataFrame(rows)
        return named.fillna(dict.fromkeys(places, -1)).astype(dict.fromkeys(places, int))

    kind: Any = catboost.CatBoostClassifier if classes else catboost.CatBoostRegressor
    model = kind(random_seed=seed, thread_count=jobs, verbose=False, allow_writing_files=False)
    model.fit(frame(X), y, cat_features=np.flatnonzero(is_category).tolist())
    predict = _predict_method(model, classes)
    return lambda rows: predict(frame(rows))


def _predict_method(model: Any, classes: bool) -> Predict:
    method: Predict = model.predict_proba if classes else model.predict
    return method
