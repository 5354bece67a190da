"""Shapes learned row by row: they pay where they differ, cost nothing where they do not, and are honest."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import kstest

import hedgerow
from hedgerow import MondrianBoostingRegressor
from stored import Stored

RNG = np.random.default_rng(5)
N, N_TEST = 1500, 1500
X = RNG.uniform(size=(N + N_TEST, 3))
PLAIN = 3 * X[:, 0] + np.sin(6 * X[:, 1])
SKEWED = PLAIN + np.where(X[:, 2] < 0.5, 1.0, -1.0) * (RNG.exponential(size=N + N_TEST) - 1.0)
NORMAL = PLAIN + 0.5 * RNG.normal(size=N + N_TEST)


def fitted(y, **parameters):
    return MondrianBoostingRegressor(20, random_state=0, **parameters).fit(X[:N], y[:N])


@cache
def of_skewed():
    return fitted(SKEWED)


def test_skewed_noise_is_found():
    common, own = fitted(SKEWED, shape="common"), of_skewed()
    assert common._learner.reshaping is None
    assert own._learner.reshaping is not None
    gain = own.log_density(X[N:], SKEWED[N:]) - common.log_density(X[N:], SKEWED[N:])
    assert gain.mean() > 0.1
    left, right = own.predict_interval(X[N:], 0.9).T - own.predict_quantiles(X[N:], [0.5]).T
    to_the_right = X[N:, 2] < 0.5
    assert np.median((right + left)[to_the_right]) > 0.3  # longer on the right, where noise is skewed to it
    assert np.median((right + left)[~to_the_right]) < -0.3


def test_a_common_shape_is_left_alone():
    assert fitted(NORMAL)._learner.reshaping is None


def test_levels_of_new_labels_are_uniform_on_either_side():
    """Two tests at a level of 1e-3, of distributions that were learned and so are only nearly right."""
    dist = of_skewed().predict_dist(X[N:])
    levels = dist.cdf(SKEWED[N:])
    for side in (X[N:, 2] < 0.5, X[N:, 2] >= 0.5):
        assert kstest(levels[side][:200], "uniform").pvalue > 1e-3
    assert 0.87 < np.mean((levels > 0.05) & (levels < 0.95)) < 0.93


def test_leave_one_out_tells_the_density_of_new_labels():
    model = of_skewed()
    left_out = model.loo_predict()
    assert left_out.log_density.mean() == pytest.approx(model.log_density(X[N:], SKEWED[N:]).mean(), abs=0.1)
    assert model.loo_score_ == pytest.approx(model.score(X[N:], SKEWED[N:]), abs=0.05)


@pytest.mark.parametrize("weighted", [False, True])
def test_chunks_threads_and_files(tmp_path, weighted):
    weights = np.linspace(0.8, 1.4, 600) if weighted else None
    models = []
    for n_jobs, edges in ((1, [0, 600]), (2, [0, 99, 180, 600])):
        model = MondrianBoostingRegressor(8, random_state=0, n_jobs=n_jobs)
        for part in (slice(*pair) for pair in pairwise(edges)):
            model.partial_fit(X[part], SKEWED[part], None if weights is None else weights[part])
        models.append(model)
    assert models[0]._learner.reshaping is not None
    models[0].save(tmp_path / "model")
    models.append(hedgerow.load(tmp_path / "model"))
    for model in models[1:]:
        for ask in ("predict_interval", "predict"):
            np.testing.assert_array_equal(getattr(models[0], ask)(X[600:699]), getattr(model, ask)(X[600:699]))
        np.testing.assert_array_equal(models[0].loo_predict(), model.loo_predict())


def test_forecasts_of_a_stream_are_those_of_a_loop():
    together, apart = (MondrianBoostingRegressor(6, random_state=0).fit(X[:300], SKEWED[:300]) for _ in range(2))
    said = together.predict_then_learn(X[300:320], SKEWED[300:320])
    assert together._learner.reshaping is not None
    for i in range(20):
        row = X[300 + i : 301 + i]
        np.testing.assert_array_equal(said.ppf([0.05, 0.95])[i], apart.predict_quantiles(row, [0.05, 0.95])[0])
        assert said.mean()[i] == apart.predict_one(row[0])
        apart.learn_one(row[0], SKEWED[300 + i])


HOSTILE = [
    {"forests": []},
    {"sees_columns": [True, False]},
    {"sees_columns": []},
    {"offsets": [0.0] * 21},
    {"share": 0.0},
    {"share": float("nan")},
]


@pytest.fixture(scope="module")
def stored():
    model = MondrianBoostingRegressor(4, random_state=0).fit(X[:1000], SKEWED[:1000])
    assert model._learner.reshaping is not None
    return Stored.of(model)


@pytest.mark.parametrize("change", HOSTILE, ids=str)
def test_hostile_files(tmp_path, stored, change):
    with pytest.raises(ValueError, match="cannot load"):
        stored.with_learned({f"learner/reshaping/{name}": value for name, value in change.items()}).load(
            tmp_path / "model"
        )


def test_hostile_arrays(tmp_path, stored):
    names = [name for name in stored.arrays if "/reshaping/" in name]
    assert len(names) > 10
    for name in names:
        array = stored.arrays[name]
        for bad in (None, array[:-1], np.concatenate([array, array[-1:]]), array.astype(np.int8)):
            if bad is None or bad.size != array.size or array.size:
                with pytest.raises(ValueError, match="cannot load"):
                    stored.with_array(name, bad).load(tmp_path / "model")
