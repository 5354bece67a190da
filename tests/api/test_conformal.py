"""What users may ask of conformal regressors, and what they hear."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone

from hedgerow import OnlineConformalRegressor, OnlineForestRegressor
from models import conformal, draw_numbers
from models import online_forest as forest

X, Y = draw_numbers()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("calibration_size", 0),
        ("mode", "precise"),
        ("update_every", 0),
        ("adaptive", "yes"),
        ("adaptation_rate", 0),
        ("normalised", 1.0),
        ("size_matched", None),
        ("base", "forest"),
        ("base", OnlineForestRegressor(n_estimators=0)),
        ("base", OnlineForestRegressor(leaf_model="linear")),
    ],
)
def test_parameters(name, value):
    model = conformal().set_params(**{name: value})
    message = {"base": "base must|n_estimators|linear leaves"}.get(name, name)
    for learn in (lambda: model.fit(X, Y), lambda: model.learn_one(X[0], Y[0])):
        with pytest.raises(ValueError, match=message):
            learn()
    assert not model.__sklearn_is_fitted__()


def test_the_base_given_is_not_touched():
    base = forest()
    model = OnlineConformalRegressor(base).fit(X, Y)
    assert not base.__sklearn_is_fitted__()
    assert model.base_ is not base
    assert clone(model).base.get_params() == base.get_params()
    assert model.get_params()["base__grace_period"] == 20


def test_random_state_seeds_a_base_that_has_none():
    by_wrapper = OnlineConformalRegressor(random_state=3).fit(X, Y)
    by_base = OnlineConformalRegressor(OnlineForestRegressor(random_state=3)).fit(X, Y)
    np.testing.assert_array_equal(by_wrapper.predict_interval(X), by_base.predict_interval(X))
    own = OnlineConformalRegressor(OnlineForestRegressor(random_state=3), random_state=4).fit(X, Y)
    np.testing.assert_array_equal(own.predict(X), by_base.predict(X))


def test_linear_leaves_are_welcome_in_approximate_mode():
    model = conformal(forest(leaf_model="linear"), mode="approximate").fit(X, Y)
    assert np.isfinite(model.predict_interval(X)).all()


def test_many_confidences_from_one_model_are_nested():
    model = conformal(normalised=True).fit(X, Y)
    widths = [np.diff(model.predict_interval(X, c), axis=1)[:, 0] for c in (0.1, 0.5, 0.8, 0.9, 0.95)]
    for narrow, wide in pairwise(widths):
        assert (narrow <= wide).all()
    quantiles = model.predict_quantiles(X, [0.05, 0.5, 0.95])
    np.testing.assert_allclose(quantiles[:, [0, 2]], model.predict_interval(X, 0.9))
    np.testing.assert_array_equal(quantiles[:, 1], model.predict(X))


def test_intervals_are_infinite_until_there_are_scores_enough():
    model = OnlineConformalRegressor(forest(bagging_rate=0.5))  # nearly every row has a tree that never learned it
    _, interval = model.predict_then_learn(X[:60], Y[:60], confidence=0.9)
    is_infinite = np.isinf(interval).all(axis=1)
    n_infinite = int(is_infinite.sum())
    assert is_infinite[:n_infinite].all()
    assert 10 <= n_infinite <= 16  # nine scores are needed, none comes from the first row, a few rows have none
    assert np.isinf(model.predict_interval(X, 0.999)).all()
    assert np.isfinite(model.predict_dist(X).std()).all()


def test_a_base_that_learned_on_its_own_is_followed():
    model = conformal().fit(X[:200], Y[:200])
    model.base_.partial_fit(X[200:300], Y[200:300])
    model.partial_fit(X[300:], Y[300:])
    assert model.n_samples_seen_ == 400
    assert np.isfinite(model.predict_interval(X)).all()
