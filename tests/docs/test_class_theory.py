"""The formulas of docs/theory/class_hierarchy.md, evaluated as the page writes them, against the code."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.base import clone

from paper import paper_classifier
from stored import Stored

GAMMA = 1.5  # one column, so the discount is gamma itself


def f(h):
    return -math.expm1(-h) / h if h > 0 else 1.0


def expected_discount(outside, elapsed):
    if math.isinf(elapsed):
        return outside / (outside + GAMMA)
    return f((outside + GAMMA) * elapsed) / f(outside * elapsed)


def entropy(p):
    return -sum(x * math.log(x) for x in p if x > 0)


@pytest.fixture(params=[math.inf, 4.0], ids=["infinite lifetime", "finite lifetime"])
def two_leaves(request, tmp_path):
    """A forest of one tree with a row of class a at 0 and of class b at 1, in two leaves; the time of its split."""
    for seed in range(100):
        forest = paper_classifier(
            1, lifetime=request.param, scaling="none", discount=GAMMA, prior_weight=0.0, random_state=seed
        ).fit([[0.0], [1.0]], ["a", "b"])
        if forest.n_nodes_ == 3:
            break
    forest.save(tmp_path / "forest")
    return forest, float(Stored.read(tmp_path / "forest").array("cuts.time")[0])


def parts(split, lifetime, outside, relative_weights=(1.0, 1.0)):
    """Probability of staying; the votes of the tree if the point stays in the leaf of b, and overall."""
    base, weights = np.array([0.5, 0.5]), np.array(relative_weights)
    discounts = [math.exp(-GAMMA * split), math.exp(-GAMMA * (lifetime - split))]
    root = (1 - discounts[0]) / 2 * weights + discounts[0] * base  # two customers, two tables
    tables = np.array([0.0, 1.0]) * weights
    leaf = (1 - discounts[1]) * tables + discounts[1] * root
    passing = [math.exp(-outside * split), math.exp(-outside * (lifetime - split))]
    d = [expected_discount(outside, split), expected_discount(outside, lifetime - split)]
    above_root = (1 - d[0]) / 2 * weights + d[0] * base
    above_leaf = (1 - d[1]) * tables + d[1] * root
    said = (1 - passing[0]) * above_root + passing[0] * ((1 - passing[1]) * above_leaf + passing[1] * leaf)
    return passing[0] * passing[1], leaf, said


@pytest.mark.parametrize("outside", [2.0**-10, 0.5, 30.0])
def test_probabilities_and_uncertainty(two_leaves, outside):
    forest, split = two_leaves
    stay, leaf, said = parts(split, forest.lifetime, outside)
    point = [[1.0 + outside]]
    np.testing.assert_allclose(forest.predict_proba(point)[0], said, rtol=1e-6, atol=1e-12)
    found = forest.predict_uncertainty(point)
    assert found.total[0] == pytest.approx(entropy(said), rel=1e-6)
    assert found.noise[0] == pytest.approx(stay * entropy(leaf), rel=1e-6, abs=1e-12)
    assert found.disagreement[0] == pytest.approx(0.0, abs=1e-12)  # one tree
    assert found.distance[0] == pytest.approx(entropy(said) - stay * entropy(leaf), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("outside", [2.0**-10, 0.5, 30.0])
def test_votes_of_weighted_rows(two_leaves, outside):
    """Rows of weight 1 and 4, so that the unit is 2.5; the trees are the same."""
    forest, split = two_leaves
    weighted = clone(forest).fit([[0.0], [1.0]], ["a", "b"], [1.0, 4.0])
    stay, leaf, votes = parts(split, forest.lifetime, outside, (1.0 / 2.5, 4.0 / 2.5))
    np.testing.assert_allclose(weighted.predict_proba([[1.0 + outside]])[0], votes / votes.sum(), rtol=1e-6, atol=1e-12)
    found = weighted.predict_uncertainty([[1.0 + outside]])
    noise = stay * leaf.sum() / votes.sum() * entropy(leaf / leaf.sum())
    assert found.noise[0] == pytest.approx(noise, rel=1e-6, abs=1e-12)
    assert found.total[0] == pytest.approx(entropy(votes / votes.sum()), rel=1e-6)


def test_the_imaginary_rows(two_leaves):
    forest, split = two_leaves
    _, _, said = parts(split, forest.lifetime, 0.5)
    forest.set_params(prior_weight=3.0)
    np.testing.assert_allclose(forest.predict_proba([[1.5]])[0], 2 / 5 * said + 3 / 5 * 0.5, rtol=1e-6)


@pytest.mark.parametrize(("rate", "length"), [(0.5, 3.0), (2.0, 0.01), (1e-3, 0.01), (7.0, 40.0)])
def test_expected_discount(rate, length):
    weight, _ = quad(lambda t: rate * math.exp(-rate * t), 0, length, epsabs=0)
    moment, _ = quad(lambda t: math.exp(-GAMMA * t) * rate * math.exp(-rate * t), 0, length, epsabs=0)
    assert expected_discount(rate, length) == pytest.approx(moment / weight, rel=1e-9)


def test_limits_of_the_expected_discount():
    assert expected_discount(2.0, math.inf) == pytest.approx(2.0 / (2.0 + GAMMA))
    assert expected_discount(2.0, 1e-9) == pytest.approx(1.0)
    assert expected_discount(1e-12, 0.7) == pytest.approx(f(GAMMA * 0.7))
    assert expected_discount(1e9, 0.7) == pytest.approx(1.0)


def test_empirical_base():
    X, y = np.arange(4.0).reshape(-1, 1), ["a", "a", "a", "b"]
    forest = paper_classifier(5, base="empirical", prior_weight=0.0, random_state=0).fit(X, y)
    far = forest.predict_proba([[1e15]])[0]
    np.testing.assert_allclose(far, [(3 + 1 / 2) / 5, (1 + 1 / 2) / 5], rtol=1e-6)
