"""Scorers for scikit-learn are the metrics, whatever a model is wrapped in."""

import pickle

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, PowerTransformer, QuantileTransformer, StandardScaler

import hedgerow as hr
from hedgerow import metrics
from hedgerow.metrics import scorers
from models import CASES

ALL = [scorers.neg_crps, scorers.log_score, scorers.neg_interval_score_at(0.8), scorers.coverage_at(0.8)]
REGRESSORS = [case for case in CASES if case.can("predict_dist")]
ONE_OF_EACH = list({case.kind: case for case in reversed(REGRESSORS)}.values())


def positive_rows(n_rows: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(n_rows, 3))
    return X, np.exp(1.0 + X[:, 0] + 0.3 * rng.normal(size=n_rows))


X, Y = positive_rows()
TRAIN, TEST = slice(200), slice(200, None)


def forest(**changed):
    return hr.MondrianForestRegressor(**{"n_estimators": 7, "random_state": 0, **changed})


def logged(model):
    return TransformedTargetRegressor(model, func=np.log, inverse_func=np.exp)


@pytest.mark.parametrize("case", ONE_OF_EACH, ids=lambda case: case.name)
def test_scores_are_the_metrics(case):
    model = case.new().fit(X[TRAIN], Y[TRAIN])
    dist, interval = model.predict_dist(X[TEST]), model.predict_interval(X[TEST], 0.8)
    found = [scorer(model, X[TEST], Y[TEST]) for scorer in ALL]
    assert found[0] == pytest.approx(-metrics.crps(Y[TEST], dist), rel=2e-3)
    assert found[1] == pytest.approx(np.mean(model.log_density(X[TEST], Y[TEST])), rel=1e-9)
    assert found[2] == pytest.approx(-metrics.interval_score(Y[TEST], interval, 0.8), rel=1e-12)
    assert found[3] == pytest.approx(np.mean((interval[:, 0] <= Y[TEST]) & (Y[TEST] <= interval[:, 1])), rel=1e-12)


@pytest.mark.parametrize("scorer", ALL, ids=repr)
def test_weights_are_copies(scorer):
    model, copies = forest().fit(X[TRAIN], Y[TRAIN]), np.arange(100) % 3
    repeated = scorer(model, np.repeat(X[TEST], copies, axis=0), np.repeat(Y[TEST], copies))
    assert scorer(model, X[TEST], Y[TEST], sample_weight=copies) == pytest.approx(repeated, rel=1e-9)


@pytest.mark.parametrize("scorer", ALL[:3], ids=repr)
def test_larger_is_better(scorer):
    good = forest().fit(X[TRAIN], Y[TRAIN])
    bad = forest().fit(X[TRAIN], Y[TRAIN][::-1])
    assert scorer(good, X[TEST], Y[TEST]) > scorer(bad, X[TEST], Y[TEST])


def test_an_infinite_quantile_is_no_obstacle():
    model = hr.OnlineConformalRegressor(hr.OnlineForestRegressor(random_state=0)).fit(X[:30], Y[:30])
    assert np.isinf(model.predict_dist(X[TEST]).ppf(scorers.LEVELS)).any()
    assert scorers.neg_crps(model, X[TEST], Y[TEST]) == -metrics.crps(Y[TEST], model.predict_dist(X[TEST]))


def test_names_and_copies():
    assert repr(scorers.neg_crps) == "scorers.neg_crps"
    assert repr(scorers.coverage) == "scorers.coverage_at(0.9)"
    assert scorers.neg_interval_score == scorers.neg_interval_score_at(0.9)
    for scorer in ALL:
        assert pickle.loads(pickle.dumps(scorer)) == scorer


@pytest.mark.parametrize("confidence", [0.0, 1.0, 90, "a lot", None])
def test_confidence_is_checked_at_once(confidence):
    for new in (scorers.coverage_at, scorers.neg_interval_score_at):
        with pytest.raises(ValueError, match="confidence must be a number between 0 and 1"):
            new(confidence)


def test_cross_validation():
    folds = KFold(3)
    found = cross_validate(forest(), X, Y, cv=folds, scoring={"crps": scorers.neg_crps, "coverage": scorers.coverage})
    assert np.array_equal(found["test_crps"], cross_val_score(forest(), X, Y, cv=folds, scoring=scorers.neg_crps))
    for share, (train, test) in zip(found["test_coverage"], folds.split(X), strict=True):
        assert share == scorers.coverage(forest().fit(X[train], Y[train]), X[test], Y[test])


def test_a_search_takes_the_best():
    grid = {"regressor__mondrian__n_estimators": [1, 10]}
    pipeline = Pipeline([("scale", StandardScaler()), ("mondrian", forest())])
    search = GridSearchCV(logged(pipeline), grid, scoring=scorers.neg_crps, cv=3).fit(X[TRAIN], Y[TRAIN])
    assert search.best_index_ == np.argmax(search.cv_results_["mean_test_score"]) == 1
    assert search.score(X[TEST], Y[TEST]) == scorers.neg_crps(search.best_estimator_, X[TEST], Y[TEST])
    assert hr.predict_interval(search, X[TEST]).shape == (100, 2)


