"""Length scales of the Mondrian kernel that are learned."""

from __future__ import annotations

import numpy as np
import pytest

import hedgerow
from hedgerow import MondrianFeatures, MondrianKernelRidge


def data(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Only the first of six columns, in units of their own, matters."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 6))
    return X * 10.0 ** np.arange(6), np.sin(6 * X[:, 0]) + 0.1 * rng.normal(size=n)


def new(**parameters) -> MondrianKernelRidge:
    return MondrianKernelRidge(20, length_scale="learned", random_state=0, **parameters)


@pytest.mark.parametrize("selection", ["marginal_likelihood", "loo", "validation"])
def test_columns_that_do_not_matter_are_wide(selection):
    X, y = data(200, 0)
    model = new(selection=selection).fit(X, y)
    ranges = X.max(axis=0) - X.min(axis=0)
    lengths = 1.0 / (model._learner.found.units.rates * ranges)
    assert lengths[1:].min() > 3.0 * lengths[0]
    unseen, truth = data(500, 1)
    plain = MondrianKernelRidge(20, random_state=0, selection=selection).fit(X, y)
    errors = [np.mean((each.predict(unseen) - truth) ** 2) for each in (model, plain)]
    assert errors[0] < 0.4 * errors[1]


def test_of_few_rows_ranges_are_left():
    X, _ = data(12, 0)
    few = new().fit(X, np.arange(12.0))
    plain = MondrianKernelRidge(20, random_state=0).fit(X, np.arange(12.0))
    np.testing.assert_array_equal(few.predict(X), plain.predict(X))


def test_files_streams_and_threads(tmp_path):
    X, y = data(90, 2)
    model = new().fit(X[:60], y[:60])
    model.save(tmp_path / "model")
    restored = hedgerow.load(tmp_path / "model")
    for each in (model, restored):
        each.partial_fit(X[60:], y[60:])
    np.testing.assert_array_equal(restored.predict(X), model.predict(X))
    threads = new(n_jobs=2).fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    np.testing.assert_array_equal(threads.predict(X), model.predict(X))


def test_units_of_columns_do_not_matter():
    X, y = data(80, 3)
    factors = 2.0 ** np.arange(-2, 4)
    scaled = new().fit(X * factors, y)
    np.testing.assert_allclose(scaled.predict(X * factors), new().fit(X, y).predict(X), rtol=1e-8)


def test_features_have_no_targets_to_learn_from():
    with pytest.raises(ValueError, match="length_scale must be 'range', a positive"):
        MondrianFeatures(5, length_scale="learned").fit(data(20, 0)[0])
