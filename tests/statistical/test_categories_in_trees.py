"""Posteriors of trees on a table with a category and a gap, against the list of all trees.

A rule about a category asks whether its place lies below a cut, in one of three random orders; about a missing value,
on which side of the cut the value lies that stands for it, or whether it is missing. Alarms are those of
`test_bayesian_trees`: |z| > 6.5 with at least 40 independent runs, below 2e-7 for each of fewer than 300 comparisons.
"""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import BayesianTreeClassifier, BayesianTreeRegressor
from oracle.sums_of_trees import known_noise_likelihood, sampler
from oracle.tree_enumeration import Enumeration, class_likelihood, n_leaves, real_likelihood, sampled_trees
from statistical.test_bart import PLANS, assert_shares
from statistical.test_bayesian_trees import LEAF, assert_means
from thorough import THOROUGH

pytestmark = pytest.mark.statistical

TABLE = {"colour": ["red", "green", "blue", None, "red"], "size": [1.0, None, 2.0, 4.0, 2.5]}
CLASSES = np.array([0, 1, 0, 1, 1])
NUMBERS = np.array([0.1, 2.0, 0.3, 1.5, 2.2])
QUERIES = {"colour": ["red", None, "green", "never seen"], "size": [2.0, None, 3.0, None]}


def axes(table):
    """What trees see of a table."""
    found = BayesianTreeRegressor(n_particles=5, random_state=0).fit(TABLE, NUMBERS)
    assert found.axis_names_ == ["colour", "colour (place 2)", "colour (place 3)", "size", "size (missing)"]
    return found._query_rows(table)


def summary(found, truth):
    """Posterior of single trees and of the number of leaves, as a vector."""
    common = [name for name, probability in truth.items() if probability > 0.004]
    leaves = np.zeros(len(NUMBERS))
    for name, weight in found.items():
        leaves[n_leaves(name) - 1] += weight
    return np.concatenate([[found.get(name, 0.0) for name in common], leaves])


def truth_of(kind):
    if kind == "classes":
        return Enumeration(axes(TABLE), CLASSES, class_likelihood(2, 5.0))
    leaf = {"mean": LEAF["prior_mean"], "df": LEAF["noise_df"], "scale": LEAF["noise_scale"]}
    return Enumeration(axes(TABLE), NUMBERS, real_likelihood(mean_weight=LEAF["mean_weight"], **leaf))


def new(kind, **settings):
    if kind == "classes":
        return BayesianTreeClassifier(n_islands=1, **settings)
    return BayesianTreeRegressor(n_islands=1, **LEAF, **settings)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize("settings", [{}, {"proposal": "optimal", "ess_threshold": 0.9}], ids=["prior", "optimal"])
def test_filters_are_exact(kind, settings):
    truth, y, X = truth_of(kind), CLASSES if kind == "classes" else NUMBERS, axes(TABLE)
    weight, prior = (5.0, 2.5) if kind == "classes" else (LEAF["mean_weight"], LEAF["mean_weight"] * LEAF["prior_mean"])
    model, runs = new(kind, n_particles=60, **settings), []
    for seed in range(4000 if THOROUGH else 300):
        model.set_params(random_state=seed).fit(TABLE, y)
        ratio = np.exp(model.log_marginal_likelihood_ - truth.log_evidence)
        said = model.predict_proba(QUERIES)[:, 1] if kind == "classes" else model.predict(QUERIES)
        parts = np.concatenate([summary(sampled_trees(model, X), truth.posterior), said])
        runs.append(np.concatenate([[ratio], ratio * parts]))
    predicted = [
        truth.predict(x, lambda labels: (labels.sum() + prior) / (len(labels) + weight)) for x in axes(QUERIES)
    ]
    assert_means(runs, np.concatenate([[1.0], summary(truth.posterior, truth.posterior), predicted]))


def test_chains_are_exact():
    truth, X, runs = truth_of("numbers"), axes(TABLE), []
    model = new("numbers", sampler="cgm", n_steps=4000, n_burn_in=500, n_particles=1750)
    for seed in range(600 if THOROUGH else 60):
        model.set_params(random_state=seed).fit(TABLE, NUMBERS)
        runs.append(summary(sampled_trees(model, X), truth.posterior))
    assert_means(runs, summary(truth.posterior, truth.posterior))


@pytest.mark.parametrize("plan", ["all", "subtree pg"])
def test_sums_of_trees_keep_to_the_posterior(plan):
    X, y = axes(TABLE), NUMBERS - NUMBERS.mean()
    n_chains, n_sweeps = (100, 40_000) if THOROUGH else (40, 2_000 if "pg" in plan else 8_000)
    truth = Enumeration(X, y, known_noise_likelihood(0.8**2, 1.0)).posterior
    drawn = sampler(X, y, PLANS[plan], noise=0.8, n_chains=n_chains, seed=3)
    drawn.run(300, 0, 1)
    drawn.run(n_sweeps, 4 if "pg" in plan else 10, 1)
    assert_shares(drawn, n_chains, X, truth)


def test_rules_are_sets_of_categories():
    """Three orders of four categories: at most nine ways to cut them in two, of the seven that there are."""
    X = axes(TABLE)
    sets = {
        frozenset(map(frozenset, (left, right)))
        for axis in range(3)
        for _, _, left, right in truth_of("numbers").gaps((0, 1, 2, 3), axis)
    }
    assert 3 <= len(sets) <= 7
    apart = [any((X[i, axis] != X[j, axis]) for axis in range(3)) for i in range(4) for j in range(i)]
    assert all(apart)
    np.testing.assert_array_equal(X[0, :3], X[4, :3])
