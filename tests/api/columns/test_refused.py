"""What cannot be read gets a sentence that names the column, and the model stays as it was."""

from __future__ import annotations

import datetime

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from scipy import sparse
from sklearn.preprocessing import OneHotEncoder

import hedgerow as hr
from models import bits, every, numbers

pytestmark = pytest.mark.filterwarnings("ignore")
Y = np.arange(4.0)
WHEN = [datetime.datetime(2024, 1, day) for day in (1, 3, 9, 27)]
TABLE = {
    "number": [1.0, 2.0, None, 4.0],
    "flag": [True, False, True, None],
    "text": ["x", "y", "x", "z"],
    "when": WHEN,
    "span": [moment - WHEN[0] for moment in WHEN],
    "time": [datetime.time(hour) for hour in range(4)],
}


def forest(**parameters):
    return hr.MondrianForestRegressor(2, random_state=0, **parameters)


FRAMES = [dict, pandas.DataFrame, polars.DataFrame, pyarrow.table]


@pytest.mark.parametrize("make", FRAMES)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_infinity(make, sign):
    table = make({**TABLE, "number": [1.0, 2.0, sign * np.inf, 4.0]})
    model = forest().fit(make(TABLE), Y)
    before = bits(model)
    for call in (lambda: forest().fit(table, Y), lambda: model.partial_fit(table, Y), lambda: model.predict(table)):
        with pytest.raises(ValueError, match=r"contains infinity: feature 'number' is -?inf in row 2"):
            call()
    with pytest.raises(ValueError, match="feature number is inf"):
        model.learn_one({name: values[0] for name, values in {**TABLE, "number": [np.inf]}.items()}, 1.0)
    assert bits(model) == before


OTHERS = {"number": 3.5, "text": "blue", "when": WHEN[0], "span": datetime.timedelta(1), "time": datetime.time(1)}
WORDS = {"number": "numbers", "flag": "numbers", "when": "dates", "span": "durations", "time": "times"}
CHANGES = [(name, other) for name in WORDS for other in OTHERS if other != name and (name, other) != ("flag", "number")]


@pytest.mark.parametrize(("name", "other"), CHANGES, ids=str)
def test_another_kind_than_learned(name, other):
    model = forest().fit(TABLE, Y)
    before = bits(model)
    message = f"feature '{name}' was taken for {WORDS[name]} when learning began, and now holds"
    for make in FRAMES:
        table = make({**TABLE, name: [OTHERS[other]] * 4})
        for call in (lambda X: model.partial_fit(X, Y), model.predict, lambda X: model.unlearn(X, Y)):
            with pytest.raises(ValueError, match=message):
                call(table)
    row = {column: values[0] for column, values in TABLE.items()}
    for call in (model.predict_one, lambda x: model.learn_one(x, 1.0), lambda x: model.unlearn_one(x, 1.0)):
        with pytest.raises(ValueError, match=message):
            call({**row, name: OTHERS[other]})
    assert bits(model) == before


def test_numbers_where_text_was_learned_are_categories():
    model = forest().fit(TABLE, Y)
    assert np.isfinite(model.predict({**TABLE, "text": [1, 2.0, True, None]})).all()
    assert model.partial_fit({**TABLE, "text": [1, 2.0, True, WHEN[0]]}, Y).column_kinds_["text"] == "category"


@pytest.mark.parametrize(
    "value", [[1], {"a": 1}, {1}, np.zeros(2), object(), 1j, print], ids=lambda value: type(value).__name__
)
def test_cells_that_hold_no_value(value):
    column = np.empty(4, dtype=object)
    column[:] = ["x", "y", "x", "y"]
    column[2] = value
    model = forest().fit({"a": ["x", "y", "x", None]}, Y)
    numeric = forest().fit({"a": [1.0, 2.0, 3.0, 4.0]}, Y)
    before = bits(model)
    for X in ({"a": column}, pandas.DataFrame({"a": column}), column.reshape(-1, 1)):
        with pytest.raises(TypeError, match=r"feature '(a|0)' holds .*argument must be a string, a number"):
            forest().fit(X, Y)
    if value is not print and not isinstance(value, complex):  # which have a name, so they are categories
        with pytest.raises(TypeError, match="feature 'a' holds"):
            model.partial_fit({"a": column}, Y)
        with pytest.raises(TypeError, match="feature 'a' holds"):
            model.learn_one({"a": value}, 1.0)
    for one in (lambda: numeric.learn_one({"a": value}, 1.0), lambda: numeric.predict_one({"a": value})):
        with pytest.raises(TypeError, match="feature 'a' holds"):
            one()
    assert bits(model) == before


