"""Boosting of classes: what it takes, what it refuses, and what a failure leaves behind."""

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
from hedgerow import MondrianBoostingClassifier
from hedgerow.boosting import _boosting

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
Y = np.digitize(X[:, 0] + np.sin(3 * X[:, 1]), [-0.5, 0.6])
NAMES = np.array(["low", "middle", "high"])[Y]
WEIGHTS = RNG.uniform(0.2, 3.0, size=90)
THOROUGH = os.environ.get("HEDGEROW_THOROUGH") == "1"


def new(**parameters):
    return MondrianBoostingClassifier(**{"n_estimators": 4, "max_stages": 2, "random_state": 0, **parameters})


@parametrize_with_checks([MondrianBoostingClassifier(n_estimators=4, max_stages=2)])
def test_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("labels", [Y > 0, Y, NAMES, np.zeros(90)], ids=["two", "three", "names", "one"])
@pytest.mark.parametrize("linear", [True, False])
def test_a_file_holds_everything(tmp_path, labels, linear):
    model = new(linear=linear).fit(X[:60], labels[:60], WEIGHTS[:60]).partial_fit(X[60:70], labels[60:70])
    model.save(tmp_path / "model")
    loaded = hedgerow.load(tmp_path / "model")
    assert loaded.get_params() == model.get_params()
    for other in (loaded, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert other._to_bytes() == model._to_bytes()
        assert other.classes_.tolist() == model.classes_.tolist()
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(other.loo_predict(), model.loo_predict())
        np.testing.assert_array_equal(other.feature_importances_, model.feature_importances_)
        further = copy.deepcopy(model).partial_fit(X[70:], labels[70:])
        assert other.partial_fit(X[70:], labels[70:])._to_bytes() == further._to_bytes()


def test_labels_of_any_kind():
    labels = [("a", 1), frozenset("b")]
    model = new().partial_fit(X[:40], [labels[i] for i in Y[:40] % 2])
    assert model.predict_one(X[0]) in labels
    assert pickle.loads(pickle.dumps(model)).predict_one(X[0]) == model.predict_one(X[0])
    with pytest.raises(TypeError, match="cannot save the class"):
        model.save("nowhere")


def test_names_of_columns(tmp_path):
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = new().fit(frame, NAMES)
    model.save(tmp_path / "model")
    assert list(hedgerow.load(tmp_path / "model").feature_names_in_) == ["a", "b", "c"]
    said = model.predict_proba_one({"c": X[0, 2], "a": X[0, 0], "b": X[0, 1]})
    assert list(said) == ["high", "low", "middle"]
    np.testing.assert_array_equal(list(said.values()), model.predict_proba(frame)[0])


def test_before_the_first_row():
    assert new().predict_one([1.0, 2.0]) is None
    assert new().predict_proba_one([1.0, 2.0]) == {}
    for name in ("predict", "predict_proba"):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(new(), name)(X)
    for name in ("n_stages_", "loo_score_", "loo_log_loss_", "feature_importances_", "n_samples_seen_"):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(new(), name)


BAD = {
    "NaN in X": (np.where(X > 2, np.nan, X), Y, None, "NaN"),
    "NaN in y": (X, np.r_[Y[:-1], np.nan], None, "NaN"),
    "None in y": (X, [*Y[:-1].tolist(), None], None, "missing"),
    "real labels": (X, X[:, 0], None, "continuous"),
    "new class and bad weights": (X, [*Y[:-1].tolist(), 99], -WEIGHTS, "negative"),
    "fewer labels": (X, Y[:-1], None, "inconsistent"),
    "fewer weights": (X, Y, WEIGHTS[:-1], "expected"),
}


@pytest.mark.parametrize("call", ["fit", "partial_fit", "predict_then_learn"])
@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("case", BAD)
def test_bad_input_leaves_the_model_as_it_was(case, fitted, call):
    rows, labels, weights, message = BAD[case]
    model = new().fit(X[:40], Y[:40]) if fitted else new()
    before, attributes = model._to_bytes(), set(vars(model))
    with pytest.raises((ValueError, TypeError), match=message):
        getattr(model, call)(rows, labels, sample_weight=weights)
    assert model._to_bytes() == before
    assert set(vars(model)) == attributes


@pytest.mark.parametrize("label", [None, np.nan, 0.5, [1, 2], {}])
@pytest.mark.parametrize("fitted", [False, True])
def test_bad_single_rows(label, fitted):
    model = new().fit(X[:40], Y[:40]) if fitted else new()
    before, attributes = model._to_bytes(), set(vars(model))
    with pytest.raises((ValueError, TypeError)):
        model.learn_one(X[0], label)
    with pytest.raises((ValueError, TypeError)):
        model.learn_one([np.nan, 0.0, 0.0], "new")
    assert model._to_bytes() == before
    assert set(vars(model)) == attributes


@pytest.mark.parametrize("where", ["stages", "relearn"])
def test_an_interruption_leaves_whole_rows(monkeypatch, where):
    """Ctrl-C between two stages, or while everything is learned anew as a class has come that is new."""
    labels = np.where(np.arange(90) < 50, Y % 2, Y)
    straight = new().fit(X[:40], labels[:40]).partial_fit(X[40:], labels[40:])
    model = new().fit(X[:40], labels[:40])
    stage = model._stages.forests[0]
    learn = stage.moments_then_learn

    def press(*arguments, **_):
        os.kill(os.getpid(), signal.SIGINT)
        return learn(*arguments)

    with monkeypatch.context() as patch:
        if where == "stages":
            stage.moments_then_learn = press
        else:
            patch.setattr(_boosting, "fit_stages", press)
        previous = signal.signal(signal.SIGINT, signal.default_int_handler)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X[40:], labels[40:])
        signal.signal(signal.SIGINT, previous)
    vars(stage).pop("moments_then_learn", None)
    n = model.n_samples_seen_
    assert model.predict_proba(X).shape == (90, model.classes_.size)
    model = pickle.loads(pickle.dumps(model))
    model.partial_fit(X[n:], labels[n:])
    np.testing.assert_array_equal(model.predict_proba(X), straight.predict_proba(X))


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
        model.predict_proba(np.zeros((2, model.n_features_in_)))
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
    {"n_learned": 0},
    {"n_learned": 10**9},
    {"n_announced": -1},
    {"n_announced": 9},
    {"stages": []},
    {"classes": [0, 1]},
    {"classes": [0, 1, 2, 3]},
    {"classes": "012"},
    {"calibration": [0.1, 0.1]},
    {"calibration": [0.1, 0.0, 1.0]},
    {"calibration": [float("nan"), 0.1, 1.0]},
    {"choice": ["half", 3]},
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


def test_a_stage_of_other_vectors_is_refused(tmp_path):
    path = tmp_path / "model"
    new(n_estimators=2).fit(X[:40], Y[:40]).save(path)
    header, arrays = parts(path)
    header["fitted"]["stages"][0]["length"] = 1
    write(path, header, arrays)
    with pytest.raises(ValueError, match="cannot load"):
        hedgerow.load(path)
