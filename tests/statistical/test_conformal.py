"""Conformal intervals miss as often as they may, on exchangeable rows and on others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hedgerow import MondrianForestRegressor, OnlineConformalRegressor, OnlineForestRegressor, _core
from thorough import THOROUGH

pytestmark = pytest.mark.statistical
SCALE = 5 if THOROUGH else 1
FALSE_ALARM = 1e-4
"""Of each test below, by design; seeds are fixed, so a test that passes goes on passing."""


def test_a_new_score_exceeds_the_radius_exactly_as_often_as_it_should():
    """With n = 99 exchangeable scores and confidence 0.9 the probability is 1 - 90 / 100, exactly."""
    rng = np.random.default_rng(0)
    n_windows = 4000 * SCALE
    misses = 0
    for _ in range(n_windows):
        window = _core.ScoreWindow(99, 0.0)
        window.update(rng.exponential(size=99), np.empty(0))
        misses += rng.exponential() > window.radii(np.array([0.9]))[0]
    low, high = stats.binom(n_windows, 0.1).interval(1 - FALSE_ALARM)
    assert low <= misses <= high


def test_misses_after_one_calibration_are_beta_binomial():
    """Of m new scores after n, those beyond the score of rank k number BetaBinomial(m, n + 1 - k, k)."""
    rng = np.random.default_rng(1)
    n, m, k, n_windows = 60, 40, 55, 2000 * SCALE  # confidence 0.9: ceil(0.9 * 61) = 55
    counts = np.zeros(m + 1)
    for _ in range(n_windows):
        window = _core.ScoreWindow(n, 0.0)
        window.update(rng.normal(size=n) ** 2, np.empty(0))
        counts[(rng.normal(size=m) ** 2 > window.radii(np.array([0.9]))[0]).sum()] += 1
    expected = stats.betabinom(m, n + 1 - k, k).pmf(np.arange(m + 1)) * n_windows
    cells = np.flatnonzero(expected >= 10)
    observed = np.append(counts[cells], counts.sum() - counts[cells].sum())
    wanted = np.append(expected[cells], expected.sum() - expected[cells].sum())
    assert stats.chisquare(observed, wanted * observed.sum() / wanted.sum()).pvalue > FALSE_ALARM


def draw(rng, n):
    X = rng.uniform(size=(n, 4))
    return X, 5 * X[:, 0] + np.sin(6 * X[:, 1]) + rng.standard_t(3, size=n) * (0.2 + X[:, 2])


BASES = {
    "forest": lambda seed: OnlineForestRegressor(5, random_state=seed),
    "Mondrian": lambda seed: MondrianForestRegressor(5, hyperparameters="paper", random_state=seed),
}


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    "options",
    [{}, {"mode": "approximate"}, {"normalised": True}, {"mode": "approximate", "normalised": True}],
    ids=str,
)
def test_intervals_of_models_are_valid_on_exchangeable_rows(base, options):
    """One new row a model, all independent: misses are at most binomial with 1 - confidence, and not absurdly few."""
    n_models, confidence = (300 if base == "forest" else 120) * SCALE, 0.8
    misses = 0
    for seed in range(n_models):
        rng = np.random.default_rng(seed)
        X, y = draw(rng, 151)
        model = OnlineConformalRegressor(BASES[base](seed), calibration_size=60, **options)
        model.partial_fit(X[:150], y[:150])
        low, high = model.predict_interval(X[150:], confidence)[0]
        misses += not low <= y[150] <= high
    assert misses <= stats.binom(n_models, 1 - confidence).ppf(1 - FALSE_ALARM)
    assert misses >= 0.3 * (1 - confidence) * n_models


def test_size_matched_intervals_are_narrower_and_hardly_miss_more():
    rng = np.random.default_rng(2)
    X, y = draw(rng, 6000 * SCALE)
    scores = {}
    for size_matched in (False, True):
        model = OnlineConformalRegressor(OnlineForestRegressor(random_state=0), size_matched=size_matched)
        _, interval = model.predict_then_learn(X, y, confidence=0.9)
        late = slice(2000, None)
        missed = (y < interval[:, 0]) | (y > interval[:, 1])
        scores[size_matched] = missed[late].mean(), np.diff(interval[late]).mean()
    assert scores[True][1] < scores[False][1]
    assert scores[False][0] <= scores[True][0] <= 0.12


@pytest.mark.parametrize("mode", ["exact", "approximate"])
def test_adaptive_intervals_keep_their_coverage_under_drift(mode):
    """Noise grows all the time: what was calibrated is always too narrow, unless it adapts."""
    rng = np.random.default_rng(3)
    n = 8000 * SCALE
    X = rng.uniform(size=(n, 2))
    y = X[:, 0] + rng.normal(size=n) * np.geomspace(0.1, 50, n)
    shares = {}
    for adaptive in (False, True):
        model = OnlineConformalRegressor(
            OnlineForestRegressor(random_state=0), mode=mode, adaptive=adaptive, adaptation_rate=0.02
        )
        _, interval = model.predict_then_learn(X, y, confidence=0.9)
        shares[adaptive] = ((y < interval[:, 0]) | (y > interval[:, 1]))[1000:].mean()
    assert shares[False] > 0.13
    assert abs(shares[True] - 0.1) < 0.01
