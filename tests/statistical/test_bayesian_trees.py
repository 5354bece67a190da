"""Samplers of trees against the list of all trees on five rows, two of which tie in a column.

Each test makes independent runs and compares the mean of what they say with the truth, in units of its standard error.
For a filter, evidence times weight is unbiased for the joint probability of a tree and the labels, exactly,
whatever the number of particles; chains are compared after a burn-in that is long for trees this small.
The alarm is at |z| > 6.5 with at least 40 runs: below 2e-7 a comparison for Student's t with 39 degrees of freedom, and
below 1e-4 for all comparisons of this file together, skewness of the estimates allowed for.
"""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import BayesianTreeClassifier, BayesianTreeRegressor
from oracle.tree_enumeration import Enumeration, class_likelihood, n_leaves, real_likelihood, sampled_trees
from thorough import THOROUGH

pytestmark = pytest.mark.statistical

ALARM = 6.5

X = np.array([[0.0, 1.0], [1.0, 3.0], [1.0, 0.5], [2.5, 2.0], [4.0, 3.5]])
CLASSES = np.array([0, 1, 0, 1, 1])
NUMBERS = np.array([0.1, 2.0, 0.3, 1.5, 2.2])
QUERIES = np.array([[0.3, 0.0], [2.0, 2.5], [1.0, 1.5], [9.0, -9.0]])
LEAF = {"prior_mean": 1.0, "mean_weight": 0.5, "noise_df": 3.0, "noise_scale": 0.2}

FILTERS = {
    "prior": {},
    "prior, layer": {"expansion": "layer"},
    "prior, systematic": {"resampling": "systematic", "ess_threshold": 0.9},
    "empirical": {"proposal": "empirical"},
    "empirical, layer, always resampled": {"proposal": "empirical", "expansion": "layer", "ess_threshold": 1.0},
    "optimal": {"proposal": "optimal", "ess_threshold": 0.9},
    "optimal, layer": {"proposal": "optimal", "expansion": "layer"},
    "optimal, one column": {"proposal": "optimal", "max_features": 1, "ess_threshold": 0.9},
}


def class_truth():
    return Enumeration(X, CLASSES, class_likelihood(2, 5.0))


def real_truth():
    names = {"mean": "prior_mean", "mean_weight": "mean_weight", "df": "noise_df", "scale": "noise_scale"}
    return Enumeration(X, NUMBERS, real_likelihood(**{ours: LEAF[name] for ours, name in names.items()}))


def assert_means(samples, truth):
    """Columns of independent samples have the true means."""
    samples, truth = np.asarray(samples), np.asarray(truth)
    error = samples.std(axis=0, ddof=1) / np.sqrt(len(samples))
    z = (samples.mean(axis=0) - truth) / np.maximum(error, 1e-12)
    assert np.abs(z).max() < ALARM, (int(np.abs(z).argmax()), z)
    return error


def summary(found, names, truth):
    """Posterior of single trees and of the number of leaves, as a vector."""
    common = [name for name in names if truth[name] > 0.004]
    leaves = np.zeros(len(X))
    for name, weight in found.items():
        leaves[n_leaves(name) - 1] += weight
    return np.concatenate([[found.get(name, 0.0) for name in common], leaves])


def filter_runs(model, y, truth, n_runs, value):
    """Evidence, and evidence times the summary of the posterior and predictions: all unbiased."""
    runs = []
    for seed in range(n_runs):
        model.set_params(random_state=seed).fit(X, y)
        ratio = np.exp(model.log_marginal_likelihood_ - truth.log_evidence)
        found = sampled_trees(model, X)
        parts = np.concatenate([summary(found, truth.prior, truth.posterior), np.ravel(value(model))])
        runs.append(np.concatenate([[ratio], ratio * parts]))
    return runs


@pytest.mark.parametrize("settings", FILTERS.values(), ids=FILTERS.keys())
def test_filters_for_classes_are_exact(settings):
    truth = class_truth()
    assert len(truth.prior) > 300
    model = BayesianTreeClassifier(n_particles=40, n_islands=1, **settings)
    runs = filter_runs(model, CLASSES, truth, 4000 if THOROUGH else 200, lambda m: m.predict_proba(QUERIES)[:, 1])
    probability = [truth.predict(x, lambda labels: (labels.sum() + 2.5) / (len(labels) + 5.0)) for x in QUERIES]
    expected = np.concatenate([[1.0], summary(truth.posterior, truth.prior, truth.posterior), probability])
    error = assert_means(runs, expected)
    assert error[-4:].max() < 0.02  # the comparison says something


