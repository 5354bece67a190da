"""What a column is taken for, by its type or its values, in each kind of table."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import hedgerow as hr

DAYS = pandas.date_range("2020-01-01", periods=6, freq="40D")
MOMENTS, SPANS = DAYS.to_pydatetime().tolist(), (DAYS - DAYS[0]).to_pytimedelta().tolist()
DATES, TIMES = [moment.date() for moment in MOMENTS], [datetime.time(hour, 30) for hour in range(6)]
WORDS = ["x", "y", None, "x", "z", "y"]
WHOLE = [1, 2, None, 1, 3, 1]
FLAGS = [True, False, None, True, True, False]
MONEY = [Decimal("1.5"), None, Decimal("2"), Decimal("2.25"), None, Decimal("0")]
Y = np.arange(6.0)


def series(values, dtype):
    return pandas.Series(values, dtype=dtype)


COLUMNS = {
    # pandas
    "object": (series(WORDS, object), "category"),
    "str": (pandas.Series(["x", "y", "z"] * 2), "category"),
    "string": (series(WORDS, "string"), "category"),
    "category": (series(WORDS, "category"), "category"),
    "ordered": (pandas.Series(pandas.Categorical(WORDS, ["z", "y", "x"], ordered=True)), "category"),
    "category of numbers": (series(WHOLE, "category"), "category"),
    "category of intervals": (pandas.Series(pandas.cut(Y, 3)), "category"),
    "Int64": (series(WHOLE, "Int64"), "number"),
    "Float64": (series(WHOLE, "Float64"), "number"),
    "boolean": (series(FLAGS, "boolean"), "boolean"),
    "bool": (pandas.Series([True, False] * 3), "boolean"),
    "bool and None": (series(FLAGS, object), "boolean"),
    "bool and numbers": (series([True, 2, None, 0.5, False, 1], object), "number"),
    "Decimal": (series(MONEY, object), "number"),
    "Fraction": (series([Fraction(1, 3)] * 6, object), "number"),
    "sparse": (pandas.Series(pandas.arrays.SparseArray([0.0, 0, 1, 0, 0, 2])), "number"),
    "int64[pyarrow]": (series(WHOLE, "int64[pyarrow]"), "number"),
    "string[pyarrow]": (series(WORDS, "string[pyarrow]"), "category"),
    "datetime": (pandas.Series(DAYS), "date"),
    "time zone": (pandas.Series(DAYS.tz_localize("Europe/Berlin")), "date"),
    "NaT": (pandas.Series(DAYS).where(Y != 2), "date"),
    "date objects": (series(DATES, object), "date"),
    "time objects": (series(TIMES, object), "time"),
    "timedelta": (pandas.Series(DAYS - DAYS[0]), "duration"),
    "bytes": (series([b"x", b"y"] * 3, object), "category"),
    "text and numbers": (series(["x", 1, 2.5, None, True, "y"], object), "category"),
    "dates and numbers": (series([DATES[0], 1, 2.5, None, True, 4], object), "category"),
    "dates and durations": (series([*DATES[:3], *SPANS[:3]], object), "category"),
    "nothing": (series([None] * 6, object), "unknown"),
    "nothing, float": (series([None] * 6, float), "number"),
    "nothing, category": (series([None] * 6, "category"), "category"),
    "nothing, date": (pandas.Series([pandas.NaT] * 6), "date"),
    # polars
    "Categorical": (polars.Series(WORDS, dtype=polars.Categorical), "category"),
    "Enum": (polars.Series(WORDS, dtype=polars.Enum(["z", "y", "x"])), "category"),
    "String": (polars.Series(WORDS), "category"),
    "Binary": (polars.Series([b"x", b"y"] * 3), "category"),
    "Int": (polars.Series(WHOLE), "number"),
    "Float32": (polars.Series(WHOLE, dtype=polars.Float32), "number"),
    "polars Decimal": (polars.Series(MONEY), "number"),
    "Boolean": (polars.Series(FLAGS), "boolean"),
    "Date": (polars.Series(DATES), "date"),
    "Datetime": (polars.Series(MOMENTS), "date"),
    "Datetime, ns": (polars.Series(MOMENTS, dtype=polars.Datetime("ns")), "date"),
    "Datetime, zone": (polars.Series(MOMENTS, dtype=polars.Datetime("ms", "UTC")), "date"),
    "Time": (polars.Series(TIMES), "time"),
    "Duration": (polars.Series(SPANS), "duration"),
    "Duration, ns": (polars.Series(SPANS, dtype=polars.Duration("ns")), "duration"),
    "Null": (polars.Series([None] * 6), "unknown"),
    # arrow
    "dictionary": (pyarrow.chunked_array([pyarrow.array(WORDS).dictionary_encode()]), "category"),
    "arrow string": (pyarrow.chunked_array([pyarrow.array(WORDS)]), "category"),
    "arrow int": (pyarrow.chunked_array([pyarrow.array(WHOLE)]), "number"),
    "arrow bool": (pyarrow.chunked_array([pyarrow.array(FLAGS)]), "boolean"),
    "arrow decimal": (pyarrow.chunked_array([pyarrow.array(MONEY)]), "number"),
    "timestamp": (pyarrow.chunked_array([pyarrow.array([*MOMENTS[:5], None])]), "date"),
    "date32": (pyarrow.chunked_array([pyarrow.array(DATES)]), "date"),
    "time64": (pyarrow.chunked_array([pyarrow.array(TIMES)]), "time"),
    "duration": (pyarrow.chunked_array([pyarrow.array(SPANS)]), "duration"),
    "null": (pyarrow.chunked_array([pyarrow.nulls(6)]), "unknown"),
    # NumPy and Python
    "array of numbers": (Y, "number"),
    "array of bool": (Y > 2, "boolean"),
    "array of text": (np.array(["x", "y", "z"] * 2), "category"),
    "datetime64": (DAYS.to_numpy(), "date"),
    "timedelta64": ((DAYS - DAYS[0]).to_numpy(), "duration"),
    "list of text": (WORDS, "category"),
    "list of dates": (MOMENTS, "date"),
    "list of durations": ([*SPANS[:5], None], "duration"),
    "range": (range(6), "number"),
    "index": (DAYS, "date"),
    "arrow array": (pyarrow.array(WORDS), "category"),
}


def frame_of(column):
    """Return a frame of one column, of the library that the column comes from; otherwise a dictionary of columns."""
    if isinstance(column, pandas.Series):
        return pandas.DataFrame({"a": column})
    if isinstance(column, polars.Series):
        return polars.DataFrame({"a": column})
    return pyarrow.table({"a": column}) if isinstance(column, pyarrow.ChunkedArray) else {"a": column}


@pytest.mark.parametrize("name", COLUMNS)
def test_kind_of_a_column(name):
    column, kind = COLUMNS[name]
    found = []
    for table in (frame_of(column), {"a": column}):
        model = hr.MondrianForestRegressor(2, random_state=0).fit(table, Y)
        assert model.column_kinds_ == {"a": kind}
        assert model.n_features_in_ == 1
        assert model.feature_names_in_.tolist() == ["a"]
        assert model.axis_names_[0] == "a"
        assert len(model.axis_names_) == len(set(model.axis_names_)) == model.axis_rates_.size
        found.append(model.predict(table))
    np.testing.assert_array_equal(*found)


VALUES = {
    "number": ([1.5, 2.0, 3.0], [1.5, 2.0, 3.0]),
    "boolean": ([True, False, True], [1.0, 0.0, 1.0]),
    "date": ([datetime.date(1970, 1, 2), datetime.date(1969, 12, 31)], [86_400.0, -86_400.0]),
    "moment": ([datetime.datetime(1970, 1, 1, 1), datetime.datetime(1970, 1, 1, 0, 0, 0, 250_000)], [3600.0, 0.25]),
    "duration": ([datetime.timedelta(hours=1), datetime.timedelta(microseconds=-500_000)], [3600.0, -0.5]),
    "time": ([datetime.time(1, 1, 1, 500_000), datetime.time(23)], [3661.5, 82_800.0]),
    "decimal": ([Decimal("1.25"), Decimal("-3")], [1.25, -3.0]),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize(
    "table",
    [dict, pandas.DataFrame, polars.DataFrame, pyarrow.table, "rows"],
    ids=["dictionary", "pandas", "polars", "arrow", "rows"],
)
def test_first_axis_is_the_value(name, table):
    values, expected = VALUES[name]
    X = [[value] for value in values] if table == "rows" else table({"a": values})
    model = hr.MondrianForestRegressor(1, random_state=0, scaling="none").fit(X, np.arange(len(values)))
    np.testing.assert_array_equal(model._query_rows(X)[:, 0], expected)


def test_a_date_is_the_time_on_the_clock():
    clock = pandas.DatetimeIndex(["2020-03-29 12:00", "2020-07-01 00:30", "2020-12-31 23:59:59.5"])
    model = hr.MondrianForestRegressor(1, random_state=0).fit({"a": clock}, [0, 1, 2])
    for zone in ("UTC", "Europe/Berlin", "Asia/Tokyo"):
        zoned = clock.tz_localize(zone)
        for column in (pandas.Series(zoned), polars.Series(pandas.Series(zoned)), zoned.to_pydatetime().tolist()):
            np.testing.assert_array_equal(model._query_rows({"a": column}), model._query_rows({"a": clock}))
        rows = [model._one_row({"a": moment})[0] for moment in zoned]
        np.testing.assert_array_equal(rows, model._query_rows({"a": clock}))


def test_circles_of_the_calendar():
    noon = datetime.datetime(2024, 1, 1, 12)  # a Monday
    hours = [noon + datetime.timedelta(hours=7 * k) for k in range(2000)]
    model = hr.MondrianForestRegressor(1, random_state=0).fit({"when": hours}, np.arange(2000))
    day, week, year = (slice(begin, begin + 2) for begin in (1, 3, 5))
    axes = model._query_rows({"when": [noon, noon + datetime.timedelta(days=1), noon + datetime.timedelta(days=7)]})
    names = [f"when ({circle}, {part})" for circle in ("day", "week", "year") for part in ("sine", "cosine")]
    assert model.axis_names_ == ["when", *names]
    np.testing.assert_allclose(axes[0, day], [0.0, -1.0], atol=1e-9)
    np.testing.assert_allclose(axes[0, day], axes[1, day], atol=1e-9)
    np.testing.assert_allclose(axes[0, week], axes[2, week], atol=1e-9)
    assert np.abs(axes[0, week] - axes[1, week]).max() > 0.5
    np.testing.assert_allclose((axes[:, 1:].reshape(3, 3, 2) ** 2).sum(axis=2), 1.0)
    assert np.abs(axes[0, year] - [0.0, 1.0]).max() < 0.05  # the first of January


def test_a_batch_tells_which_circles_matter():
    def axes(*moments):
        return hr.MondrianForestRegressor(1).fit({"a": list(moments)}, np.arange(len(moments))).axis_names_[1::2]

    day, week, year = ("a (day, sine)", "a (week, sine)", "a (year, sine)")
    midnight, one = datetime.datetime(2024, 1, 1), datetime.timedelta(days=1)
    assert axes(midnight, midnight) == []
    assert axes(midnight, midnight + one / 2) == [day]
    assert axes(midnight, midnight + 7 * one) == [week]
    assert axes(midnight, midnight + 200 * one) == [week, year]
    assert axes(midnight, midnight + 200.5 * one) == [day, week, year]


@pytest.mark.parametrize("online", [False, True])
def test_times_go_around_the_day_only(online):
    model = hr.MondrianForestRegressor(2, random_state=0)
    (model.partial_fit if online else model.fit)({"a": TIMES}, Y)
    assert model.axis_names_ == ["a", "a (day, sine)", "a (day, cosine)"]
