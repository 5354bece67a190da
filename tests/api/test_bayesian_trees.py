"""Bayesian trees: what users hand in, odd data, what the posterior says, files."""

from __future__ import annotations

import math
import os
import pickle
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from hedgerow import BayesianTreeClassifier, BayesianTreeRegressor
from models import bits

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3)).round(1)
CLASSES = np.where(X[:, 0] > 0.3, "a", np.where(X[:, 1] > 0, "b", "c"))
NUMBERS = np.where(X[:, 0] > 0.3, 5.0, 1.0) + 0.1 * RNG.normal(size=120)
MODELS = [
    (BayesianTreeClassifier(n_particles=60, random_state=1), CLASSES),
    (BayesianTreeClassifier(n_particles=20, proposal="optimal", random_state=1), CLASSES),
    (BayesianTreeClassifier("cgm", n_particles=50, n_steps=500, random_state=1), CLASSES),
    (BayesianTreeRegressor(n_particles=60, random_state=1), NUMBERS),
    (BayesianTreeRegressor("cgm", n_particles=50, n_steps=500, random_state=1), NUMBERS),
]
IDS = ["classes", "classes, optimal", "classes, cgm", "numbers", "numbers, cgm"]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"sampler": "mcmc"}, "sampler must be one of 'smc', 'cgm', got 'mcmc'"),
        ({"proposal": "best"}, "proposal must be one of"),
        ({"expansion": 3}, "expansion must be one of"),
        ({"resampling": None}, "resampling must be one of"),
        ({"n_particles": 0}, "n_particles must be an integer of at least 1"),
        ({"n_particles": 3, "n_islands": 5}, "n_particles must give each of the 5 islands"),
        ({"n_particles": 2**30, "n_islands": 1}, "between one and 16777216"),
        ({"n_islands": 1.5}, "n_islands must be an integer"),
        ({"ess_threshold": 1.5}, "ess_threshold must be a number from 0 to 1"),
        ({"ess_threshold": math.nan}, "ess_threshold"),
        ({"split_base": 1.0}, "split_base must be a number between 0 and 1"),
        ({"split_base": 0}, "split_base"),
        ({"split_decay": -0.1}, "split_decay must be a number of at least 0"),
        ({"max_features": 2}, "max_features is for sampler='smc' with proposal='optimal'"),
        ({"max_features": 7, "proposal": "optimal"}, "max_features must be None, 'sqrt'"),
        ({"max_features": 0.0, "proposal": "optimal"}, "max_features must be"),
        ({"sampler": "cgm", "n_steps": 0}, "n_steps must be an integer of at least 1"),
        ({"sampler": "cgm", "n_steps": 10, "n_burn_in": 10}, "n_burn_in must be less than n_steps=10"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
@pytest.mark.parametrize("kind", [BayesianTreeClassifier, BayesianTreeRegressor])
def test_bad_parameters_are_explained(kind, parameters, words):
    y = CLASSES if kind is BayesianTreeClassifier else NUMBERS
    with pytest.raises(ValueError, match=words.replace("(", "\\(")):
        kind(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"mean_weight": 0.0}, "mean_weight must be a positive number"),
        ({"noise_df": -1}, "noise_df must be a positive number"),
        ({"noise_quantile": 1.0}, "noise_quantile must be"),
        ({"noise_scale": 0.0}, "noise_scale must be a positive number from 1e-200 to 1e.200, or None"),
        ({"prior_mean": math.inf}, "prior_mean must be a finite number"),
    ],
)
def test_bad_parameters_of_leaves_are_explained(parameters, words):
    with pytest.raises(ValueError, match=words):
        BayesianTreeRegressor(**parameters).fit(X, NUMBERS)
    with pytest.raises(ValueError, match="concentration must be a positive number"):
        BayesianTreeClassifier(concentration=0).fit(X, CLASSES)


def test_infinite_values_are_refused_with_advice():
    infinite = X.copy()
    infinite[3, 0] = np.inf
    with pytest.raises(ValueError, match="feature 0 is inf in row 3; every value must be finite, or NaN if"):
        BayesianTreeClassifier().fit(infinite, CLASSES)


@pytest.mark.parametrize("kind", [BayesianTreeClassifier, BayesianTreeRegressor])
def test_not_fitted(kind):
    model = kind()
    for call in (lambda: model.predict(X), model.most_probable_tree, lambda: model.n_leaves_):
        with pytest.raises(NotFittedError):
            call()
    assert not hasattr(BayesianTreeClassifier(), "classes_")


