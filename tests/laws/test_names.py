"""Names of features: from frames and mappings, kept and checked from then on."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pytest

import hedgerow
from models import bits, every, numbers, row_by_row

pytestmark = pytest.mark.filterwarnings("ignore:.*:sklearn.exceptions.ConvergenceWarning", "error:.*feature names")
NAMES = ["height", "width", "âge"]
FRAMES = {
    "pandas": lambda X: pandas.DataFrame(X, columns=NAMES),
    "polars": lambda X: polars.DataFrame(X, schema=NAMES),
}
EVERY_FRAME = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


def named(x):
    return dict(zip(NAMES, x, strict=True))


@EVERY_FRAME
@every()
def test_frames_name_the_features(case, frame, tmp_path):
    X, y = case.data(60)
    model, plain = case.new().fit(frame(X), y), case.new().fit(X, y)
    if case.online:
        model.partial_fit(frame(X[:9]), y[:9])
        plain.partial_fit(X[:9], y[:9])
    assert list(model.feature_names_in_) == NAMES
    assert model.n_features_in_ == 3
    np.testing.assert_array_equal(numbers(model, frame(X)), numbers(plain, X))
    if case.can("predict_one"):
        shuffled = {name: named(X[0])[name] for name in NAMES[::-1]}
        for one in (model.predict_one(shuffled), model.predict_one(X[0])):
            np.testing.assert_array_equal(one, plain.predict_one(X[0]))
    model.save(tmp_path / "model")
    assert list(hedgerow.load(tmp_path / "model").feature_names_in_) == NAMES
    if case.unlearns:
        model.unlearn(frame(X[40:44]), y[40:44]).unlearn_one(named(X[50]), y[50])
    before = bits(model)
    ask = model.predict if case.predicts else model.transform
    for call in [lambda X: ask(X)] + [lambda X: model.partial_fit(X, y)] * case.online:
        with pytest.raises(ValueError, match="feature names"):
            call(frame(X)[NAMES[::-1]])
        assert bits(model) == before


@every()
def test_targets_may_be_series(case):
    X, y = case.data(60)
    expected = bits(case.new().fit(X, y))
    kinds = (pandas.DataFrame, polars.DataFrame) if case.several else (pandas.Series, polars.Series)
    for given in (*(kind(y) for kind in kinds), y.tolist(), kinds[0](y, index=range(60, 0, -1))):
        assert bits(case.new().fit(X, given)) == expected


@every("learns_rows")
def test_rows_as_mappings(case):
    X, y = case.data(40)
    by_name, by_place = row_by_row(case.new(), [named(x) for x in X], y), row_by_row(case.new(), X, y)
    assert list(by_name.feature_names_in_) == NAMES
    np.testing.assert_array_equal(numbers(by_name, FRAMES["pandas"](X)), numbers(by_place, X))
    before = bits(by_name)
    np.testing.assert_array_equal(
        by_name.predict_one({**named(X[5]), "colour": "red"}), by_place.predict_one(list(X[5]))
    )
    for x, message in (
        ({"height": 1.0, "âge": 2.0}, "no feature 'width'"),
        ({"height": 1.0, "Width": 2.0, "âge": 2.0}, "no feature 'width'"),
        ({"height": 1.0, "width": np.inf, "âge": 2.0}, "width is inf"),
        ({"height": "tall", "width": 2.0, "âge": 2.0}, "'height' was taken for numbers"),
    ):
        for call in (lambda x: by_name.learn_one(x, y[0]), by_name.predict_one):
            with pytest.raises(ValueError, match=message):
                call(x)
    assert bits(by_name) == before
    for call in (lambda x: by_place.learn_one(x, y[0]), by_place.predict_one):
        with pytest.raises(ValueError, match="without names"):
            call(named(X[5]))


@every("learns_rows")
@pytest.mark.parametrize("convert", [list, tuple, pandas.Series, lambda x: np.asarray(x, dtype=object)])
def test_rows_as_sequences(case, convert):
    X, y = case.data(20)
    model = row_by_row(case.new(), map(convert, X), y)
    assert bits(model) == bits(row_by_row(case.new(), X, y))
    np.testing.assert_array_equal(model.predict_one(convert(X[3])), model.predict_one(X[3]))


@every("learns_rows")
def test_keys_that_are_no_strings(case):
    """Refused as the first row, or taken as any other."""
    X, y = case.data(5)
    for keys in ([0, 1, 2], ["a", "b", 3], [("a",), ("b",), ("c",)]):
        model, rows = case.new(), [dict(zip(keys, x, strict=True)) for x in X]
        try:
            model.learn_one(rows[0], y[0])
        except (ValueError, TypeError):
            assert bits(model) == bits(case.new())
        else:
            row_by_row(model, rows[1:], y[1:])
            assert model.predict_one(rows[0]) == row_by_row(case.new(), X, y).predict_one(X[0])
