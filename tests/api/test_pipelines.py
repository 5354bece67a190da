"""scikit-learn's tools work with forests and boosting: pipelines, searches, importances, partial dependence."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

import hedgerow as hr
from hedgerow.metrics import scorers

pandas = pytest.importorskip("pandas")

REGRESSORS = (hr.MondrianForestRegressor, hr.MondrianBoostingRegressor)
CLASSIFIERS = (hr.MondrianForestClassifier, hr.MondrianBoostingClassifier)
N_ROWS = 160
WORTH_FINDING = 0.8
"""Score of a model that has found how prices depend on size: R^2, or share of correct classes."""


def flats():
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {
            "size": rng.uniform(20, 200, N_ROWS),
            "floor": rng.integers(0, 9, N_ROWS),
            "town": rng.choice(["Ghent", "Lund", "Pisa"], N_ROWS),
        }
    )
    price = np.exp(4 + 0.01 * frame["size"] + 0.2 * (frame["town"] == "Pisa") + 0.1 * rng.normal(size=N_ROWS))
    return frame, price


FLATS, PRICE = flats()
NUMBERS = FLATS[["size", "floor"]]
DEAR = np.where(PRICE.median() < PRICE, "dear", "cheap")


def target(kind):
    return PRICE if kind in REGRESSORS else DEAR


def new(kind, **changed):
    return kind(**{"n_estimators": 5, "random_state": 0, **changed})


def pipeline(kind):
    columns = ColumnTransformer([("town", OneHotEncoder(sparse_output=False), ["town"])], remainder="passthrough")
    return Pipeline([("columns", columns), ("model", new(kind))])


every = pytest.mark.parametrize("kind", REGRESSORS + CLASSIFIERS, ids=lambda kind: kind.__name__)
regressors = pytest.mark.parametrize("kind", REGRESSORS, ids=lambda kind: kind.__name__)


@every
def test_pipelines_with_column_transformers(kind):
    model = pipeline(kind).fit(FLATS, target(kind))
    asked = model[:-1].transform(FLATS)
    assert np.array_equal(model.predict(FLATS), model[-1].predict(asked))
    alone = new(kind).fit(asked, target(kind))
    assert np.array_equal(model.predict(FLATS), alone.predict(asked))
    assert model.score(FLATS, target(kind)) > WORTH_FINDING


@every
def test_cross_validation(kind):
    assert cross_val_score(pipeline(kind), FLATS, target(kind), cv=3).mean() > WORTH_FINDING
    assert cross_val_predict(pipeline(kind), FLATS, target(kind), cv=3).shape == (N_ROWS,)


@every
def test_searches(kind):
    search = GridSearchCV(pipeline(kind), {"model__n_estimators": [1, 5]}, cv=3, error_score="raise")
    search.fit(FLATS, target(kind))
    assert search.best_params_["model__n_estimators"] == search.best_estimator_[-1].n_estimators
    assert np.array_equal(search.predict(FLATS), search.best_estimator_.predict(FLATS))


@every
def test_permutation_importances_find_the_columns_that_matter(kind):
    model = pipeline(kind).fit(FLATS, target(kind))
    found = permutation_importance(model, FLATS, target(kind), n_repeats=3, random_state=0).importances_mean
    assert np.argmax(found) == 0
    assert np.argmin(found) == 1


@every
def test_partial_dependence_rises_with_size(kind):
    model = new(kind).fit(NUMBERS, target(kind))
    for asked, rows in ((model, NUMBERS), (pipeline(kind).fit(FLATS, target(kind)), FLATS)):
        found = partial_dependence(asked, rows, ["size"], grid_resolution=5)["average"]
        assert found.shape == (1, 5)
        assert found[0, -1] > found[0, 2] > found[0, 0]


@regressors
def test_partial_dependence_is_a_mean_of_predictions(kind):
    model = new(kind).fit(NUMBERS, PRICE)
    found = partial_dependence(model, NUMBERS, ["size"], grid_resolution=3)
    for value, average in zip(found["grid_values"][0], found["average"][0], strict=True):
        assert average == pytest.approx(model.predict(NUMBERS.assign(size=value)).mean(), rel=1e-12)


@regressors
def test_transformed_targets(kind):
    model = TransformedTargetRegressor(pipeline(kind), func=np.log, inverse_func=np.exp).fit(FLATS, PRICE)
    np.testing.assert_allclose(model.predict(FLATS), np.exp(model.regressor_.predict(FLATS)), rtol=1e-12)
    interval = hr.predict_interval(model, FLATS)
    assert 0.8 < np.mean((interval[:, 0] <= PRICE) & (interval[:, 1] >= PRICE)) <= 1.0
    assert scorers.log_score(model, FLATS, PRICE) > scorers.log_score(new(kind).fit(NUMBERS, PRICE), NUMBERS, PRICE)


@regressors
def test_all_at_once(kind):
    logged = TransformedTargetRegressor(pipeline(kind), func=np.log, inverse_func=np.exp)
    grid = {"regressor__model__n_estimators": [1, 5]}
    search = GridSearchCV(logged, grid, cv=2, scoring=scorers.neg_crps, error_score="raise").fit(FLATS, PRICE)
    assert hr.predict_interval(search, FLATS, 0.5).shape == (N_ROWS, 2)
    found = permutation_importance(search, FLATS, PRICE, scoring=scorers.neg_crps, n_repeats=2, random_state=0)
    assert np.argmax(found.importances_mean) == 0


@every
def test_clones_in_a_pipeline_are_independent(kind):
    """A pipeline fits its own steps, and a second fit begins anew."""
    scaled = make_pipeline(MinMaxScaler(), new(kind)).fit(NUMBERS, target(kind))
    first = scaled.predict(NUMBERS)
    assert np.array_equal(scaled.fit(NUMBERS, target(kind)).predict(NUMBERS), first)
