"""The parameter `target`: errors, streams, files, pickles."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from hedgerow import MondrianBoostingRegressor, MondrianForestRegressor, load
from hedgerow.predictive import Counts, Mapped, NormalMixture
from stored import Stored

MODELS = [MondrianForestRegressor, MondrianBoostingRegressor]


def minus_log(y):
    return -np.log(y)


LOG = (np.log, np.exp, minus_log)


def rows(n=400, kind="positive", seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    log_mean = 2 * X[:, 0] + X[:, 1]
    if kind == "positive":
        return X, np.exp(log_mean + 0.8 * rng.normal(size=n))
    counts = rng.poisson(np.exp(log_mean)) * (rng.uniform(size=n) > 0.1 + 0.7 * X[:, 2])
    return X, counts.astype(np.float64)


@pytest.mark.parametrize("model", MODELS)
def test_errors_say_what_to_do(model):
    X, y = rows(60)
    for asked, targets, words in (
        ("positive", y - 2, r"needs targets above 0, but \d+ of 60 are 0 or less \(smallest -1.*target='real'"),
        ("count", y, "needs whole numbers from 0 to .*, but 60 of 60"),
        ("count", np.arange(60) - 1, "needs whole numbers from 0 to .*, but 1 of 60"),
        ((np.log, np.exp, np.log), y, "derivative"),
        (LOG, y - 2, "no finite value"),
        ("log", y, "target must be one of"),
        ((np.log, np.exp), y, "target must be one of"),
        (None, y, "target must be one of"),
    ):
        with pytest.raises(ValueError, match=words):
            model(5, target=asked, random_state=0).fit(X, targets)


@pytest.mark.parametrize("model", MODELS)
def test_a_refused_row_leaves_the_model_as_it_was(model):
    X, y = rows(60)
    fitted = model(5, target="positive", random_state=0).fit(X, y)
    before = fitted.predict(X)
    for change in (lambda: fitted.partial_fit(X, y - 2), lambda: fitted.learn_one(X[0], 0.0)):
        with pytest.raises(ValueError, match="above 0"):
            change()
        np.testing.assert_array_equal(fitted.predict(X), before)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", ["positive", "count"])
def test_what_is_predicted(model, kind):
    X, y = rows(kind=kind)
    fitted = model(10, random_state=0).fit(X, y)
    dist = fitted.predict_dist(X)
    assert fitted.target_ == kind
    assert type(dist) is (Mapped if kind == "positive" else Counts)
    interval = fitted.predict_interval(X, 0.98)
    assert (interval >= 0).all()
    mean, std = fitted.predict(X, return_std=True)
    np.testing.assert_array_equal(mean, dist.mean())
    np.testing.assert_array_equal(std, dist.std())
    np.testing.assert_allclose(fitted.predict_one(X[0]), mean[0])
    np.testing.assert_array_equal(fitted.log_density(X, y), dist.logpdf(y))
    loo = fitted.loo_predict()
    assert loo.mean.shape == (400,)
    assert 1 - ((y - loo.mean) ** 2).mean() / y.var() > 0
    assert np.isfinite(loo.log_density).all()
    if kind == "count":
        assert (interval == np.floor(interval)).all()
        np.testing.assert_allclose(dist.pmf(np.tile(np.arange(300.0), (400, 1))).sum(axis=1), 1.0, atol=1e-3)


@pytest.mark.parametrize("y", [np.zeros(80), np.full(80, 3.0)], ids=["zeros", "threes"])
@pytest.mark.parametrize("target", ["auto", "count", "positive"])
@pytest.mark.parametrize("model", MODELS)
def test_constant_targets(model, target, y):
    if target == "positive" and y[0] == 0:
        return
    X = np.random.default_rng(0).uniform(size=(80, 2))
    fitted = model(5, target=target, random_state=0).fit(X, y)
    np.testing.assert_allclose(fitted.predict(X), y, atol=0.05)
    assert np.isfinite(fitted.predict_interval(X)).all()


@pytest.mark.parametrize(
    "y",
    [
        np.random.default_rng(0).integers(1, 6, size=300),
        np.random.default_rng(0).integers(0, 2, size=300),
        np.random.default_rng(0).integers(0, 5, size=300),
        np.random.default_rng(0).poisson(5, size=300) - 5,
        np.random.default_rng(0).normal(100, 1, size=300),
    ],
    ids=["grades", "indicator", "grades from 0", "negative whole numbers", "far from 0"],
)
def test_what_stays_real(y):
    X = np.random.default_rng(1).uniform(size=(300, 2))
    fitted = MondrianForestRegressor(5, random_state=0).fit(X, y)
    assert type(fitted.predict_dist(X)) is NormalMixture


def test_numbers_that_are_in_units_of_labels_keep_targets_real():
    X, y = rows()
    for given in ({"prior_mean": 3.0}, {"noise_variance": 1.0}, {"hyperparameters": "paper"}, {"smoothing": "moments"}):
        assert type(MondrianForestRegressor(5, random_state=0, **given).fit(X, y).predict_dist(X)) is NormalMixture


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", ["positive", "count"])
def test_streams_learn_what_targets_are_and_files_go_on(model, kind, tmp_path):
    X, y = rows(500, kind)
    whole = model(5, random_state=0).partial_fit(X, y)
    dealt = model(5, random_state=0)
    for piece in np.split(np.arange(500), [1, 7, 64, 300]):
        dealt.partial_fit(X[piece], y[piece])
    assert type(whole.predict_dist(X[:1])) is (Mapped if kind == "positive" else Counts)
    np.testing.assert_array_equal(whole.predict(X[:20]), dealt.predict(X[:20]))
    whole.save(tmp_path / "model")
    others = [load(tmp_path / "model"), pickle.loads(pickle.dumps(whole)), copy.deepcopy(whole)]
    X2, y2 = rows(60, kind, seed=1)
    for other in others:
        np.testing.assert_array_equal(other.predict_interval(X), whole.predict_interval(X))
    whole.partial_fit(X2, y2)
    for other in others:
        np.testing.assert_array_equal(other.partial_fit(X2, y2).predict(X[:20]), whole.predict(X[:20]))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", ["positive", "count"])
def test_a_target_that_does_not_fit_makes_targets_real(model, kind):
    """Also in the middle of a batch: forecasts of the rows before it do not know of it."""
    X, y = rows(500, kind)
    y[450] = -1.0
    together, apart = (model(5, random_state=0).partial_fit(X[:400], y[:400]) for _ in range(2))
    forecasts = together.predict_then_learn(X[400:], y[400:])
    assert (forecasts.interval()[:50] >= 0).all()
    for row, target in zip(X[400:], y[400:], strict=True):
        apart.learn_one(row, target)
    np.testing.assert_array_equal(together.predict(X), apart.predict(X))
    assert type(together.predict_dist(X)) not in (Mapped, Counts)
    assert together.n_samples_seen_ == 500


@pytest.mark.parametrize("kind", ["positive", "count"])
def test_a_forest_that_turned_to_real_targets_is_as_good_as_one_that_began_so(kind):
    X, y = rows(500, kind)
    turned, plain = (MondrianForestRegressor(20, target=target, random_state=0) for target in ("auto", "real"))
    assert turned.partial_fit(X, y).target_ == kind
    for forest in (turned, plain.partial_fit(X, y)):
        forest.learn_one(X[0] + 0.01, -1.0)
        assert forest.target_ == "real"
        np.testing.assert_array_equal(forest._learner.core.row_weights(), [])
    np.testing.assert_allclose(turned._learner.core.label_moments[2], plain._learner.core.label_moments[2], rtol=1e-9)
    said = [forest.loo_predict() for forest in (turned, plain)]
    targets = np.append(y, -1.0)
    errors = [np.mean((loo.mean - targets) ** 2) for loo in said]
    assert errors[0] == pytest.approx(errors[1], rel=0.15)
    assert np.mean(said[0].std ** 2) == pytest.approx(errors[0], rel=0.3)
    assert said[0].log_density.mean() == pytest.approx(said[1].log_density.mean(), abs=0.15)


def test_rows_are_unlearned():
    for kind in ("positive", "count"):
        X, y = rows(300, kind)
        weights = np.random.default_rng(2).uniform(0.5, 2, size=300)
        forest = MondrianForestRegressor(5, random_state=0).fit(X, y, weights)
        forest.unlearn(X[:100], y[:100], weights[:100]).unlearn_one(X[100], y[100])
        assert forest.n_samples_ == 199
        assert forest.check_structure() == []
        with pytest.raises(ValueError, match="not among those learned"):
            forest.unlearn(X[:1], y[:1])


@pytest.mark.parametrize("model", MODELS)
def test_functions_go_into_a_pickle_and_not_into_a_file(model, tmp_path):
    X, y = rows(200)
    fitted = clone(model(5, target=LOG, random_state=0)).fit(X, y)
    for other in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        np.testing.assert_array_equal(other.predict_interval(X), fitted.predict_interval(X))
        other.partial_fit(X[:5], y[:5])
    with pytest.raises(TypeError, match="a file holds no code"):
        fitted.save(tmp_path / "model")
    assert (fitted.predict_interval(X) > 0).all()


@pytest.mark.parametrize("model", MODELS)
def test_damaged_files_are_refused(model, tmp_path):
    positive = model(5, target="positive", random_state=0).fit(*rows(100))
    count = model(5, target="count", random_state=0).fit(*rows(400, "count"))
    positive, count = Stored.of(positive), Stored.of(count)
    at = "learner/labels/target" if model is MondrianForestRegressor else "learner/target"
    changes = {
        "unknown": (positive, {"name": "other"}),
        "another curve": (positive, {"target": ["sqrt", 1.0]}),
        "no knee": (positive, {"target": ["log", 0.0]}),
        "endless knee": (positive, {"target": ["log", float("inf")]}),
        "functions": (positive, {"name": "functions"}),
        "cells in disorder": (count, {"cells": ["log", 5.0, 9.0, -9.0]}),
        "many cells": (count, {"cells": ["log", 5.0, *[0.0] * 99]}),
        "zeros": (count, {"zeros/numbers": [0.0, float("nan"), 1.0]}),
        "endless slope": (count, {"zeros/numbers": [0.0, 65.0, -1006.0]}),
        "no forest": (count, {"zeros/forest": {}}),
        "nothing": (count, {"name": None}),
    }
    for stored, change in changes.values():
        with pytest.raises(ValueError, match="cannot load"):
            stored.with_learned({f"{at}/{name}": value for name, value in change.items()}).load(tmp_path / "model")


def minus_log_of_root(y):
    return -0.5 * np.log1p(y**2)


def test_scikit_learn_takes_a_map_of_ones_own():
    """Not one test a check: the name of a function differs from process to process."""
    check_estimator(MondrianForestRegressor(n_estimators=5, target=(np.arcsinh, np.sinh, minus_log_of_root)))


def test_a_window_may_turn_to_another_kind_of_target():
    """Places of rows that have left the window hold nothing that a map could take."""
    X, y = rows(700)
    forest = MondrianForestRegressor(3, window=100, random_state=0).partial_fit(X, y)
    assert forest.target_ == "positive"
    assert (forest.predict_interval(X) > 0).all()


@parametrize_with_checks([MondrianBoostingRegressor(n_estimators=5, max_stages=2, target="auto")])
def test_check(estimator, check):
    check(estimator)
