"""Which rows to label next, against brute force: each candidate is labelled in turn, in one dense Gaussian a tree."""

from __future__ import annotations

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.mondrian._design import QueryRows, arrays_with_rows, choose_rows
from models import forest
from oracle.dense import DenseTree, Hyperparameters
from stored import Stored
from trees import StoredForest


def with_rows(model, X):
    """Trees that have rows too, and the row of each that was added: labels are their numbers from 1 on."""
    stored = StoredForest(Stored.of(model).header, arrays_with_rows(model._learner, X, 1))
    return stored, np.argsort(stored.shifted_labels)[-len(X) :]


class Means:
    """Joint Gaussian of the means at rows, in units of gamma_1, and the noise of their labels."""

    def __init__(self, model, root, stored, has_label, new_weight):
        rate, ratio = model._learner.core.model
        hyper = Hyperparameters(0.0, 1.0, rate, 1.0 / ratio, model.hyperparameters == "learned")
        tree = DenseTree(root, stored.shifted_labels, stored.weights, hyper, model.lifetime)
        leaf_of = dict(zip(tree.rows, tree.leaf_of_row, strict=True))
        leaves = [leaf_of.get(row, 0) for row in range(stored.weights.size)]  # places that are free are not asked about
        self.prior = tree.prior[np.ix_(leaves, leaves)]
        self.noise = np.where(has_label, 1.0 / ratio / stored.weights, 1.0 / ratio / new_weight)

    def variances(self, labelled, rows):
        known = self.prior[np.ix_(labelled, labelled)] + np.diag(self.noise[labelled])
        cross = self.prior[np.ix_(labelled, rows)]
        return np.diag(self.prior)[rows] - np.sum(cross * np.linalg.solve(known, cross), axis=0)


def brute_force(model, X, reference, factors, picked):
    """By how much each candidate would lower the variance, before the first pick and after each; no pick has two."""
    stored, added = with_rows(model, X if reference is None else np.concatenate([X, reference]))
    candidates, counted = added[: len(X)], added if reference is None else added[len(X) :]
    numbers = set(added.tolist())
    held = sorted({row for root in stored.plain_trees() for row in root.rows} - numbers)
    has_label = np.isin(np.arange(stored.weights.size), held)
    trees = [Means(model, root, stored, has_label, float(stored.weights[held].mean())) for root in stored.plain_trees()]
    gains = []
    for k in range(len(picked)):
        labelled = held + [int(candidates[i]) for i in picked[:k]]
        now = np.mean([tree.variances(labelled, counted) for tree in trees], axis=0) @ factors
        then = [
            np.mean([tree.variances([*labelled, int(row)], counted) for tree in trees], axis=0) @ factors
            for row in candidates
        ]
        gains.append(now - np.array(then))
        gains[k][picked[:k]] = 0.0
    return np.array(gains)


SMOOTH = {"drift_rate": 1.0, "signal_to_noise": 5.0}  # what would be learned from so few rows may be extreme
NEW = [
    {},
    {"hyperparameters": "paper"},
    {"hyperparameters": "paper", "min_samples_split": 2, "lifetime": 1.5},
    {"lifetime": 2.0, "scaling": "none"},
    {"cuts": "keyed"},
    {"window": 20},
    {"weights": True},
]


@pytest.mark.parametrize("new", NEW, ids=str)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_picks_and_gains_are_those_of_brute_force(new, elsewhere):
    rng = np.random.default_rng(3)
    X, pool, there = (rng.uniform(size=(n, 2)) for n in (25, 12, 5))
    pool[3] = X[0]  # has a label
    pool[5] = pool[4]
    weights = rng.uniform(0.5, 3.0, 25) if new.get("weights") else None
    model = hr.MondrianForestRegressor(4, random_state=1, **SMOOTH, **{k: v for k, v in new.items() if k != "weights"})
    model.partial_fit(X, np.sin(7 * X[:, 0]) + rng.normal(scale=0.3, size=25), weights)
    reference = there if elsewhere else None
    factors = rng.uniform(0.2, 3.0, 5 if elsewhere else 12)
    found = choose_rows(model._learner, QueryRows.of(pool, reference, factors), 5, 1)
    gains = brute_force(model, pool, reference, factors, found.picked.tolist())
    np.testing.assert_allclose(found.gains, gains[np.arange(5), found.picked], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.gains, gains.max(axis=1), rtol=1e-9, atol=1e-12)
    assert len(set(found.picked)) == 5
    assert np.ptp(gains[0]) > 1e-6


def meeting_times(root, rows):
    """When each two of some rows are separated in a tree; the lifetime for rows in one leaf."""
    times = np.zeros((2 * max(root.rows),) * 2)
    for node in root.preorder():
        times[np.ix_(node.rows, node.rows)] = node.time
    return times[np.ix_(rows, rows)]


@pytest.mark.parametrize("new", [{}, {"cuts": "keyed"}, {"lifetime": 2.0}], ids=str)
def test_rows_without_labels_change_nothing_among_the_others(new):
    """A Mondrian process is consistent: the tree on more rows, looked at on fewer, is the tree on these."""
    model = forest(n_estimators=5, random_state=0, **new)
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(40, 3))
    model.fit(X, X[:, 0])
    had, (has, added) = (
        StoredForest.of(model),
        with_rows(model, np.concatenate([rng.uniform(-1, 2, size=(30, 3)), X[:4]])),
    )
    rows_before, rows_after = np.arange(40), np.setdiff1d(np.arange(74), added)
    by_place = [rows[np.lexsort(kept.features[rows].T)] for kept, rows in ((had, rows_before), (has, rows_after))]
    for before, after in zip(had.plain_trees(), has.plain_trees(), strict=True):
        np.testing.assert_array_equal(meeting_times(before, by_place[0]), meeting_times(after, by_place[1]))
