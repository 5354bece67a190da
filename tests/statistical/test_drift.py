"""A windowed Mondrian forest forgets a drift; one that keeps all rows does not."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianForestRegressor
from hedgerow.stream import evaluate, friedman_drift
from thorough import THOROUGH


def by_time(n_rows, kept, seed):
    """Miss rates in windows of a hundredth of the stream."""
    forest = MondrianForestRegressor(5, window=kept, random_state=seed)
    run = evaluate(forest, friedman_drift("report", n_rows, random_state=seed), window=n_rows // 100, progress=False)
    return run.history["mean_error_rate"]


@pytest.mark.statistical
@pytest.mark.parametrize("seed", range(5 if THOROUGH else 1))
def test_a_windowed_forest_is_valid_again_soon(seed):
    """The report's setting, where a million rows and a window of 80,000 are scaled down together.

    Of 1,200 rows, a forest that misses 0.09 of them misses more than 0.12 on one stream in 6,000 (binomial).
    """
    n_rows, kept = 12_000, 1_000
    misses = by_time(n_rows, kept, seed)
    part = n_rows // 100
    for change in (25, 75):
        assert misses[change] > 0.2  # the change is felt
        filled = change + 2 * kept // part
        assert misses[filled : filled + 10].mean() < 0.12
    forgetful = by_time(n_rows, None, seed)
    assert forgetful[25:41].mean() > misses[25:41].mean() + 0.05


def test_once_the_window_is_past_the_drift_nothing_is_left_of_it():
    """Rows within the window, and nothing else, say what is predicted: exact, in law, by unlearning."""
    stream = friedman_drift("report", 4000, random_state=0)
    X, y = stream.arrays()
    forest = MondrianForestRegressor(20, window=500, random_state=0)
    evaluate(forest, stream, progress=False)
    fresh = MondrianForestRegressor(20, random_state=1).fit(X[-500:], y[-500:])
    query = np.random.default_rng(0).uniform(size=(300, 10))
    errors = [np.abs(each.predict(query) - _signal(query)).mean() for each in (forest, fresh)]
    assert errors[0] < 1.25 * errors[1]  # the ratio lay between 0.87 and 1.03 for five seeds


def _signal(X):
    return 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4] + 0.5