def test_permutation_importance():
    model = make_pipeline(StandardScaler(), forest()).fit(X[TRAIN], Y[TRAIN])
    found = permutation_importance(model, X[TEST], Y[TEST], scoring=scorers.log_score, n_repeats=2, random_state=0)
    assert np.argmax(found.importances_mean) == 0


# Models inside others.


def test_a_pipeline_is_its_last_step():
    pipeline = Pipeline([("scale", MinMaxScaler()), ("nothing", "passthrough"), ("forest", forest())])
    pipeline.fit(X[TRAIN], Y[TRAIN])
    asked = pipeline[:-1].transform(X[TEST])
    assert np.array_equal(hr.predict_interval(pipeline, X[TEST], 0.7), pipeline[-1].predict_interval(asked, 0.7))
    assert np.array_equal(hr.predict_dist(pipeline, X[TEST]).mean(), pipeline.predict(X[TEST]))
    alone = Pipeline([("forest", forest())]).fit(X[TRAIN], Y[TRAIN])
    assert np.array_equal(hr.predict_dist(alone, X[TEST]).mean(), alone.predict(X[TEST]))


def test_pipelines_are_asked_by_their_column_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), forest()).fit(frame[TRAIN], Y[TRAIN])
    assert np.array_equal(hr.predict_dist(pipeline, frame[TEST]).mean(), pipeline.predict(frame[TEST]))


@pytest.mark.parametrize("target", ["real", "positive"])
def test_targets_are_transformed_back(target):
    """Quantiles as they are; densities with the derivative, which is 1 / y; moments by the other formula."""
    model = logged(forest(target="real")) if target == "real" else logged(forest(target="positive"))
    y = Y + 1.0  # whose logarithm is positive
    model.fit(X[TRAIN], y[TRAIN])
    latent, dist = model.regressor_.predict_dist(X[TEST]), hr.predict_dist(model, X[TEST])
    levels = np.array([0.05, 0.5, 0.95])
    np.testing.assert_allclose(dist.ppf(levels), np.exp(latent.ppf(levels)), rtol=1e-12)
    np.testing.assert_allclose(hr.predict_interval(model, X[TEST], 0.9), dist.interval(0.9), rtol=1e-12)
    np.testing.assert_allclose(dist.cdf(y[TEST]), latent.cdf(np.log(y[TEST])), rtol=1e-12)
    np.testing.assert_allclose(dist.logpdf(y[TEST]), latent.logpdf(np.log(y[TEST])) - np.log(y[TEST]), rtol=1e-6)
    grid = (np.arange(4000) + 0.5) / 4000
    np.testing.assert_allclose(dist.mean(), np.exp(latent.ppf(grid)).mean(axis=1), rtol=2e-3)
    np.testing.assert_array_equal(dist.logpdf(-1.0), -np.inf)
    assert (dist.cdf(-1.0) == 0.0).all()


@pytest.mark.parametrize("transformer", [StandardScaler(), PowerTransformer(), MinMaxScaler()], ids=repr)
def test_transformers_are_undone(transformer):
    model = TransformedTargetRegressor(forest(target="real"), transformer=transformer).fit(X[TRAIN], Y[TRAIN])
    dist, step = hr.predict_dist(model, X[TEST]), 1e-4
    slope = (dist.cdf(Y[TEST] + step) - dist.cdf(Y[TEST] - step)) / (2 * step)
    np.testing.assert_allclose(dist.pdf(Y[TEST]), slope, rtol=1e-3, atol=1e-9)
    np.testing.assert_allclose(dist.cdf(dist.ppf(0.3)), 0.3, atol=1e-6)
    assert np.isinf(dist.ppf([0.0, 1.0])).all()


def test_scaling_the_target_changes_nothing():
    plain = forest(target="real").fit(X[TRAIN], Y[TRAIN])
    scaled = TransformedTargetRegressor(forest(target="real"), transformer=StandardScaler()).fit(X[TRAIN], Y[TRAIN])
    for scorer in ALL[:3]:
        assert scorer(scaled, X[TEST], Y[TEST]) == pytest.approx(scorer(plain, X[TEST], Y[TEST]), rel=1e-3)


def test_a_transformation_within_another():
    inner = TransformedTargetRegressor(forest(target="real"), transformer=StandardScaler())
    model = logged(make_pipeline(StandardScaler(), inner)).fit(X[TRAIN], Y[TRAIN])
    deepest = model.regressor_[-1]
    latent = deepest.regressor_.predict_dist(model.regressor_[:-1].transform(X[TEST]))
    standard = (np.log(Y[TEST]) - deepest.transformer_.mean_) / deepest.transformer_.scale_
    expected = latent.logpdf(standard) - np.log(deepest.transformer_.scale_) - np.log(Y[TEST])
    np.testing.assert_allclose(hr.predict_dist(model, X[TEST]).logpdf(Y[TEST]), expected, rtol=1e-6)