def test_a_variance_is_infinite_where_no_row_tells_it():
    """A leaf of one row, and a prior of one degree of freedom: Student's t with two has quantiles and no variance."""
    lone, y = np.array([[0.0], [1.0]]), np.array([0.0, 1e6])
    model = BayesianTreeRegressor(noise_df=1, noise_scale=1e-6, split_base=0.999, random_state=0).fit(lone, y)
    assert np.isposinf(model.predict(lone, return_std=True)[1]).all()
    assert np.isposinf(model.predict_uncertainty(lone).noise).all()
    assert np.isfinite(model.predict_interval(lone)).all()
    assert np.isfinite(model.set_params(noise_df=1.5).fit(lone, y).predict(lone, return_std=True)[1]).all()


def test_a_chain_has_no_evidence():
    model = BayesianTreeClassifier("cgm", n_steps=50, n_particles=10).fit(X, CLASSES)
    with pytest.raises(AttributeError, match="sampler='smc'"):
        _ = model.log_marginal_likelihood_


# Odd data.


@pytest.mark.parametrize(("model", "y"), MODELS, ids=IDS)
def test_equal_rows_are_never_split(model, y):
    model.fit(np.ones((120, 3)), y)
    assert model.n_leaves_ == pytest.approx(1.0)
    assert model.split_inclusion_.tolist() == [0.0, 0.0, 0.0]
    assert model.feature_importances_.tolist() == [0.0, 0.0, 0.0]
    assert len(str(model.most_probable_tree()).splitlines()) == 1


@pytest.mark.parametrize(("model", "y"), MODELS, ids=IDS)
def test_constant_columns_are_never_split(model, y):
    model.fit(np.column_stack([np.full(120, 7.0), X, np.zeros(120)]), y)
    assert model.split_inclusion_[[0, 4]].tolist() == [0.0, 0.0]
    assert model.split_inclusion_[1] > 0.9
    assert model.feature_importances_.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("settings", [{}, {"proposal": "optimal"}, {"sampler": "cgm", "n_steps": 200}])
def test_one_class(settings):
    model = BayesianTreeClassifier(n_particles=20, random_state=0, **settings).fit(X, ["only"] * 120)
    assert (model.predict_proba(X) == 1.0).all() or np.allclose(model.predict_proba(X), 1.0, atol=1e-12)
    assert set(model.predict(X)) == {"only"}


@pytest.mark.parametrize("settings", [{}, {"proposal": "optimal"}, {"sampler": "cgm", "n_steps": 500}])
def test_hundreds_of_classes(settings):
    rows = np.arange(800.0)[:, None]
    y = np.repeat(np.arange(400), 2)
    model = BayesianTreeClassifier(n_particles=10, random_state=0, **settings).fit(rows, y)
    found = model.predict_proba(rows)
    assert found.shape == (800, 400)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-9)
    assert (found > 0).all()
    assert pickle.loads(pickle.dumps(model)).predict_proba(rows[:5]).tobytes() == found[:5].tobytes()


@pytest.mark.parametrize("settings", [{}, {"proposal": "empirical"}, {"proposal": "optimal"}, {"sampler": "cgm"}])
def test_extreme_values(settings):
    """The longest range and the shortest one that doubles have, in two columns."""
    wild = np.column_stack([[-1.7e308, 1.7e308, 0.0, 1.0], [0.0, 5e-324, 1e-323, 1.0]])
    model = BayesianTreeClassifier(n_particles=30, n_steps=300, random_state=0, **settings).fit(wild, [0, 1, 0, 1])
    assert np.isfinite(model.predict_proba(wild)).all()
    assert np.isfinite(getattr(model, "log_marginal_likelihood_", 0.0))


@pytest.mark.parametrize("scale", [1e-97, 1e100])
def test_extreme_labels(scale):
    model = BayesianTreeRegressor(n_particles=60, random_state=1).fit(X, NUMBERS)
    scaled = BayesianTreeRegressor(n_particles=60, random_state=1).fit(X, NUMBERS / NUMBERS.max() * scale)
    np.testing.assert_allclose(scaled.predict(X), model.predict(X) / NUMBERS.max() * scale, rtol=1e-6)
    with pytest.raises(ValueError, match="within 1e100"):
        model.fit(X, NUMBERS * 1e151)


def test_equal_labels():
    model = BayesianTreeRegressor(n_particles=60, random_state=1).fit(X, np.full(120, 3.0))
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, 3.0)
    assert np.isfinite(std).all()


