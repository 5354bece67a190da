"""The same bits for any number of threads and any split of rows into batches."""

from __future__ import annotations

import copy
from itertools import pairwise

import numpy as np
import pytest

from models import answers, bits, every, numbers, row_by_row

pytestmark = pytest.mark.filterwarnings("ignore")
N = 100


def learned(case, model, edges, weights=None):
    """Learn online, a batch from each edge to the next."""
    X, y = case.data(N)
    for begin, end in pairwise(edges):
        more = {} if weights is None else case.weighted(weights[begin:end])
        model.partial_fit(X[begin:end], y[begin:end], **more)
    return model


def assert_same(case, one, other):
    """The same file; or, where rows may be numbered differently, the same answers now and after more rows."""
    if not case.renumbers:
        assert bits(one) == bits(other)
        return
    X, y = case.data(N, seed=1)
    rounding = 1e-9 if case.parameters.get("window") else 0  # reviews add up rows in the order of their numbers
    np.testing.assert_allclose(numbers(one, X), numbers(other, X), rtol=rounding)
    later = [copy.deepcopy(model).partial_fit(X, y) for model in (one, other)]
    np.testing.assert_allclose(*(numbers(model, X) for model in later), rtol=rounding)


@every("jobs")
def test_any_number_of_threads(case):
    X, y = case.data(N)
    found = []
    for n in (1, 3):
        model = case.new().set_params(**{case.jobs: n}).fit(X[:80], y[:80])
        if case.online:
            model.partial_fit(X[80:], y[80:])
        if case.unlearns:
            model.unlearn(X[50:75], y[50:75])
        said = answers(model, X[:40] * 1.3, y[:40])
        own = case.jobs == "n_jobs"  # and not that of a fitted base, which is in the file
        found.append((said, bits(model.set_params(n_jobs=None)) if own else None))
    assert found[0] == found[1]


@every("online")
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_any_split_into_batches(case, weighted):
    weights = np.random.default_rng(3).uniform(0.1, 3.0, size=N) if weighted and case.weighs else None
    whole = learned(case, case.new(), [0, N], weights)
    assert_same(case, learned(case, case.new(), [0, 1, 2, 10, 11, 64, 65, N], weights), whole)


@every("learns_rows")
def test_rows_one_by_one(case):
    X, y = case.data(N)
    whole = learned(case, case.new(), [0, N])
    assert_same(case, row_by_row(case.new(), X, y), whole)


@every("online")
def test_any_split_into_batches_after_fit(case):
    X, y = case.data(N)
    begun = [case.new().fit(X[:40], y[:40]) for _ in range(2)]
    assert_same(case, learned(case, begun[0], [40, N]), learned(case, begun[1], [40, 41, 63, 64, 65, N]))


@every("only_online")
def test_fit_is_one_pass(case):
    """But for what stands for missing values: the middle of a batch, or the first value of a stream."""
    X, y = case.data(N)
    assert answers(case.new().fit(X, y), X, y) == answers(case.new().partial_fit(X, y), X, y)


@every()
def test_fit_forgets_what_was_learned_before(case):
    X, y = case.data(140)
    again = case.seasoned()
    again.fit(X, y)
    assert bits(again) == bits(case.new().fit(X, y))


@every()
def test_seeds_matter(case):
    X, y = case.data(N)
    name = next(name for name in ("random_state", "base__random_state") if case.parameters.get(name) is not None)
    other = case.new().set_params(**{name: 17}).fit(X, y).set_params(**{name: case.parameters[name]})
    assert bits(other) != bits(case.new().fit(X, y))
