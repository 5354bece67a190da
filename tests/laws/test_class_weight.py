"""Laws of weights in classifiers: a class's weight is a factor in its odds, and a weight of everything is nothing."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.class_weight import compute_class_weight

from hedgerow import BARTClassifier, BayesianTreeClassifier, MondrianBoostingClassifier, MondrianForestClassifier

RNG = np.random.default_rng(6)
X = RNG.normal(size=(120, 3))
Y = np.where(X[:, 0] + RNG.normal(size=120) > 1.2, "rare", np.where(X[:, 1] > 0, "b", "a"))
W = RNG.uniform(0.5, 2.0, size=120)
QUERIES = RNG.normal(size=(60, 3)) * 1.2
WEIGHTS = {"rare": 5.0, "a": 0.25}
FACTORS = np.array([0.25, 1.0, 5.0])  # in the order of classes_

FOREST = MondrianForestClassifier(8, random_state=0)
ONLINE = [FOREST, clone(FOREST).set_params(window=50), MondrianBoostingClassifier(4, random_state=0)]
TREES = BayesianTreeClassifier(n_particles=50, random_state=0)
BART = BARTClassifier(5, n_chains=2, n_draws=20, n_burn_in=20, random_state=0)


def per_row(labels=Y):
    return np.array([WEIGHTS.get(label, 1.0) for label in labels])


@pytest.mark.parametrize("model", [FOREST, ONLINE[2], TREES], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("weights", [None, W], ids=["plain", "weighted"])
def test_weights_of_classes_are_weights_of_their_rows(model, weights):
    of_classes = clone(model).set_params(class_weight=WEIGHTS).fit(X, Y, weights)
    of_rows = clone(model).fit(X, Y, per_row() if weights is None else weights * per_row())
    np.testing.assert_array_equal(of_classes.predict_proba(QUERIES), of_rows.predict_proba(QUERIES))


@pytest.mark.parametrize("model", ONLINE, ids=["forest", "window", "boosting"])
def test_online_in_any_way(model):
    weighted = clone(model).set_params(class_weight=WEIGHTS)
    expected = clone(model).partial_fit(X, Y, sample_weight=per_row()).predict_proba(QUERIES)
    at_once = clone(weighted).partial_fit(X, Y)
    chunks = clone(weighted).partial_fit(X[:7], Y[:7]).partial_fit(X[7:90], Y[7:90]).partial_fit(X[90:], Y[90:])
    one_by_one, forecasting = clone(weighted), clone(weighted)
    for x, label in zip(X, Y, strict=True):
        one_by_one.learn_one(x, label)
    forecasts = forecasting.predict_then_learn(X, Y)
    for learned in (at_once, chunks, one_by_one, forecasting):
        np.testing.assert_array_equal(learned.predict_proba(QUERIES), expected)
    np.testing.assert_array_equal(forecasts, clone(model).predict_then_learn(X, Y, sample_weight=per_row()))


@pytest.mark.parametrize("shape", [{}, {"min_samples_split": 8}, {"pause_pure": False}], ids=str)
def test_odds_of_a_class_are_multiplied(shape):
    """Exactly, as long as nothing is left to the base distribution, whose classes have no weight."""
    plain = {"hyperparameters": "paper", "prior_weight": 0, "discount": 1e6, **shape}
    p = clone(FOREST).set_params(**plain).fit(X, Y).predict_proba(QUERIES)
    found = clone(FOREST).set_params(**plain, class_weight=WEIGHTS).fit(X, Y).predict_proba(QUERIES)
    expected = p * FACTORS / (p * FACTORS).sum(axis=1, keepdims=True)
    assert np.abs(found - p).max() > 0.1
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("factor", [1e-12, 0.3, 7.0, 1e12])
@pytest.mark.parametrize("shape", [{}, {"min_samples_split": 8}, {"lifetime": 0.7, "discount": 0.5}], ids=str)
@pytest.mark.filterwarnings("ignore:the sample weights of 120 rows")
def test_a_weight_of_everything_is_nothing(shape, factor):
    """Neither trees nor votes; `prior_weight` and learned rates do count in rows, and are left out here."""
    forest = clone(FOREST).set_params(hyperparameters="paper", prior_weight=0, **shape)
    one, other = clone(forest).fit(X, Y, W), clone(forest).fit(X, Y, factor * W)
    np.testing.assert_array_equal(one.apply(QUERIES), other.apply(QUERIES))
    np.testing.assert_allclose(one.predict_proba(QUERIES), other.predict_proba(QUERIES), rtol=1e-10)
    parts = one.predict_uncertainty(QUERIES), other.predict_uncertainty(QUERIES)
    np.testing.assert_allclose(*parts, rtol=0, atol=1e-10)


def test_far_away_classes_have_no_weight():
    forest = clone(FOREST).set_params(class_weight=WEIGHTS).fit(X, Y)
    np.testing.assert_allclose(forest.predict_proba([[1e15, -1e15, 1e15]]), 1 / 3, rtol=1e-6)


@pytest.mark.parametrize("model", [FOREST, TREES, ONLINE[2]], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("weights", [None, W], ids=["plain", "weighted"])
def test_balanced(model, weights):
    """Classes weigh the same, with the weights of their rows counted."""
    factors = compute_class_weight("balanced", classes=np.unique(Y), y=Y, sample_weight=weights)
    mapping = dict(zip(np.unique(Y).tolist(), factors.tolist(), strict=True))
    balanced = clone(model).set_params(class_weight="balanced").fit(X, Y, weights)
    mapped = clone(model).set_params(class_weight=mapping).fit(X, Y, weights)
    np.testing.assert_allclose(balanced.predict_proba(QUERIES), mapped.predict_proba(QUERIES), rtol=1e-9)
    if model is FOREST:
        weights = balanced._learner.core.class_weights
        np.testing.assert_allclose(weights, weights.sum() / 3, rtol=1e-12)


def test_bart_weighs_each_draw():
    plain = clone(BART).fit(X, Y).predict_draws(QUERIES)
    weighted = clone(BART).set_params(class_weight=WEIGHTS).fit(X, Y)
    expected = plain * FACTORS / (plain * FACTORS).sum(axis=2, keepdims=True)
    np.testing.assert_allclose(weighted.predict_draws(QUERIES), expected, rtol=1e-12)
    np.testing.assert_allclose(weighted.predict_proba(QUERIES), expected.mean(axis=0), rtol=1e-12)
    two = Y == "rare"
    p = clone(BART).fit(X, two).predict_draws(QUERIES)
    found = clone(BART).set_params(class_weight={True: 3}).fit(X, two).predict_draws(QUERIES)
    np.testing.assert_allclose(found, 3 * p / (3 * p + 1 - p), rtol=1e-12)


def test_bart_balanced_counts_copies():
    """A row of weight 2 is two rows, here too."""
    times = RNG.integers(1, 3, size=120)
    weighted = clone(BART).set_params(class_weight="balanced").fit(X, Y, times)
    repeated = clone(BART).set_params(class_weight="balanced").fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    np.testing.assert_array_equal(weighted.predict_proba(QUERIES), repeated.predict_proba(QUERIES))


@pytest.mark.parametrize("class_weight", [WEIGHTS, "balanced"], ids=["mapping", "balanced"])
def test_weighted_rows_are_unlearned(class_weight):
    forest = clone(FOREST).set_params(class_weight=class_weight).fit(X, Y, W)
    forest.unlearn(X[:40], Y[:40], W[:40]).unlearn(X[40:50], Y[40:50]).unlearn_one(X[50], Y[50])
    assert forest.n_samples_ == 69
    assert forest.check_structure() == []
    with pytest.raises(ValueError, match="not among those learned"):
        forest.unlearn(X[60:61], Y[60:61], W[61:62])
    factors = dict(zip(forest._classes.numbers, forest._factors(forest._learner.settings.class_weight), strict=True))
    held = [factors[label] * W[51:][Y[51:] == label].sum() for label in forest._classes.numbers]
    np.testing.assert_allclose(forest._learner.core.class_weights, held, rtol=1e-9)


@pytest.mark.parametrize("model", [FOREST, ONLINE[2], TREES, BART], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("class_weight", [{"only": 3.0}, "balanced"], ids=str)
def test_one_class_is_certain_whatever_it_weighs(model, class_weight):
    fitted = clone(model).set_params(class_weight=class_weight).fit(X[:20], ["only"] * 20)
    np.testing.assert_allclose(fitted.predict_proba(QUERIES), 1.0, rtol=1e-14)
