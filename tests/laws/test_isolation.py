"""What outlier scores are like."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

import hedgerow as hr
from models import BY_NAME, bits, every
from tables import draw_table

CASES = ["forest", "forest, rank", "forest, window", "forest, two targets", "forest, keyed", "class forest"]


@pytest.mark.parametrize("name", CASES)
def test_far_rows_score_lower_and_lower(name):
    X, y = BY_NAME[name].data(300)
    model = BY_NAME[name].new().fit(X, y)
    centre, spread = X.mean(axis=0), np.ptp(X, axis=0)
    scores = model.score_samples(centre + spread * np.array([[0.6], [1.0], [3.0], [1e3], [1e300 / spread.max()]]))
    assert (np.diff(scores) <= 0).all()
    assert scores[2] < model.score_samples(X).min()
    assert scores[-1] == pytest.approx(-(2 ** (-1 / (2 * np.log(model.n_samples_)))), abs=0.1)  # alone at the root


@every("score_samples")
def test_scores_are_between_minus_one_and_zero(case):
    model, X = case.seasoned(), case.data(60, seed=1)[0]
    before = bits(model)
    scores = model.score_samples(np.concatenate([X, -1e9 * X]))
    assert ((scores > -1) & (scores < 0)).all()
    assert bits(model) == before


def test_rare_rows_among_those_learned_score_low():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(300, 4)), rng.uniform(-7, 7, size=(10, 4))])
    scores = hr.MondrianForestRegressor(random_state=0).fit(X, np.zeros(310)).score_samples(X)
    assert roc_auc_score(np.arange(310) < 300, scores) > 0.97


def test_columns_without_a_say_matter_less():
    """Trees cut the columns that targets depend on."""
    X = np.random.default_rng(0).uniform(size=(500, 2))
    model = hr.MondrianForestRegressor(random_state=0).fit(X, np.sin(12 * X[:, 0]))
    along, across = model.score_samples([[2.0, 0.5], [0.5, 2.0]])
    assert along < across


def test_new_values_of_tables():
    """Text that no row has had, next to numbers and gaps, through the door of `predict`."""
    table, y = draw_table(200)
    table = pandas.DataFrame(table)
    model = hr.MondrianForestRegressor(random_state=0).fit(table, y)
    scores = model.score_samples(table)
    assert scores.shape == (200,)
    np.testing.assert_array_equal(model.score_samples(table[50:90]), scores[50:90])
    model.partial_fit(table, y)
    assert np.isfinite(model.score_samples(table[:5])).all()


def test_a_stream_gets_used_to_what_was_new():
    rng = np.random.default_rng(0)
    model = hr.MondrianForestRegressor(random_state=0)
    model.partial_fit(rng.normal(size=(200, 2)), np.zeros(200))
    there = rng.normal(size=(20, 2)) + 8
    before = model.score_samples(there).mean()
    model.partial_fit(rng.normal(size=(200, 2)) + 8, np.zeros(200))
    assert model.score_samples(there).mean() > before + 0.1


def test_a_weight_is_a_number_of_copies():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    weights = rng.integers(1, 4, size=60)
    new = {"scaling": "none", "hyperparameters": "paper", "min_samples_split": 2, "random_state": 0}
    heavy = hr.MondrianForestRegressor(300, **new).fit(X, np.zeros(60), weights)
    often = hr.MondrianForestRegressor(300, **new).fit(np.repeat(X, weights, axis=0), np.zeros(weights.sum()))
    np.testing.assert_allclose(heavy.score_samples(X), often.score_samples(X), atol=0.03)


@every("score_samples", one_a_class=True)
def test_errors(case):
    with pytest.raises(NotFittedError):
        case.new().score_samples([[0.0]])
    with pytest.raises(ValueError, match="features"):
        case.fitted(30).score_samples(np.zeros((2, 7)))
