"""Boosting: what it takes, what it refuses, and what a failure leaves behind."""

from __future__ import annotations

import copy
import os
import pickle
import signal

import numpy as np
import pandas
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import hedgerow
from api.test_persistence import parts, write
from hedgerow import MondrianBoostingRegressor
from hedgerow.boosting import _boosting
from hedgerow.boosting._stage import NumberStage

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
Y = X[:, 0] + np.sin(3 * X[:, 1]) + 0.1 * RNG.normal(size=90)
WEIGHTS = RNG.uniform(0.2, 3.0, size=90)
THOROUGH = os.environ.get("HEDGEROW_THOROUGH") == "1"


def new(**parameters):
    return MondrianBoostingRegressor(**{"n_estimators": 4, "max_stages": 2, "random_state": 0, **parameters})


@parametrize_with_checks([MondrianBoostingRegressor(n_estimators=4, max_stages=2)])
def test_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("tail", ["student", "normal", "empirical"])
@pytest.mark.parametrize("linear", [True, False])
def test_a_file_holds_everything(tmp_path, tail, linear):
    model = new(tail=tail, linear=linear).fit(X[:60], Y[:60], WEIGHTS[:60]).partial_fit(X[60:70], Y[60:70])
    model.save(tmp_path / "model")
    loaded = hedgerow.load(tmp_path / "model")
    assert loaded.get_params() == model.get_params()
    for other in (loaded, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert other._to_bytes() == model._to_bytes()
        np.testing.assert_array_equal(other.predict(X, return_std=True), model.predict(X, return_std=True))
        np.testing.assert_array_equal(other.predict_quantiles(X, [0.1, 0.7]), model.predict_quantiles(X, [0.1, 0.7]))
        np.testing.assert_array_equal(other.loo_predict(), model.loo_predict())
        np.testing.assert_array_equal(other.feature_importances_, model.feature_importances_)
        further = copy.deepcopy(model).partial_fit(X[70:], Y[70:])
        assert other.partial_fit(X[70:], Y[70:])._to_bytes() == further._to_bytes()


def test_names_are_kept(tmp_path):
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = new().fit(frame, Y)
    model.save(tmp_path / "model")
    assert list(hedgerow.load(tmp_path / "model").feature_names_in_) == ["a", "b", "c"]
    assert model.predict_one({"c": X[0, 2], "a": X[0, 0], "b": X[0, 1]}) == model.predict(frame)[0]


def test_rows_as_mappings():
    by_name, by_place = new(), new()
    for x, y in zip(X[:40], Y[:40], strict=True):
        by_name.learn_one(dict(zip("abc", x, strict=True)), y)
        by_place.learn_one(x, y)
    np.testing.assert_array_equal(by_name.predict(pandas.DataFrame(X, columns=list("abc"))), by_place.predict(X))
    assert list(by_name.feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="no feature 'c'"):
        by_name.learn_one({"a": 1.0, "b": 2.0}, 0.0)


def test_before_the_first_row():
    assert new().predict_one([1.0, 2.0]) == 0.0
    for name in ("predict", "predict_dist", "predict_interval"):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(new(), name)(X)
    for name in ("n_stages_", "loo_score_", "feature_importances_", "n_samples_seen_"):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(new(), name)


BAD = {
    "NaN in X": (np.where(X > 2, np.nan, X), Y, None, "NaN"),
    "infinity in y": (X, np.r_[Y[:-1], np.inf], None, "infinity"),
    "fewer labels": (X, Y[:-1], None, "inconsistent"),
    "huge labels": (X, Y * 1e200, None, "divide y by a constant"),
    "negative weight": (X, Y, -WEIGHTS, "negative"),
    "fewer weights": (X, Y, WEIGHTS[:-1], "expected"),
}


@pytest.mark.parametrize("call", ["fit", "partial_fit"])
@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("case", BAD)
def test_bad_input_leaves_the_model_as_it_was(case, fitted, call):
    rows, labels, weights, message = BAD[case]
    model = new().fit(X[:40], Y[:40]) if fitted else new()
    before, attributes = model._to_bytes(), set(vars(model))
    with pytest.raises((ValueError, TypeError), match=message):
        getattr(model, call)(rows, labels, weights)
    assert model._to_bytes() == before
    assert set(vars(model)) == attributes


@pytest.mark.parametrize("label", [None, "late", np.nan, np.inf, [1.0, 2.0]])
@pytest.mark.parametrize("fitted", [False, True])
def test_bad_single_label(label, fitted):
    model = new().fit(X[:40], Y[:40]) if fitted else new()
    before, attributes = model._to_bytes(), set(vars(model))
    for x in (X[0], dict(zip("abc", X[0], strict=True))):
        with pytest.raises((ValueError, TypeError)):
            model.learn_one(x, label)
    assert model._to_bytes() == before
    assert set(vars(model)) == attributes


@pytest.mark.parametrize("where", ["stages", "relearn"])
def test_an_interruption_leaves_whole_rows(monkeypatch, where):
    """Ctrl-C between two stages, or while everything is learned anew: the rest of the rows brings the same model."""
    straight = new().fit(X[:40], Y[:40]).partial_fit(X[40:], Y[40:])
    model = new().fit(X[:40], Y[:40])
    assert model.n_stages_ == 2

    learn = NumberStage.moments_then_learn

    def press(*arguments, **_):
        os.kill(os.getpid(), signal.SIGINT)
        return learn(model._stages.forests[1], *arguments)

    with monkeypatch.context() as patch:
        if where == "stages":
            model._stages.forests[1].moments_then_learn = press
        else:
            patch.setattr(_boosting, "fit_stages", press)
        previous = signal.signal(signal.SIGINT, signal.default_int_handler)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X[40:], Y[40:])
        signal.signal(signal.SIGINT, previous)
    for forest in model._stages.forests:
        vars(forest).pop("moments_then_learn", None)
    n = model.n_samples_seen_
    model = pickle.loads(pickle.dumps(model))
    assert np.isfinite(model.predict(X)).all()
    model.partial_fit(X[n:], Y[n:])
    np.testing.assert_array_equal(model.predict(X, return_std=True), straight.predict(X, return_std=True))


