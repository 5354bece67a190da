"""Hyper-parameters that are learned: what is set is kept, odd data do no harm, and intervals cover."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from hedgerow import MondrianForestRegressor

RNG = np.random.default_rng(4)
X = RNG.uniform(size=(80, 3))
Y = 5 * X[:, 0] + 0.3 * RNG.normal(size=80)


def new(**parameters):
    return MondrianForestRegressor(**{"n_estimators": 8, "random_state": 0, "target": "real", **parameters})


SET = [
    {"prior_mean": -2.0},
    {"drift_rate": 0.7},
    {"drift_variance": 3.0},
    {"noise_variance": 0.2},
    {"drift_variance": 3.0, "noise_variance": 0.2},
    {"signal_to_noise": 12.0},
    {"signal_to_noise": 12.0, "drift_variance": 3.0},
    {"prior_mean": 1.0, "drift_variance": 3.0, "drift_rate": 0.7, "noise_variance": 0.2},
]


@pytest.mark.parametrize("way", ["fit", "partial_fit"])
@pytest.mark.parametrize("n", [1, 5, 15, 16, 80])
@pytest.mark.parametrize("numbers", SET, ids=str)
def test_what_is_set_is_kept(numbers, n, way):
    forest = getattr(new(**numbers), way)(X[:n], Y[:n])
    for name in ("prior_mean", "drift_rate", "drift_variance", "noise_variance"):
        if name in numbers:
            assert getattr(forest, f"{name}_") == pytest.approx(numbers[name], rel=1e-12)
    if "signal_to_noise" in numbers:
        assert forest.drift_variance_ / forest.noise_variance_ == pytest.approx(12.0, rel=1e-12)
        assert forest._learner.core.model[1] == 12.0
    mean, std = forest.predict(X, return_std=True)
    assert np.isfinite(mean).all()
    assert (std**2 >= forest.noise_variance_ * (1 - 1e-9)).all()


def test_what_is_set_later_is_followed():
    forest = new().fit(X, Y)
    mean, std = forest.predict(X, return_std=True)
    forest.set_params(noise_variance=100.0)
    assert forest.noise_variance_ == pytest.approx(100.0, rel=1e-12)
    np.testing.assert_array_equal(forest.predict(X), mean)
    assert (forest.predict(X, return_std=True)[1] > std).all()


@pytest.mark.parametrize("noise_variance", [1e-4, 0.09, 10.0])
def test_the_evidence_is_that_of_one_model(noise_variance):
    """Not of the K that smooths together with variances that were calibrated apart from it."""
    forest = new(noise_variance=noise_variance).fit(X, Y)
    assert -1e5 < forest.log_marginal_likelihood_ < 1e3


def test_a_thousand_columns():
    wide = np.random.default_rng(0).normal(size=(60, 1000))
    forest = new(n_estimators=3).fit(wide, wide[:, 0])
    assert np.isfinite(forest.predict(wide)).all()
    assert forest.axis_rates_.shape == (1000,)


def test_rates_find_the_columns_that_matter():
    columns, labels = make_friedman1(2000, random_state=0)
    forest = new().fit(columns, labels)
    assert forest.axis_rates_[:5].min() > forest.axis_rates_[5:].max()
    assert forest.feature_importances_[:5].sum() > 0.9
    assert forest.axis_rates_.max() == 1.0


def test_rows_of_before_are_found_after_many_reviews():
    """Each review brings rows into new units, which rounds."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=400), rng.exponential(size=400) ** 3 * 1e4, rng.integers(0, 3, size=400)])
    labels = np.round(rows[:, 0] + rng.normal(size=400), 1)  # many labels are equal: rows are known by their features
    forest = new(n_estimators=3).fit(rows[:20], labels[:20]).partial_fit(rows[20:], labels[20:])
    forest.unlearn(rows[:399], labels[:399])
    assert forest.n_samples_ == 1
    assert forest.check_structure() == []


@pytest.mark.parametrize("way", ["fit", "partial_fit"])
def test_intervals_cover(way):
    """Of 2000 new rows 90 % +- 4 %; the standard error is 0.7 %."""
    columns, labels = make_friedman1(5000, noise=1.0, random_state=1)
    forest = getattr(new(n_estimators=20), way)(columns[:3000], labels[:3000])
    low, high = forest.predict_interval(columns[3000:], confidence=0.9).T
    assert 0.86 < np.mean((low <= labels[3000:]) & (labels[3000:] <= high)) < 0.94
    loo = forest.loo_predict()
    error = np.sqrt(np.mean((forest.predict(columns[3000:]) - labels[3000:]) ** 2))
    assert np.sqrt(np.mean((loo.mean - labels[:3000]) ** 2)) == pytest.approx(error, rel=0.08)
    assert loo.log_density.mean() == pytest.approx(forest.log_density(columns[3000:], labels[3000:]).mean(), abs=0.1)


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_reviews_do_not_walk_away(seed):
    """Smoothing is searched afresh at each review: begun where the last search ended, it follows a flat valley away."""
    rng = np.random.default_rng(seed)
    rows = rng.uniform(size=(3000, 4))
    labels = 2 * rows[:, 0] + rng.standard_t(2.5, size=3000)
    online = MondrianForestRegressor(10, random_state=0).partial_fit(rows, labels)
    assert 0.01 < online.drift_rate_ < 50.0
    batch = MondrianForestRegressor(10, random_state=0).fit(rows, labels)
    points = rng.uniform(size=(200, 4))
    widths = [np.diff(model.predict_interval(points), axis=1).mean() for model in (online, batch)]
    assert 0.6 < widths[0] / widths[1] < 1.6