def test_an_offset_changes_nothing_but_the_offset():
    model = BayesianTreeRegressor(n_particles=60, random_state=1).fit(X, NUMBERS)
    moved = BayesianTreeRegressor(n_particles=60, random_state=1).fit(X, NUMBERS + 2.0**20)
    np.testing.assert_allclose(moved.predict(X) - 2.0**20, model.predict(X), atol=1e-7)
    assert moved.log_marginal_likelihood_ == pytest.approx(model.log_marginal_likelihood_, abs=1e-4)


# What the posterior says.


@pytest.mark.parametrize(("model", "y"), MODELS, ids=IDS)
def test_the_posterior_is_one(model, y):
    model.fit(X, y)
    assert model.tree_weights_.sum() == pytest.approx(1.0)
    assert 1.0 <= model.effective_n_trees_ <= model.tree_weights_.size + 1e-9
    posterior = model.n_leaves_posterior_
    assert sum(posterior.values()) == pytest.approx(1.0)
    assert model.n_leaves_ == pytest.approx(sum(n * p for n, p in posterior.items()))
    assert ((model.split_inclusion_ >= 0) & (model.split_inclusion_ <= 1 + 1e-12)).all()
    tree = model.most_probable_tree()
    assert tree.n_leaves in posterior
    assert np.isfinite(tree.log_probability)


def test_evidence_of_islands():
    model = BayesianTreeClassifier(n_particles=60, random_state=1).fit(X, CLASSES)
    islands = model.island_log_marginal_likelihoods_
    assert islands.shape == (5,)
    assert model.log_marginal_likelihood_ == pytest.approx(np.log(np.mean(np.exp(islands))))
    relative = np.exp(islands - model.log_marginal_likelihood_)
    assert model.log_marginal_likelihood_error_ == pytest.approx(relative.std(ddof=1) / np.sqrt(5))
    assert math.isnan(model.set_params(n_islands=1).fit(X, CLASSES).log_marginal_likelihood_error_)


def test_the_tree_as_text():
    frame = pd.DataFrame(X, columns=["width", "height", "age"])
    model = BayesianTreeClassifier(n_particles=100, random_state=1).fit(frame, CLASSES)
    tree = model.most_probable_tree()
    text = str(tree)
    assert len(text.splitlines()) == tree.feature.size
    assert text.splitlines()[0] == tree.question(0)
    assert "width <= " in text
    rows = sum(float(words.split(", ")[1].split()[0]) for words in tree.words if words)
    assert rows == len(X)


def test_weights_are_copies():
    weights = RNG.integers(0, 4, size=120)
    for settings in ({}, {"proposal": "empirical"}, {"proposal": "optimal"}, {"sampler": "cgm", "n_steps": 300}):
        model = BayesianTreeRegressor(n_particles=40, random_state=3, **settings)
        weighted = model.fit(X, NUMBERS, sample_weight=weights).predict(X)
        copies = model.fit(np.repeat(X, weights, axis=0), np.repeat(NUMBERS, weights)).predict(X)
        np.testing.assert_allclose(weighted, copies, rtol=1e-7)


# The same bits, files, Ctrl-C.


def test_more_islands_leave_the_first_as_they_were():
    few = BayesianTreeClassifier(n_particles=60, n_islands=3, random_state=1).fit(X, CLASSES)
    many = BayesianTreeClassifier(n_particles=100, n_islands=5, random_state=1).fit(X, CLASSES)
    assert few.island_log_marginal_likelihoods_.tolist() == many.island_log_marginal_likelihoods_[:3].tolist()


def test_labels_of_any_kind():
    labels = [("a", 1) if value == "a" else value for value in CLASSES.tolist()]
    model = BayesianTreeClassifier(n_particles=20, random_state=0).fit(X, labels)
    assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == model.predict(X).tolist()
    assert ("a", 1) in model.predict(X).tolist()
    frozen = [frozenset([value]) for value in CLASSES.tolist()]
    model.fit(X, frozen)
    assert pickle.loads(pickle.dumps(model)).predict(X[:5]).tolist() == model.predict(X[:5]).tolist()
    with pytest.raises(TypeError, match="cannot save"):
        bits(model)


@pytest.mark.parametrize("settings", [{"n_particles": 200_000}, {"sampler": "cgm", "n_steps": 10**8}])
def test_ctrl_c_stops_fit_and_leaves_the_model_unfitted(settings):
    model = BayesianTreeClassifier(random_state=0, **settings)
    many = np.tile(X, (30, 1))
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    begin = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(many, np.tile(CLASSES, 30))
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, previous)
    assert time.monotonic() - begin < 20
    assert not model.__sklearn_is_fitted__()
