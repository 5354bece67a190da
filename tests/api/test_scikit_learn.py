"""scikit-learn's own checks, with no expected failure."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone, is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from hedgerow import (
    BARTClassifier,
    BARTRegressor,
    BayesianTreeClassifier,
    BayesianTreeRegressor,
    MondrianBoostingClassifier,
    MondrianBoostingRegressor,
    MondrianForestClassifier,
    MondrianForestRegressor,
)

FORESTS = [
    MondrianForestRegressor(n_estimators=5),
    MondrianForestRegressor(n_estimators=5, smoothing="moments"),
    MondrianForestRegressor(n_estimators=5, scaling="rank"),
    MondrianForestRegressor(n_estimators=5, scaling="none", min_samples_split=2),
    MondrianForestRegressor(n_estimators=5, lifetime=3.0, n_jobs=2),
    MondrianForestClassifier(n_estimators=5),
    MondrianForestClassifier(n_estimators=5, scaling="rank", pause_pure=False, base="empirical"),
    MondrianForestClassifier(n_estimators=5, lifetime=3.0, min_samples_split=5, prior_weight=0, n_jobs=2),
    MondrianBoostingRegressor(n_estimators=4, max_stages=2),
    MondrianBoostingClassifier(n_estimators=4, max_stages=2),
    BayesianTreeClassifier(n_particles=200),
    BayesianTreeClassifier(n_particles=50, proposal="optimal", expansion="layer", n_jobs=2),
    BayesianTreeClassifier("cgm", n_particles=100, n_steps=2000),
    BayesianTreeRegressor(n_particles=500, proposal="empirical", resampling="systematic"),
    BayesianTreeRegressor(n_particles=50, proposal="optimal", max_features="sqrt"),
    BayesianTreeRegressor("cgm", n_particles=100, n_steps=2000),
    BARTRegressor(20, n_chains=1, n_draws=50, n_burn_in=50),
    BARTRegressor(3, n_chains=2, n_draws=20, n_burn_in=20, n_jobs=2),
    BARTRegressor(20, noise="varying", n_chains=1, n_draws=50, n_burn_in=50),
    BARTClassifier(20, n_chains=1, n_draws=50, n_burn_in=50),
    BARTClassifier(5, sampler="pg", n_chains=2, n_draws=20, n_burn_in=20, thin=2),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of the shortest chains
@parametrize_with_checks(FORESTS)
def test_check(estimator, check):
    check(estimator)


def test_meta_estimators():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.normal(size=80)
    y += 5 * X[:, 0]
    pipeline = make_pipeline(StandardScaler(), MondrianForestRegressor(10, random_state=0))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.3
    search = GridSearchCV(MondrianForestRegressor(3, random_state=0), {"min_samples_split": [2, 20]}, cv=2).fit(X, y)
    assert search.best_params_["min_samples_split"] in (2, 20)
    assert is_regressor(pipeline)


def test_clone_is_unfitted_and_equal_in_parameters():
    forest = MondrianForestRegressor(3, window=9, random_state=np.random.RandomState(1)).fit([[0.0], [1.0]], [0, 1])
    fresh = clone(forest)
    assert not fresh.__sklearn_is_fitted__()
    assert fresh.window == 9
    assert isinstance(fresh.random_state, np.random.RandomState)
    assert fresh.random_state is not forest.random_state


@pytest.mark.parametrize("seed", [None, 5, np.random.RandomState(3)], ids=str)
def test_random_state(seed):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = 5 * np.sin(2 * X[:, 0])  # something to learn: noise alone may be smoothed to one number by all seeds
    one = MondrianForestRegressor(2, random_state=seed).fit(X, y).predict(X + 1)
    other = MondrianForestRegressor(2, random_state=seed).fit(X, y).predict(X + 1)
    assert np.array_equal(one, other) == (seed == 5)
