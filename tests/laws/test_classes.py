"""Laws of classifiers: counts, pauses, unlearning, where the uncertainty comes from, and what is far away."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.exceptions import NotFittedError

from hedgerow import MondrianForestClassifier
from oracle.kneser_ney import smoothed_trees
from trees import FREED, StoredForest

RNG = np.random.default_rng(3)
X = RNG.integers(0, 16, size=(80, 2)) / 16
Y = np.where(RNG.uniform(size=80) < 0.2, "c", np.where(X[:, 0] > 0.5, "a", "b"))
W = RNG.choice([0.25, 0.5, 1.0, 2.0], size=80)
SHAPES = pytest.mark.parametrize(
    "shape",
    [{}, {"pause_pure": False}, {"min_samples_split": 5}, {"lifetime": 1.5}, {"lifetime": 1.0, "pause_pure": False}],
    ids=str,
)


def new(**parameters):
    return MondrianForestClassifier(**{"n_estimators": 4, "scaling": "none", "random_state": 0, **parameters})


def counts_of_nodes(forest):
    """What each node says: a number of classes, then for each its number, weight and count."""
    numbers, found = forest._learner.core.summaries().tolist(), []
    while numbers:
        n = int(numbers[0])
        triples = np.reshape(numbers[1 : 3 * n + 1], (n, 3))
        found.append({int(label): (weight, count) for label, weight, count in triples})
        numbers = numbers[3 * n + 1 :]
    return found


def assert_counts_are_those_of_the_rows(forest):
    assert forest.check_structure() == []
    stored = StoredForest.of(forest)
    stored_summaries = counts_of_nodes(forest)
    for tree, first in zip(smoothed_trees(forest, stored), stored.roots, strict=True):
        for node in tree.root.preorder():
            counts, weights = tree.counts[id(node)], tree.masses[id(node)]
            found = stored_summaries[first + node.number]
            assert sorted(found) == np.flatnonzero(counts).tolist()
            assert [found[c][1] for c in sorted(found)] == counts[counts > 0].tolist()
            np.testing.assert_allclose([found[c][0] for c in sorted(found)], weights[counts > 0], rtol=1e-12)
    for summary, feature in zip(stored_summaries, stored.split_feature, strict=True):
        assert summary or feature == FREED
        assert not (summary and feature == FREED)


@SHAPES
@pytest.mark.parametrize("weighted", [False, True])
def test_stored_counts_after_any_history(shape, weighted):
    weights = W if weighted else np.ones(80)
    forest, rng = new(**shape), np.random.default_rng(1)
    inside = np.zeros(80, dtype=bool)
    for step in range(6):
        out, into = np.flatnonzero(inside), np.flatnonzero(~inside)
        if step % 3 == 2:
            part = rng.permutation(out)[: rng.integers(1, out.size)]
            forest.unlearn(X[part], Y[part], weights[part])
        else:
            part = rng.permutation(into)[: 1 + into.size // 3]
            forest.partial_fit(X[part], Y[part], sample_weight=weights[part])
        inside[part] = step % 3 != 2
        assert_counts_are_those_of_the_rows(forest)


@pytest.mark.parametrize("way", ["fit", "partial_fit"])
def test_down_to_one_class_is_one_paused_leaf(way):
    forest = getattr(new(), way)(X, Y)
    order = np.argsort(Y == "b", kind="stable")
    for i in order[: (Y != "b").sum()]:
        forest.unlearn_one(X[i], Y[i])
        assert forest.check_structure() == []
    assert forest.n_nodes_ == forest.n_estimators
    assert_counts_are_those_of_the_rows(forest)
    assert forest.predict_one([0.9, 0.5]) == "b"
    assert forest.classes_.tolist() == ["a", "b", "c"]
    for i in order[(Y != "b").sum() :]:
        forest.unlearn_one(X[i], Y[i])
    with pytest.raises(NotFittedError, match="unlearned all its rows"):
        forest.predict_proba(X)
    assert forest.predict_one(X[0]) is None
    assert forest.partial_fit(X, Y).check_structure() == []


@SHAPES
def test_without_pauses_blocks_are_split_whatever_their_labels(shape):
    forest = new(**shape).fit(X, Y)
    stored = StoredForest.of(forest)
    for tree in smoothed_trees(forest, stored):
        for node in tree.root.preorder():
            classes = np.count_nonzero(tree.counts[id(node)])
            if shape.get("pause_pure", True):
                assert node.is_leaf or classes > 1
            if "lifetime" not in shape and node.is_leaf:
                one_point = (node.lower == node.upper).all()
                places = np.column_stack([stored.features, stored.labels])[node.rows]
                light = len(np.unique(places, axis=0)) < forest.min_samples_split
                assert one_point or light or (forest.pause_pure and classes == 1)


def test_of_an_unlearned_row_nothing_is_left():
    forest = new().partial_fit(X, Y)
    x = np.array([0.123, 0.456])
    forest.learn_one(x, "secret")
    secret = forest._classes.numbers["secret"]
    assert any(secret in counts for counts in counts_of_nodes(forest))
    forest.unlearn_one(x, "secret")
    stored = StoredForest.of(forest)
    assert not any(secret in counts for counts in counts_of_nodes(forest))
    assert (stored.arrays["rows.labels"] != secret).all()
    assert stored.arrays["seen.labels"][secret] == 0
    assert not np.isclose(stored.features, x).all(axis=1).any()


@SHAPES
@pytest.mark.parametrize("prior_weight", [0.0, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_parts_of_the_uncertainty(shape, prior_weight, weighted):
    """A tree counts as often as it votes, and where rows are heavy it votes often."""
    plain = {"hyperparameters": "paper", "discount": 0.5, "base": "empirical"}  # units that NumPy rounds alike
    forest = new(**shape, prior_weight=prior_weight, **plain).fit(X, Y, W if weighted else None)
    places = np.random.default_rng(4).integers(-64, 128, size=(10, 2)) / 64  # exact in single precision
    queries = np.concatenate([X[:10], places, [[50.0, -50.0]]])
    found = forest.predict_uncertainty(queries)
    stored = StoredForest.of(forest)
    trees = smoothed_trees(forest, stored)
    base, share = trees[0].base, prior_weight / ((W.sum() if weighted else 80) + prior_weight)

    def entropy_of(votes):
        return entropy((1 - share) * votes / votes.sum() + share * base)

    for i, x in enumerate(stored.scaled(queries)):
        told = [tree.predict(x) for tree in trees]
        n_votes = sum(votes.sum() for votes, _ in told)
        within = sum(votes.sum() * entropy_of(votes) for votes, _ in told) / n_votes
        leaves = [tree.leaf_belief(x) for tree in trees]
        stays = [stay for _, stay in told]
        noise = sum(s * leaf.sum() * entropy_of(leaf) for s, leaf in zip(stays, leaves, strict=True)) / n_votes
        total = entropy_of(sum(votes for votes, _ in told))
        expected = [total, noise, total - within, within - noise]
        np.testing.assert_allclose([part[i] for part in found], expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.total, entropy(forest.predict_proba(queries), axis=1), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.noise + found.disagreement + found.distance, found.total, rtol=0, atol=1e-12)
    assert min(part.min() for part in found) >= 0


@pytest.mark.parametrize("direction", [[1, 0], [-1, 2], [1, 1], [0, -1]])
def test_distance_grows_along_a_ray(direction):
    forest = new(n_estimators=200, discount=1.0).fit(X, np.where(X[:, 0] > 0.5, "a", "b"))
    steps = np.concatenate([[0], np.geomspace(0.05, 1e12, 60)])
    ray = np.clip(0.5 + 10 * np.array(direction), X.min(axis=0), X.max(axis=0)) + steps[:, None] * direction
    distance = forest.predict_uncertainty(ray).distance
    assert (np.diff(distance) > -1e-9).all()
    assert distance[-1] == pytest.approx(np.log(2), rel=1e-9)
    np.testing.assert_allclose(forest.predict_proba(ray[-1:]), 0.5, rtol=1e-9)


def test_conflicting_duplicates_are_noise():
    forest = new().fit(np.repeat([[0.0, 0.0], [1.0, 1.0]], 4, axis=0), list("abababab"))
    found = forest.predict_uncertainty([[0.0, 0.0]])
    np.testing.assert_allclose(np.ravel(found), [np.log(2), np.log(2), 0, 0], atol=1e-12)


@SHAPES
@pytest.mark.parametrize("base", ["uniform", "empirical"])
def test_whole_weights_are_repeated_rows(shape, base):
    times = RNG.integers(1, 4, size=80)
    parameters = {**shape, "base": base, "scaling": "range", "hyperparameters": "paper"}
    weighted = new(**parameters).fit(X, Y, times)
    repeated = new(**parameters).fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    places = np.random.default_rng(5).uniform(-0.2, 1.2, size=(50, 2))
    np.testing.assert_allclose(weighted.predict_proba(places), repeated.predict_proba(places), rtol=1e-9)
    np.testing.assert_allclose(
        weighted.predict_uncertainty(places), repeated.predict_uncertainty(places), rtol=0, atol=1e-9
    )


def test_empirical_base_follows_the_rows_held():
    forest = new(base="empirical").fit(X, Y, W).unlearn(X[:40], Y[:40], W[:40])
    weights = np.array([W[40:][Y[40:] == c].sum() for c in "abc"])
    as_they_came = [weights["abc".index(label)] for label in forest._classes.numbers]
    np.testing.assert_allclose(forest._learner.core.class_weights, as_they_came, rtol=1e-12)
    expected = (weights + 1 / 3) / (weights.sum() + 1)
    np.testing.assert_allclose(forest.predict_proba([[1e15, -1e15]])[0], expected, rtol=1e-9)


def test_window_is_unlearning_by_hand():
    fixed = {"scaling": "none", "hyperparameters": "paper"}
    windowed, by_hand = new(window=25, **fixed), new(**fixed)
    for i in range(80):
        windowed.learn_one(X[i], Y[i])
        by_hand.learn_one(X[i], Y[i])
        if i >= 25:
            by_hand.unlearn_one(X[i - 25], Y[i - 25])
        assert windowed.check_structure() == []
    np.testing.assert_array_equal(windowed.predict_proba(X), by_hand.predict_proba(X))
