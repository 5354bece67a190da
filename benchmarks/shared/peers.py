"""Peers that several topics share, all on one thread, and rows in the form that river takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.shared.data import Floats


def extra_trees(n_trees: int, seed: int = 0, **parameters: Any) -> Any:
    """Return scikit-learn's ExtraTreesRegressor."""
    from sklearn.ensemble import ExtraTreesRegressor

    return ExtraTreesRegressor(n_trees, n_jobs=1, random_state=seed, **parameters)


def mean_and_spread(forest: Any, X: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of the trees of a forest of scikit-learn."""
    each = np.array([tree.predict(X.astype(np.float32)) for tree in forest.estimators_])
    return each.mean(axis=0), each.std(axis=0)


def cat_boost(seed: int = 0, *, classes: bool = False, **parameters: Any) -> Any:
    """Return CatBoost's regressor or classifier."""
    from catboost import CatBoostClassifier, CatBoostRegressor

    parameters |= {"random_seed": seed, "thread_count": 1, "verbose": False, "allow_writing_files": False}
    return (CatBoostClassifier if classes else CatBoostRegressor)(**parameters)


def stop_cat_boost(model: Any, X: Any, y: Any, X_held: Any, y_held: Any, patience: int) -> int:
    """Fit a model of CatBoost until rows held out are not predicted better, and return the best number of rounds."""
    model.fit(X, y, eval_set=(X_held, y_held), early_stopping_rounds=patience, use_best_model=False)
    return int(model.get_best_iteration()) + 1


def light_gbm(seed: int = 0, *, classes: bool = False, **parameters: Any) -> Any:
    """Return LightGBM's regressor or classifier."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    return (LGBMClassifier if classes else LGBMRegressor)(random_state=seed, n_jobs=1, verbose=-1, **parameters)


def stop_light_gbm(model: Any, X: Any, y: Any, X_held: Any, y_held: Any, patience: int) -> int:
    """Fit a model of LightGBM until rows held out are not predicted better, and return the best number of rounds."""
    from lightgbm import early_stopping

    model.fit(X, y, eval_X=X_held, eval_y=y_held, callbacks=[early_stopping(patience, verbose=False)])
    return int(model.best_iteration_)


def hist_gradient_boosting(seed: int = 0, *, classes: bool = False, **parameters: Any) -> Any:
    """Return scikit-learn's HistGradientBoosting, which has as many threads as OpenMP may."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    return kind(random_state=seed, **parameters)


def river_amf(n_trees: int = 10, seed: int = 0, *, classes: bool = False) -> Any:
    """Return river's aggregated Mondrian forest."""
    from river.forest import AMFClassifier, AMFRegressor

    return (AMFClassifier if classes else AMFRegressor)(n_estimators=n_trees, seed=seed)


def river_arf(n_trees: int = 10, seed: int = 0, *, classes: bool = False, **parameters: Any) -> Any:
    """Return river's adaptive random forest."""
    from river.forest import ARFClassifier, ARFRegressor

    return (ARFClassifier if classes else ARFRegressor)(n_models=n_trees, seed=seed, **parameters)


def river_srp(n_trees: int = 10, seed: int = 0, *, classes: bool = False) -> Any:
    """Return river's streaming random patches."""
    from river.ensemble import SRPClassifier, SRPRegressor

    return (SRPClassifier if classes else SRPRegressor)(n_models=n_trees, seed=seed)


def as_mappings(X: Floats) -> list[dict[str, float]]:
    """Return rows as river takes them."""
    names = [f"x{column}" for column in range(X.shape[1])]
    return [dict(zip(names, row, strict=True)) for row in X.tolist()]


def learn_each(model: Any, rows: Sequence[Any], targets: Sequence[Any]) -> None:
    """Let a model learn rows one call at a time."""
    for row, target in zip(rows, targets, strict=True):
        model.learn_one(row, target)


def predict_and_learn_each(model: Any, rows: Sequence[Any], targets: Sequence[Any]) -> list[Any]:
    """Let a model predict each row before it learns it, and return what it predicted: of classes, probabilities."""
    predict, found = getattr(model, "predict_proba_one", model.predict_one), []
    for row, target in zip(rows, targets, strict=True):
        found.append(predict(row))
        model.learn_one(row, target)
    return found


def river_probabilities(forest: Any, X: Floats, n_classes: int) -> Floats:
    """Ask a classifier of river about rows one by one; labels are whole numbers from 0."""
    found = np.zeros((len(X), n_classes))
    for place, row in enumerate(as_mappings(X)):
        for label, probability in forest.predict_proba_one(row).items():
            found[place, label] = probability
    return found
