"""HistGradientBoosting, LightGBM, XGBoost and CatBoost: at their defaults, tuned, and with a variance a row.

All but those are models of the mean. Their distribution is that of split conformal prediction: the mean, and the
quantiles of the residuals of rows held out. It is the same around every mean and has no density.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import Any, Protocol

import numpy as np

from benchmarks.accuracy.forecasts import ENDS, LEVELS, Forecast, gaussian
from benchmarks.shared import held_out
from benchmarks.shared.data import Floats, Split
from benchmarks.shared.held_out import PATIENCE
from benchmarks.shared.peers import cat_boost, hist_gradient_boosting, light_gbm, stop_cat_boost, stop_light_gbm

HISTOGRAM, LIGHTGBM, LIGHTGBM_TUNED = "HistGradientBoosting", "LightGBM", "LightGBM, tuned"
XGBOOST, XGBOOST_TUNED = "XGBoost", "XGBoost, tuned"
CATBOOST, UNCERTAIN, STOPPED = "CatBoost", "CatBoost, uncertainty", "CatBoost, uncertainty, stopped"
N_TRIED, MOST_ROUNDS = 10, 2000
"""Configurations that are drawn for a tuned model, and rounds of each."""
RATES, LEAF_ROWS, SHARES, PENALTIES = (0.02, 0.3), (1, 64), (0.5, 1.0), (0.01, 10.0)
"""Learning rate, least rows of a leaf, shares of rows and columns, L2 penalty: the least and the most that is drawn."""
LEAVES, DEPTHS = (8, 128), (3, 9)


def xg_boost(seed: int, **parameters: Any) -> Any:
    """Return XGBoost's regressor."""
    from xgboost import XGBRegressor

    return XGBRegressor(random_state=seed, n_jobs=1, **parameters)


uncertain_cat_boost = partial(cat_boost, loss_function="RMSEWithUncertainty")
"""It predicts means and variances in two columns."""


class Default:
    """A model with nothing to search for."""

    def __init__(self, new: Callable[[int], Any], seed: int) -> None:
        self.new, self.seed = new, seed

    def search(self, X: Floats, y: Floats, X_held: Floats, y_held: Floats) -> tuple[None, Floats]:
        return None, self.new(self.seed).fit(X, y).predict(X_held)

    def fit(self, X: Floats, y: Floats, settings: None) -> Callable[[Floats], Floats]:
        predict: Callable[[Floats], Floats] = self.new(self.seed).fit(X, y).predict
        return predict


class Library(Protocol):
    """What tuning needs to know of a library."""

    def draw(self, rng: np.random.Generator) -> dict[str, Any]:
        """Return random settings."""

    def new(self, seed: int, **settings: Any) -> Any:
        """Return a model, not fitted."""

    def stop(self, model: Any, X: Floats, y: Floats, X_held: Floats, y_held: Floats) -> int:
        """Fit until rows held out are not predicted better; predictions are then those of the best round."""


class LightGBM:
    """Leaf by leaf, so their number is drawn."""

    new = staticmethod(light_gbm)

    def draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return {
            "learning_rate": log_uniform(rng, RATES),
            "num_leaves": round(log_uniform(rng, LEAVES)),
            "min_child_samples": round(log_uniform(rng, LEAF_ROWS)),
            "subsample": rng.uniform(*SHARES),
            "subsample_freq": 1,
            "colsample_bytree": rng.uniform(*SHARES),
            "reg_lambda": log_uniform(rng, PENALTIES),
        }

    def stop(self, model: Any, X: Floats, y: Floats, X_held: Floats, y_held: Floats) -> int:
        return stop_light_gbm(model, X, y, X_held, y_held, PATIENCE)


class XGBoost:
    """Level by level, so their number is drawn; of squared errors, the weight of a child is its number of rows."""

    new = staticmethod(xg_boost)

    def draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return {
            "learning_rate": log_uniform(rng, RATES),
            "max_depth": int(rng.integers(*DEPTHS, endpoint=True)),
            "min_child_weight": round(log_uniform(rng, LEAF_ROWS)),
            "subsample": rng.uniform(*SHARES),
            "colsample_bytree": rng.uniform(*SHARES),
            "reg_lambda": log_uniform(rng, PENALTIES),
        }

    def stop(self, model: Any, X: Floats, y: Floats, X_held: Floats, y_held: Floats) -> int:
        model.set_params(early_stopping_rounds=PATIENCE).fit(X, y, eval_set=[(X_held, y_held)], verbose=False)
        return int(model.best_iteration) + 1


