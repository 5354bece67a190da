"""Bad input, odd data, files from strangers, and what the public calls promise."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load, save
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import hedgerow
from hedgerow import MondrianFeatures, MondrianKernelRidge

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(60, 2))
Y = np.sin(5 * X[:, 0]) + 0.1 * RNG.normal(size=60)


@parametrize_with_checks(
    [
        MondrianFeatures(n_estimators=5),
        MondrianFeatures(n_estimators=5, lifetime=3.0, length_scale=2.0, n_spare=2, n_jobs=2),
        MondrianKernelRidge(n_estimators=30),
        MondrianKernelRidge(n_estimators=30, selection="loo", n_jobs=2),
        MondrianKernelRidge(n_estimators=30, selection="validation"),
        MondrianKernelRidge(n_estimators=30, solver="iterative"),
        MondrianKernelRidge(n_estimators=30, leaf_fit="independent", lifetime=5.0, alpha=0.01),
    ]
)
def test_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 0}, "linearly dependent"),
        ({"alpha": -1.0}, "alpha must be"),
        ({"alpha": True}, "alpha must be"),
        ({"lifetime": 0.0}, "lifetime must be a number"),
        ({"lifetime": np.inf}, "lifetime must be a number"),
        ({"lifetime": "long"}, "lifetime must be a number"),
        ({"max_lifetime": -3}, "max_lifetime must be"),
        ({"selection": "aic"}, "selection must be one of"),
        ({"solver": "magic"}, "solver must be one of"),
        ({"leaf_fit": "both"}, "leaf_fit must be one of"),
        ({"length_scale": "std"}, "length_scale must be 'range'"),
        ({"length_scale": [1.0, -1.0]}, "length_scale must be 'range'"),
        ({"length_scale": [1.0, 2.0, 3.0]}, "3 numbers, but X has 2 features"),
        ({"validation_fraction": 1.5}, "validation_fraction"),
        ({"n_estimators": 0}, "n_estimators must be an integer"),
    ],
)
def test_parameters_are_checked(parameters, message):
    model = MondrianKernelRidge(**{"n_estimators": 3, "random_state": 0}).fit(X, Y)
    before = model._to_bytes()
    with pytest.raises(ValueError, match=message):
        model.set_params(**parameters).fit(X, Y)
    restored = MondrianKernelRidge(n_estimators=3, random_state=0)
    assert model.set_params(**restored.get_params())._to_bytes() == before


def test_features_refuse_a_range_they_cannot_know():
    with pytest.raises(ValueError, match="call fit first"):
        MondrianFeatures(3, length_scale="range").partial_fit(X)
    features = MondrianFeatures(3, length_scale="range").fit(X)
    features.partial_fit(X + 1)
    with pytest.raises(ValueError, match="lifetime must be"):
        MondrianFeatures(3, lifetime=0).fit(X)
    with pytest.raises(ValueError, match="n_spare"):
        MondrianFeatures(3, n_spare=0).fit(X)


def test_a_failed_call_leaves_the_model_as_it_was():
    model = MondrianKernelRidge(5, random_state=0).fit(X, Y)
    before = model._to_bytes()
    for call in (
        lambda: model.partial_fit(X, Y * np.nan),
        lambda: model.partial_fit(X[:, :1], Y),
        lambda: model.partial_fit(X, Y, sample_weight=-np.ones(60)),
        lambda: model.learn_one([0.0, np.inf], 1.0),
        lambda: model.learn_one([0.0, 0.5], "a"),
        lambda: model.fit(X, 1e200 * Y),
        lambda: model.fit(X, Y, sample_weight=np.zeros(60)),
    ):
        with pytest.raises(ValueError):
            call()
        assert model._to_bytes() == before


@pytest.mark.parametrize("solver", ["exact", "iterative"])
@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        (np.zeros((1, 1)), [3.0]),
        (np.zeros((5, 2)), [1.0, 2.0, 3.0, 4.0, 5.0]),
        (np.arange(6.0).reshape(-1, 1), np.full(6, 7.0)),
        (np.array([[1e300], [-1e300], [0.0]]), [0.0, 1.0, 2.0]),
        (np.array([[1e-300], [0.0], [1e-308]]), [0.0, 1.0, 2.0]),
        (np.repeat(np.arange(4.0), 5).reshape(-1, 1), np.arange(20.0)),
        (1.7e18 + np.arange(12.0).reshape(-1, 1) * 1e9, np.arange(12.0)),
    ],
    ids=["one row", "one point", "one label", "huge", "tiny", "duplicates", "nanoseconds"],
)
def test_odd_data(rows, labels, solver):
    for selection in ("marginal_likelihood", "loo", "validation"):
        model = MondrianKernelRidge(4, selection=selection, solver=solver, random_state=0).fit(rows, labels)
        mean, std = model.predict(rows, return_std=True)
        assert np.isfinite(mean).all()
        assert np.isfinite(std).all()
        assert (std > 0).all()
        assert np.isfinite(model.log_density(rows, labels)).all()
        assert np.isfinite(model.path_.criterion).any()
    streamed = MondrianKernelRidge(4, solver=solver, random_state=0).partial_fit(rows, labels)
    assert np.isfinite(streamed.predict(rows)).all()


def test_duplicates_that_disagree_are_averaged():
    model = MondrianKernelRidge(10, lifetime=5.0, alpha=1e-6, random_state=0)
    model.fit(np.repeat([[0.0], [1.0]], 10, axis=0), np.tile([0.0, 2.0], 10))
    np.testing.assert_allclose(model.predict([[0.0], [1.0]]), 1.0, atol=1e-3)


def test_regressor_calls_agree():
    model = MondrianKernelRidge(20, random_state=0).fit(X, Y)
    dist = model.predict_dist(X)
    np.testing.assert_array_equal(model.predict(X), dist.mean())
    np.testing.assert_array_equal(model.predict_interval(X, 0.8), model.predict_quantiles(X, [0.1, 0.9]))
    np.testing.assert_array_equal(model.log_density(X, Y), dist.logpdf(Y))
    assert dist.rvs(3, random_state=0).shape == (60, 3)
    assert model.predict_one(X[0]) == pytest.approx(model.predict(X[:1])[0], rel=1e-14)
    left = model.loo_predict()
    assert model.loo_error_ == pytest.approx(np.sqrt(np.mean((Y - left.mean) ** 2)), rel=1e-9)


def test_path_and_posterior():
    model = MondrianKernelRidge(20, random_state=0, max_lifetime=8.0).fit(X, Y)
    path = model.path_
    assert path.is_every_event
    assert path["lifetime"][0] == 0.0
    assert path.lifetime[-1] <= 8.0
    assert (np.diff(path.n_features) == 1).all()
    assert path.lifetime[np.argmax(path.criterion)] == pytest.approx(model.lifetime_)
    assert path.n_features[np.argmax(path.criterion)] == model.n_cells_
    assert path.criterion.max() == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)
    for prior in ("uniform", "log-uniform", lambda lifetime: np.exp(-lifetime)):
        posterior = model.lifetime_posterior(prior)
        assert posterior.probability.sum() == pytest.approx(1.0)
        lower, upper = posterior.interval(0.95)
        assert 0.0 <= lower < posterior.mean() < upper <= 8.0
    exact = np.exp(path.log_marginal_likelihood - path.log_marginal_likelihood.max())
    widths = np.diff(np.append(path.lifetime, 8.0))
    np.testing.assert_allclose(model.lifetime_posterior().probability, exact * widths / (exact @ widths))
    with pytest.raises(ValueError, match="prior must be"):
        model.lifetime_posterior("flat")


def test_iterative_route_is_near_the_exact_one():
    exact = MondrianKernelRidge(20, solver="exact", lifetime=3.0, alpha=0.1, random_state=0).fit(X, Y)
    iterative = MondrianKernelRidge(20, solver="iterative", lifetime=3.0, alpha=0.1, random_state=0).fit(X, Y)
    queries = RNG.uniform(-0.5, 1.5, size=(50, 2))
    np.testing.assert_allclose(iterative.predict(queries), exact.predict(queries), atol=1e-8)
    wider, narrower = iterative.predict(queries, return_std=True)[1], exact.predict(queries, return_std=True)[1]
    assert (wider >= narrower * (1 - 1e-9)).all()
    assert (wider <= narrower * 1.1).all()
    assert iterative.log_marginal_likelihood_ == pytest.approx(exact.log_marginal_likelihood_, abs=10.0)
    iterative.partial_fit(X[:20] + 0.01, Y[:20])
    exact.partial_fit(X[:20] + 0.01, Y[:20])
    np.testing.assert_allclose(iterative.predict(queries), exact.predict(queries), atol=1e-8)
    with pytest.raises(ValueError, match="solver='exact'"):
        iterative.loo_predict()


def test_frames_and_mappings():
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = MondrianKernelRidge(5, random_state=0).fit(frame, Y)
    assert model.predict_one({"b": X[0, 1], "a": X[0, 0]}) == pytest.approx(model.predict(frame[:1])[0])
    model.learn_one({"a": 0.5, "b": 0.5}, 1.0)
    stream = MondrianKernelRidge(5, random_state=0)
    assert stream.predict_one({"a": 1.0}) == 0.0
    stream.learn_one({"a": 1.0}, 2.0).learn_one({"a": 2.0}, 3.0)
    with pytest.raises(ValueError, match="no feature 'a'"):
        stream.learn_one({"c": 1.0}, 2.0)
    features = MondrianFeatures(3, random_state=0).fit(frame)
    assert features.feature_names_in_.tolist() == ["a", "b"]


def test_log_density_of_a_frame_does_not_warn():
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = MondrianKernelRidge(5, random_state=0).fit(frame, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.log_density(frame, Y), model.predict_dist(frame).logpdf(Y))


def test_a_stream_that_cannot_begin_leaves_no_trace():
    for call in (
        lambda model: model.partial_fit(X, Y),
        lambda model: model.learn_one(X[0], Y[0]),
        lambda model: model.predict_then_learn(X, Y),
    ):
        model = MondrianKernelRidge(3, length_scale=[1.0, 2.0, 3.0], random_state=0)
        with pytest.raises(ValueError, match="3 numbers, but X has 2 features"):
            call(model)
        assert model._to_bytes() == MondrianKernelRidge(3, length_scale=[1.0, 2.0, 3.0], random_state=0)._to_bytes()
        assert model.predict_one(X[0]) == 0.0


def test_a_stream_goes_on_with_the_settings_it_began_with():
    model = MondrianKernelRidge(3, alpha=0.1, random_state=0).partial_fit(X[:20], Y[:20])
    before = model._to_bytes()
    for call in (lambda: model.partial_fit(X, Y), lambda: model.learn_one(X[0], Y[0])):
        model.set_params(alpha=0.2)
        with pytest.raises(ValueError, match=r"alpha was 0\.1 when learning began and is 0\.2 now"):
            call()
        assert model.set_params(alpha=0.1)._to_bytes() == before
    assert model.learn_one(X[0], Y[0]).n_samples_seen_ == 21
    features = MondrianFeatures(3, random_state=0).fit(X).set_params(lifetime=2.0)
    with pytest.raises(ValueError, match="lifetime was"):
        features.partial_fit(X)


def test_features_learn_single_rows():
    rows, batch = MondrianFeatures(4, random_state=0), MondrianFeatures(4, random_state=0).partial_fit(X)
    for x in X:
        rows.learn_one(x)
    assert rows._to_bytes() == batch._to_bytes()
    assert rows.n_samples_seen_ == 60
    with pytest.raises(ValueError, match="feature 1 is inf"):
        rows.learn_one(np.array([0.0, np.inf]))


def test_classes_through_features():
    labels = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)
    pipeline = make_pipeline(MondrianFeatures(200, 4.0, random_state=0), LogisticRegression(C=30.0))
    assert pipeline.fit(X[:40], labels[:40]).score(X[40:], labels[40:]) > 0.8


@pytest.mark.parametrize("model", ["features", "rows", "cells", "iterative", "independent"])
def test_damaged_files_are_refused_or_harmless(tmp_path, model):
    """Every array of a file in turn: missing, of another type, cut short, or with strange numbers."""
    fitted = {
        "features": MondrianFeatures(3, random_state=0, length_scale=[1.0, 2.0]),
        "rows": MondrianKernelRidge(3, lifetime=9.0, random_state=0),
        "cells": MondrianKernelRidge(3, lifetime=1.0, random_state=0),
        "iterative": MondrianKernelRidge(3, solver="iterative", random_state=0),
        "independent": MondrianKernelRidge(3, leaf_fit="independent", random_state=0),
    }[model].fit(X, Y)
    content = fitted._to_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["hedgerow"])
    arrays = load(content)

    def attempt(changed_header, changed):
        path = tmp_path / "file"
        path.write_bytes(save(changed, metadata={"hedgerow": json.dumps(changed_header)}))
        try:
            loaded = hedgerow.load(path)
            if model == "features":
                loaded.partial_fit(X + 3).transform(X)
            else:
                loaded.predict(X, return_std=True)
                loaded.partial_fit(X[:3] + 3, Y[:3])
        except ValueError:
            return True
        return False

    assert not attempt(header, arrays)
    n_refused = 0
    for name, array in arrays.items():
        rest = {other: value for other, value in arrays.items() if other != name}
        assert attempt(header, rest)
        assert attempt(header, rest | {name: array.astype(np.int8)})
        n_refused += attempt(header, rest | {name: array[:-1]})
        for place in {0, array.size // 2, array.size - 1}:
            for value in (0, 2**32 - 1, 7, np.inf, np.nan, -1.0):
                if array.size == 0 or (array.dtype.kind == "u" and not 0 <= value < 2**32):
                    continue
                spoilt = array.copy()
                spoilt[place] = value
                n_refused += attempt(header, rest | {name: spoilt})
    assert n_refused > 20
    for name in header["fitted"]:
        for value in (None, -1, 2.5, "x", [], 10**30):
            attempt({**header, "fitted": {**header["fitted"], name: value}}, arrays)
        assert attempt({**header, "fitted": {k: v for k, v in header["fitted"].items() if k != name}}, arrays)
