"""Features of many lifetimes are nested, and a learner finds the best of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import KFold, cross_val_score

import hedgerow as hr
from models import bits

X = np.random.default_rng(0).uniform(size=(120, 2))
CHESS = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)


def shares_cells(features, X):
    """Whether rows share a cell, tree by tree."""
    columns = features.transform(X).indices.reshape(len(X), -1)
    return columns[:, None] == columns


def test_cells_are_nested():
    together = [
        shares_cells(hr.MondrianFeatures(20, lifetime, max_lifetime=16.0, random_state=0).fit(X), X)
        for lifetime in (0.5, 2.0, 8.0, 16.0)
    ]
    for coarse, fine in pairwise(together):
        assert not (fine & ~coarse).any()
        assert coarse.sum() > fine.sum()


def test_without_a_larger_lifetime_nothing_changes():
    plain, same = (hr.MondrianFeatures(20, 8.0, max_lifetime=largest, random_state=0).fit(X) for largest in (None, 8.0))
    np.testing.assert_array_equal(plain.transform(X).indices, same.transform(X).indices)


def test_the_kernel_is_that_of_the_lifetime():
    """Not of the largest. Means over 4,000 trees of 0 or 1: six standard deviations are below 0.048."""
    features = hr.MondrianFeatures(4000, 2.0, max_lifetime=30.0, random_state=0).fit(X[:30])
    expected = np.exp(-2.0 * np.abs(X[:30, None] - X[:30]).sum(axis=2))
    assert np.abs(features.kernel(X[:30]) - expected).max() < 0.048


def test_files_and_streams(tmp_path):
    features = hr.MondrianFeatures(5, 2.0, max_lifetime=9.0, random_state=0).fit(X[:60]).partial_fit(X[60:])
    features.save(tmp_path / "features")
    loaded = hr.load(tmp_path / "features")
    assert bits(loaded) == bits(features)
    np.testing.assert_array_equal(loaded.transform(X).indices, features.transform(X).indices)


def test_lifetimes_beyond_the_largest():
    with pytest.raises(ValueError, match="lifetime must be at most max_lifetime=1"):
        hr.MondrianFeatures(5, 2.0, max_lifetime=1.0).fit(X)


@pytest.mark.parametrize("learner", [LogisticRegression(C=10.0), SGDClassifier(random_state=0)], ids=repr)
def test_a_chessboard(learner):
    features = hr.MondrianFeatures(40, random_state=0)
    sweep = features.sweep(learner, X, CHESS, lifetimes=[100.0, 0.01, 5.0], cv=KFold(3))
    assert sweep.lifetimes.tolist() == [0.01, 5.0, 100.0]
    assert sweep.scores.shape == (3, 3)
    assert sweep.lifetime == 5.0
    assert sweep.score == sweep.mean_scores[1] > sweep.mean_scores[0] + 0.2
    assert sweep.estimator.score(X, CHESS) > 0.9
    assert not features.__sklearn_is_fitted__()
    own = sweep.estimator[0]
    assert (own.lifetime, own.max_lifetime) == (5.0, 100.0)
    np.testing.assert_array_equal(cross_val_score(sweep.estimator, X, CHESS, cv=KFold(3)), sweep.scores[1])
    again = features.sweep(learner, X, CHESS, lifetimes=[100.0, 0.01, 5.0], cv=KFold(3))
    np.testing.assert_array_equal(again.scores, sweep.scores)


def test_rows_to_validate_by():
    """And one sample of the process for all lifetimes, though no seed is given."""
    sweep = hr.MondrianFeatures(40).sweep(Ridge(), X[:80], CHESS[:80], X[80:], CHESS[80:], scoring="r2")
    assert sweep.scores.shape == (12, 1)
    assert sweep.score == pytest.approx(sweep.estimator.score(X[80:], CHESS[80:]))
    apart = np.abs(X[:80, None] - X[:80]).sum(axis=2)
    middle = np.median(apart[apart > 0])
    np.testing.assert_allclose(sweep.lifetimes[[0, -1]] * middle, [0.1, 30.0])


def test_copies_only():
    assert np.isfinite(hr.MondrianFeatures(3).sweep(Ridge(), np.ones((10, 1)), np.arange(10)).lifetimes).all()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"lifetimes": []}, "lifetimes must be numbers"),
        ({"lifetimes": [1.0, -1.0]}, "lifetimes must be numbers"),
        ({"lifetimes": [np.nan]}, "lifetimes must be numbers"),
        ({"X_valid": X}, "given together"),
        ({"X_valid": X, "y_valid": CHESS, "cv": 3}, "not both"),
    ],
)
def test_errors(changed, words):
    with pytest.raises(ValueError, match=words):
        hr.MondrianFeatures(5).sweep(Ridge(), X, CHESS, **changed)
