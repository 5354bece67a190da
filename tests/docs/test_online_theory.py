"""Formulas of the page on online forests."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hedgerow import OnlineConformalRegressor, OnlineForestRegressor, OnlineQuantileForestRegressor
from hedgerow.online._error_sizes import ErrorSizes


def test_what_a_leaf_says():
    """N(m, (n s^2 + s_0^2) / (n + 1) * (1 + 1 / n)), where the first leaf's s_0 is 0."""
    rng = np.random.default_rng(0)
    forest = OnlineForestRegressor(1, grace_period=1, leaf_capacity=4, min_samples_leaf=9, random_state=0)
    forest.fit(np.zeros((50, 1)), rng.normal(size=50))
    moments = forest._learner.core.archive()["leaves.moments"]
    n = int(forest._learner.core.archive()["leaves.counters"][0])
    weight, mean, squares = moments[:3]
    found, std = forest.predict([[0.0]], return_std=True)
    assert found[0] == pytest.approx(mean)
    assert std[0] ** 2 == pytest.approx(n * (squares / weight) / (n + 1) * (1 + 1 / n))


def test_the_gain_of_a_split_and_when_it_is_made():
    """A leaf of n rows is split when -n/2 log(1 - g) > log(D n / delta), and not before."""
    delta, n_features = 0.1, 2
    for step, splits in ((0.9, False), (2.2, True)):
        rng = np.random.default_rng(1)
        x = np.column_stack([np.tile([0.0, 1.0], 100), np.zeros(200)])
        y = rng.normal(size=200) + step * x[:, 0]
        forest = OnlineForestRegressor(
            1, grace_period=40, split_confidence=delta, drift_detection=False, bagging_rate=1.0, random_state=0
        )
        n_learned = 0
        for row, label in zip(x, y, strict=True):
            forest.learn_one(row, label)
            archive = forest._learner.core.archive()
            n_learned = int(archive["leaves.counters"][0])
            if n_learned == 40 or archive["trees"][0] > 1:
                break
        if archive["trees"][0] > 1:
            assert splits
            continue
        labels, weights = archive["rows.labels"], archive["rows.weights"]
        right = archive["rows.features"].reshape(-1, 2)[:, 0] > archive["rows.features"].reshape(-1, 2)[:, 0].min()
        gaps = labels - np.average(labels, weights=weights)
        sums = (weights * gaps)[~right].sum()
        explained = sums**2 / weights[~right].sum() + sums**2 / weights[right].sum()
        gain = explained / (weights * gaps**2).sum()
        assert (-0.5 * n_learned * math.log(1 - gain) > math.log(n_features * n_learned / delta)) == splits


def factors(sizes, X):
    """The mean size of errors at each row, within bounds."""
    return np.clip(sizes.means(X, 1), 0.01, 5 * math.sqrt(math.pi / 2))


def test_what_errors_are_measured_in():
    """Sizes are sqrt(pi / 2) min(|y - mean| / std, 5) of forecasts, learned after the factor of the row was asked."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    y = X[:, 0] + rng.normal(size=300) * (0.1 + X[:, 1])
    y[250:] *= 100.0
    base = OnlineForestRegressor(random_state=0)
    model = OnlineConformalRegressor(base, mode="approximate", normalised=True, calibration_size=300).fit(X, y)
    mean, std = base.predict_then_learn(X, y, returns="std")
    errors = (np.abs(y - mean) / std)[30:]
    sizes = model._learner.sizes
    copy = ErrorSizes(model._learner.settings, 2, sizes.core.seed).core
    scores = []
    for row, error in zip(X[30:, None, :], errors, strict=True):
        scores.append(error / (factors(copy, row)[0] if len(scores) >= 30 else 1.0))
        copy.learn_one(row[0], math.sqrt(math.pi / 2) * min(error, 5.0))
    assert errors.max() > 5
    np.testing.assert_allclose(copy.archive()["leaves.moments"], sizes.core.archive()["leaves.moments"], rtol=1e-6)
    np.testing.assert_allclose(np.sort(scores), model.scores_, rtol=1e-6)


def test_the_gain_of_a_split_by_mean_and_spread():
    """Labels of equal means that vary more on one side: g is 0, h is not, and a quantile forest splits there."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 1))
    y = rng.choice([-1.0, 1.0], size=400) * np.where(X[:, 0] < 0.5, 0.1, 1.0)
    options = {"n_estimators": 1, "split_confidence": 1e-6, "drift_detection": False, "random_state": 0}
    plain = OnlineForestRegressor(**options).fit(X, y)
    by_spread = OnlineQuantileForestRegressor(OnlineForestRegressor(**options)).fit(X, y)
    assert plain.n_nodes_ == 1
    assert by_spread.n_nodes_ > 1
    archive = by_spread._learner.core.archive()
    assert abs(archive["nodes.threshold"][0] + archive["origin"][0] - 0.5) < 0.05


def test_the_interval():
    """mean +- sigma r_(k), k = ceil(confidence (n + 1)); sigma is 1, or the standard deviation times its factor."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    y = X[:, 0] + rng.normal(size=300)
    for normalised in (False, True):
        model = OnlineConformalRegressor(mode="approximate", normalised=normalised, random_state=0).fit(X, y)
        scores = model.scores_
        radius = scores[math.ceil(0.8 * (scores.size + 1)) - 1]
        mean, std = model.base_.predict(X[:5], return_std=True)
        reach = radius * (std * factors(model._learner.sizes.core, X[:5]) if normalised else 1.0)
        np.testing.assert_allclose(model.predict_interval(X[:5], 0.8), np.column_stack([mean - reach, mean + reach]))
