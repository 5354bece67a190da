"""One row that lies alone, far off, does not decide what boosting says of all the space around it."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianBoostingRegressor
from hedgerow.boosting._chains import MOST_SURPRISING, bounded

N_DAYS, PER_DAY, FAR_OFF = 30, 60, 30.0


def explained(X):
    return 2 * (X[:, 2] > 0.5) + 2 * (X[:, 1] > 0.4) * (X[:, 2] > 0.3)


def days(rng):
    """Rows in order of time: day, hour, a number. Evenings share a level; of the last day there is no evening."""
    n = N_DAYS * PER_DAY
    X = np.column_stack([np.repeat(np.arange(N_DAYS), PER_DAY), rng.uniform(size=n), rng.uniform(size=n)])
    levels = 2 * rng.normal(size=N_DAYS)
    y = explained(X) + levels[X[:, 0].astype(int)] * (X[:, 1] > 0.5) + rng.normal(size=n)
    kept = (X[:, 0] < N_DAYS - 1) | (X[:, 1] < 0.7)
    return X[kept], y[kept]


@pytest.mark.parametrize("seed", [0, 1])
def test_stages_do_not_add_up_a_row_that_lies_alone(seed):
    """Each stage learns what is left over of rows by those that have not seen them: of this one, all, every time."""
    rng = np.random.default_rng(seed)
    X, y = days(rng)
    lone = np.array([[N_DAYS - 1, 0.85, 0.5]])
    later = np.column_stack([rng.integers(N_DAYS, N_DAYS + 10, 500), rng.uniform(0.7, 1, 500), rng.uniform(size=500)])
    new = MondrianBoostingRegressor(20, random_state=0, stages=["mondrian", "greedy"])
    with_it = new.fit(np.concatenate([X, lone]), np.append(y, FAR_OFF))
    assert with_it.predict(lone)[0] < FAR_OFF
    assert np.mean(with_it.predict(later) - explained(later)) < 0.2 * FAR_OFF


def test_what_a_stage_learns_is_bounded_and_has_the_same_mean():
    rng = np.random.default_rng(0)
    residuals = np.append(rng.normal(size=1000), 100.0)
    for weights in (np.empty(0), rng.uniform(0.5, 2.0, size=1001)):
        found = bounded(residuals, weights)
        share = weights / weights.sum() if weights.size else np.full(1001, 1 / 1001)
        rms = np.sqrt(share @ residuals**2)
        assert found.max() < (MOST_SURPRISING + 0.1) * rms < 0.5 * residuals.max()
        np.testing.assert_allclose(share @ found, share @ residuals, atol=1e-12)
        assert np.ptp((found - residuals)[:-1]) < 1e-12


def test_what_is_not_surprising_is_learned_as_it_is():
    residuals = np.random.default_rng(0).standard_t(5, size=2000)
    assert bounded(residuals, np.empty(0)) is residuals
    vectors = np.zeros((2000, 2))
    vectors[0] = 1.0  # a class that is rare
    assert bounded(vectors, np.empty(0)) is vectors