def test_integers_that_are_no_floating_point_numbers():
    large = 10**400
    model = forest().fit({"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]}, Y)
    before = bits(model)
    for call in (
        lambda: forest().fit({"a": [1, large, 2, 3]}, Y),
        lambda: forest().fit([[1], [large], [2], [3]], Y),
        lambda: forest().learn_one([large], 1.0),
        lambda: model.learn_one({"a": large, "b": 1}, 1.0),
        lambda: model.predict_one({"a": large, "b": 1}),
        lambda: model.predict_one([large, 1]),
    ):
        with pytest.raises(ValueError, match=r"feature '(a|0)' holds an integer that is too large"):
            call()
    assert bits(model) == before


def test_columns_of_different_lengths():
    with pytest.raises(ValueError, match="one length: 'b' has 3 values, 'a' has 4"):
        forest().fit({"a": list("xyzx"), "b": [1, 2, 3]}, Y)
    with pytest.raises(ValueError, match="must have one dimension, got 2 in 'b'"):
        forest().fit({"a": list("xyzx"), "b": np.zeros((4, 1))}, Y)
    with pytest.raises(ValueError, match="must have one dimension, got 0 in 'a'"):
        forest().fit({"a": "text", "b": np.zeros(4)}, Y)


@pytest.mark.parametrize("make", FRAMES)
def test_empty_tables(make):
    for table in (make({"a": []}), make({"a": [], "b": []})):
        with pytest.raises(ValueError, match=r"0 sample\(s\)"):
            forest().fit(table, [])
    model = forest().fit(TABLE, Y)
    for part in (make(TABLE), pandas.DataFrame(TABLE), pandas.DataFrame(TABLE)):
        rows = {name: values[:0] for name, values in part.items()} if isinstance(part, dict) else part[:0]
        with pytest.raises(ValueError, match=r"0 sample\(s\)"):
            model.predict(rows)
    with pytest.raises(ValueError, match=r"at least one|0 sample\(s\)"):
        forest().fit(make({}), Y)


def test_names_of_columns():
    text = np.array([list("xyzx")] * 2, dtype=object).T
    with pytest.raises(ValueError, match="have the same name"):
        forest().fit(pandas.DataFrame(text, columns=["a", "a"]), Y)
    with pytest.raises(TypeError, match="only supported if all input features have string names"):
        forest().fit(pandas.DataFrame(text, columns=["a", 1]), Y)
    nameless = forest().fit(pandas.DataFrame(text), Y)
    assert nameless.column_kinds_ == {"x0": "category", "x1": "category"}
    np.testing.assert_array_equal(nameless.predict(text), nameless.predict(pandas.DataFrame(text)))


@pytest.mark.parametrize("make", FRAMES[1:])
def test_changed_names_and_order(make):
    model = forest().fit(make(TABLE), Y)
    with pytest.raises(ValueError, match="in the same order as they were in fit"):
        model.predict(make(dict(reversed(TABLE.items()))))
    renamed = {name.replace("text", "word"): values for name, values in TABLE.items()}
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time.*word.*seen at fit time.*text"):
        model.predict(make(renamed))
    with pytest.raises(ValueError, match=r"(?s)yet now missing.*text"):
        model.predict(make({name: values for name, values in TABLE.items() if name != "text"}))
    for wrong in (renamed, dict(reversed(TABLE.items()))):
        with pytest.raises(ValueError, match="the columns are"):
            model.predict(wrong)


def test_what_is_no_table():
    for X, message in (
        (pandas.Series(Y), "2-dimensional"),
        (polars.Series(Y), "1D array|2D array|dimension"),
        (list("xyzx"), "2D array"),
        (np.array(list("xyzx")), "2D array"),
        ([["x"], ["y", "z"], ["x"], ["x"]], "inhomogeneous"),
        ("text", "2D array|could not convert"),
        (np.zeros((4, 1, 1), dtype=object), "dim 3"),
    ):
        with pytest.raises(ValueError, match=message):
            forest().fit(X, Y)


# Sparse matrices.

FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]


@every(one_a_class=True)
def test_sparse_matrices(case):
    _, y = case.data(40)
    words = np.random.default_rng(0).choice(["x", "y", "z"], (40, 2))
    X = OneHotEncoder().fit_transform(words)
    dense = case.new().fit(X.toarray(), y)
    for kind in FORMATS:
        model = case.new().fit(X.asformat(kind), y)
        assert bits(model) == bits(dense)
        np.testing.assert_array_equal(numbers(model, X.asformat(kind)), numbers(dense, X.toarray()))
    if case.online:
        assert bits(dense.partial_fit(X.toarray(), y)) == bits(model.partial_fit(sparse.csc_array(X), y))


def test_sparse_matrices_of_missing_values_and_categories():
    X = sparse.csr_matrix([[0.0, 1.0], [np.nan, 0.0], [3.0, 0.0], [0.0, 2.0]])
    model = forest(categorical_features=[1]).fit(X, Y)
    assert model.column_kinds_ == {"x0": "number", "x1": "category"}
    assert model.axis_names_[-1] == "x0 (missing)"
    assert bits(model) == bits(forest(categorical_features=[1]).fit(X.toarray(), Y))
    with pytest.raises(ValueError, match="infinity"):
        forest().fit(sparse.csr_matrix([[np.inf], [0.0], [0.0], [1.0]]), Y)


@pytest.mark.parametrize("chosen", [None, [0]])
def test_sparse_matrices_that_are_too_large(chosen):
    X = sparse.csr_matrix((100_000, 100_000))
    with pytest.raises(ValueError, match=r"100000 x 100000 cells, too many to be held densely.*one-hot"):
        forest(categorical_features=chosen).fit(X, np.zeros(100_000))
