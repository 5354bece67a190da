"""Hyper-parameters left at None follow appendix B; those that are set are used."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from paper import paper_regressor

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(100, 3)), RNG.normal(2.0, 3.0, size=100)


def in_use(forest):
    return forest.prior_mean_, forest.drift_variance_, forest.drift_rate_, forest.noise_variance_


@pytest.mark.parametrize("n", [2, 30, 100])
def test_paper(n):
    forest = paper_regressor(2, random_state=0).fit(X[:n], Y[:n])
    ratio = min(2000, 2 * n)
    variance = np.var(Y[:n]) / (0.5 + 1 / ratio)
    assert in_use(forest) == pytest.approx((Y[:n].mean(), variance, 3 / (20 * np.log2(n)), variance / ratio))


def test_signal_to_noise_is_capped():
    rng = np.random.default_rng(1)
    forest = paper_regressor(1, random_state=0).fit(rng.normal(size=(1500, 1)), rng.normal(size=1500))
    assert forest.drift_variance_ / forest.noise_variance_ == pytest.approx(2000)


def test_weights_count_as_rows():
    weights = RNG.integers(1, 4, size=100)
    weighted = paper_regressor(2, random_state=0).fit(X, Y, weights)
    repeated = paper_regressor(2, random_state=0).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights))
    assert in_use(weighted) == pytest.approx(in_use(repeated))


def test_finite_lifetime_keeps_the_total_variance():
    """Before data a label has the variance of the labels, also when trees end early."""
    forest = paper_regressor(2, lifetime=1.5, random_state=0).fit(X, Y)
    gained = expit(forest.drift_rate_ * 1.5) - 0.5
    assert forest.drift_variance_ * gained + forest.noise_variance_ == pytest.approx(np.var(Y))


@pytest.mark.parametrize(
    "set_by_user",
    [
        {"prior_mean": -4.0},
        {"drift_variance": 2.0},
        {"drift_rate": 0.9},
        {"noise_variance": 0.5},
        {"signal_to_noise": 17.0},
        {"prior_mean": 1.0, "drift_variance": 2.0, "drift_rate": 0.1, "noise_variance": 3.0},
        {"drift_variance": 2.0, "signal_to_noise": 8.0},
    ],
)
def test_set_by_user(set_by_user):
    forest = paper_regressor(2, random_state=0, **set_by_user).fit(X, Y)
    for name, value in set_by_user.items():
        if name == "signal_to_noise":
            assert forest.drift_variance_ / forest.noise_variance_ == pytest.approx(value)
        else:
            assert getattr(forest, name + "_") == pytest.approx(value)
    if "drift_variance" not in set_by_user:  # then it makes up the rest of the labels' variance
        assert forest.drift_variance_ / 2 + forest.noise_variance_ == pytest.approx(np.var(Y))


def test_mean_and_scale_are_those_of_the_rows_held_now():
    forest = paper_regressor(3, random_state=0).fit(X[:50], Y[:50])
    forest.partial_fit(X[50:70], Y[50:70]).unlearn(X[:30], Y[:30])
    kept = Y[30:70]
    assert forest.prior_mean_ == pytest.approx(kept.mean())
    ratio = forest.drift_variance_ / forest.noise_variance_
    assert forest.drift_variance_ * (0.5 + 1 / ratio) == pytest.approx(np.var(kept))


def test_online_settles_where_batch_does():
    """Rate and ratio are looked at whenever the number of rows has doubled, so at 128 rows."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(128, 3)), rng.normal(size=128)
    batch = paper_regressor(1, random_state=0).fit(X, y)
    online = paper_regressor(1, random_state=0).partial_fit(X, y)
    assert in_use(online) == pytest.approx(in_use(batch))
