"""What users may hand to online regressors, and what they hear if they may not."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import hedgerow
from hedgerow import OnlineConformalRegressor, OnlineForestRegressor, OnlineQuantileForestRegressor
from online_models import EVERY_MODEL, bits, draw_stream, forest

X, Y = draw_stream()
QUESTIONS = [
    lambda model: model.predict(X[:5]),
    lambda model: model.predict_dist(X[:5]),
    lambda model: model.predict_interval(X[:5]),
    lambda model: model.predict_quantiles(X[:5], [0.1, 0.9]),
    lambda model: model.log_density(X[:5], Y[:5]),
    lambda model: model.n_samples_seen_,
]


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


@EVERY_MODEL
def test_answers_have_their_shapes_and_agree(new):
    model = new().fit(X, Y)
    mean, std = model.predict(X, return_std=True)
    dist = model.predict_dist(X)
    if getattr(model, "sketch_size", 200) == 200:  # small sketches have lost labels that the mean has not
        np.testing.assert_allclose(dist.mean(), mean, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(dist.std(), std, rtol=1e-12)
    assert (std > 0).all()
    assert model.predict_interval(X, confidence=0.8).shape == (400, 2)
    np.testing.assert_allclose(model.log_density(X, Y), dist.logpdf(Y))
    quantiles = model.predict_quantiles(X, [0.1, 0.5, 0.9])
    assert quantiles.shape == (400, 3)
    assert (np.diff(quantiles, axis=1) >= 0).all()
    assert model.predict_one(X[3]) == mean[3]
    assert model.n_samples_seen_ == 400


@EVERY_MODEL
def test_rows_by_name(new):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    by_name, by_place = new(), new().partial_fit(X, Y)
    for row, label in zip(frame.to_dict("records"), Y, strict=True):
        by_name.learn_one(row, label)
    assert list(by_name.feature_names_in_) == ["a", "b", "c"]
    np.testing.assert_array_equal(by_name.predict(frame), by_place.predict(X))
    shuffled = {"c": X[5, 2], "a": X[5, 0], "b": X[5, 1]}
    assert by_name.predict_one(shuffled) == by_place.predict_one(list(X[5]))
    with pytest.raises(ValueError, match="no feature 'b'"):
        by_name.learn_one({"a": 1.0, "c": 1.0}, 0.0)
    with pytest.raises(ValueError, match="without names"):
        by_place.predict_one(shuffled)


@EVERY_MODEL
def test_before_the_first_row(new):
    model = new()
    assert model.predict_one([1.0, 2.0, 3.0]) == 0.0
    for ask in QUESTIONS:
        with pytest.raises(NotFittedError):
            ask(model)
    assert not hasattr(clone(model), "_core")


@EVERY_MODEL
@pytest.mark.parametrize("fitted", [False, True])
def test_a_failed_call_changes_nothing(new, fitted):
    model = new()
    if fitted:
        model.fit(X, Y)
    before, attributes = bits(model), set(vars(model))
    bad_X = X.copy()
    bad_X[7, 1] = np.nan
    for call, message in [
        (lambda: model.partial_fit(bad_X, Y), "NaN"),
        (lambda: model.partial_fit(X, np.r_[Y[:-1], np.inf]), "infinity"),
        (lambda: model.partial_fit(X, np.r_[Y[:-1], 1e200]), "within 1e"),
        (lambda: model.partial_fit(X, Y[:-1]), "inconsistent"),
        (lambda: model.partial_fit(X, Y, sample_weight=-np.ones(400)), "negative"),
        (lambda: model.fit(X, Y, sample_weight=np.zeros(400)), "every sample_weight is zero"),
        (lambda: model.predict_then_learn(bad_X, Y), "NaN"),
        (lambda: model.predict_then_learn(X, Y[:-1]), "inconsistent"),
        (lambda: model.learn_one([1.0, np.inf, 2.0], 1.0), "finite"),
        (lambda: model.learn_one([1.0, 2.0, 3.0], np.nan), "finite"),
        (lambda: model.learn_one([1.0, 2.0, 3.0], "x"), "number"),
        (lambda: model.learn_one([], 1.0), "feature"),
        (lambda: model.learn_one([[1.0]], 1.0), "dimensions"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
    if fitted:
        with pytest.raises(ValueError, match="features"):
            model.learn_one([1.0, 2.0], 1.0)
        with pytest.raises(ValueError, match="features"):
            model.predict(X[:, :2])
    assert bits(model) == before
    assert set(vars(model)) == attributes


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


def test_parameters_cannot_change_while_learning():
    model = forest().fit(X, Y)
    model.set_params(grace_period=50)
    with pytest.raises(ValueError, match="grace_period was 20"):
        model.partial_fit(X, Y)
    model.fit(X, Y).partial_fit(X, Y)


@EVERY_MODEL
def test_files(new, tmp_path):
    model = new().partial_fit(X[:330], Y[:330])
    model.save(tmp_path / "model")
    copies = [hedgerow.load(tmp_path / "model"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    model.partial_fit(X[330:], Y[330:])
    for other in copies:
        assert other.n_samples_seen_ == 330
        other.partial_fit(X[330:], Y[330:])
        assert bits(other) == bits(model)
        np.testing.assert_array_equal(other.predict_interval(X), model.predict_interval(X))


def test_unfitted_and_renamed_files(tmp_path):
    forest(max_nodes=5).save(tmp_path / "empty")
    assert hedgerow.load(tmp_path / "empty").max_nodes == 5
    named = forest().fit(pd.DataFrame(X, columns=list("abc")), Y)
    named.save(tmp_path / "named")
    assert list(hedgerow.load(tmp_path / "named").feature_names_in_) == list("abc")


@EVERY_MODEL
def test_damaged_files_are_refused_or_harmless(new, tmp_path):
    """A byte changed anywhere: the file is refused with a ValueError, or it is a model that answers."""
    content = bits(new().fit(X, Y))
    rng = np.random.default_rng(0)
    for place in rng.integers(len(content), size=120):
        damaged = bytearray(content)
        damaged[place] ^= 1 << rng.integers(8)
        (tmp_path / "damaged").write_bytes(damaged)
        try:
            model = hedgerow.load(tmp_path / "damaged")
        except ValueError:
            continue
        with np.errstate(all="ignore"):
            assert model.predict(X[:, : model.n_features_in_]).shape == (400,)
            model.partial_fit(X, Y)


@EVERY_MODEL
def test_prediction_does_not_touch_the_model(new):
    model = new().fit(X, Y)
    before = bits(model)
    for ask in QUESTIONS:
        ask(model)
    model.predict_one(X[0])
    assert bits(model) == before
