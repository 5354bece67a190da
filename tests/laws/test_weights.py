"""Weights of rows: one is none, zero is no row, and a whole number is so many copies where a model claims it."""

from __future__ import annotations

import numpy as np
import pytest

import hedgerow
from hedgerow import BARTClassifier
from models import answers, bits, every, numbers

pytestmark = pytest.mark.filterwarnings("ignore")
N = 80


def learned(case, way, X, y, weights=None):
    return getattr(case.new(), way)(X, y, **({} if weights is None else {"sample_weight": weights}))


def ways(case):
    return ["fit", "partial_fit"] if case.online else ["fit"]


@every("weighs")
def test_weight_one_is_no_weight_and_zero_no_row(case):
    X, y = case.data(N)
    for way in ways(case):
        some = np.where(np.arange(N) % 3 == 0, 0.0, 1.0)
        kept = some > 0
        for one, other in (
            (learned(case, way, X, y, np.ones(N)), learned(case, way, X, y)),
            (learned(case, way, X, y, some), learned(case, way, X[kept], y[kept])),
        ):
            assert answers(one, X[:30], y[:30]) == answers(other, X[:30], y[:30])


@every("weighs")
def test_no_weight_at_all(case):
    X, y = case.data(N)
    with pytest.raises(ValueError, match="every sample_weight is zero"):
        case.new().fit(X, y, sample_weight=np.zeros(N))
    if case.online:
        model = case.new().fit(X, y)
        before = bits(model)
        assert bits(model.partial_fit(X, y, sample_weight=np.zeros(N))) == before


@every("copies")
def test_a_weight_is_a_number_of_copies(case):
    """Of rows that single precision holds exactly, in batch."""
    X, y = case.data(N)
    X = np.round(X * 128 / [1, 1000, 1]) / 128
    times = np.random.default_rng(2).integers(0, 4, size=N)
    weighted = case.new().fit(X, y, sample_weight=times.astype(float))
    copied = case.new().fit(np.repeat(X, times, axis=0), np.repeat(y, times, axis=0))
    found = [numbers(model, X)[:, : None if case.classes else 2 * (1 + case.several)] for model in (weighted, copied)]
    np.testing.assert_allclose(*found, rtol=1e-6, atol=1e-6)


@every("weighs")
def test_any_weights_give_finite_answers(case):
    X, y = case.data(N)
    rng = np.random.default_rng(1)
    for weights in (rng.uniform(0.1, 3, N), 10.0 ** rng.uniform(-3, 3, N), np.full(N, 1e-3)):
        for way in ways(case):
            given = np.ceil(weights) if case.kind is BARTClassifier else weights  # which takes whole numbers only
            assert np.isfinite(numbers(learned(case, way, X, y, given), X)).all()


@every("weighs")
def test_the_largest_and_the_least_weights(case, tmp_path):
    """Refused in words, or finite answers and a file that can be read. More is refused, and changes nothing."""
    X, y = case.data(N)
    is_large = np.arange(N) % 2 == 0
    for weights in (np.full(N, 1e30), np.full(N, 1e-30), np.where(is_large, 1e6, 1e-6)):
        if case.kind is BARTClassifier:  # which takes small whole numbers only
            break
        refusal = ""
        try:
            model = learned(case, "fit", X, y, weights)
        except ValueError as error:
            refusal = str(error)
        if refusal:
            assert "by a constant" in refusal or "larger alpha" in refusal
            continue
        assert np.isfinite(numbers(model, X)).all()
        model.save(tmp_path / "model")
        assert answers(hedgerow.load(tmp_path / "model"), X[:5], y[:5]) == answers(model, X[:5], y[:5])
    model = case.new().fit(X, y)
    before = bits(model)
    for way in ways(case):
        with pytest.raises(ValueError, match=r"must not exceed 1e\+30"):
            getattr(model, way)(X, y, sample_weight=np.where(is_large, 1.0, 2e30))
        assert bits(model) == before
