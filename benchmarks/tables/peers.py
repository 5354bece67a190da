"""CatBoost, LightGBM and HistGradientBoosting, each given categories and missing values as it takes them.

All are used alike: a fifth of the rows is held out, rounds are added until it is not predicted better, and the model is
then fitted to all rows with the number of rounds that was best. Errors on the rows held out are the residuals of split
conformal prediction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks.shared import held_out
from benchmarks.shared.held_out import PATIENCE, Fitted, Peer
from benchmarks.shared.peers import cat_boost, hist_gradient_boosting, light_gbm, stop_cat_boost, stop_light_gbm
from benchmarks.tables.data import Frames

MOST_ROUNDS, RATE = 1000, 0.05
MOST_LEVELS = 255
"""Of a category in HistGradientBoosting; its documentation recommends TargetEncoder for others."""
ABSENT = "missing"
"""The level that stands for a missing category in CatBoost, which takes no other."""

Kind = Callable[[int, int], Peer]
"""One library, from the number of classes, 0 for numbers, and a random seed; it searches for the number of rounds."""


def fit(kind: Kind, data: Frames, seed: int) -> Fitted:
    """Search for the number of rounds, and fit all rows."""
    strata = data.y if data.n_classes else None
    fitted = held_out.fit(kind(data.n_classes, seed), without_dates(data.X), data.y, seed, strata)
    return replace(fitted, predict=lambda rows: fitted.predict(without_dates(rows)))


def without_dates(X: pd.DataFrame, parts: Sequence[str] = ("days", "hour", "weekday", "season")) -> pd.DataFrame:
    """Return booleans as numbers, and of dates the numbers that a user would make of them: no peer reads dates."""
    found: dict[str, pd.Series] = {}
    for name, column in X.items():
        if column.dtype.kind == "M":
            days = (column - pd.Timestamp(1970, 1, 1)).dt.total_seconds() / 86_400
            clock = {"hour": 24 * (days % 1.0), "weekday": column.dt.day_of_week, "season": column.dt.day_of_year}
            found |= {f"{name} {part}": ({"days": days} | clock)[part].astype(np.float64) for part in parts}
        elif pd.api.types.is_numeric_dtype(column.dtype):  # booleans are
            found[str(name)] = column.astype(np.float64)
        else:
            found[str(name)] = column.astype(object)
    return pd.DataFrame(found)


def categories(X: pd.DataFrame) -> list[str]:
    """Return the columns that are not numbers."""
    return [str(name) for name, column in X.items() if column.dtype.kind == "O"]


class CatBoost:
    """Its defaults. Its learning rate is the lower one that it takes by default if no rows are held out."""

    loss: ClassVar[dict[str, str]] = {}

    def __init__(self, n_classes: int, seed: int) -> None:
        self.n_classes, self.seed, self.rate = n_classes, seed, float("nan")

    def search(self, X: pd.DataFrame, y: Any, X_held: pd.DataFrame, y_held: Any) -> tuple[int, Any]:
        model = self._new(X, MOST_ROUNDS)
        n_rounds = stop_cat_boost(model, named(X), y, named(X_held), y_held, PATIENCE)
        self.rate = model.get_all_params()["learning_rate"]
        return n_rounds, self._predict(model, X_held, ntree_end=n_rounds)

    def fit(self, X: pd.DataFrame, y: Any, n_rounds: int) -> Callable[[pd.DataFrame], Any]:
        model = self._new(X, n_rounds, learning_rate=self.rate).fit(named(X), y)
        return lambda rows: self._predict(model, rows)

    def _new(self, X: pd.DataFrame, n_rounds: int, **settings: Any) -> Any:
        settings |= {"iterations": n_rounds, "cat_features": categories(X), **self.loss}
        return cat_boost(self.seed, classes=self.n_classes > 0, **settings)

    def _predict(self, model: Any, X: pd.DataFrame, **which: Any) -> Any:
        return (model.predict_proba if self.n_classes else model.predict)(named(X), **which)


class CatBoostWithUncertainty(CatBoost):
    """A Gaussian a row: mean and variance in two columns."""

    loss: ClassVar[dict[str, str]] = {"loss_function": "RMSEWithUncertainty"}


class LightGBM:
    """Its defaults but for a learning rate of 0.05; categories as dtype category."""

    def __init__(self, n_classes: int, seed: int) -> None:
        self.n_classes, self.seed = n_classes, seed

    def search(self, X: pd.DataFrame, y: Any, X_held: pd.DataFrame, y_held: Any) -> tuple[int, Any]:
        model, levels = self._new(MOST_ROUNDS), Levels(X)
        held = levels(X_held)
        n_rounds = stop_light_gbm(model, levels(X), y, held, y_held, PATIENCE)
        return n_rounds, self._predict(model, held)

    def fit(self, X: pd.DataFrame, y: Any, n_rounds: int) -> Callable[[pd.DataFrame], Any]:
        levels = Levels(X)
        model = self._new(n_rounds).fit(levels(X), y)
        return lambda rows: self._predict(model, levels(rows))

    def _new(self, n_rounds: int) -> Any:
        return light_gbm(self.seed, classes=self.n_classes > 0, n_estimators=n_rounds, learning_rate=RATE)

    def _predict(self, model: Any, X: pd.DataFrame) -> Any:
        return (model.predict_proba if self.n_classes else model.predict)(X)


class HistGradientBoosting:
    """Its defaults but for a learning rate of 0.05; categories from the dtype, wide ones by TargetEncoder."""

    def __init__(self, n_classes: int, seed: int) -> None:
        self.n_classes, self.seed = n_classes, seed

    def search(self, X: pd.DataFrame, y: Any, X_held: pd.DataFrame, y_held: Any) -> tuple[int, Any]:
        means = TargetMeans(X, y, self.n_classes, self.seed)
        held = means(X_held)
        model = self._new(MOST_ROUNDS, early_stopping=True, n_iter_no_change=PATIENCE)
        model.fit(means.own, y, X_val=held, y_val=y_held)
        n_rounds = max(1, int(np.argmax(model.validation_score_)))
        staged = (model.staged_predict_proba if self.n_classes else model.staged_predict)(held)
        return n_rounds, next(islice(staged, n_rounds - 1, None))

    def fit(self, X: pd.DataFrame, y: Any, n_rounds: int) -> Callable[[pd.DataFrame], Any]:
        means = TargetMeans(X, y, self.n_classes, self.seed)
        model = self._new(n_rounds, early_stopping=False).fit(means.own, y)
        predict = model.predict_proba if self.n_classes else model.predict
        return lambda rows: predict(means(rows))

    def _new(self, n_rounds: int, **stopping: Any) -> Any:
        settings = {"max_iter": n_rounds, "learning_rate": RATE, **stopping}
        return hist_gradient_boosting(self.seed, classes=self.n_classes > 0, **settings)


def named(X: pd.DataFrame) -> pd.DataFrame:
    """Return categories as strings, with one for those that are missing."""
    return X.assign(**{name: X[name].where(X[name].notna(), ABSENT).astype(str) for name in categories(X)})


class Levels:
    """Strings as dtype category with the levels of the rows learned; a new level is missing."""

    def __init__(self, X: pd.DataFrame) -> None:
        self.kinds = {name: pd.CategoricalDtype(sorted(X[name].dropna().unique())) for name in categories(X)}

    def __call__(self, X: pd.DataFrame) -> pd.DataFrame:
        known = {name: X[name].where(X[name].isin(kind.categories)) for name, kind in self.kinds.items()}
        return X.assign(**known).astype(self.kinds)


class TargetMeans:
    """Categories as `Levels` has them, but those of many levels as cross-fitted means of the target."""

    def __init__(self, X: pd.DataFrame, y: Any, n_classes: int, seed: int) -> None:
        from sklearn.preprocessing import TargetEncoder

        self.wide = [name for name in categories(X) if X[name].nunique() > MOST_LEVELS]
        self.levels = Levels(X.drop(columns=self.wide))
        kind = {0: "continuous", 2: "binary"}.get(n_classes, "multiclass")
        folds = (StratifiedKFold if n_classes else KFold)(5, shuffle=True, random_state=seed)
        self.encoder = TargetEncoder(target_type=kind, cv=folds)
        self.own = self._joined(X, self.encoder.fit_transform(self._wide(X), y) if self.wide else None)

    def __call__(self, X: pd.DataFrame) -> pd.DataFrame:
        return self._joined(X, self.encoder.transform(self._wide(X)) if self.wide else None)

    def _wide(self, X: pd.DataFrame) -> pd.DataFrame:
        return X[self.wide].fillna(ABSENT)

    def _joined(self, X: pd.DataFrame, means: Any) -> pd.DataFrame:
        rest = self.levels(X.drop(columns=self.wide))
        if means is None:
            return rest
        names = [f"mean {column}" for column in range(means.shape[1])]
        return rest.join(pd.DataFrame(means, columns=names, index=X.index))
