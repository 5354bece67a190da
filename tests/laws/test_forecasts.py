"""Forecasting a stream in one call is a loop over asking and learning a row."""

from __future__ import annotations

import numpy as np
import pytest

from models import bits, every, numbers

pytestmark = pytest.mark.filterwarnings("ignore")
N = 90


def said(case, forecasts):
    """Return the forecasts of a call as one array: means and intervals, or probabilities."""
    if case.classes:
        return np.asarray(forecasts)
    mean, interval = (forecasts.mean(), forecasts.interval(0.9)) if hasattr(forecasts, "interval") else forecasts
    return np.column_stack([mean, interval.reshape(len(interval), int(np.prod(interval.shape[1:])))])


def asked(case, model, x):
    if case.classes:
        return model.predict_proba_one(x)
    return np.r_[model.predict(x[None]).ravel(), model.predict_interval(x[None], 0.9).ravel()]


@every("forecasts")
def test_is_the_loop(case):
    X, y = case.data(N)
    model, loop = case.new(), case.new()
    forecasts = said(case, model.predict_then_learn(X, y))
    assert len(forecasts) == N
    loop.learn_one(X[0], y[0])
    for i in range(1, N):
        expected = asked(case, loop, X[i])
        if case.classes:  # one that comes later has no probability yet
            expected = [expected.get(label, 0.0) for label in model.classes_]
        np.testing.assert_allclose(forecasts[i], expected, rtol=1e-9, atol=1e-12, err_msg=str(i))
        loop.learn_one(X[i], y[i])
    if case.renumbers:
        np.testing.assert_array_equal(numbers(model, X), numbers(loop, X))
    else:
        assert bits(model) == bits(loop)


@every("forecasts")
def test_any_split_into_batches(case):
    """And what is learned is what `partial_fit` learns; weightless rows are left out."""
    X, y = case.data(N)
    weights = np.random.default_rng(0).choice([1.0, 1.5, 3.0, 0.0], N)
    kept = weights > 0
    whole, pieces, other = case.new(), case.new(), case.new()
    together = said(case, whole.predict_then_learn(X, y, sample_weight=weights))
    parts = [
        pieces.predict_then_learn(X[a:b], y[a:b], sample_weight=weights[a:b]) for a, b in ((0, 1), (1, 33), (33, N))
    ]
    assert len(together) == kept.sum()
    if not case.classes:
        np.testing.assert_array_equal(np.concatenate([said(case, part) for part in parts]), together)
    other.partial_fit(X, y, sample_weight=weights)
    if not case.renumbers:
        assert bits(whole) == bits(pieces) == bits(other)
    before = bits(whole)
    assert len(said(case, whole.predict_then_learn(X, y, sample_weight=np.zeros(N)))) == 0
    assert bits(whole) == before


@every("forecasts")
def test_before_the_first_row_nothing_is_known(case):
    X, y = case.data(3)
    first = said(case, case.new().predict_then_learn(X, y))[0]
    if case.classes:
        assert set(first) <= {0.0, 1.0}
    else:
        assert first[0] == pytest.approx(0.0, abs=3.0)
        assert not np.isnan(first).any()


@every("forecasts")
def test_a_failed_call_changes_nothing(case):
    X, y = case.data(N)
    for model in (case.new(), case.new().fit(X, y)):
        before, attributes = bits(model), set(vars(model))
        for given, message in (((np.where(X > 0.9, np.inf, X), y), "infinity"), ((X, y[:-1]), "inconsistent")):
            with pytest.raises(ValueError, match=message):
                model.predict_then_learn(*given)
        assert bits(model) == before
        assert set(vars(model)) == attributes


@every("forecasts", "regresses")
@pytest.mark.parametrize("confidence", [0.0, 1.0, 90, np.nan])
def test_a_bad_confidence_is_refused(case, confidence):
    X, y = case.data(20)
    model = case.new().fit(X, y)
    before = bits(model)
    returns = {"returns": "interval"} if case.takes("predict_then_learn", "returns") else {}
    with pytest.raises(ValueError, match="confidence"):
        model.predict_then_learn(X, y, confidence=confidence, **returns)
    with pytest.raises(ValueError, match="confidence"):
        model.predict_interval(X, confidence=confidence)
    assert bits(model) == before


@every("says_more")
def test_moments_and_intervals_are_those_of_distributions(case):
    X, y = case.data(N)
    dist = case.new().predict_then_learn(X, y, returns="dist")
    mean, std = case.new().predict_then_learn(X, y, returns="std")
    same_mean, *rest, interval = case.new().predict_then_learn(X, y, returns="interval", confidence=0.8)
    np.testing.assert_allclose(std, dist.std(), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(same_mean, mean, rtol=1e-9, atol=1e-12)
    assert interval.shape == (*mean.shape, 2)
    if rest:  # where intervals are calibrated, they are not only quantiles: tests/laws/test_interval_forecasts.py
        np.testing.assert_allclose(rest[0], std, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(mean, dist.mean(), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(interval, dist.interval(0.8), rtol=1e-9, atol=1e-12)
    model = case.new()
    with pytest.raises(ValueError, match="returns must be"):
        model.predict_then_learn(X, y, returns="mean")
    assert bits(model) == bits(case.new())