def test_damaged_files(tmp_path):
    path = tmp_path / "model"
    new(n_estimators=2).fit(X[:40], Y[:40], WEIGHTS[:40]).save(path)
    content = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    rng = np.random.default_rng(1)
    n_refused, n_files = 0, 2000 if THOROUGH else 100
    for _ in range(n_files):
        damaged = content.copy()
        places = rng.integers(0, content.size, size=rng.integers(1, 4))
        damaged[places] ^= rng.integers(1, 256, size=places.size, dtype=np.uint8)
        path.write_bytes(damaged.tobytes())
        try:
            model = hedgerow.load(path)
        except ValueError:
            n_refused += 1
            continue
        model.predict(np.zeros((2, model.n_features_in_)), return_std=True)
    assert n_refused > 0


def test_every_array_is_needed_and_checked(tmp_path):
    path = tmp_path / "model"
    new(n_estimators=2, linear=True).fit(X[:40], Y[:40], WEIGHTS[:40]).save(path)
    header, arrays = parts(path)
    for name, array in arrays.items():
        for bad in (None, array[:-1], np.concatenate([array, array[-1:]]), array.astype(np.int8)):
            changed = {key: value for key, value in arrays.items() if key != name}
            if bad is not None:
                if bad.size == array.size == 0:
                    continue
                changed[name] = np.ascontiguousarray(bad)
            write(path, header, changed)
            try:
                hedgerow.load(path)
            except ValueError:
                continue
            raise AssertionError(f"{name} may be {bad!r}")


HOSTILE = [
    {"width": 0},
    {"seed": -1},
    {"next_relearn": 0},
    {"next_relearn": 10**9},
    {"choice": ["log", True]},
    {"choice": ["half", 3]},
    {"stages": []},
    {"calibration": [1.0, 1.0, 1.0, float("nan")]},
    {"calibration": [1.0, 1.0]},
    {"shape": ["student", [2.0, 1.0]]},
    {"shape": ["cauchy", []]},
    {"shape": ["normal", [1.0]]},
    {"shape": ["empirical", [0.0, 1.0]]},
    {"feature_names": ["a"]},
]


@pytest.mark.parametrize("change", HOSTILE, ids=str)
def test_hostile_numbers(tmp_path, change):
    path = tmp_path / "model"
    new(n_estimators=2).fit(X[:40], Y[:40]).save(path)
    header, arrays = parts(path)
    assert set(change) <= set(header["fitted"])
    header["fitted"].update(change)
    write(path, header, arrays)
    with pytest.raises(ValueError, match="cannot load"):
        hedgerow.load(path)


def test_light_first_rows_of_a_stream_are_no_matter(recwarn):
    new().partial_fit(X, Y, np.full(90, 0.8))
    assert not recwarn.list
