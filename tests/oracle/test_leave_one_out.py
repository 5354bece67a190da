"""Leave-one-out of one tree after another against dense Gaussian solves without the row's label, to 1e-9."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from hedgerow import MondrianForestRegressor
from hedgerow.base.copies import NO_GROUPS
from oracle.dense import DenseTree, Hyperparameters
from trees import StoredForest

FIXED = {"prior_mean": 0.7, "drift_variance": 5.0, "drift_rate": 0.9, "noise_variance": 0.4}
CLOCKS = pytest.mark.parametrize("hyperparameters", ["paper", "learned"])


def grid_rows(n, width=2, seed=0):
    """Points on a coarse grid: some rows coincide."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(n, width)) / 8
    return X, np.sin(3 * X[:, 0]) + rng.normal(size=n), rng.uniform(0.2, 3.0, size=n)


def new(hyperparameters, **parameters):
    settings = {"n_estimators": 3, "min_samples_split": 2, "scaling": "none", "random_state": 1, **parameters}
    return MondrianForestRegressor(hyperparameters=hyperparameters, **settings)


def dense_trees(forest, hyper):
    """Beliefs go by the K that smooths, predictions by the noise that was calibrated."""
    stored = StoredForest.of(forest)
    smooth = Hyperparameters(
        hyper.prior_mean, hyper.drift_variance, hyper.drift_rate, hyper.drift_variance / forest._learner.core.model[1],
        hyper.exponential,
    )  # fmt: skip
    return [DenseTree(r, stored.labels, stored.weights, smooth, forest.lifetime) for r in stored.plain_trees()]


def rows_in_order(stored):
    """Row numbers in the order in which the rows came, for forests whose numbers were never used again."""
    freed = set(stored.arrays["rows.freed"].tolist())
    return [row for row in range(stored.labels.size) if row not in freed]


def assert_exact(forest, rtol=1e-9):
    stored = StoredForest.of(forest)
    hyper = Hyperparameters.of(forest)
    rtol = max(rtol, 1e-14 * forest._learner.core.model[1])  # the dense solve loses the digits of K
    trees = dense_trees(forest, hyper)
    loo, spread = forest.loo_predict(), forest._learner.labels.calibration.spread
    order = rows_in_order(stored)
    assert loo.mean.shape == loo.std.shape == loo.log_density.shape == (len(order),)
    for i, row in enumerate(order):
        means, variances = np.array([tree.without(row) for tree in trees]).T
        variances = variances + hyper.noise_variance
        at = means.mean() + spread * (means - means.mean())
        density = logsumexp(norm.logpdf(stored.labels[row], at, np.sqrt(variances))) - np.log(len(trees))
        np.testing.assert_allclose(loo.mean[i], means.mean(), rtol=rtol, atol=rtol)
        np.testing.assert_allclose(loo.std[i], np.sqrt(variances.mean() + at.var()), rtol=rtol)
        np.testing.assert_allclose(loo.log_density[i], density, rtol=rtol, atol=rtol)


@CLOCKS
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("min_samples_split", "lifetime"), [(2, np.inf), (2, 1.5), (6, np.inf), (6, 0.1)])
@pytest.mark.parametrize("numbers", [FIXED, {}], ids=["fixed", "own"])
def test_batch(hyperparameters, weighted, min_samples_split, lifetime, numbers):
    X, y, weights = grid_rows(30)
    forest = new(hyperparameters, min_samples_split=min_samples_split, lifetime=lifetime, **numbers)
    assert_exact(forest.fit(X, y, weights if weighted else None))


@CLOCKS
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("min_samples_split", "lifetime"), [(2, np.inf), (6, 0.5)])
def test_copies_are_left_out_together(hyperparameters, weighted, min_samples_split, lifetime):
    X, y, weights = grid_rows(12)
    which = np.r_[np.arange(12), 0, 0, 0, 3, 3, 7]
    X, y, weights = X[which] + 1e-3 * which[:, None], y[which], weights[which]
    shape = {"min_samples_split": min_samples_split, "lifetime": lifetime}
    forest = new(hyperparameters, **FIXED, **shape).fit(X, y, weights if weighted else None)
    loo, trees = forest.loo_predict(), dense_trees(forest, Hyperparameters.of(forest))
    for row in range(which.size):
        copies = np.flatnonzero(which == which[row]).tolist()
        means = [tree.without(row, copies)[0] for tree in trees]
        assert loo.mean[row] == pytest.approx(np.mean(means), rel=1e-9)
    if not weighted:  # the same as one row of the copies' weight, but for the shape of paused leaves
        merged = new(hyperparameters, **FIXED, **shape).fit(X[:12], y[:12], np.bincount(which).astype(float))
        if min_samples_split == 2:
            np.testing.assert_allclose(merged.loo_predict().mean, loo.mean[:12], rtol=1e-9)


