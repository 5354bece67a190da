"""Files: whole or not at all, nothing trusted, same bits after."""

from __future__ import annotations

import io
import json
import os
import pickle

import joblib
import numpy as np
import pytest
from safetensors.numpy import load, save

import hedgerow
from hedgerow import MondrianForestRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = RNG.normal(size=40)
THOROUGH = os.environ.get("HEDGEROW_THOROUGH") == "1"


def small_forest(**parameters):
    """With freed rows and nodes, weights and a window, so that all arrays of its file hold something."""
    settings = {"n_estimators": 2, "min_samples_split": 3, "window": 25, "random_state": 0, **parameters}
    forest = MondrianForestRegressor(**settings).fit(X, Y, np.linspace(0.5, 2, 40))
    return forest.unlearn(X[20:24], Y[20:24])


def parts(path):
    """The JSON text and the arrays of a file."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["hedgerow"])
    return header, load(content)


def write(path, header, arrays):
    path.write_bytes(save(arrays, metadata={"hedgerow": header if isinstance(header, str) else json.dumps(header)}))


@pytest.fixture
def path(tmp_path):
    small_forest().save(tmp_path / "forest")
    return tmp_path / "forest"


@pytest.mark.parametrize("hyperparameters", ["learned", "paper"])
@pytest.mark.parametrize("smoothing", ["hierarchy", "moments"])
@pytest.mark.parametrize("scaling", ["auto", "range", "rank", "none"])
def test_round_trip(tmp_path, smoothing, scaling, hyperparameters):
    forest = small_forest(smoothing=smoothing, scaling=scaling, hyperparameters=hyperparameters)
    forest.save(tmp_path / "forest")
    loaded = hedgerow.load(tmp_path / "forest")
    assert type(loaded) is MondrianForestRegressor
    assert loaded.get_params() == forest.get_params()
    assert loaded._to_bytes() == forest._to_bytes()
    np.testing.assert_array_equal(loaded.predict(X, return_std=True), forest.predict(X, return_std=True))
    hedgerow.load(str(tmp_path / "forest"))


def test_joblib_and_pickle():
    forest = small_forest()
    file = io.BytesIO()
    joblib.dump(forest, file)
    file.seek(0)
    for copy in (joblib.load(file), pickle.loads(pickle.dumps(forest, protocol=2))):
        assert copy._to_bytes() == forest._to_bytes()


def test_unfitted_and_emptied(tmp_path):
    MondrianForestRegressor(9, lifetime=4.0).save(tmp_path / "new")
    loaded = hedgerow.load(tmp_path / "new")
    assert loaded.get_params() == MondrianForestRegressor(9, lifetime=4.0).get_params()
    emptied = MondrianForestRegressor(2, random_state=0).fit(X[:3], Y[:3]).unlearn(X[:3], Y[:3])
    emptied.save(tmp_path / "emptied")
    again = hedgerow.load(tmp_path / "emptied")
    assert again._to_bytes() == emptied._to_bytes()
    assert again.partial_fit(X, Y)._to_bytes() == emptied.partial_fit(X, Y)._to_bytes()


def test_random_state_object(tmp_path):
    state = np.random.RandomState(4)
    forest = MondrianForestRegressor(2, random_state=state).fit(X, Y)
    forest.save(tmp_path / "forest")
    loaded = hedgerow.load(tmp_path / "forest")
    np.testing.assert_array_equal(loaded.random_state.random_sample(3), state.random_sample(3))


def test_numpy_numbers_as_parameters(tmp_path):
    forest = MondrianForestRegressor(np.int64(2), lifetime=np.float32(2.0), random_state=np.uint32(1)).fit(X, Y)
    forest.save(tmp_path / "forest")
    np.testing.assert_array_equal(hedgerow.load(tmp_path / "forest").predict(X), forest.predict(X))


def test_feature_names(tmp_path):
    forest = MondrianForestRegressor(2, random_state=0).learn_one({"a": 1.0, "é": 2.0}, 3.0)
    forest.save(tmp_path / "forest")
    assert list(hedgerow.load(tmp_path / "forest").feature_names_in_) == ["a", "é"]


def test_a_parameter_that_cannot_be_saved(tmp_path):
    forest = MondrianForestRegressor(2, random_state=np.random.default_rng(0))
    with pytest.raises(TypeError, match="cannot save parameter random_state"):
        forest.save(tmp_path / "forest")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("failing", ["replace", "fsync"])
def test_a_failed_save_leaves_the_old_file(path, monkeypatch, failing):
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(OSError, match="disk full"):
        small_forest(random_state=9).save(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_save_replaces(path):
    other = small_forest(random_state=9)
    other.save(path)
    assert hedgerow.load(path)._to_bytes() == other._to_bytes()
    assert list(path.parent.iterdir()) == [path]


def test_no_such_place(tmp_path):
    with pytest.raises(FileNotFoundError):
        small_forest().save(tmp_path / "nowhere" / "forest")
    with pytest.raises(FileNotFoundError):
        hedgerow.load(tmp_path / "forest")


def test_truncated_files(path):
    content = path.read_bytes()
    for length in [*range(0, len(content), 97), len(content) - 1]:
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match="cannot load"):
            hedgerow.load(path)
    path.write_bytes(content + b"x")
    with pytest.raises(ValueError, match="cannot load"):
        hedgerow.load(path)


@pytest.mark.parametrize("smoothing", ["hierarchy", "moments"])
def test_damaged_files(tmp_path, smoothing):
    """Each damaged file is refused, or what it holds is a forest that can be used."""
    path = tmp_path / "forest"
    small_forest(smoothing=smoothing).save(path)
    content = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    rng = np.random.default_rng(1)
    n_refused = 0
    n_files = 20_000 if THOROUGH else 1_500
    for _ in range(n_files):
        damaged = content.copy()
        places = rng.integers(0, content.size, size=rng.integers(1, 4))
        damaged[places] ^= rng.integers(1, 256, size=places.size, dtype=np.uint8)
        path.write_bytes(damaged.tobytes())
        try:
            forest = hedgerow.load(path)
        except ValueError:
            n_refused += 1
            continue
        assert forest.check_structure() == []
        forest.predict(np.zeros((2, forest.n_features_in_)), return_std=True)
    assert 0.2 * n_files < n_refused < n_files


HOSTILE_HEADERS = {
    "another version": {"format_version": 2},
    "no version": {"format_version": None},
    "another class": {"class": "OrderedDict"},
    "not a class": {"class": 3},
    "base class": {"class": "Saveable"},
    "no parameters": {"parameters": None},
    "unknown parameter": {"parameters": {"n_trees": 3}},
    "random state without a state": {"parameters": {"random_state": {"seed": 1}}},
    "random state of another kind": {"parameters": {"random_state": {"random_state": ["PCG64", [1], 0, 0, 0.0]}}},
    "random state of odd keys": {"parameters": {"random_state": {"random_state": ["MT19937", [-1], 0, 0, 0.0]}}},
    "random state of wrong type": {"parameters": {"random_state": {"random_state": 5}}},
    "parameters of odd types": {"parameters": {"n_estimators": [], "lifetime": {}}},
    "fitted is a list": {"fitted": []},
    "fitted is empty": {"fitted": {}},
}


@pytest.mark.parametrize("case", HOSTILE_HEADERS)
def test_hostile_headers(path, case):
    header, arrays = parts(path)
    write(path, {**header, **HOSTILE_HEADERS[case]}, arrays)
    with pytest.raises(ValueError, match="cannot load"):
        hedgerow.load(path)


HOSTILE_NUMBERS = [
    {"width": 0},
    {"width": -1},
    {"width": 3},
    {"width": 10**30},
    {"width": "two"},
    {"seed": -1},
    {"seed": 2**64},
    {"seed": None},
    {"origin": float("nan")},
    {"model": [1.0]},
    {"model": [1.0, 1.0, 1.0]},
    {"model": [0.0, 1.0]},
    {"model": [1.0, float("inf")]},
    {"model": None},
    {"shaped_by": {"n_estimators": 10**9}},
    {"shaped_by": {"n_estimators": 10**400}},
    {"shaped_by": {"min_samples_split": 10**400}},
    {"shaped_by": {"window": 10**30}},
    {"shaped_by": {"predict": 1}},
    {"shaped_by": {"smoothing": "moments"}},
    {"shaped_by": []},
    {"feature_names": ["a"]},
    {"feature_names": 7},
]


@pytest.mark.parametrize("change", HOSTILE_NUMBERS, ids=str)
def test_hostile_numbers(path, change):
    header, arrays = parts(path)
    (name,) = change
    assert name in header["fitted"]
    new = {**header["fitted"][name], **change[name]} if isinstance(change[name], dict) else change[name]
    header["fitted"][name] = new
    write(path, header, arrays)
    with pytest.raises(ValueError, match="cannot load"):
        hedgerow.load(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", "[" * 100_000, '{"format_version": 1}', "{}"])
def test_hostile_text(path, text):
    _, arrays = parts(path)
    write(path, text, arrays)
    with pytest.raises(ValueError, match="cannot load"):
        hedgerow.load(path)


def test_other_files(path):
    path.write_bytes(save({"a": np.zeros(3)}))
    with pytest.raises(ValueError, match="not a hedgerow model"):
        hedgerow.load(path)
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(ValueError, match="not a hedgerow model"):
        hedgerow.load(path)


def test_every_array_is_needed_and_checked(path):
    """Without one array, or with one of another length or type, a file is refused."""
    header, arrays = parts(path)
    for name, array in arrays.items():
        for bad in (
            None,
            array[:-1],
            np.concatenate([array, array[-1:]]),
            array.astype(np.int8),
            array[None, :],
        ):
            if bad is not None and bad.size == array.size == 0:
                continue
            changed = {key: value for key, value in arrays.items() if key != name}
            if bad is not None:
                changed[name] = np.ascontiguousarray(bad)
            write(path, header, changed)
            with pytest.raises(ValueError, match="cannot load"):
                hedgerow.load(path)


@pytest.mark.parametrize("name", ["rows.given", "rows.features", "rows.labels", "rows.weights", "scaling.slopes"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_arrays_that_are_not_finite(path, name, value):
    header, arrays = parts(path)
    changed = arrays[name].copy()
    changed[0] = value
    write(path, header, {**arrays, name: changed})
    with pytest.raises(ValueError, match="cannot load"):
        hedgerow.load(path)
