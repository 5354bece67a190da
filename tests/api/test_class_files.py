"""Files of classifiers from strangers: refused, or a forest that can be used."""

from __future__ import annotations

import contextlib
import json
import os

import numpy as np
import pytest

import hedgerow
from api.test_persistence import parts, write
from hedgerow import MondrianForestClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = RNG.integers(0, 3, size=40)
THOROUGH = os.environ.get("HEDGEROW_THOROUGH") == "1"


@pytest.fixture
def path(tmp_path):
    """With freed rows and nodes, weights and a window, so that all arrays of its file hold something."""
    forest = MondrianForestClassifier(2, window=25, random_state=0).fit(X, Y, np.linspace(0.5, 2, 40))
    forest.partial_fit(X[:10] + 1, Y[:10], sample_weight=np.ones(10)).unlearn(X[30:34], Y[30:34])
    forest.save(tmp_path / "forest")
    return tmp_path / "forest"


def use(forest):
    """Everything that might trip over a number that was not checked."""
    assert forest.check_structure() == []
    found = forest.predict_proba(np.zeros((2, forest.n_features_in_)))
    assert np.isfinite(found).all()
    forest.predict_uncertainty(np.ones((1, forest.n_features_in_)))
    forest.learn_one(np.full(forest.n_features_in_, 0.25), forest.classes_[0])
    for x, y in zip(X, Y, strict=True):
        try:
            forest.unlearn_one(x, int(y))
        except ValueError:
            continue
    assert forest._core.n_rows == 0 or forest.check_structure() == []


def test_the_file_itself(path):
    use(hedgerow.load(path))


CLASSES = {
    "none": None,
    "a string": "012",
    "a mapping": {"0": 0, "1": 1, "2": 2},
    "a number": 3,
    "too few": [0, 1],
    "equal ones": [0, 1, 1],
    "equal in disguise": [0, 1, True],
    "equal numbers": [0, 1, 1.0],
    "null": [0, 1, None],
    "a list inside": [0, 1, [2]],
    "a mapping inside": [0, 1, {"list": [2]}],
    "half a tuple": [0, 1, {"tuple": 2}],
    "a string for a tuple": [0, 1, {"tuple": "ab"}],
    "NaN": [0, 1, float("nan")],
    "empty": [],
}


@pytest.mark.parametrize("case", CLASSES)
def test_malformed_classes(path, case):
    header, arrays = parts(path)
    header["fitted"]["classes"] = CLASSES[case]
    write(path, header, arrays)
    with pytest.raises(ValueError, match="cannot load"):
        hedgerow.load(path)


@pytest.mark.parametrize("depth", [10, 200, 300, 400, 450, 480, 490, 495, 5000])
def test_deeply_nested_classes(path, depth):
    header, arrays = parts(path)
    header["fitted"]["classes"] = "DEEP"
    nested = '{"tuple": [' * depth + "7" + "]}" * depth
    write(path, json.dumps(header).replace('"DEEP"', f"[0, 1, {nested}]"), arrays)
    if depth == 10:
        use(hedgerow.load(path))
        return
    with contextlib.suppress(ValueError):  # how deep is too deep depends on the interpreter; a crash it must not be
        use(hedgerow.load(path))


CHANGES = {
    "a label that is no class": ("rows.labels", 0, 3.0),
    "a label that is not whole": ("rows.labels", 0, 0.5),
    "a negative label": ("rows.labels", 0, -1.0),
    "a label that is not finite": ("rows.labels", 0, np.inf),
    "a huge label": ("rows.labels", 0, 1e300),
    "a weight of a class below zero": ("seen.labels", 0, -1.0),
    "a weight of a class that is NaN": ("seen.labels", 1, np.nan),
    "a number of classes below zero": ("nodes.summary", 0, -1.0),
    "a number of classes that is not whole": ("nodes.summary", 0, 2.5),
    "a number of classes beyond the end": ("nodes.summary", 0, 1e18),
    "a number of classes that is NaN": ("nodes.summary", 0, np.nan),
    "no class at the root": ("nodes.summary", 0, 0.0),
    "a class out of range": ("nodes.summary", 3, 3.0),
    "a class that is not whole": ("nodes.summary", 1, 0.5),
    "classes out of order": ("nodes.summary", 1, 2.0),
    "a count of zero": ("nodes.summary", 2, 0.0),
    "a count below zero": ("nodes.summary", 2, -1.0),
    "a count that is infinite": ("nodes.summary", 2, np.inf),
    "a count that is tiny": ("nodes.summary", 2, 1e-320),
    "a count that is not that of the rows": ("nodes.summary", 2, 1.25),
}


@pytest.mark.parametrize("case", CHANGES)
def test_changed_numbers(path, case):
    header, arrays = parts(path)
    name, place, value = CHANGES[case]
    changed = arrays[name].copy()
    assert changed[place] != value
    changed[place] = value
    write(path, header, {**arrays, name: changed})
    with pytest.raises(ValueError, match="cannot load"):
        hedgerow.load(path)


def test_every_array_is_needed_and_checked(path):
    header, arrays = parts(path)
    for name, array in arrays.items():
        for bad in (None, array[:-1], array[:0], np.concatenate([array, array[-1:]]), array.astype(np.int8)):
            if bad is not None and bad.size == array.size == 0:
                continue
            changed = {key: value for key, value in arrays.items() if key != name}
            if bad is not None:
                changed[name] = np.ascontiguousarray(bad)
            write(path, header, changed)
            try:
                forest = hedgerow.load(path)
            except ValueError:
                continue
            assert name in ("rows.weights", "scaling.rates"), name  # which may be left out
            use(forest)


@pytest.mark.parametrize("name", ["nodes.summary", "rows.labels", "seen.labels", "rows.weights", "nodes.time", None])
def test_damaged_files(path, name):
    """Bytes changed in one array, or anywhere: refused, or a forest that can be used."""
    content = path.read_bytes()
    header, arrays = parts(path)
    rng = np.random.default_rng(1)
    for _ in range(3000 if THOROUGH else 120):
        source = np.frombuffer(content, dtype=np.uint8) if name is None else arrays[name].view(np.uint8)
        damaged = source.copy()
        places = rng.integers(0, damaged.size, size=rng.integers(1, 4))
        damaged[places] ^= rng.integers(1, 256, size=places.size, dtype=np.uint8)
        if name is None:
            path.write_bytes(damaged.tobytes())
        else:
            write(path, header, {**arrays, name: damaged.view(arrays[name].dtype)})
        try:
            forest = hedgerow.load(path)
        except ValueError:
            continue
        use(forest)
