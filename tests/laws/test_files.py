"""Files come from strangers: a file that is damaged or made up is refused, or what it holds is a model that works."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import pickle
import re

import numpy as np
import pytest

import hedgerow
from models import BY_NAME, every, numbers
from stored import MAY_BE_EMPTY, MAY_BE_SHORT, Stored
from thorough import THOROUGH

pytestmark = pytest.mark.filterwarnings("ignore")
STRANGE = [None, -1, 0, 2.5, "x", [], {}, 10**30, float("nan"), float("inf"), True]


def use(case, model):
    """Everything that might trip over a number that was not checked. A ValueError is an answer, too."""
    X, y = case.data(6, seed=1)
    with contextlib.suppress(ValueError):
        numbers(model, X)
        if case.can("check_structure"):
            assert model.check_structure() == []
        if case.can("predict_one"):
            model.predict_one(X[0])
        if case.can("diagnostics"):
            str(model.diagnostics())
        if case.online:
            model.partial_fit(X, y)
        if case.unlearns:
            model.unlearn(X[:2], y[:2])
        numbers(model, X)


def refused(case, path):
    """Whether a file is refused, with words; if not, its model can be used."""
    try:
        model = hedgerow.load(path)
    except ValueError as error:
        return re.match("cannot load", str(error)) is not None
    use(case, model)
    return False


@pytest.fixture(scope="module")
def content():
    """Return the file of a variant, made once."""
    made = {}

    def of(case):
        if case.name not in made:
            made[case.name] = Stored.of(case.seasoned())
        return copy.deepcopy(made[case.name])

    return of


@every()
def test_damaged_bytes(case, tmp_path, content):
    path = content(case).write(tmp_path / "model")
    whole = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    rng = np.random.default_rng(1)
    n_files, n_refused = 3000 if THOROUGH else 15, 0
    for _ in range(n_files):
        damaged = whole.copy()
        places = rng.integers(0, whole.size, size=rng.integers(1, 4))
        damaged[places] ^= rng.integers(1, 256, size=places.size, dtype=np.uint8)
        path.write_bytes(damaged.tobytes())
        n_refused += refused(case, path)
    assert n_refused > 0


@every()
def test_truncated_files(case, tmp_path, content):
    path = content(case).write(tmp_path / "model")
    whole = path.read_bytes()
    for length in [*np.linspace(0, len(whole) - 2, 12).astype(int), len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="cannot load"):
            hedgerow.load(path)
    path.write_bytes(whole + b"x")
    with pytest.raises(ValueError, match="cannot load"):
        hedgerow.load(path)


@every()
def test_every_array_is_needed_and_checked(case, tmp_path, content):
    """Without one array, or with one of another type, shape or length, a file is refused."""
    stored, path = content(case), tmp_path / "model"
    rng = np.random.default_rng(2)
    for name, array in stored.arrays.items():
        wrong = {
            "missing": None,
            "of another type": array.astype(np.int8 if array.dtype != np.int8 else np.int16),
            "of another shape": array.reshape(1, *array.shape),
            "one less": array[:-1],
            "one more": np.concatenate([array, array[-1:]]),
            "doubled": np.concatenate([array, array]),
            "empty": array[:0],
        }
        for what in rng.permutation(list(wrong))[: len(wrong) if THOROUGH else 3]:
            bad = wrong[what]
            if bad is not None and (bad.shape, bad.dtype) == (array.shape, array.dtype):
                continue
            if (name.endswith(MAY_BE_EMPTY) and what == "empty") or name.endswith(MAY_BE_SHORT):
                refused(case, stored.with_array(name, bad).write(path))
                continue
            assert refused(case, stored.with_array(name, bad).write(path)), f"{name} may be {what}"


@every()
def test_strange_numbers_in_arrays(case, tmp_path, content):
    stored, path = content(case), tmp_path / "model"
    n_refused = 0
    rng = np.random.default_rng(0)
    for name, array in stored.arrays.items():
        for place in {0, array.size - 1} if array.size else ():
            for value in rng.permutation([0, 2**32 - 1, 7, np.inf, np.nan, -1.0, 1e300])[: 7 if THOROUGH else 1]:
                if array.dtype.kind in "iu" and not 0 <= value < 2**32 - (array.itemsize < 4) * (2**32 - 256):
                    continue
                if array.dtype.itemsize * (array.dtype.kind == "f") == 4 and abs(value) == 1e300:
                    continue
                n_refused += refused(case, stored.with_number(name, place, value).write(path))
    assert n_refused > 2


def entries(described, way=()):
    """Yield the way to every entry of a JSON header; of a long list, to its first two."""
    inner = described.items() if isinstance(described, dict) else enumerate(described[:2])
    for key, value in inner:
        yield (*way, key)
        if isinstance(value, dict | list):
            yield from entries(value, (*way, key))


def changed(header, way, value):
    header = copy.deepcopy(header)
    place = header
    for key in way[:-1]:
        place = place[key]
    if value is KeyError:
        del place[way[-1]]
    else:
        place[way[-1]] = value
    return header


@every()
def test_strange_headers(case, tmp_path, content):
    """Each entry in turn is something else, or missing: refused, or a model that works."""
    stored, path = content(case), tmp_path / "model"
    ways = [way for way in entries(stored.header) if not stored.is_parameter(way)]
    rng = np.random.default_rng(0)
    if not THOROUGH:
        some = {*rng.permutation(len(ways))[:25].tolist()}
        ways = [way for number, way in enumerate(ways) if len(way) <= 2 or number in some]
    for way in ways:
        for number in range(len(STRANGE)) if THOROUGH else rng.permutation(len(STRANGE))[:1]:
            refused(case, Stored(changed(stored.header, way, STRANGE[number]), stored.arrays).write(path))
        without = Stored(changed(stored.header, way, KeyError), stored.arrays).write(path)
        if len(way) <= 2:
            assert refused(case, without), f"{way} may be missing"
        else:
            refused(case, without)


@every("predicts", one_a_class=True)
def test_strange_parameters(case, tmp_path, content):
    """They are refused, as if a user had set them, or the model works with them."""
    stored, path = content(case), tmp_path / "model"
    for way in filter(stored.is_parameter, entries(stored.header)):
        for value in (None, -1, "x", [], {}, 10**30):
            strange = Stored(changed(stored.header, way, value), stored.arrays)
            refused(case, strange.write(path))


FOREST = BY_NAME["forest"]
HEADERS = {
    "another version": {"format": 10**6},
    "no version": {"format": None},
    "another class": {"class": "OrderedDict"},
    "not a class": {"class": 3},
    "no parameters": {"parameters": None},
    "unknown parameter": {"parameters": {"n_trees": 3}},
    "a part that is not known": {"parameters": {"random_state": {"$seed": 1}}},
    "random state of another kind": {"parameters": {"random_state": {"$random_state": ["PCG64", [1], 0, 0, 0.0]}}},
    "random state of odd keys": {"parameters": {"random_state": {"$random_state": ["MT19937", [-1], 0, 0, 0.0]}}},
    "random state of wrong type": {"parameters": {"random_state": {"$random_state": 5}}},
    "what was learned is a list": {"learned": []},
    "what was learned is empty": {"learned": {}},
}


@pytest.mark.parametrize("name", HEADERS)
def test_hostile_headers(name, tmp_path, content):
    stored = content(FOREST)
    assert set(HEADERS[name]) <= set(stored.header)
    assert refused(FOREST, Stored({**stored.header, **HEADERS[name]}, stored.arrays).write(tmp_path / "model"))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", "[" * 100_000, '{"format": 2}', "{}"])
def test_hostile_text(text, tmp_path, content):
    assert refused(FOREST, content(FOREST).write(tmp_path / "model", text=text))


def test_other_files(tmp_path):
    path = tmp_path / "model"
    for content in (pickle.dumps({"a": 1}), json.dumps({"a": 1}).encode(), b"", Stored.stranger()):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="not a hedgerow model"):
            hedgerow.load(path)
    with pytest.raises(FileNotFoundError):
        hedgerow.load(tmp_path / "nowhere")


@pytest.mark.parametrize("failing", ["replace", "fsync"])
def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch, failing):
    path = tmp_path / "model"
    FOREST.fitted(20).save(path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(OSError, match="disk full"):
        FOREST.fitted(30).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_save_replaces_and_wants_a_folder(tmp_path):
    path = tmp_path / "model"
    for n in (20, 30):
        FOREST.fitted(n).save(str(path))
        assert hedgerow.load(str(path)).n_samples_ == n
        assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileNotFoundError):
        FOREST.new().save(tmp_path / "nowhere" / "model")


def test_numbers_of_numpy_are_parameters(tmp_path):
    forest = hedgerow.MondrianForestRegressor(np.int64(2), lifetime=np.float32(2.0), random_state=np.uint32(1))
    forest.fit(*FOREST.data(30)).save(tmp_path / "model")
    assert hedgerow.load(tmp_path / "model").get_params() == forest.get_params()


def test_a_parameter_that_cannot_be_saved(tmp_path):
    forest = hedgerow.MondrianForestRegressor(2, random_state=np.random.default_rng(0))
    with pytest.raises(TypeError, match="cannot save random_state"):
        forest.save(tmp_path / "forest")
    assert list(tmp_path.iterdir()) == []
