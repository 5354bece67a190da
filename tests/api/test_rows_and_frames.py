"""What X and x may be."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pytest

from hedgerow import MondrianForestRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = X[:, 0] + RNG.normal(size=40)
NAMES = ["height", "width", "age"]


def new(**parameters):
    return MondrianForestRegressor(**{"n_estimators": 3, "random_state": 0, **parameters})


def as_pandas(rows):
    return pandas.DataFrame(rows, columns=NAMES)


def as_polars(rows):
    return polars.DataFrame(rows, schema=NAMES)


FRAMES = pytest.mark.parametrize("frame", [as_pandas, as_polars])
EXPECTED = new().fit(X, Y).predict(X)


@FRAMES
def test_frames_name_the_features(frame):
    forest = new().fit(frame(X), Y)
    assert list(forest.feature_names_in_) == NAMES
    assert forest.n_features_in_ == 3
    np.testing.assert_array_equal(forest.predict(frame(X)), EXPECTED)
    assert forest.predict_one(dict(zip(NAMES, X[0], strict=True))) == EXPECTED[0]
    assert forest.predict_one(X[0]) == EXPECTED[0]


@FRAMES
def test_frames_in_another_order_are_refused(frame):
    forest = new().fit(frame(X), Y)
    with pytest.raises(ValueError, match="feature names"):
        forest.predict(frame(X)[NAMES[::-1]])
    with pytest.raises(ValueError, match="feature names"):
        forest.partial_fit(frame(X)[NAMES[::-1]], Y)


@FRAMES
def test_online_frames(frame):
    forest = new().partial_fit(frame(X[:20]), Y[:20])
    assert list(forest.feature_names_in_) == NAMES
    forest.learn_one(dict(zip(NAMES[::-1], X[20][::-1], strict=True)), Y[20])
    np.testing.assert_array_equal(forest.predict(frame(X)), new().partial_fit(X[:21], Y[:21]).predict(X))
    forest.unlearn(frame(X[:5]), Y[:5]).unlearn_one(dict(zip(NAMES, X[20], strict=True)), Y[20])
    assert forest.n_samples_ == 15


def test_labels_may_be_series():
    for labels in (
        pandas.Series(Y),
        polars.Series(Y),
        Y.tolist(),
        Y.reshape(-1).astype(np.float32).astype(float),
    ):
        assert new().fit(X, labels).n_samples_ == 40


@pytest.mark.parametrize(
    "convert", [list, tuple, np.asarray, lambda x: np.asarray(x, dtype=object), lambda x: pandas.Series(x)]
)
def test_single_rows(convert):
    forest = new()
    for x, y in zip(X, Y, strict=True):
        forest.learn_one(convert(x), y)
    np.testing.assert_array_equal(forest.predict(X), new().partial_fit(X, Y).predict(X))
    assert forest.predict_one(convert(X[3])) == forest.predict(X[3:4])[0]


def test_rows_as_mappings_name_the_features():
    forest = new()
    for x, y in zip(X, Y, strict=True):
        forest.learn_one(dict(zip(NAMES, x, strict=True)), y)
    assert list(forest.feature_names_in_) == NAMES
    np.testing.assert_array_equal(forest.predict(as_pandas(X)), new().partial_fit(X, Y).predict(X))
    extra = {**dict(zip(NAMES, X[0], strict=True)), "colour": "red"}
    assert forest.predict_one(extra) == forest.predict(as_pandas(X[:1]))[0]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({"height": 1.0, "width": 2.0}, "no feature 'age'"),
        ({"height": 1.0, "width": 2.0, "Age": 3.0}, "no feature 'age'"),
        ([1.0, 2.0], "must have 3 features"),
        ([1.0, 2.0, 3.0, 4.0], "must have 3 features"),
        ([[1.0, 2.0, 3.0]], "2 dimensions"),
        (1.0, "0 dimensions"),
        ([1.0, np.nan, 3.0], "'width' is nan"),
        ([1.0, 2.0, -np.inf], "'age' is -inf"),
        (["a", "b", "c"], "numbers only"),
        ({"height": "tall", "width": 2.0, "age": 3.0}, "could not convert|number"),
    ],
)
@pytest.mark.parametrize("call", ["learn_one", "unlearn_one", "predict_one"])
def test_bad_single_rows(call, x, message):
    forest = new().fit(as_pandas(X), Y)
    before = forest._to_bytes()
    arguments = (x,) if call == "predict_one" else (x, 0.0)
    with pytest.raises(ValueError, match=message):
        getattr(forest, call)(*arguments)
    assert forest._to_bytes() == before


def test_mapping_without_names():
    forest = new().fit(X, Y)
    with pytest.raises(ValueError, match="without names"):
        forest.learn_one({"height": 1.0, "width": 1.0, "age": 1.0}, 0.0)


@pytest.mark.parametrize("x", [[], {}, [[1.0]], 3.0, [np.nan], ["a"], {"a": np.inf}, {"a": "b"}])
def test_bad_first_row(x):
    forest = new()
    with pytest.raises(ValueError):
        forest.learn_one(x, 1.0)
    assert vars(forest) == vars(new())
    assert forest.learn_one([1.0, 2.0], 1.0).n_features_in_ == 2


@pytest.mark.parametrize("y", [np.nan, np.inf, "a", None, [1.0, 2.0]])
@pytest.mark.parametrize("first", [True, False])
def test_bad_single_label(y, first):
    forest = new()
    if not first:
        forest.fit(X, Y)
    before, attributes = forest._to_bytes(), set(vars(forest))
    with pytest.raises((ValueError, TypeError)):
        forest.learn_one(X[0], y)
    assert forest._to_bytes() == before
    assert set(vars(forest)) == attributes


def test_predict_one_before_any_row():
    assert new().predict_one([1.0]) == 0.0
    assert new(prior_mean=3.0).predict_one({"a": 1.0}) == 3.0


@pytest.mark.parametrize("label", [None, "late", [1.0]])
def test_a_label_that_is_no_number(label):
    forest = MondrianForestRegressor(2, random_state=0).fit(np.eye(3), [1.0, 2.0, 3.0])
    before = forest._to_bytes()
    for call in (forest.learn_one, forest.unlearn_one):
        with pytest.raises(ValueError, match="a label must be a number"):
            call([0.0, 0.0, 1.0], label)
    assert forest._to_bytes() == before
