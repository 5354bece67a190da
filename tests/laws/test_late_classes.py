"""Classes that come one by one, some of them announced, change nothing of what holds of rows in batches."""

from __future__ import annotations

import copy
from itertools import pairwise

import numpy as np
import pytest

from models import bits, every, numbers, row_by_row

pytestmark = pytest.mark.filterwarnings("ignore")
N = 100
RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=N), RNG.exponential(size=N) * 1e4, RNG.integers(0, 3, size=N)])
X[RNG.integers(0, N, 20)] = X[RNG.integers(0, N, 20)]
# One class only for a while; the fifth comes after 48 rows, which is between two reviews.
Y = np.array(["ash", "birch", "elm", "oak", "yew"])[np.minimum(RNG.integers(0, 5, size=N), np.arange(N) // 12)]
ANNOUNCED = pytest.mark.parametrize("announced", [None, ["yew", "ash", "fir"]], ids=["unknown", "announced"])


@every("classes", "online")
@ANNOUNCED
def test_any_split_into_batches(case, announced):
    whole = case.new().partial_fit(X, Y, classes=announced)
    parts = case.new()
    for begin, end in pairwise([0, 1, 2, 10, 11, 64, 65, N]):
        parts = copy.deepcopy(parts).partial_fit(X[begin:end], Y[begin:end], classes=announced)
    rows = row_by_row(case.new().partial_fit(X[:1], Y[:1], classes=announced), X[1:], Y[1:])
    for other in (parts, rows):
        assert other.classes_.tolist() == whole.classes_.tolist()
        np.testing.assert_array_equal(numbers(other, X), numbers(whole, X))
        assert case.renumbers or bits(other) == bits(whole)


@every("classes", "online")
@ANNOUNCED
def test_forecasts_are_those_of_a_loop(case, announced):
    """A class that has not come, and is not announced, has no probability."""
    model, loop = case.new(), case.new()
    forecasts = model.predict_then_learn(X, Y, classes=announced)
    assert forecasts.shape == (N, model.classes_.size)
    said = dict.fromkeys(announced or [], 1 / 3)
    loop.partial_fit(X[:1], Y[:1], classes=announced)
    for i in range(N):
        np.testing.assert_array_equal(forecasts[i], [said.get(label, 0.0) for label in model.classes_])
        if i + 1 < N:
            said = dict(zip(loop.classes_, loop.predict_proba(X[i + 1 : i + 2])[0], strict=True))
            loop.learn_one(X[i + 1], Y[i + 1])
    assert case.renumbers or bits(model) == bits(loop)
    np.testing.assert_array_equal(numbers(model, X), numbers(loop, X))
