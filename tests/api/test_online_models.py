"""What users may hand to online regressors, and what they hear if they may not."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from hedgerow import OnlineConformalRegressor, OnlineForestRegressor, OnlineQuantileForestRegressor
from models import draw_numbers
from models import online_forest as forest

X, Y = draw_numbers()


@parametrize_with_checks(
    [
        OnlineForestRegressor(),
        OnlineForestRegressor(leaf_model="linear", n_jobs=2),
        OnlineForestRegressor(split_test="hoeffding", drift_detection="page_hinkley"),
        OnlineConformalRegressor(),
        OnlineConformalRegressor(mode="approximate", normalised=True, adaptive=True),
        OnlineQuantileForestRegressor(),
        OnlineQuantileForestRegressor(conformal=True, sketch_size=20),
    ]
)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_estimators", 0),
        ("grace_period", 1.5),
        ("split_confidence", 1.0),
        ("split_confidence", 0.0),
        ("tie_threshold", -1),
        ("max_features", "all"),
        ("max_features", 0),
        ("max_features", 1.5),
        ("max_features", True),
        ("bagging_rate", 0),
        ("bagging_rate", 1e4),
        ("drift_detection", "ddm"),
        ("drift_detection", 1),
        ("max_nodes", 0),
        ("split_test", "best"),
        ("leaf_model", "tree"),
        ("min_samples_leaf", 0),
        ("leaf_capacity", 1),
        ("n_jobs", 0),
    ],
)
def test_parameters_of_a_forest(name, value):
    for learn in (
        lambda model: model.fit(X, Y),
        lambda model: model.partial_fit(X, Y),
        lambda model: model.learn_one(X[0], Y[0]),
    ):
        model = forest().set_params(**{name: value})
        with pytest.raises(ValueError, match=name):
            learn(model)
        assert not model.__sklearn_is_fitted__()


@pytest.mark.parametrize(("value", "expected"), [("sqrt", 3), ("log2", 3), (None, 10), (4, 4), (99, 10), (0.55, 5)])
def test_max_features(value, expected):
    from hedgerow.online._settings import n_candidates

    assert n_candidates(value, 10) == expected
