"""The same data give the same bits, whatever holds them."""

from __future__ import annotations

import datetime

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from models import BY_NAME, bits, numbers

pytestmark = pytest.mark.filterwarnings("ignore")
N = 60


def columns(seed=0):
    """Columns of all kinds as lists of Python values, in some of which values are missing."""
    rng = np.random.default_rng(seed)

    def with_gaps(values, share=0.2):
        gaps = rng.uniform(size=N) < share
        return [None if gap else value for value, gap in zip(values, gaps, strict=True)]

    start = datetime.datetime(2024, 1, 1)
    moments = [start + datetime.timedelta(hours=int(h)) for h in rng.integers(0, 9000, N)]
    return {
        "number": rng.normal(size=N).tolist(),
        "whole": with_gaps(rng.integers(-5, 5, N).tolist()),
        "flag": with_gaps((rng.uniform(size=N) < 0.5).tolist()),
        "few": with_gaps(rng.choice(["red", "green", "blue"], N).tolist()),
        "many": [f"level {k}" for k in rng.integers(0, 30, N)],
        "moment": with_gaps(moments),
        "date": [moment.date() for moment in moments],
        "time": with_gaps([moment.time() for moment in moments]),
        "duration": with_gaps([moment - start for moment in moments]),
        "nothing": [None] * N,
    }


def as_pandas(table):
    return pandas.DataFrame({name: pandas.Series(values, dtype=object) for name, values in table.items()})


def typed_pandas(table):
    types = {"whole": "Int64", "flag": "boolean", "few": "category", "many": "string", "moment": "datetime64[us]"}
    return as_pandas(table).astype({**types, "number": float, "duration": "timedelta64[ns]"})


TABLES = {
    "pandas, objects": as_pandas,
    "pandas": typed_pandas,
    "polars": lambda table: polars.DataFrame(table, strict=False),
    "polars, categories": lambda table: polars.DataFrame(table).with_columns(
        polars.col("few").cast(polars.Enum(["blue", "red", "green"])), polars.col("many").cast(polars.Categorical)
    ),
    "arrow": pyarrow.table,
    "arrow, dictionaries": lambda table: pyarrow.table(
        {**table, "few": pyarrow.array(table["few"]).dictionary_encode()}
    ),
    "dictionary of series": lambda table: {name: polars.Series(values) for name, values in table.items()},
}
CASES = ["forest", "class forest", "boosting", "kernel ridge", "Bayesian tree", "BART, classes", "online forest"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("online", [False, True], ids=["batch", "online"])
def test_same_bits_from_every_table(name, online):
    case = BY_NAME[name]
    if online and not case.online:
        pytest.skip("learns in batch only")
    _, y = case.data(N)
    table = columns()
    learned = {}
    for kind, make in {"dictionary": dict, **TABLES}.items():
        model = case.new()
        (model.partial_fit if online else model.fit)(make(table), y)
        learned[kind] = (bits(model), numbers(model, make(columns(1))).tobytes())
    assert [kind for kind, found in learned.items() if found != learned["dictionary"]] == []


@pytest.mark.parametrize("name", ["forest", "boosting", "online forest"])
def test_same_bits_from_arrays_and_lists_of_rows(name):
    case, table = BY_NAME[name], columns()
    _, y = case.data(N)
    rows = [list(row) for row in zip(*table.values(), strict=True)]
    asked = [list(row) for row in zip(*columns(1).values(), strict=True)]
    nameless = as_pandas(table)
    nameless.columns = range(len(table))
    models = [case.new().fit(X, y) for X in (rows, np.array(rows, dtype=object), nameless)]
    assert len({bits(model) for model in models}) == 1
    named = case.new().fit(table, y)
    np.testing.assert_array_equal(numbers(models[0], asked), numbers(named, columns(1)))


@pytest.mark.parametrize("name", ["forest", "boosting", "kernel ridge", "online forest", "class forest"])
def test_one_row_is_a_row_of_a_table(name):
    case, table = BY_NAME[name], columns()
    _, y = case.data(N)
    model = case.new().fit(table, y)
    asked = columns(1)
    said = numbers(model, asked)[:, 0] if case.regresses else model.predict_proba(asked)
    rows = [dict(zip(asked, row, strict=True)) for row in zip(*asked.values(), strict=True)]
    if case.regresses:
        found = [model.predict_one(row) for row in rows]
    else:
        found = [[model.predict_proba_one(row)[label] for label in model.classes_] for row in rows]
    np.testing.assert_array_equal(found, said)
    np.testing.assert_array_equal([model._one_row(list(row.values()))[0] for row in rows], model._query_rows(asked))


SPELLED = {
    "none": None,
    "NaN": float("nan"),
    "NumPy's NaN": np.float64("nan"),
    "NaT": pandas.NaT,
    "NA": pandas.NA,
    "NumPy's NaT": np.datetime64("NaT"),
}


@pytest.mark.parametrize("how", SPELLED)
def test_spellings_of_a_missing_value(how):
    case, table = BY_NAME["forest"], columns()
    model = case.new().fit(table, case.data(N)[1])
    expected = model._one_row(dict.fromkeys(table))
    np.testing.assert_array_equal(model._one_row(dict.fromkeys(table, SPELLED[how])), expected)
    np.testing.assert_array_equal(model._query_rows({name: [SPELLED[how]] * 2 for name in table})[:1], expected)
    np.testing.assert_array_equal(model._query_rows([[SPELLED[how]] * len(table)]), expected)


@pytest.mark.parametrize("dtype", ["object", "float64", "string", "Int64", "category", "datetime64[us]"])
def test_a_chunk_in_which_a_column_has_no_value(dtype):
    """Its type says nothing then: a file read in chunks has floats there, or objects."""
    case, table = BY_NAME["forest"], columns()
    model = case.new().fit(typed_pandas(table), case.data(N)[1])
    for name in table:
        asked = typed_pandas(columns(1))
        asked[name] = pandas.Series([None] * N, dtype=dtype)
        expected = model._query_rows({**columns(1), name: [None] * N})
        np.testing.assert_array_equal(model._query_rows(asked), expected, err_msg=name)
        emptied = polars.DataFrame(columns(1)).with_columns(polars.lit(None).alias(name))
        np.testing.assert_array_equal(model._query_rows(emptied), expected, err_msg=name)
