"""Weights of rows find their way through scikit-learn's tools, and its `set_output` is understood."""

import numpy as np
import pytest
import sklearn
from sklearn.ensemble import BaggingRegressor
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hedgerow as hr
from models import BY_NAME, class_forest, every, forest

X, Y = BY_NAME["forest"].data(80)
pytestmark = pytest.mark.filterwarnings("ignore:the chains disagree")
WEIGHTS = np.where(X[:, 0] > 0.5, 3.0, 0.5)


@every("weighs", one_a_class=True)
def test_weights_are_routed_to_fit_through_a_pipeline(case):
    X, y = case.data(60)
    weights = np.where(np.arange(60) % 2, 2.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline("passthrough", case.new().set_fit_request(sample_weight=True))
        pipeline.fit(X, y, sample_weight=weights)
    alone = case.new().fit(X, y, sample_weight=weights)
    ask = "predict" if case.can("predict") else "transform"
    found, expected = getattr(pipeline[-1], ask)(X), getattr(alone, ask)(X)
    assert (found != expected).sum() == 0


def test_weights_are_routed_through_searches_and_validation():
    with sklearn.config_context(enable_metadata_routing=True):
        model = forest().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"n_estimators": [3]}, cv=2).fit(X, Y, sample_weight=WEIGHTS)
        scores = cross_validate(model, X, Y, cv=2, params={"sample_weight": WEIGHTS})["test_score"]
    np.testing.assert_array_equal(search.predict(X), forest(n_estimators=3).fit(X, Y, sample_weight=WEIGHTS).predict(X))
    first = forest().fit(X[40:], Y[40:], sample_weight=WEIGHTS[40:]).score(X[:40], Y[:40], sample_weight=WEIGHTS[:40])
    assert scores[0] == first


def test_weights_that_nobody_asked_for_are_refused():
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), class_forest())
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
            pipeline.fit(X, Y > 0, sample_weight=WEIGHTS)


def test_a_bagging_of_forests_passes_weights_on():
    with sklearn.config_context(enable_metadata_routing=True):
        bagging = BaggingRegressor(forest().set_fit_request(sample_weight=True), n_estimators=2, random_state=0)
        assert np.isfinite(bagging.fit(X, Y, sample_weight=WEIGHTS).predict(X)).all()


def test_sparse_features_are_not_put_into_frames():
    features = hr.MondrianFeatures(n_estimators=3, random_state=0).fit(X)
    assert len(features.get_feature_names_out()) == features.transform(X).shape[1]
    features.set_output(transform="pandas")
    with pytest.raises(ValueError, match="sparse"):
        features.transform(X)
    assert features.set_output(transform="default").transform(X).shape[0] == 80