@CLOCKS
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("min_samples_split", "lifetime"), [(2, np.inf), (6, 0.5)])
def test_blocks(hyperparameters, weighted, min_samples_split, lifetime):
    """Each row without its whole block: dense solves with all of the block's labels struck out."""
    X, y, weights = grid_rows(30)
    shape = {"min_samples_split": min_samples_split, "lifetime": lifetime, "n_estimators": 4}
    forest = new(hyperparameters, **FIXED, **shape).fit(X, y, weights if weighted else None)
    blocks = np.random.default_rng(3).integers(0, 3, size=30).astype(np.uint32)
    blocks[:4] = 0xFFFFFFFF
    hyper = Hyperparameters.of(forest)
    core, trees = forest._learner.core, dense_trees(forest, hyper)
    rule = forest._learner.rule(forest._current.query)
    found = [core.leave_blocks_out(rule, 3, blocks, 3, n_threads) for n_threads in (1, 2, 5)]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    mean, within, between = found[0]
    assert not mean[:4].any()
    for row in range(4, 30):
        out = np.flatnonzero(blocks == blocks[row]).tolist()
        means, variances = np.array([tree.without(row, out) for tree in trees[:3]]).T
        assert mean[row] + forest._learner.labels.origin == pytest.approx(means.mean(), rel=1e-9)
        assert hyper.drift_variance * within[row] == pytest.approx(variances.mean(), rel=1e-9)
        assert between[row] == pytest.approx(means.var(), rel=1e-7, abs=1e-15)


def test_all_rows_in_one_block_leave_the_prior():
    X, y, _ = grid_rows(20)
    forest = new("learned", **FIXED).fit(X, y)
    learner = forest._learner
    rule, blocks = learner.rule(forest._current.query), np.zeros(20, dtype=np.uint32)
    mean, within, between = learner.core.leave_blocks_out(rule, 3, blocks, 1, 1)
    np.testing.assert_allclose(mean + forest._learner.labels.origin, FIXED["prior_mean"], rtol=1e-12)
    np.testing.assert_allclose(within, 1.0, rtol=1e-12)
    np.testing.assert_allclose(between, 0.0, atol=1e-15)


@CLOCKS
def test_online_and_backwards(hyperparameters):
    X, y, weights = grid_rows(50)
    forest = new(hyperparameters).fit(X[:20], y[:20], weights[:20]).partial_fit(X[20:], y[20:], weights[20:])
    assert_exact(forest)
    assert_exact(forest.unlearn(X[5:25], y[5:25], weights[5:25]))


@CLOCKS
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows(hyperparameters, n):
    X, y, _ = grid_rows(n)
    assert_exact(new(hyperparameters, prior_mean=0.3).fit(X, y))


@CLOCKS
@pytest.mark.parametrize(("rate", "ratio"), [(1e-6, 1.0), (1e6, 1.0), (1.0, 1e-6), (1.0, 1e6)])
def test_extreme_smoothing(hyperparameters, rate, ratio):
    X, y, _ = grid_rows(15)
    forest = new(hyperparameters, drift_rate=rate, signal_to_noise=ratio, drift_variance=1.0).fit(X, y)
    assert_exact(forest, rtol=1e-6)


def test_the_numbers_are_common_to_all_ways_of_asking():
    X, y, weights = grid_rows(60, width=3)
    forest = new("learned", n_estimators=7).fit(X, y, weights)
    rule, places = forest._learner.rule(forest._current.query), np.arange(60, dtype=np.uint32)
    means, variances = forest._learner.core.leave_one_out_by_tree(rule, places, NO_GROUPS, 1)
    for n_threads in (1, 2, 3):
        core = forest._learner.core
        mean, within, between = core.leave_one_out(rule, core.n_trees, NO_GROUPS, n_threads)
        np.testing.assert_allclose(mean, means.mean(axis=1), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(within, variances.mean(axis=1), rtol=1e-12)
        np.testing.assert_allclose(between, means.var(axis=1), rtol=1e-9, atol=1e-15)
        again = forest._learner.core.leave_one_out_by_tree(rule, places, NO_GROUPS, n_threads)
        np.testing.assert_array_equal(again, (means, variances))
    problem = forest._learner.core.smoothing_problem(7, NO_GROUPS)
    rate, ratio = forest._learner.core.model
    error = problem.mean_square(rate, ratio, forest._learner.core.query(rule)[0])
    expected = np.average((forest._learner.core.row_labels() - means.mean(axis=1)) ** 2, weights=weights)
    assert error == pytest.approx(expected, rel=1e-12)


def test_moments_have_no_leave_one_out():
    X, y, _ = grid_rows(10)
    with pytest.raises(ValueError, match="smoothing='hierarchy'"):
        new("learned", smoothing="moments").fit(X, y).loo_predict()


@pytest.mark.parametrize("weighted", [False, True])
def test_the_error_of_few_trees_is_corrected_for_how_few_they_are(weighted):
    X, y, weights = grid_rows(60)
    forest = new("learned", n_estimators=9).fit(X, y, weights if weighted else None)
    core, rule = forest._learner.core, forest._learner.rule(forest._current.query)
    centre = core.query(rule)[0]
    means, _ = core.leave_one_out_by_tree(rule, np.arange(60, dtype=np.uint32), NO_GROUPS, 1)
    misses = core.row_labels() - means[:, :4].mean(axis=1)
    # The mean of 9 trees varies less than that of 4, by (1/4 - 1/9) of what a tree varies.
    squares = misses**2 - (1 / 4 - 1 / 9) * means[:, :4].var(axis=1, ddof=1)
    expected = np.average(squares, weights=weights if weighted else None)
    assert core.smoothing_problem(4, NO_GROUPS).mean_square(*core.model, centre) == pytest.approx(expected, rel=1e-12)