@pytest.mark.parametrize("settings", FILTERS.values(), ids=FILTERS.keys())
def test_filters_for_numbers_are_exact(settings):
    truth = real_truth()
    model = BayesianTreeRegressor(n_particles=60, n_islands=1, **LEAF, **settings)
    runs = filter_runs(model, NUMBERS, truth, 4000 if THOROUGH else 200, lambda m: m.predict(QUERIES))
    mean = [
        truth.predict(x, lambda labels: (labels.sum() + 0.5 * LEAF["prior_mean"]) / (len(labels) + 0.5))
        for x in QUERIES
    ]
    expected = np.concatenate([[1.0], summary(truth.posterior, truth.prior, truth.posterior), mean])
    assert_means(runs, expected)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_chains_are_exact(kind):
    truth = class_truth() if kind == "classes" else real_truth()
    settings = {"sampler": "cgm", "n_islands": 1, "n_steps": 4000, "n_burn_in": 500, "n_particles": 1750}
    if kind == "classes":
        model, y = BayesianTreeClassifier(**settings), CLASSES
    else:
        model, y = BayesianTreeRegressor(**settings, **LEAF), NUMBERS
    runs = []
    for seed in range(600 if THOROUGH else 60):
        model.set_params(random_state=seed).fit(X, y)
        runs.append(summary(sampled_trees(model, X), truth.prior, truth.posterior))
    assert_means(runs, summary(truth.posterior, truth.prior, truth.posterior))


@pytest.mark.parametrize("settings", [*FILTERS.values(), {"sampler": "cgm"}], ids=[*FILTERS, "cgm"])
def test_without_information_the_posterior_is_the_prior(settings):
    """One class: all labels are certain, whatever the tree."""
    truth = Enumeration(X, np.zeros(5), lambda labels: 0.0)
    size = {"n_particles": 500, "n_steps": 1500, "n_burn_in": 500, "n_islands": 1}
    runs = []
    for seed in range(60):
        model = BayesianTreeClassifier(random_state=seed, **size, **settings).fit(X, np.zeros(5, dtype=int))
        runs.append(summary(sampled_trees(model, X), truth.prior, truth.posterior))
        if "cgm" not in settings.values() and "empirical" not in settings.values():
            assert model.log_marginal_likelihood_ == pytest.approx(0.0, abs=1e-12)
    assert_means(runs, summary(truth.posterior, truth.prior, truth.posterior))


def test_all_samplers_agree_on_more_rows():
    """No list of trees here: the evidence of filters that differ in everything, and the predictions of a chain."""
    rng = np.random.default_rng(3)
    X_more = rng.normal(size=(40, 3)).round(1)
    y_more = (X_more[:, 0] + 0.5 * rng.normal(size=40) > 0).astype(int)
    filters = {name: settings for name, settings in FILTERS.items() if name != "optimal, one column"}
    filters["optimal, two columns"] = {"proposal": "optimal", "max_features": 2, "ess_threshold": 0.5}
    runs, queries = {}, rng.normal(size=(6, 3))
    for name, settings in filters.items():
        n = 200 if "optimal" in name else 1000
        models = [BayesianTreeClassifier(n_particles=n, n_islands=1, random_state=s, **settings) for s in range(40)]
        fitted = [model.fit(X_more, y_more) for model in models]
        evidence = np.array([model.log_marginal_likelihood_ for model in fitted])
        ratio = np.exp(evidence - evidence.max())
        proba = np.stack([model.predict_proba(queries)[:, 1] for model in fitted])
        weights = ratio / ratio.sum()
        mean = weights @ proba
        runs[name] = (
            np.append(mean, ratio.mean() * np.exp(evidence.max())),
            np.append(
                np.sqrt((weights**2) @ (proba - mean) ** 2), ratio.std(ddof=1) / np.sqrt(40) * np.exp(evidence.max())
            ),
        )
    chains = [
        BayesianTreeClassifier("cgm", n_islands=1, n_particles=300, n_steps=4000, random_state=s).fit(X_more, y_more)
        for s in range(40)
    ]
    proba = np.stack([chain.predict_proba(queries)[:, 1] for chain in chains])
    best = runs["optimal"]
    for mean, error in runs.values():
        z = (mean - best[0]) / np.hypot(error, best[1]).clip(1e-12)
        assert np.abs(z).max() < ALARM, runs
    z = (proba.mean(axis=0) - best[0][:-1]) / np.hypot(proba.std(axis=0, ddof=1) / np.sqrt(40), best[1][:-1])
    assert np.abs(z).max() < ALARM, z
