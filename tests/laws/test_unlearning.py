"""Any row that was learned, in any way and at any time, can be unlearned, once."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from models import bits, every, numbers, row_by_row

pytestmark = pytest.mark.filterwarnings("ignore")


def assert_found(case, model):
    """A good part of the rows of a model that has learned 100; in a window only the last are held."""
    X, y = case.data(100)
    leaving = np.arange(40, 80) if case.parameters.get("window") else np.random.default_rng(0).permutation(99)[:40]
    model.unlearn(X[leaving], y[leaving]).unlearn_one(X[99], y[99])
    assert np.isfinite(numbers(model, X)).all()
    with pytest.raises(ValueError, match="row 0 of the 1"):
        model.unlearn_one(X[99], y[99])


@every("unlearns")
def test_rows_of_a_batch_are_found(case):
    X, y = case.data(100)
    assert_found(case, case.new().fit(X, y))
    if case.online:
        assert_found(case, case.new().fit(X[:80], y[:80]).partial_fit(X[80:], y[80:]))


@every("unlearns", "learns_rows")
def test_rows_of_a_stream_are_found(case):
    X, y = case.data(100)
    assert_found(case, case.new().partial_fit(X, y))
    assert_found(case, row_by_row(case.new(), X, y))


@every("unlearns")
def test_strangers_are_not_unlearned(case):
    X, y = case.data(80)
    model = case.new().fit(X, y)
    before = bits(model)
    held = np.array([60, 61])
    for name, given in {
        "another place": (X[held] + [[0, 0, 0], [0, 1e-3, 0]], y[held]),
        "another label": (X[held], y[[60, int(np.flatnonzero(y != y[61])[0])]]),
        "twice": (X[[60, 60]], y[[60, 60]]),
    }.items():
        with pytest.raises(ValueError, match="row 1 of the 2 to be unlearned"):
            print(name, model.unlearn(*given))
        assert bits(model) == before, name
    with pytest.raises(ValueError, match="row 0 of the 1"):
        model.unlearn(X[:1], y[:1], sample_weight=[2.5])
    assert bits(model) == before


@every("unlearns")
def test_unlearning_everything(case):
    X, y = case.data(20)
    model = case.new().fit(X, y).unlearn(X, y)
    for ask in (lambda: model.predict(X), lambda: model.unlearn(X[:1], y[:1])):
        with pytest.raises(NotFittedError):
            ask()
    model.fit(X, y)
    assert np.isfinite(numbers(model, X)).all()


@every("unlearns")
def test_relearning_is_fit_on_the_rows_left(case):
    """With `relearn`, or where unlearning is always that: the result of `fit` on the rows left, with the same seed."""
    X, y = case.data(60)
    relearn = {"relearn": True} if case.takes("unlearn", "relearn") else {}
    model = case.new().fit(X, y).unlearn(X[10:14], y[10:14], **relearn)
    left = np.delete(np.arange(60), range(10, 14))
    expected = case.new().fit(X[left], y[left])
    rounding = 1e-6 if case.parameters.get("target") == "positive" else 0  # targets held are logarithms
    np.testing.assert_allclose(numbers(model, X), numbers(expected, X), rtol=rounding)
