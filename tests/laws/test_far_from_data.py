"""Away from the data, predictions get less sure; the mean is kept, or with the paper's numbers goes to the prior."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from hedgerow import MondrianForestRegressor
from paper import paper_regressor

RNG = np.random.default_rng(8)
X = RNG.uniform(size=(200, 3))
Y = 5 + 3 * X[:, 0] + RNG.normal(size=200)


@pytest.mark.parametrize("way", ["fit", "partial_fit"])
@pytest.mark.parametrize("lifetime", [3.0, np.inf])
def test_goes_to_the_prior(way, lifetime):
    forest = paper_regressor(20, lifetime=lifetime, random_state=0)
    getattr(forest, way)(X, Y)
    mean, std = forest.predict([[1e15, -1e15, 1e15]], return_std=True)
    gained = expit(forest.drift_rate_ * lifetime) - 0.5
    assert mean[0] == pytest.approx(forest.prior_mean_, rel=1e-6)
    assert std[0] == pytest.approx(np.sqrt(forest.drift_variance_ * gained + forest.noise_variance_), rel=1e-6)


def test_goes_to_the_prior_that_is_set():
    settings = {"prior_mean": -50.0, "drift_variance": 8.0, "noise_variance": 2.0}
    forest = paper_regressor(5, random_state=0, **settings).fit(X, Y)
    mean, std = forest.predict([[1e15, 0.5, 0.5]], return_std=True)
    assert mean[0] == pytest.approx(-50, rel=1e-6)
    assert std[0] == pytest.approx(np.sqrt(8 / 2 + 2), rel=1e-6)


@pytest.mark.parametrize("smoothing", ["hierarchy", "moments"])
@pytest.mark.parametrize("way", ["fit", "partial_fit"])
@pytest.mark.parametrize("lifetime", [3.0, np.inf])
def test_keeps_the_mean_of_the_nearest_point(way, lifetime, smoothing):
    forest = MondrianForestRegressor(20, lifetime=lifetime, smoothing=smoothing, random_state=0)
    getattr(forest, way)(X, Y)
    points = X[:40] + np.where(RNG.uniform(size=(40, 3)) < 0.5, RNG.choice([-1, 1], size=(40, 3)) * [2.0, 30.0, 1e9], 0)
    nearest = np.clip(points, X.min(axis=0), X.max(axis=0))
    kept = forest.predict(nearest)
    mean, std = forest.predict(points, return_std=True)
    np.testing.assert_allclose(mean, kept, rtol=1e-6)  # the range is kept in single precision
    dist = forest.predict_dist(points)
    np.testing.assert_allclose(dist.mean(), mean, rtol=1e-9)
    np.testing.assert_allclose(dist.std(), std, rtol=1e-9)


def test_very_far_the_way_back_from_the_prior_is_added():
    """There every component is the prior's; the mean is moved, and the way there widens the prediction.

    But no further than to 1.2 times the variance of the targets.
    """
    forest = MondrianForestRegressor(20, random_state=0).fit(X, Y)
    mean, std = forest.predict([[1e15, -1e15, 1e15]], return_std=True)
    calibration = forest._learner.labels.calibration
    variance = calibration.variances(np.ones(1))[0] + (mean[0] - forest.prior_mean_) ** 2
    assert std[0] == pytest.approx(np.sqrt(min(variance, calibration.most + calibration.noise)), rel=1e-6)
    assert std[0] < 1.15 * Y.std()
    assert abs(mean[0] - forest.prior_mean_) > 0.5


DIRECTIONS = pytest.mark.parametrize("direction", [[1, 0, 0], [-1, 2, 0.5], [1, 1, 1], [0, 0, -1]])


def stds_along(forest, direction):
    """From the edge of the data outwards."""
    steps = np.concatenate([[0], np.geomspace(0.5, 1e9, 60)])
    ray = np.clip(0.5 + 10 * np.array(direction), 0, 1) + steps[:, None] * direction
    return forest.predict(ray, return_std=True)[1]


@DIRECTIONS
def test_std_grows_along_a_ray_as_the_share_of_the_prior_grows(direction):
    std = stds_along(paper_regressor(30, random_state=0).fit(X, 5 + RNG.normal(size=200)), direction)
    assert (np.diff(std) > -1e-9 * std[1:]).all()
    assert std[-1] > std[0]


@DIRECTIONS
def test_std_grows_along_a_ray(direction):
    """With labels that depend on the columns: from the edge the mean moves away from the prior."""
    std = stds_along(MondrianForestRegressor(30, random_state=0).fit(X, Y + 5 * X[:, 1]), direction)
    assert (np.diff(std) > -2e-2 * std[1:]).all()
    assert std[-1] > std[0]


def test_far_values_do_not_break_anything():
    forest = MondrianForestRegressor(5, random_state=0).fit(X, Y)
    for extreme in (1e300, -1.7e308, 1e-320):
        mean, std = forest.predict(np.full((1, 3), extreme), return_std=True)
        assert np.isfinite(mean).all()
        assert (std > 0).all()


def test_inside_is_surer_than_outside():
    forest = MondrianForestRegressor(30, random_state=0).fit(X, Y)
    _, inside = forest.predict(X[:50], return_std=True)
    _, outside = forest.predict(X[:50] + 3, return_std=True)
    assert inside.max() < outside.min()


@pytest.mark.parametrize("seed", range(4))
def test_far_away_labels_may_be_anything_that_labels_have_been(seed):
    """A smooth function of one column: variances within trees are tiny where rows are."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3, 3, size=(500, 1))
    labels = np.sin(x[:, 0]) + rng.normal(scale=0.1, size=500)
    _, std = MondrianForestRegressor(20, random_state=seed).fit(x, labels).predict([[50.0]], return_std=True)
    assert std[0] >= 0.99 * labels.std()
