"""Values of columns, whatever their type in a table: categories by name, columns in which all is missing."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from hedgerow import MondrianBoostingRegressor, MondrianForestRegressor

N = 60
RNG = np.random.default_rng(0)
CODES = RNG.integers(3, size=N)
Y = CODES + 0.1 * RNG.normal(size=N)


@pytest.mark.parametrize(
    "codes",
    [
        CODES.astype(float),
        CODES.astype(str).astype(object),
        pd.Categorical(CODES),
        pd.Categorical(CODES.astype(str)),
        pd.array(CODES, dtype="Int64"),
    ],
    ids=["floats", "text", "categories", "categories of text", "nullable"],
)
def test_a_category_is_its_name_whatever_its_type(codes):
    """So that a model that has learned numbers knows them again in a CSV file, where they are text."""
    model = MondrianForestRegressor(3, categorical_features=["code"], random_state=0)
    model.fit(pd.DataFrame({"code": CODES}), Y)
    found = model.predict(pd.DataFrame({"code": codes}))
    np.testing.assert_array_equal(found, model.predict(pd.DataFrame({"code": CODES})))
    assert np.abs(found - Y).max() < 0.6


DAYS = [datetime.datetime(2020, 1, 1) + datetime.timedelta(days=day) for day in range(N)]
NOTHING = {
    "NaN": pd.DataFrame({"day": [np.nan, np.nan], "size": [np.nan, np.nan]}),
    "None": pd.DataFrame({"day": [None, None], "size": [None, None]}),
    "polars": pl.DataFrame({"day": [None, None], "size": [None, None]}),
    "polars, text": pl.DataFrame(
        {"day": [None, None], "size": [None, None]}, schema=dict.fromkeys(["day", "size"], str)
    ),
    "columns": {"day": [None, None], "size": [None, None]},
}


@pytest.mark.parametrize("kind", NOTHING)
def test_a_column_of_dates_or_numbers_may_be_missing_altogether(kind):
    model = MondrianForestRegressor(3, random_state=0).fit(pd.DataFrame({"day": DAYS, "size": Y}), Y)
    expected = model.predict(pd.DataFrame({"day": [None, DAYS[3]], "size": [np.nan, 1.0]}))[0]
    np.testing.assert_array_equal(model.predict(NOTHING[kind]), [expected] * 2)
    model.partial_fit(NOTHING[kind], [0.0, 1.0])
    assert model.column_kinds_ == {"day": "date", "size": "number"}


def test_the_value_that_does_not_fit_is_named():
    model = MondrianForestRegressor(3, random_state=0).fit(pd.DataFrame({"size": Y}), Y)
    with pytest.raises(ValueError, match="'size' was taken for numbers when learning began, and now holds 'oak'"):
        model.predict(pd.DataFrame({"size": [1.0, None, "oak", 2.0]}))


@pytest.mark.parametrize("columns", [["kind"], ["kind", "size"]])
def test_boosting_learns_categories_online(columns):
    """Categories alone, of which the first row has one; and axes that lie in memory column by column."""
    frame = pd.DataFrame({"kind": RNG.choice(["oak", "elm", "ash"], N), "size": np.where(Y > 1.9, np.nan, Y)})[columns]
    model = MondrianBoostingRegressor(2, max_stages=1, random_state=0).partial_fit(frame, Y)
    other = MondrianBoostingRegressor(2, max_stages=1, random_state=0)
    for record, y in zip(frame.to_dict("records"), Y, strict=True):
        other.learn_one(record, y)
    assert model.n_samples_seen_ == other.n_samples_seen_ == N
    if columns == ["kind"]:
        np.testing.assert_array_equal(model.predict(frame), other.predict(frame))