def log_uniform(rng: np.random.Generator, ends: tuple[float, float]) -> float:
    """Draw a number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(*np.log(ends))))


class Tuned:
    """The best of random settings, each with its best number of rounds."""

    def __init__(self, library: Library, seed: int) -> None:
        self.library, self.seed = library, seed

    def search(self, X: Floats, y: Floats, X_held: Floats, y_held: Floats) -> tuple[dict[str, Any], Floats]:
        rng, tried = np.random.default_rng(self.seed), []
        for _ in range(N_TRIED):
            settings = self.library.draw(rng)
            model = self.library.new(self.seed, n_estimators=MOST_ROUNDS, **settings)
            n_rounds = self.library.stop(model, X, y, X_held, y_held)
            held = model.predict(X_held)
            tried.append((np.mean((y_held - held) ** 2), settings | {"n_estimators": n_rounds}, held))
        _, best, held = min(tried, key=itemgetter(0))
        return best, held

    def fit(self, X: Floats, y: Floats, settings: dict[str, Any]) -> Callable[[Floats], Floats]:
        predict: Callable[[Floats], Floats] = self.library.new(self.seed, **settings).fit(X, y).predict
        return predict


class StoppedCatBoost:
    """CatBoost with uncertainty, which at its default number of rounds often predicts too small a variance."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def search(self, X: Floats, y: Floats, X_held: Floats, y_held: Floats) -> tuple[dict[str, Any], Floats]:
        model = uncertain_cat_boost(self.seed)
        n_rounds = stop_cat_boost(model, X, y, X_held, y_held, PATIENCE)
        rate = model.get_all_params()["learning_rate"]
        return {"iterations": n_rounds, "learning_rate": rate}, model.predict(X_held, ntree_end=n_rounds)

    def fit(self, X: Floats, y: Floats, settings: dict[str, Any]) -> Callable[[Floats], Floats]:
        predict: Callable[[Floats], Floats] = uncertain_cat_boost(self.seed, **settings).fit(X, y).predict
        return predict


class HeldOut:
    """A peer that is fitted twice, first without a fifth of the rows."""

    def __init__(self, peer: held_out.Peer, seed: int) -> None:
        self.peer, self.seed = peer, seed

    def fit(self, X: Floats, y: Floats) -> None:
        self.fitted = held_out.fit(self.peer, X, y, self.seed)

    def predict(self, X: Floats) -> Any:
        return self.fitted.predict(X)


def ask_conformal(model: HeldOut, data: Split) -> Forecast:
    mean, around = model.predict(data.X_test), model.fitted.around
    return Forecast(mean, around(mean, LEVELS), around(mean, ENDS), None)


def ask_cat_boost(model: Any, data: Split) -> Forecast:
    mean, variance = model.predict(data.X_test).T
    return gaussian(mean, np.sqrt(variance), data.y_test)


POINTS: dict[str, tuple[str, Callable[[int], Any]]] = {
    HISTOGRAM: ("scikit-learn", hist_gradient_boosting),
    LIGHTGBM: ("lightgbm", light_gbm),
    XGBOOST: ("xgboost", xg_boost),
    CATBOOST: ("catboost", cat_boost),
}
"""Models of the mean at their defaults: the library that each is of, and how to make it with a random seed."""


def default(name: str) -> tuple[str, Callable[[int], Any], Callable[[Any, Split], Forecast]]:
    """Return one of them as a contestant."""
    library, new = POINTS[name]
    return library, lambda seed: HeldOut(Default(new, seed), seed), ask_conformal


CONTESTANTS = {
    HISTOGRAM: default(HISTOGRAM),
    LIGHTGBM: default(LIGHTGBM),
    LIGHTGBM_TUNED: ("lightgbm", lambda seed: HeldOut(Tuned(LightGBM(), seed), seed), ask_conformal),
    XGBOOST: default(XGBOOST),
    XGBOOST_TUNED: ("xgboost", lambda seed: HeldOut(Tuned(XGBoost(), seed), seed), ask_conformal),
    CATBOOST: default(CATBOOST),
    UNCERTAIN: ("catboost", uncertain_cat_boost, ask_cat_boost),
    STOPPED: ("catboost", lambda seed: HeldOut(StoppedCatBoost(seed), seed), ask_cat_boost),
}
"""The library that each is of, how to make it with a random seed, and how to ask it."""
