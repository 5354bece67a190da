"""Moves of BART's trees against the list of all trees; `test_calibration` has whole chains.

One tree on a handful of rows: every move, alone where it can reach all trees and otherwise next to grow and prune, must
leave the posterior as it is. Chains are compared in two ways: run long from the prior, and, for a likelihood so
peaked that no chain crosses between trees, started in draws from the posterior and run for a few sweeps. Alarms are at
6.5 standard errors (chains: below 1e-4 for all comparisons of this file together, skewness of the estimates allowed
for) and at p < 1e-7 (tests of counts: below 1e-5 for all of them).
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import log_ndtr, logsumexp, ndtr

from oracle.sums_of_trees import known_noise_likelihood, sampler, started_at, tree_shares
from oracle.tree_enumeration import Enumeration, n_leaves
from thorough import THOROUGH

pytestmark = pytest.mark.statistical

ALARM = 6.5

ROWS = {
    "apart": (
        np.array([[0.0, 1.0], [1.0, 3.0], [1.0, 0.5], [2.5, 2.0], [4.0, 3.5]]),
        np.array([-1.0, 0.9, -0.7, 0.4, 1.2]),
    ),
    "grid": (
        np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 1], [2, 2], [0, 2]]),
        np.array([-1.0, 0.9, -0.7, 1.4, 1.2, 0.1, -0.4]),
    ),
    # All corners, and about a parity, so that trees are deep: several nodes can exchange rules with their children.
    "cube": (
        np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)]),
        np.array([-2.0, 1.8, 1.4, -2.2, 2.4, -1.2, -1.6, 1.8]),
    ),
    # The second column shifts what the first one does: rules are repeated, with cuts to choose, on both sides of it.
    "slabs": (
        np.array([[0, 0], [1, 0], [3, 0], [4, 0], [0, 1], [1, 1], [4, 1]]),
        np.array([-1.4, -0.6, 0.8, 1.4, 0.2, 0.8, 2.6]),
    ),
    # Both columns matter on both sides of each other, where their ranges differ.
    "shifted": (
        np.array([[0, 0], [1, 0], [3, 0], [3, 1], [4, 1], [6, 1], [1, 1]]),
        np.array([-1.4, -0.6, 1.8, -1.4, -1.2, -2.0, 1.6]),
    ),
    # Equal labels, which a rule may divide or not at little cost; ranges differ on the two sides of either column.
    "levels": (
        np.array([[0, 0], [1, 0], [3, 0], [4, 0], [1, 1], [3, 1], [9, 1]]),
        np.array([-1.0, -1.0, 1.0, 1.0, 1.0, -1.0, -1.0]),
    ),
}
PLANS = {
    "grow_prune": {"grow_prune": 1},
    "even grow_prune": {"even_grow_prune": 1},
    "cgm": {"cgm": 1},
    "graft": {"graft": 1},
    "graft alike": {"graft_alike": 1},
    "pg": {"particles": 1},
    "subtree pg": {"subtree_particles": 1},
    "perturb": {"grow_prune": 1, "perturb": 2},
    "change": {"grow_prune": 1, "change": 2},
    "swap": {"grow_prune": 1, "swap": 2},
    "heat bath": {"grow_prune": 1, "heat_bath": 2},
    "exchange": {"grow_prune": 1, "exchange": 3},
    "all": {"grow_prune": 1, "perturb": 1, "heat_bath": 1, "swap": 1, "exchange": 1, "graft": 1, "change": 1},
}
CASES = [(plan, rows) for plan in PLANS for rows in ("apart", "grid")] + [
    ("exchange", "cube"),
    ("exchange", "shifted"),
    ("graft", "slabs"),
    ("graft alike", "slabs"),
]
# Where moves lead from one tree to another that is about as likely, however peaked the likelihood.
PEAKED_CASES = [
    ("grow_prune", "levels"),
    ("even grow_prune", "levels"),
    ("graft", "levels"),
    ("perturb", "levels"),
    ("cgm", "apart"),
    ("change", "apart"),
    ("swap", "apart"),
    ("heat bath", "apart"),
    ("exchange", "levels"),
    ("exchange", "cube"),
    ("pg", "apart"),
    ("pg", "levels"),
    ("subtree pg", "apart"),
    ("subtree pg", "levels"),
    ("all", "apart"),
    ("all", "grid"),
]


def features_of(found, names, n_rows):
    """Shares of single trees and of numbers of leaves, as a vector."""
    leaves = np.zeros(n_rows)
    for name, share in found.items():
        leaves[n_leaves(name) - 1] += share
    return np.concatenate([[found.get(name, 0.0) for name in names], leaves])


def assert_shares(drawn, n_chains, X, truth):
    """The mean over independent chains of how often each tree was drawn."""
    names = [name for name, probability in truth.items() if probability > 0.004]
    expected = features_of(truth, names, len(X))
    samples = np.array([features_of(found, names, len(X)) for found in tree_shares(drawn, n_chains, X)])
    wanted = expected > 1e-3
    samples, expected = samples[:, wanted], expected[wanted]
    z = (samples.mean(axis=0) - expected) / np.maximum(samples.std(axis=0, ddof=1) / np.sqrt(n_chains), 1e-9)
    assert np.abs(z).max() < ALARM, z


@pytest.mark.parametrize(("plan", "rows"), CASES)
def test_moves_keep_to_the_posterior(plan, rows):
    X, y = ROWS[rows]
    n_chains, n_sweeps = (100, 40_000) if THOROUGH else (40, 1_000 if "pg" in plan else 4_000)
    truth = Enumeration(X, y, known_noise_likelihood(0.8**2, 1.0)).posterior
    drawn = sampler(X, y, PLANS[plan], noise=0.8, n_chains=n_chains, seed=3)
    drawn.run(300, 0, 1)
    drawn.run(n_sweeps, 4 if "pg" in plan else 10, 1)
    assert_shares(drawn, n_chains, X, truth)


@pytest.mark.parametrize(("plan", "rows"), PEAKED_CASES)
def test_moves_keep_to_a_peaked_posterior(plan, rows):
    X, y = ROWS[rows]
    n_chains = 6_000 if THOROUGH else 1_500
    truth = Enumeration(X, y, known_noise_likelihood(0.02**2, 1.0)).posterior  # thousands of nats between trees
    names, probabilities = list(truth), np.array(list(truth.values()))
    rng = np.random.default_rng(5)
    starts = [names[i] for i in rng.choice(len(names), n_chains, p=probabilities / probabilities.sum())]
    drawn = started_at(starts, X, y, PLANS[plan], seed=7, noise=0.02)
    drawn.run(5, 5, 1)
    ends = [next(iter(found)) for found in tree_shares(drawn, n_chains, X)]
    assert np.mean([end != start for end, start in zip(ends, starts, strict=True)]) > 0.02  # to stay would be exact too
    common = [name for name in names if truth[name] * n_chains > 8]
    counts = np.array([ends.count(name) for name in common] + [0.0])
    counts[-1] = n_chains - counts.sum()
    expected = n_chains * np.array([truth[name] for name in common] + [1.0 - sum(truth[name] for name in common)])
    keep = expected > 1e-6
    assert counts[~keep].sum() == 0
    statistic = ((counts[keep] - expected[keep]) ** 2 / expected[keep]).sum()
    assert stats.chi2.sf(statistic, keep.sum() - 1) > 1e-7


def without_copies(name, originals):
    """Name of a tree on some rows, of which others were copies."""
    if name[0] == "leaf":
        return ("leaf", tuple(sorted({originals[row] for row in name[1]})))
    return (name[0], without_copies(name[1], originals), without_copies(name[2], originals))


def weighted_likelihood(noise_variance, leaf_variance):
    """The same as `known_noise_likelihood` where each label has a weight, which divides its noise."""

    def log_marginal(labels_and_weights):
        labels, weights = labels_and_weights.T
        covariance = np.diag(noise_variance / weights) + leaf_variance
        return float(stats.multivariate_normal.logpdf(labels, np.zeros(len(labels)), covariance))

    return log_marginal


@pytest.mark.parametrize("weights", ["copies", "fractions"])
@pytest.mark.parametrize("plan", ["heat bath", "pg", "all"])
def test_weighted_rows_keep_to_the_posterior(plan, weights):
    X, y = ROWS["grid"]
    if weights == "copies":
        w = np.array([1.0, 2.0, 1.0, 1.0, 3.0, 2.0, 1.0])
        copies = np.repeat(np.arange(len(y)), w.astype(int))
        found = Enumeration(X[copies], y[copies], known_noise_likelihood(0.8**2, 1.0)).posterior
        truth = {without_copies(name, copies): probability for name, probability in found.items()}
    else:
        w = np.array([0.25, 2.5, 0.7, 1.0, 1.8, 0.5, 3.1])
        truth = Enumeration(X, np.column_stack([y, w]), weighted_likelihood(0.8**2, 1.0)).posterior
    drawn = sampler(X, y, PLANS[plan], noise=0.8, n_chains=40, seed=23, weights=w)
    drawn.run(300, 0, 1)
    drawn.run(1_000 if "pg" in plan else 3_000, 4 if "pg" in plan else 10, 1)
    assert_shares(drawn, 40, X, truth)


@pytest.mark.parametrize("weights", [[], [0.5, 2.0, 1.0, 0.25, 3.0, 0.1]])
def test_noise_is_drawn_from_its_posterior(weights):
    # Trees that say nothing, so that labels are all noise: draws are independent.
    y, weights = np.array([-1.0, 0.4, 2.0, -0.3, 0.8, 1.5]), np.array(weights)
    drawn = sampler(np.zeros((6, 1)), y, {}, leaf_deviation=1e-7, df=4.0, scale=0.5, weights=weights)
    drawn.run(5_000, 1, 1)
    w = weights if len(weights) else np.ones(6)
    truth = stats.invgamma(0.5 * (4.0 + w.sum()), scale=0.5 * (4.0 * 0.5 + w @ y**2))
    assert stats.kstest(drawn.notes()[0, :, 0] ** 2, truth.cdf).pvalue > 1e-7


@pytest.mark.parametrize("plan", ["all", "pg"])
def test_without_labels_trees_have_their_prior(plan):
    X, y = ROWS["apart"]
    truth = Enumeration(X, y, known_noise_likelihood(1.0, 1.0)).prior
    drawn = sampler(X, y, PLANS[plan], noise=1e5, n_chains=40, seed=11)
    drawn.run(2_000, 4, 1)
    assert_shares(drawn, 40, X, {name: np.exp(prior) for name, prior in truth.items()})


def probit_likelihood(deviation, offset):
    """Signs of a leaf share a normal value, which is integrated out by the rule of trapezoids."""
    points = np.linspace(-9.0, 9.0, 4001)

    def log_marginal(labels):
        signs = np.where(np.asarray(labels) > 0.5, 1.0, -1.0)
        logs = stats.norm.logpdf(points) + log_ndtr(signs[:, None] * (deviation * points + offset)).sum(axis=0)
        return float(logsumexp(logs) + np.log(points[1] - points[0]))

    return log_marginal


def test_signs_keep_to_the_posterior():
    X, numbers = ROWS["apart"]
    y = (numbers > 0).astype(float)
    truth = Enumeration(X, y, probit_likelihood(1.5, 0.6)).posterior
    drawn = sampler(X, y, {"grow_prune": 4}, leaf_deviation=1.5, kind="probit", offsets=[0.6], n_chains=40, seed=13)
    drawn.run(500, 0, 1)
    drawn.run(10_000, 5, 1)
    assert_shares(drawn, 40, X, truth)


def moments_of_utilities(counts, deviation, offsets):
    """Posterior mean and mean square of three classes' mean utilities, on a grid: each the same for all rows."""
    axis = deviation * np.linspace(-4.5, 4.5, 25)
    means = np.stack(np.meshgrid(axis, axis, axis, indexing="ij")).reshape(3, -1)
    probabilities = np.zeros_like(means)
    shifted = means + np.array(offsets)[:, None]
    for u in np.arange(-8.0, 8.01, 0.5):
        for k in range(3):
            others = [ndtr(u + shifted[k] - shifted[j]) for j in range(3) if j != k]
            probabilities[k] += 0.5 * stats.norm.pdf(u) * others[0] * others[1]
    logs = stats.norm.logpdf(means, scale=deviation).sum(axis=0) + counts @ np.log(probabilities)
    weights = np.exp(logs - logsumexp(logs))
    return np.concatenate([means @ weights, means**2 @ weights])


def test_ranks_keep_to_the_posterior():
    # Rows that are all equal: one leaf a class, whose values are all there is to know.
    counts, offsets = np.array([4, 2, 1]), [0.5, 0.0, -0.4]
    drawn = sampler(
        np.zeros((7, 1)),
        np.repeat([0.0, 1.0, 2.0], counts),
        {},
        leaf_deviation=1.2,
        kind="classes",
        offsets=offsets,
        n_chains=40,
        seed=29,
    )
    drawn.run(200, 0, 1)
    drawn.run(40_000 if THOROUGH else 4_000, 4, 1)
    found = drawn.predict(np.zeros((1, 1)), 1)[0].reshape(40, -1, 3)
    samples = np.concatenate([found.mean(axis=1), (found**2).mean(axis=1)], axis=1)
    truth = moments_of_utilities(counts, 1.2, offsets)
    z = (samples.mean(axis=0) - truth) / (samples.std(axis=0, ddof=1) / np.sqrt(40))
    assert np.abs(z).max() < ALARM, z
