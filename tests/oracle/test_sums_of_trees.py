"""What chains of sums of trees note down of themselves, against what their draws say of the training rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.special import log_ndtr, ndtr

from oracle.sums_of_trees import codes, sampler

MOVES = {"grow_prune": 3, "perturb": 1}


def sample_rows():
    rng = np.random.default_rng(31)
    X = np.round(rng.uniform(size=(30, 3)), 1)
    return X, X[:, 0] - (X[:, 1] > 0.5) + 0.2 * rng.normal(size=30), rng.uniform(0.2, 3.0, size=30)


@pytest.mark.parametrize("weighted", [False, True])
def test_log_likelihood_of_numbers(weighted):
    X, y, weights = sample_rows()
    drawn = sampler(X, y, MOVES, n_trees=3, weights=weights if weighted else np.zeros(0))
    drawn.run(20, 2, 1)
    found, notes = drawn.predict(X, 1)[:, :, 0].T, drawn.notes()[0]
    # A label of weight two is two labels, which is how a total weight of rows comes about.
    each = stats.norm.logpdf(y, found, notes[:, [0]])
    np.testing.assert_allclose(notes[:, 1], each @ weights if weighted else each.sum(axis=1), rtol=1e-4)


def test_log_likelihood_of_two_classes():
    X, y, _ = sample_rows()
    labels = (y > 0).astype(float)
    drawn = sampler(X, labels, MOVES, n_trees=3, kind="probit", offsets=[0.4])
    drawn.run(20, 2, 1)
    found = log_ndtr(np.where(labels > 0.5, 1.0, -1.0) * (drawn.predict(X, 1)[:, :, 0].T + 0.4)).sum(axis=1)
    np.testing.assert_allclose(drawn.notes()[0, :, 1], found, rtol=1e-5)


def test_log_likelihood_of_three_classes():
    X, y, _ = sample_rows()
    labels, offsets = np.digitize(y, [-0.2, 0.3]).astype(float), np.array([0.4, 0.0, -0.3])
    drawn = sampler(X, labels, MOVES, n_trees=2, kind="classes", offsets=list(offsets))
    drawn.run(20, 2, 1)
    means = drawn.predict(X, 1).transpose(1, 2, 0) + offsets[:, None]
    own = np.take_along_axis(means, labels.astype(int)[None, None, :], axis=1)[:, 0]
    points = np.linspace(-10.0, 10.0, 2001)
    probabilities = np.zeros_like(own)
    for u in points:
        below = ndtr(u + own[:, None, :] - means).prod(axis=1) / ndtr(u)  # all but the class itself
        probabilities += stats.norm.pdf(u) * below * (points[1] - points[0])
    np.testing.assert_allclose(drawn.notes()[0, :, 1], np.log(probabilities).sum(axis=1), rtol=1e-5)


def test_leaves_and_roots_are_counted():
    X, y, _ = sample_rows()
    drawn = sampler(X, y, MOVES, n_trees=4)
    drawn.run(40, 1, 1)
    trees = list(codes(drawn.archive(), 0, n_trees=4))
    leaves = [np.mean([len(values) for _, _, values in draw]) for draw in trees]
    np.testing.assert_allclose(drawn.notes()[0, :, 2], leaves)
    roots = [[rules[:1] for _, rules, _ in draw] for draw in trees]
    changed = [np.mean([a != b for a, b in zip(*pair, strict=True)]) for pair in pairwise(roots)]
    np.testing.assert_allclose(drawn.notes()[0, 1:, 3], changed)
    assert 0.0 < np.mean(changed) < 1.0
    counts = drawn.split_counts()
    assert [[sum(rule >> 8 == d for _, rules, _ in draw for rule in rules) for d in range(3)] for draw in trees] == (
        counts.tolist()
    )
