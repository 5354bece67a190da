"""A row scores the same, in the mean over trees, whether a forest has learned it or not."""

from __future__ import annotations

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.mondrian._isolation import Boxes, _images

N_TREES = 4000


def depths(model, X):
    """Depths of rows in all trees: (n_rows, n_trees)."""
    learner = model._learner
    arrays, width = learner.core.archive(), learner.core.width
    held = _images(learner.scaling, arrays["rows.given"].reshape(-1, width))
    trees = [
        Boxes.of_tree(arrays, tree, learner.core.n_rows, held, np.ones(len(held)), np.inf)
        for tree in range(model.n_estimators)
    ]
    return np.stack([boxes.depths(_images(learner.scaling, X)) for boxes in trees], axis=1)


@pytest.mark.parametrize("online", [False, True], ids=["batch", "online"])
def test_rows_that_are_held_and_rows_that_are_not(online):
    """The depth of its leaf, which is there, next to the depth expected without it. False alarms: 2e-4 in all.

    Mondrian processes are consistent: a tree with a row is a tree without it, extended.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(25, 2))
    X[0] = [6.0, 0.0]
    parameters = {"scaling": "none", "hyperparameters": "paper", "min_samples_split": 2, "random_state": 1}
    asked = X[:3]
    with_them = hr.MondrianForestRegressor(N_TREES, **parameters)
    if online:
        with_them.partial_fit(X[3:], np.zeros(22)).partial_fit(X[:3], np.zeros(3))
    else:
        with_them.fit(X, np.zeros(25))
    there = depths(with_them, asked)
    for row in range(3):
        rest = np.delete(X, row, axis=0)
        without = depths(hr.MondrianForestRegressor(N_TREES, **parameters).fit(rest, np.zeros(24)), asked[[row]])[0]
        assert (there[row] == np.round(there[row])).all()
        difference = there[row].mean() - without.mean()
        error = np.sqrt((there[row].var() + without.var()) / N_TREES)
        assert abs(difference) < 4.2 * error
        assert without.var() < there[row].var()  # an expectation given the tree
