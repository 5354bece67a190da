"""A stuck sensor: leaves with more rows than are added up one by one."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import hedgerow as hr

N, WINDOW = 330, 120
RNG = np.random.default_rng(4)
X = np.where(RNG.uniform(size=(N, 1)) < 0.9, 1.0, RNG.normal(size=(N, 2)))
WEIGHTS = {"alike": None, "weighted": RNG.uniform(0.5, 2.0, size=N)}
FORESTS = {
    "regressor": (hr.MondrianForestRegressor, RNG.normal(size=N)),
    "moments": (lambda **given: hr.MondrianForestRegressor(smoothing="moments", **given), RNG.normal(size=N)),
    "two targets": (hr.MondrianForestRegressor, RNG.normal(size=(N, 2))),
    "classifier": (hr.MondrianForestClassifier, RNG.integers(0, 3, size=N)),
}

every = pytest.mark.parametrize("name", FORESTS)
weighted = pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)


def part(weights, rows):
    return None if weights is None else weights[rows]


def answers(forest):
    return (forest.predict_proba if hasattr(forest, "predict_proba") else forest.predict)(X)


@every
@weighted
def test_any_split_into_batches_and_a_copy_on_the_way(name, weights):
    new, y = FORESTS[name]
    whole = new(n_estimators=3, window=WINDOW, random_state=0).partial_fit(X, y, sample_weight=weights)
    pieces = new(n_estimators=3, window=WINDOW, random_state=0)
    for begin, end in ((0, 200), (200, 201), (201, 290), (290, 291), (291, N)):
        pieces = pickle.loads(pickle.dumps(pieces))
        pieces.partial_fit(X[begin:end], y[begin:end], sample_weight=part(weights, slice(begin, end)))
    assert pieces.check_structure() == []
    np.testing.assert_array_equal(answers(pieces), answers(whole))


@every
@weighted
def test_unlearned_one_by_one_or_together(name, weights):
    new, y = FORESTS[name]
    gone = np.random.default_rng(1).permutation(N)[:200]
    together, one_by_one = (new(n_estimators=3, random_state=0).fit(X, y, weights) for _ in range(2))
    together.unlearn(X[gone], y[gone], part(weights, gone))
    for i in gone:
        one_by_one.unlearn(X[[i]], y[[i]], part(weights, [i]))
    for forest in (together, one_by_one):
        assert forest.check_structure() == []
        assert forest.n_samples_ == N - gone.size
    np.testing.assert_allclose(answers(one_by_one), answers(together), rtol=1e-6, atol=1e-6)


def test_nothing_is_left_of_a_huge_target():
    y = RNG.normal(size=N)
    forest = hr.MondrianForestRegressor(3, smoothing="moments", hyperparameters="paper", random_state=0)
    forest.partial_fit(np.ones((N, 1)), y).learn_one([1.0], 1e15)
    forest.unlearn_one([1.0], 1e15)
    np.testing.assert_allclose(forest.predict([[1.0]]), y.mean(), rtol=1e-12)
