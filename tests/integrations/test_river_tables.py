"""The adapters to river take text, dates and missing values; what is absent is missing."""

from __future__ import annotations

import datetime
import pickle

import numpy as np
import pytest

from hedgerow import MondrianForestRegressor
from models import bits

pytest.importorskip("river")

from hedgerow.integrations.river import RiverRegressor


def new():
    return RiverRegressor(MondrianForestRegressor(n_estimators=10), seed=1)


def learned(model, pairs):
    for x, y in pairs:
        model.learn_one(x, y)
    return model


def orders(n=300, seed=0):
    """Rows whose target depends on text, on whether a number is absent, and on the time of day."""
    rng = np.random.default_rng(seed)
    start = datetime.datetime(2024, 1, 1)
    for i in range(n):
        kind, size, hour = rng.choice(["oak", "elm", "ash"]), rng.normal(), rng.integers(24)
        is_absent = rng.random() < 0.3
        x = {
            "kind": str(kind),
            "size": None if is_absent else size,
            "time": start + datetime.timedelta(i, hours=int(hour)),
        }
        if kind == "ash":
            del x["kind"]
        yield x, {"oak": 3.0, "elm": -3.0, "ash": 0.0}[kind] + (2.0 if is_absent else 0.0) + (hour > 11)


def test_text_dates_and_absence_are_learned():
    model, errors = new(), []
    for i, (x, y) in enumerate(orders(600)):
        if i >= 400:
            errors.append(abs(model.predict_one(x) - y))
        model.learn_one(x, y)
    assert np.mean(errors) < 0.9  # 2.2 for the mean of all targets
    assert set(model.features_) == {"kind", "size", "time"}
    assert model.row({}).size == 3 + 1 + 7 + 1
    assert model.model_.check_structure() == []


def test_what_is_absent_may_be_none_or_nan_or_not_there():
    model = learned(new(), orders(50))
    for absent in ({}, {"kind": None, "size": np.nan, "time": None}):
        np.testing.assert_array_equal(model.row(absent), model.row({"rain": 1.0}))
    assert len({model.row(x).tobytes() for x in ({}, {"kind": "oak"}, {"kind": "fir"}, {"size": 1.0})}) == 4


def test_text_that_comes_late_is_the_same_as_text_that_was_absent():
    late, early = ([{"a": float(a)} for a in np.random.default_rng(0).normal(size=20)] for _ in range(2))
    early[0]["kind"] = None
    tail = [{"a": 0.5, "kind": "oak"}, {"a": 0.1}, {"a": 0.2, "kind": "elm"}]
    pairs = [list(zip([*head, *tail], range(23), strict=True)) for head in (late, early)]
    one, other = (learned(new(), each) for each in pairs)
    assert pickle.dumps(one.model_) == pickle.dumps(other.model_)
    np.testing.assert_array_equal(one.model_._learner.core.row_values()[:20, 1:], [one.row({})[1:]] * 20)


def test_numbers_that_are_categories():
    forest = MondrianForestRegressor(n_estimators=5, categorical_features=["zip"])
    model = learned(RiverRegressor(forest, seed=1), [({"zip": k % 3, "a": 1.0}, float(k % 3)) for k in range(60)])
    assert model.row({"zip": 1}).size == 4
    np.testing.assert_array_equal(model.row({"zip": 1}), model.row({"zip": "1"}))
    assert abs(model.predict_one({"zip": 1, "a": 1.0}) - 1.0) < 0.3


def test_pickled_and_checked_with_text():
    model = learned(new(), orders(60))
    other = pickle.loads(pickle.dumps(model))
    for one in (model, other):
        learned(one, orders(30, seed=1))
    assert bits(model.model_) == bits(other.model_)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"'time' is 5\.0, a number; it was a date when it came first"):
        model.learn_one({"time": 5.0, "new": "x"}, 1.0)
    assert pickle.dumps(model) == before
