"""Targets have one range: refused outside it; inside it, predictions are finite and quantiles rise."""

from __future__ import annotations

import numpy as np
import pytest

from models import bits, every

pytestmark = pytest.mark.filterwarnings("ignore")
N = 30
LARGEST, LEAST = 1e100, 1e-100
LEVELS = [0.0, 1e-9, 0.05, 0.5, 0.9, 1.0 - 1e-9, 1.0]


def targets(case):
    """Yield targets at the ends of the range, by name."""
    y = case.data(N)[1]
    rng = np.random.default_rng(0)
    if case.parameters.get("target") == "count":
        yield "counts", np.where(rng.uniform(size=N) < 0.3, 2.0**40, y)
        return
    is_positive = case.parameters.get("target") == "positive"
    some = [LARGEST, LEAST, 1.0] if is_positive else [LARGEST, -LARGEST, LEAST, 0.0, 1.0]
    yield "large", y / np.abs(y).max() * LARGEST
    yield "small", y / np.abs(y).min() * LEAST
    yield "both", rng.choice(some, size=y.shape)
    yield "close together", 1e9 * (1.0 + 1e-15 * np.round(3.0 * np.abs(y)))
    yield "equal", np.full(y.shape, LARGEST)


def check(case, model, X, y):
    """Everything that a regressor says is a number."""
    mean, std = model.predict(X, return_std=True)
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()
    assert (std >= 0.0).all()
    quantiles = model.predict_quantiles(X, LEVELS)
    assert (quantiles[..., 1:] >= quantiles[..., :-1]).all()
    dist = model.predict_dist(X)
    for at in (y, y * 1e200, -y * 1e200, np.full(y.shape, np.inf)):
        with np.errstate(over="ignore"):
            assert not np.isnan(dist.logpdf(at)).any()
        assert ((dist.cdf(at) >= 0.0) & (dist.cdf(at) <= 1.0)).all()
    assert not np.isnan(model.log_density(X, y)).any()
    draws = dist.rvs(2, random_state=0)
    assert np.isfinite(draws).all() or (case.only_online and not np.isnan(draws).any())  # while scores are few
    if case.can("predict_one"):
        assert np.isfinite(model.predict_one(X[0])).all()


@every("regresses")
def test_right_inside(case):
    X, _ = case.data(N)
    for name, y in targets(case):
        for way in ["fit", "partial_fit"] if case.online else ["fit"]:
            print(name, way)
            check(case, getattr(case.new(), way)(X, y), X, y)


@every("weighs", "regresses")
def test_right_inside_with_weights_at_the_ends(case):
    """Or refused in words, where a matrix would be singular."""
    X, _ = case.data(N)
    weights = np.random.default_rng(1).choice([1e30, 1e-30, 1.0], size=N)
    for name, y in targets(case):
        if name in ("large", "counts"):
            refusal = ""
            try:
                model = case.new().fit(X, y, sample_weight=weights)
            except ValueError as error:
                refusal = str(error)
            if refusal:
                assert "by a constant" in refusal or "alpha is too small" in refusal
            else:
                check(case, model, X, y)


@every("regresses")
def test_refused_outside(case):
    X, y = case.data(N)
    model = case.fitted(N)
    before = bits(model)
    beyond = np.where(np.arange(y.size).reshape(y.shape) == 3, 1.1 * LARGEST, y)
    calls = [model.fit, model.log_density]
    calls += [getattr(model, name) for name in ("partial_fit", "predict_then_learn", "unlearn") if case.can(name)]
    for call in calls:
        with pytest.raises(ValueError, match=r"within 1e100|whole numbers"):
            call(X, beyond)
    if case.learns_rows:
        with pytest.raises(ValueError, match=r"within 1e100|whole numbers"):
            model.learn_one(X[0], beyond[1] if case.several else beyond[3])
    assert bits(model) == before


@every("regresses")
def test_what_is_smaller_is_zero(case):
    X, y = case.data(N)
    if case.parameters.get("target") == "positive":
        with pytest.raises(ValueError, match="needs targets above 0"):
            case.new().fit(X, y * 1e-120)
        return
    assert bits(case.new().fit(X, np.where(y < np.median(y), 0.0, y))) == bits(
        case.new().fit(X, np.where(y < np.median(y), 1e-101, y))
    )
