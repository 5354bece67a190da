"""The contestants, all with as many trees."""

from __future__ import annotations

from typing import Any

from river.forest import AMFRegressor
from sklearn.ensemble import ExtraTreesRegressor

from hedgerow import MondrianForestRegressor

N_TREES = 10


def hedgerow_forest(**parameters: Any) -> MondrianForestRegressor:
    """Return this library's forest, on one thread unless `parameters` say otherwise."""
    settings = {"n_estimators": N_TREES, "hyperparameters": "paper", "n_jobs": 1, "random_state": 0, **parameters}
    return MondrianForestRegressor(**settings)


def extra_trees() -> ExtraTreesRegressor:
    """Return scikit-learn's fastest forest to fit: cuts at random, the best of one cut per column."""
    return ExtraTreesRegressor(n_estimators=N_TREES, min_samples_leaf=5, n_jobs=1, random_state=0)


def river_forest() -> AMFRegressor:
    """Return river's Mondrian forest, which splits whenever it can: min_samples_split is 2 in our words."""
    return AMFRegressor(n_estimators=N_TREES, seed=0)
