"""Class probabilities against the document's own algorithms, to 1e-12."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oracle.kneser_ney import by_adaptive_quadrature, column_order, expected_discount, normalised, smoothed_trees
from oracle.test_belief_propagation import grid_queries, grid_rows
from paper import paper_classifier
from trees import StoredForest

SETTINGS = {
    "default": {},
    "discount near 1": {"discount": 1e-6},
    "discount near 0": {"discount": 1e6},
    "slow": {"discount": 0.3},
    "short life": {"lifetime": 0.8},
    "short life, all split": {"lifetime": 1.5, "pause_pure": False, "discount": 0.5},
    "long life": {"lifetime": 1e100, "discount": 1.0},
    "all split": {"pause_pure": False, "discount": 1.0},
    "empirical": {"base": "empirical", "discount": 0.5},
    "empirical, short life": {"base": "empirical", "lifetime": 0.5, "discount": 0.1},
    "heavy blocks": {"min_samples_split": 6, "discount": 1.0},
    "heavy blocks, all split": {"min_samples_split": 4, "pause_pure": False, "lifetime": 3.0, "discount": 2.0},
}
WEIGHTS = ["none", "whole", "fractional"]


def new(settings, n_trees=1, seed=0):
    return paper_classifier(n_trees, scaling="none", prior_weight=0, random_state=seed, **settings)


def drawn(rng, n, width, kind="none"):
    """Rows on a grid, a third duplicated (with labels of their own), of four unequal classes; and weights."""
    X, _ = grid_rows(rng, n, width)
    y = rng.choice(4, size=n, p=[0.5, 0.3, 0.15, 0.05])
    y = np.where(rng.uniform(size=n) < 0.5, (X[:, 0] > 0).astype(int), y)
    weights = {"none": np.ones(n), "whole": rng.integers(1, 4, size=n) * 1.0, "fractional": rng.uniform(0.1, 1.6, n)}
    return X, y, weights[kind]


def set_leaf_discount(forest, leaf_discount):
    labels = forest._learner.labels
    forest._learner.labels = replace(labels, calibration=labels.calibration._replace(leaf_discount=leaf_discount))


def assert_agrees(forest, queries):
    stored = StoredForest.of(forest)
    trees = smoothed_trees(forest, stored)
    expected = [normalised(sum(tree.predict(x)[0] for tree in trees)) for x in stored.scaled(queries)]
    found = forest.predict_proba(queries)
    np.testing.assert_allclose(found, np.array(expected)[:, column_order(forest)], rtol=0, atol=1e-12)
    assert found.min() >= 0
    one = [list(forest.predict_proba_one(x).values()) for x in queries[:3]]
    np.testing.assert_array_equal(one, found[:3])


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("name", SETTINGS)
def test_batch(name, kind):
    rng = np.random.default_rng(1)
    for seed, (n, width) in enumerate([(1, 1), (2, 3), (25, 1), (40, 3), (30, 11)]):
        X, y, weights = drawn(rng, n, width, kind)
        if n < 10:
            weights = weights * 10
        forest = new(SETTINGS[name], n_trees=1 + 2 * (n == 40), seed=seed).fit(X, y, weights)
        assert_agrees(forest, grid_queries(rng, X))


@pytest.mark.parametrize("leaf_discount", [0.2, 1.0])
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("name", SETTINGS)
def test_leaves_that_keep_a_discount(name, kind, leaf_discount):
    rng = np.random.default_rng(6)
    X, y, weights = drawn(rng, 40, 2, kind)
    queries = np.concatenate([X[:5], grid_queries(rng, X)])
    forest = new(SETTINGS[name], n_trees=2).fit(X, y, weights)
    before = forest.predict_proba(queries)
    set_leaf_discount(forest, leaf_discount)
    assert_agrees(forest, queries)
    assert (forest.predict_proba(queries) != before).any()


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("name", SETTINGS)
def test_after_learning_and_unlearning(name, kind):
    rng = np.random.default_rng(2)
    X, y, weights = drawn(rng, 45, 2, kind)
    queries = grid_queries(rng, X)
    forest = new(SETTINGS[name], n_trees=2).fit(X[:10], y[:10], weights[:10])
    forest.partial_fit(X[10:], y[10:], sample_weight=weights[10:])
    assert_agrees(forest, queries)
    leaving = rng.permutation(45)[:38]
    for part in (leaving[:15], leaving[15:]):
        forest.unlearn(X[part], y[part], weights[part])
        assert_agrees(forest, queries)
    forest.partial_fit(X[leaving], y[leaving], sample_weight=weights[leaving])
    assert_agrees(forest, queries)


@pytest.mark.parametrize("pause_pure", [True, False])
@pytest.mark.parametrize("lifetime", [2.0, np.inf])
def test_one_at_a_time(pause_pure, lifetime):
    rng = np.random.default_rng(3)
    X, y, _ = drawn(rng, 40, 2)
    forest = new({"discount": 0.5, "pause_pure": pause_pure, "lifetime": lifetime})
    for i in range(40):
        forest.learn_one(X[i], y[i])
        if i % 8 == 7:
            assert_agrees(forest, grid_queries(rng, X))
        if i % 3 == 2:
            forest.unlearn_one(X[i - 1], y[i - 1])
        assert forest.check_structure() == []
    assert_agrees(forest, grid_queries(rng, X))


def test_the_base_gets_the_weight_of_its_rows():
    rng = np.random.default_rng(4)
    X, y, weights = drawn(rng, 30, 2, "fractional")
    plain = new({"base": "empirical"}, 3).fit(X, y, weights)
    raised = new({"base": "empirical"}, 3).set_params(prior_weight=2.5).fit(X, y, weights)
    n_classes = plain.classes_.size
    base = (np.bincount(y, weights) + 1 / n_classes) / (weights.sum() + 1)
    share = 2.5 / (weights.sum() + 2.5)
    queries = grid_queries(rng, X)
    expected = (1 - share) * plain.predict_proba(queries) + share * base
    np.testing.assert_allclose(raised.predict_proba(queries), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("lifetime", [0.7, 1e5, np.inf])
@pytest.mark.parametrize("gap", [1e-44, 1e-38, 1e-20, 1e-10, 1e-6, 1e-3])
def test_just_outside_a_box(gap, lifetime):
    """At the corner of a box that lies at zero, where single precision has the smallest steps."""
    X = np.array([[0.0, 0.0], [-0.5, -1.0], [-1.0, -0.25], [-0.75, -0.5], [-0.25, -1.0]])
    forest = new({"discount": 0.5, "lifetime": lifetime}, 5).fit(X - X[0], [0, 1, 0, 2, 1])
    queries = np.array([[gap, 0.0], [gap, gap], [0.0, 0.0], [-0.5 + gap, -1.0]])
    assert_agrees(forest, queries)
    if np.isfinite(lifetime) and gap * lifetime < 1e-13:
        np.testing.assert_allclose(forest.predict_proba(queries[1:2]), forest.predict_proba(queries[2:3]), atol=1e-12)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("lifetime", [1e-20, 1.0, 1e20, 1e100, np.inf])
def test_far_away_in_any_units(scale, lifetime):
    """Products of times and distances may overflow; probabilities may not."""
    rng = np.random.default_rng(5)
    X, y, _ = drawn(rng, 20, 2)
    forest = new({"lifetime": lifetime, "discount": 1.0}, 2).fit(X * scale, y)
    ways = np.array([[1, 0], [-1, 1], [1e3, 1e3], [1e30, -1e8], [1e200, 0], [-1.7e308, 1e300]])
    with np.errstate(over="ignore"):
        queries = np.nan_to_num(ways * scale)
    found = forest.predict_proba(queries)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    assert (found >= 0).all()


@pytest.mark.parametrize("length", [1e-9, 0.01, 1.0, 30.0])
@pytest.mark.parametrize("outside", [1e-12, 1e-3, 1.0, 40.0])
@pytest.mark.parametrize("rate", [1e-6, 1.0, 50.0])
def test_the_reference_itself(rate, outside, length):
    by_formula = outside / (outside + rate) * np.expm1(-(outside + rate) * length) / np.expm1(-outside * length)
    assert expected_discount(rate, outside, length) == pytest.approx(by_formula, rel=1e-11)
    if (rate + outside) * length < 50:
        assert by_adaptive_quadrature(rate, outside, length) == pytest.approx(by_formula, rel=1e-11)


def test_one_class_is_certain():
    forest = new({}, 3).fit(np.arange(6.0)[:, None], ["only"] * 6)
    np.testing.assert_array_equal(forest.predict_proba([[2.5], [100.0]]), 1.0)
    assert forest.n_nodes_ == 3


def test_a_leaf_by_hand():
    """Three rows in a block that life is too short to split: inside, and far away, where each class is one table."""
    forest = new({"discount": 2.0, "lifetime": 1.0}, 1, seed=3).fit([[0.0], [1e-9], [2e-9]], [0, 1, 1])
    assert forest.n_nodes_ == 1
    discount = np.exp(-2.0)
    inside = np.array([1 - discount + 2 * discount / 2, 2 - discount + 2 * discount / 2]) / 3
    np.testing.assert_allclose(forest.predict_proba([[0.0]])[0], inside, rtol=1e-14)
    np.testing.assert_allclose(forest.predict_proba([[1e9]])[0], [0.5, 0.5], rtol=1e-12)


@pytest.mark.parametrize("n", [1, 3])
def test_a_point_with_equal_rows_by_hand(n):
    """One of two points has n equal rows. The root says n to 1; the more rows, the less counts what is kept of that."""
    forest = new({"discount": 1e9}, 3).fit([[0.0]] * n + [[1.0]], [0] * n + [1])
    np.testing.assert_allclose(forest.predict_proba([[0.0]])[0], [1, 0], atol=1e-12)
    set_leaf_discount(forest, 0.4)
    votes = 0.6 * np.array([n, 0]) + 0.4 * np.array([n, 1]) / 2
    np.testing.assert_allclose(forest.predict_proba([[0.0]])[0], votes / votes.sum(), rtol=1e-6)


def test_a_weighted_leaf_by_hand():
    """Two rows of weight 2 and one of 5: each class votes with the mean weight of its rows, in units of the mean, 3."""
    forest = new({"discount": 2.0, "lifetime": 1.0}, 1, seed=3).fit([[0.0], [1e-9], [2e-9]], [0, 1, 1], [5, 2, 2])
    discount = np.exp(-2.0)
    votes = np.array([(1 - discount) * 5 / 3, (2 - discount) * 2 / 3]) + discount
    np.testing.assert_allclose(forest.predict_proba([[0.0]])[0], votes / votes.sum(), rtol=1e-14)
