"""Leaving a label out has the law of never having seen the row: the key of all that is learned.

A tree on all rows with one label struck out, and a tree on the other rows asked at the row's place, give means of the
same law. Compared over many trees, at the level of `comparison` (1.8e-7 a comparison).
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_ind

from hedgerow import MondrianForestRegressor
from hedgerow.base.copies import NO_GROUPS
from statistical.comparison import FIXED, LEVEL, N_TREES

pytestmark = pytest.mark.statistical

RNG = np.random.default_rng(6)
X = RNG.normal(size=(12, 2))
Y = X[:, 0] + RNG.normal(size=12)


def many(hyperparameters, seed):
    """Rates are learned from 16 rows on only, so both forests have the same units."""
    settings = {"min_samples_split": 2, "scaling": "none", "hyperparameters": hyperparameters, **FIXED}
    return MondrianForestRegressor(N_TREES, random_state=seed, **settings)


def means_by_tree(forest, x):
    """What each tree predicts at x, without keeping the mean from outside the range."""
    dist = forest.predict_dist(x[None, :])
    tree = np.minimum((np.cumsum(dist.weights) - 0.5 * dist.weights) * N_TREES, N_TREES - 1).astype(int)
    return np.bincount(tree, dist.weights * dist.means, N_TREES) * N_TREES


@pytest.mark.parametrize("row", [0, 3, 7, 11])
@pytest.mark.parametrize("hyperparameters", ["paper", "learned"])
def test_mean_over_trees(row, hyperparameters):
    """Branch-off is integrated only by the clock of "learned"; the paper's takes it at its mean, so it may differ."""
    others = np.arange(12) != row
    if ((X[row] < X[others].min(axis=0)) | (X[row] > X[others].max(axis=0))).any():
        pytest.skip("outside the range the mean is kept")
    whole = many(hyperparameters, 1).fit(X, Y)
    learner, places = whole._learner, np.array([row], dtype=np.uint32)
    rule = learner.rule(whole._current.query)
    left_out = learner.core.leave_one_out_by_tree(rule, places, NO_GROUPS, 1)[0][0]
    left_out = left_out + whole._learner.labels.origin
    unseen = means_by_tree(many(hyperparameters, 2).fit(X[others], Y[others]), X[row])
    if hyperparameters == "learned":
        assert ttest_ind(left_out, unseen, equal_var=False).pvalue > LEVEL
    else:
        assert abs(left_out.mean() - unseen.mean()) < 0.2 * Y.std()
