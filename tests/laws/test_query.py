"""What rows are chosen to be labelled next."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from scipy import stats
from sklearn.exceptions import NotFittedError

import hedgerow as hr
from models import bits, forest
from tables import draw_table
from thorough import THOROUGH


def wiggly(X):
    """A straight line on the left, waves on the right."""
    return np.where(X[:, 0] < 0.5, 0.3 * X[:, 0], np.sin(30 * X[:, 0])) + 0.3 * X[:, 1]


def error_after_rounds(choose, seed):
    """Label 40 rows at a time, twice, out of 500; error on new rows, against what would be known without noise."""
    rng = np.random.default_rng(seed)
    pool, new = rng.uniform(size=(500, 2)), rng.uniform(size=(500, 2))
    y = wiggly(pool) + rng.normal(scale=0.05, size=500)
    labelled = list(range(100))
    for _ in range(2):
        model = forest(n_estimators=10, random_state=seed).fit(pool[labelled], y[labelled])
        left = np.setdiff1d(np.arange(500), labelled)
        labelled += left[choose(model, pool[left], rng)].tolist()
    model = forest(n_estimators=10, random_state=seed).fit(pool[labelled], y[labelled])
    return np.sqrt(np.mean((model.predict(new) - wiggly(new)) ** 2))


@pytest.mark.statistical
def test_chosen_rows_teach_more_than_random_ones():
    """Were they no better than random ones, this would pass with probability 1 % (a one-sided t test).

    Errors are smaller by about a third.
    """
    seeds = range(32 if THOROUGH else 6)
    chosen = [error_after_rounds(lambda model, X, rng: model.query(X, 40), seed) for seed in seeds]
    random = [error_after_rounds(lambda model, X, rng: rng.choice(len(X), 40, replace=False), seed) for seed in seeds]
    assert stats.ttest_rel(np.log(chosen), np.log(random), alternative="less").pvalue < 0.01


def test_noisy_places_are_asked_about_more_often():
    """There the mean is known less well."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1000, 1))
    noise = np.where(X[:, 0] < 0.5, 0.1, 1.0)
    model = forest(random_state=0).fit(X, np.sin(20 * X[:, 0]) + rng.normal(size=1000) * noise)
    pool = rng.uniform(size=(200, 1))
    assert np.mean(pool[model.query(pool, 20), 0] > 0.5) > 0.8


def test_a_batch_is_spread_out():
    """Fifty copies of each of ten places: ten picks, ten places."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(60, 2))
    model = forest().fit(X, np.sin(5 * X[:, 0]))
    pool = np.repeat(rng.uniform(1.5, 9.0, size=(10, 2)), 50, axis=0)
    assert len(set(model.query(pool, 10) // 50)) == 10


def test_rows_of_reference_are_what_counts():
    rng = np.random.default_rng(0)
    X, pool = rng.uniform(size=(100, 2)), rng.uniform(size=(200, 2))
    model = forest().fit(X, np.sin(5 * X).sum(axis=1))
    there = rng.uniform(0.7, 1.0, size=(50, 2))
    assert (pool[model.query(pool, 5, reference=there)] > 0.5).all()


CASES = {
    "as it is": {},
    "keyed": {"cuts": "keyed"},
    "window": {"window": 30},
    "paper": {"hyperparameters": "paper"},
    "lifetime": {"lifetime": 1.0},
    "counts": {"target": "count"},
    "positive": {"target": "positive"},
}


@pytest.mark.parametrize("name", CASES)
def test_the_model_stays_as_it_is_and_threads_make_no_difference(name):
    rng = np.random.default_rng(0)
    X, pool = rng.uniform(size=(80, 3)), rng.uniform(-1, 2, size=(40, 3))
    y = rng.poisson(4, size=80) + 1
    model = forest(**CASES[name]).partial_fit(X, y).unlearn(X[70:72], y[70:72])
    before = bits(model)
    found = model.query(pool, 40)
    assert bits(model) == before
    assert found.dtype == np.intp
    np.testing.assert_array_equal(np.sort(found), np.arange(40))
    np.testing.assert_array_equal(model.set_params(n_jobs=2).query(pool, 7), found[:7])


def test_weights_times_anything_choose_the_same():
    rng = np.random.default_rng(0)
    X, pool, weights = rng.uniform(size=(80, 2)), rng.uniform(size=(40, 2)), rng.uniform(0.5, 2.0, 80)
    y = np.sin(5 * X[:, 0]) + rng.normal(scale=0.2, size=80)
    one, other = (forest().fit(X, y, scale * weights).query(pool, 10) for scale in (1.0, 64.0))
    np.testing.assert_array_equal(one, other)


def test_constant_targets_one_row_and_copies():
    X = np.random.default_rng(0).uniform(size=(50, 2))
    for model in (forest().fit(X, np.ones(50)), forest().partial_fit(X[:1], [3.0]), forest().fit(X[[0] * 50], X[:, 0])):
        assert set(model.query(X, 50)) == set(range(50))


def test_equally_good_rows_are_sampled():
    """Targets that depend on nothing: any row is as good as any other, and the first ones of a table may be alike."""
    rng = np.random.default_rng(0)
    X, pool = rng.uniform(size=(300, 3)), np.sort(rng.uniform(size=(500, 3)), axis=0)
    found = forest(n_estimators=30).fit(X, rng.normal(size=300)).query(pool, 20)
    assert np.ptp(pool[found, 0]) > 0.6


def test_several_targets_share_the_choice():
    rng = np.random.default_rng(0)
    X, pool = rng.uniform(size=(60, 2)), rng.uniform(size=(30, 2))
    model = forest().fit(X, np.column_stack([X[:, 0], np.sin(5 * X[:, 1])]))
    assert len(set(model.query(pool, 9, reference=pool[:5]))) == 9


def test_tables_with_text_and_gaps():
    table, y = draw_table(120)
    table = pandas.DataFrame(table)
    model = hr.MondrianForestRegressor(5, random_state=0).fit(table[:80], y[:80])
    assert len(set(model.query(table[80:], 10))) == 10


def test_errors():
    X = np.random.default_rng(0).uniform(size=(30, 2))
    with pytest.raises(NotFittedError):
        forest().query(X)
    model = forest().fit(X, X[:, 0])
    for n in (0, -1, 31, 2.0, True, None, "two"):
        with pytest.raises(ValueError, match="whole number from 1 to the 30 rows"):
            model.query(X, n)
    with pytest.raises(ValueError, match="features"):
        model.query(X[:, :1])
    with pytest.raises(ValueError, match="features"):
        model.query(X, 2, reference=X[:, :1])
    with pytest.raises(ValueError, match="hierarchy"):
        forest(smoothing="moments").fit(X, X[:, 0]).query(X)
