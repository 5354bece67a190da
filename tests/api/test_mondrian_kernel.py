"""Bad input, odd data, files from strangers, and what the public calls promise."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from hedgerow import MondrianFeatures, MondrianKernelRidge
from models import bits

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
        MondrianKernelRidge(n_estimators=10, length_scale="learned"),
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
        ({"length_scale": "std"}, "length_scale must be 'range', 'learned', a positive"),
        ({"length_scale": [1.0, -1.0]}, "length_scale must be 'range'"),
        ({"length_scale": [1.0, 2.0, 3.0]}, "3 numbers, but X has 2 features"),
        ({"validation_fraction": 1.5}, "validation_fraction"),
        ({"n_estimators": 0}, "n_estimators must be an integer"),
    ],
)
def test_parameters_are_checked(parameters, message):
    model = MondrianKernelRidge(**{"n_estimators": 3, "random_state": 0}).fit(X, Y)
    before = bits(model)
    with pytest.raises(ValueError, match=message):
        model.set_params(**parameters).fit(X, Y)
    restored = MondrianKernelRidge(n_estimators=3, random_state=0)
    assert bits(model.set_params(**restored.get_params())) == before


def test_features_refuse_a_range_they_cannot_know():
    with pytest.raises(ValueError, match="call fit first"):
        MondrianFeatures(3, length_scale="range").partial_fit(X)
    features = MondrianFeatures(3, length_scale="range").fit(X)
    features.partial_fit(X + 1)
    with pytest.raises(ValueError, match="lifetime must be"):
        MondrianFeatures(3, lifetime=0).fit(X)
    with pytest.raises(ValueError, match="n_spare"):
        MondrianFeatures(3, n_spare=0).fit(X)


def test_duplicates_that_disagree_are_averaged():
    model = MondrianKernelRidge(10, lifetime=5.0, alpha=1e-6, random_state=0)
    model.fit(np.repeat([[0.0], [1.0]], 10, axis=0), np.tile([0.0, 2.0], 10))
    np.testing.assert_allclose(model.predict([[0.0], [1.0]]), 1.0, atol=1e-3)


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


def test_classes_through_features():
    labels = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)
    pipeline = make_pipeline(MondrianFeatures(200, 4.0, random_state=0), LogisticRegression(C=30.0))
    assert pipeline.fit(X[:40], labels[:40]).score(X[40:], labels[40:]) > 0.8
