"""scikit-learn's own tools on tables."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pytest
import sklearn
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import BaggingRegressor, StackingRegressor
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.fixes import parse_version

import hedgerow as hr
from models import every
from tables import draw_table, frame

pytestmark = pytest.mark.filterwarnings("ignore")
TABLE, Y = draw_table(80)
X = frame(TABLE)


def forest(**parameters):
    return hr.MondrianForestRegressor(5, random_state=0, **parameters)


@every()
def test_tags(case):
    tags = get_tags(case.new()).input_tags
    assert tags.allow_nan
    assert tags.categorical
    assert tags.sparse


@pytest.mark.parametrize("make", [frame, polars.DataFrame, pandas.DataFrame])
def test_cross_validation(make):
    scores = cross_val_score(forest(), make(TABLE), Y, cv=3)
    assert np.isfinite(scores).all()
    assert scores.max() > 0.0


def test_search_and_wrappers():
    search = GridSearchCV(forest(), {"categorical_features": ["from_dtype", ["flag"]]}, cv=2).fit(X, Y)
    assert search.best_estimator_.column_kinds_["few"] == "category"
    wrappers = [
        TransformedTargetRegressor(forest(), func=np.exp, inverse_func=np.log),
        StackingRegressor([("forest", forest())], RidgeCV(), cv=2),
    ]
    if parse_version(sklearn.__version__) >= parse_version("1.9"):  # before, it takes tables of numbers only
        wrappers.append(BaggingRegressor(forest(), 2, random_state=0))
    for wrapper in wrappers:
        assert np.isfinite(wrapper.fit(X, Y / 9).predict(X)).all()


def test_pipelines():
    codes = ColumnTransformer(
        [("codes", OneHotEncoder(handle_unknown="ignore"), ["few", "many"]), ("rest", "passthrough", ["size", "late"])],
        sparse_threshold=1.0,
    )
    assert np.isfinite(make_pipeline(codes, forest()).fit(X, Y).predict(X)).all()
    scaled = ColumnTransformer([("numbers", StandardScaler(), ["size", "late"])], remainder="passthrough")
    pipeline = make_pipeline(scaled.set_output(transform="pandas"), forest()).fit(X, Y)
    kinds = ["number", "number", "category", "category", "date", "boolean"]
    assert list(pipeline[-1].column_kinds_.values()) == kinds


def test_inspection():
    model = forest().fit(X, Y)
    importances = permutation_importance(model, X, Y, n_repeats=3, random_state=0).importances_mean
    assert importances[0] > 0.1
    for name, chosen, n in (("size", None, 5), ("many", ["many"], X["many"].nunique())):
        found = partial_dependence(model, X, [name], categorical_features=chosen, grid_resolution=5)
        assert found["average"].shape == (1, n)