def test_a_density_is_right_to_many_digits_far_from_zero():
    """A Gaussian of standard deviation 1 at a million, on the logarithmic scale of a large unit."""
    rng = np.random.default_rng(3)
    y = np.exp(14.0 + 0.01 * rng.normal(size=200))
    model = logged(hr.OnlineForestRegressor(n_estimators=1, grace_period=1000, random_state=0)).fit(X[TRAIN], y)
    dist, latent = hr.predict_dist(model, X[:50]), model.regressor_.predict_dist(X[:50])
    expected = norm.logpdf(np.log(y[:50]), latent.mean(), latent.std()) - np.log(y[:50])
    np.testing.assert_allclose(dist.logpdf(y[:50]), expected, rtol=1e-6)


def test_no_rows():
    model = logged(make_pipeline(StandardScaler(), forest())).fit(X[TRAIN], Y[TRAIN])
    undone = hr.predictive._wrapped.Undone(model, np.empty(0), np.empty(0))
    assert undone.inverse(np.empty((0, 2))).shape == (0, 2)


# What cannot be asked.


def test_a_falling_transformation_is_refused():
    model = TransformedTargetRegressor(forest(), func=np.negative, inverse_func=np.negative).fit(X[TRAIN], Y[TRAIN])
    for ask in (hr.predict_dist, hr.predict_interval):
        with pytest.raises(ValueError, match="the transformation by negative does not rise"):
            ask(model, X[TEST])


def test_an_inverse_without_a_value_is_refused():
    model = TransformedTargetRegressor(forest(target="real"), func=np.square, inverse_func=np.sqrt)
    model.fit(X[TRAIN], Y[TRAIN] - Y.min())
    with pytest.raises(ValueError, match="defined for every prediction"):
        hr.predict_dist(model, X[TEST])


def test_counts_are_not_transformed_back():
    counts = np.random.default_rng(0).poisson(2.0 * Y)
    plain = TransformedTargetRegressor(forest(target="count")).fit(X[TRAIN], counts[TRAIN])
    assert np.isfinite(scorers.log_score(plain, X[TEST], counts[TEST]))
    doubled = TransformedTargetRegressor(forest(target="count"), func=lambda y: 2 * y, inverse_func=lambda y: y / 2)
    doubled.fit(X[TRAIN], counts[TRAIN])
    with pytest.raises(ValueError, match="the transformed targets are counts"):
        hr.predict_dist(doubled, X[TEST])
    expected = doubled.regressor_.predict_interval(X[TEST]) / 2
    np.testing.assert_array_equal(hr.predict_interval(doubled, X[TEST]), expected)


def test_targets_out_of_reach_have_no_density():
    """A QuantileTransformer moves everything above the targets learned to their largest."""
    transformer = QuantileTransformer(n_quantiles=50)
    model = TransformedTargetRegressor(forest(), transformer=transformer).fit(X[TRAIN], Y[TRAIN])
    assert np.isfinite(scorers.neg_crps(model, X[TEST], Y[TEST]))
    dist = hr.predict_dist(model, X[TEST])
    assert (dist.logpdf(2 * Y.max()) == -np.inf).all()
    assert (dist.cdf(2 * Y.max()) == 1.0).all()
    assert (dist.cdf(0.5 * Y.min()) == 0.0).all()
    with pytest.raises(ValueError, match=r"log density.* is -inf"):
        scorers.log_score(model, X[TEST], np.full(100, 2 * Y.max()))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            ExtraTreesRegressor(5),
            "ExtraTreesRegressor has no predictive distribution; expected a regressor",
        ),
        (make_pipeline(StandardScaler(), ExtraTreesRegressor(5)), "ExtraTreesRegressor has no predictive distribution"),
        (hr.MondrianForestClassifier(3), "MondrianForestClassifier predicts classes"),
        (GridSearchCV(forest(), {"n_estimators": [1]}, refit=False, cv=2), "GridSearchCV has no fitted model inside"),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else "",
)
def test_what_has_no_distribution_is_refused(model, words):
    model.fit(X[TRAIN], np.round(Y[TRAIN]))
    for scorer in ALL:
        with pytest.raises(TypeError, match=words):
            scorer(model, X[TEST], Y[TEST])


def test_what_is_not_fitted_is_refused():
    for model in (forest(), make_pipeline(forest())):
        with pytest.raises(NotFittedError):
            hr.predict_dist(model, X)
    for model in (logged(forest()), GridSearchCV(forest(), {})):
        with pytest.raises(TypeError, match="call fit first"):
            hr.predict_dist(model, X)
