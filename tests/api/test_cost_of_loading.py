"""What loading a stranger's file may cost: time and memory in proportion to what the file holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import hedgerow
from hedgerow import optimize
from hedgerow.base.classes import ClassTable
from hedgerow.optimize import _parameters
from models import BY_NAME
from stored import Stored

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="limits of memory are those of POSIX systems")
MERSENNE = 2**61 - 1
"""All its multiples have the hash 0."""
MEMORY_A_BYTE = 60
"""Of a file of a megabyte or more, as the guide says; nested lists that are empty take most."""
SECONDS = 60
"""Of the processor, after which loading has hung: all of these files together take about two."""


def with_seed(stored, text):
    """Return the header of a file in which the seed is another text."""
    return json.dumps(stored.with_learned({"learner/seed": "SEED"}).header).replace('"SEED"', text)


def hostile():
    """Yield headers of a megabyte, or more, in which something is as large as it can be."""
    forest, n = Stored.of(BY_NAME["forest"].fitted(20)), 400_000
    for part in ("[]", "{}", "1", '{"$tuple": []}', '{"$mapping": []}'):
        yield forest, with_seed(forest, f"[{', '.join([part] * (n if len(part) < 12 else n // 4))}]")
    yield forest, with_seed(forest, "{" + ", ".join(f'"{i}": 0' for i in range(n // 4)) + "}")
    yield forest, with_seed(forest, "1" * 10**6)
    model = {"$model": {"class": "MondrianForestRegressor", "parameters": {}}}
    yield forest, with_seed(forest, json.dumps([model] * 15_000))
    yield forest, json.dumps(forest.with_learned({"columns/names": [f"{i}" for i in range(n // 4)]}).header)
    classes = Stored.of(BY_NAME["class forest"].fitted(20))
    yield classes, json.dumps(classes.with_learned({"classes": list(range(n // 4))}).header)


LOADING = """
import resource, sys
import hedgerow

def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1024 if sys.platform != "darwin" else 1)

resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]), int(sys.argv[1])))
hedgerow.load(sys.argv[2])
for path in sys.argv[3:]:
    begin = used()
    try:
        hedgerow.load(path)
        print("loaded")
    except ValueError:
        print(used() - begin)
"""


@POSIX
def test_memory_is_in_proportion_to_the_file(tmp_path):
    small = hedgerow.MondrianForestRegressor(2).fit(*BY_NAME["forest"].data(9))
    small.save(tmp_path / "small")
    paths = [stored.write(tmp_path / f"{i}", text=text) for i, (stored, text) in enumerate(hostile())]
    command = [sys.executable, "-c", LOADING, str(SECONDS), tmp_path / "small", *paths]
    child = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    for path, used in zip(paths, child.stdout.split(), strict=True):
        assert int(used) < MEMORY_A_BYTE * os.path.getsize(path)


def with_forgotten_rows(stored, n):
    """The file of a forest that has forgotten n rows more."""
    arrays = dict(stored.arrays)
    held = arrays[stored.full_name("rows.labels")].size
    width = arrays[stored.full_name("scaling.slopes")].size
    for name, a_row in (("rows.labels", 1), ("rows.given", width), ("rows.features", width)):
        name = stored.full_name(name)
        arrays[name] = np.append(arrays[name], np.zeros(n * a_row, dtype=arrays[name].dtype))
    arrays[stored.full_name("rows.freed")] = np.arange(held, held + n, dtype=np.uint32)
    return Stored(stored.header, arrays)


def test_trees_do_not_believe_in_any_number_of_forgotten_rows(tmp_path):
    """A tree has a place for each of them: 400 MB of 1,000 trees, from a file of 2.5 MB."""
    X = np.array([[0.0], [1.0]])
    forest = hedgerow.MondrianForestRegressor(1000, hyperparameters="paper", min_samples_split=2, random_state=0)
    stored = Stored.of(forest.fit(X, X[:, 0]))
    loaded = with_forgotten_rows(stored, 100).load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X), forest.predict(X))
    with pytest.raises(ValueError, match="too many rows were forgotten for so many trees"):
        with_forgotten_rows(stored, 100_000).load(tmp_path / "model")


LITTLE = """
import resource, sys
import hedgerow

hedgerow.load(sys.argv[1])
with open("/proc/self/statm") as file:
    taken = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + 2**25, taken + 2**25))
try:
    hedgerow.load(sys.argv[2])
except MemoryError:
    print("refused")
hedgerow.load(sys.argv[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the memory that a process has taken is asked of Linux")
def test_a_model_that_does_not_fit_is_a_memory_error(tmp_path):
    """A few rows of many columns in many trees: boxes of nodes are not in the file."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2000))
    wide = hedgerow.MondrianForestRegressor(2500, min_samples_split=2, hyperparameters="paper", random_state=0)
    wide.fit(X, X[:, 0])
    wide.save(tmp_path / "wide")
    hedgerow.MondrianForestRegressor(2).fit(X[:, :2], X[:, 0]).save(tmp_path / "small")
    assert os.path.getsize(tmp_path / "wide") < 2**21
    command = [sys.executable, "-c", LITTLE, tmp_path / "small", tmp_path / "wide"]
    child = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    assert child.stdout == "refused\n"


# Keys that have one hash take the square of their number.

ALIKE = [number * MERSENNE for number in range(1, 400)]


def test_classes_with_one_hash_are_refused(tmp_path):
    stored = Stored.of(BY_NAME["class forest"].fitted(20))
    with pytest.raises(ValueError, match="399 keys have the same hash"):
        stored.with_learned({"classes": ALIKE}).load(tmp_path / "model")


def test_mappings_of_keys_with_one_hash_are_refused(tmp_path):
    stored = Stored.of(BY_NAME["class forest"].fitted(20))
    weights = {"$mapping": [[number, 1.0] for number in ALIKE]}
    header = {**stored.header, "parameters": {**stored.header["parameters"], "class_weight": weights}}
    with pytest.raises(ValueError, match="399 keys have the same hash"):
        Stored(header, stored.arrays).load(tmp_path / "model")


def with_choices(choices, path):
    stored = Stored.of(optimize.Optimizer({"choice": [1, 2, 3], "number": (0, 1)}, random_state=0))
    stored.header["parameters"]["bounds"]["$value"][1]["parameters"][0]["choices"] = choices
    return stored.load(path)


@pytest.mark.parametrize(
    "choices",
    [ALIKE, [[1], [2]], [{"$tuple": [1]}], [1, 1], [float("nan")]],
    ids=["one hash", "lists", "tuples", "twins", "no number"],
)
def test_choices_that_cannot_be(choices, tmp_path):
    with pytest.raises(ValueError, match="cannot load"):
        with_choices(choices, tmp_path / "model")


def test_many_choices_are_not_compared_in_pairs(tmp_path, monkeypatch):
    def compared(*_):
        raise AssertionError("two choices were compared")

    monkeypatch.setattr(_parameters, "_is_same", compared)
    choices = list(range(2000))
    loaded = with_choices(choices, tmp_path / "model")
    assert list(loaded.space.parameters[0].choices) == choices
    assert loaded.space.parameters[0].code_of(1234) == 1234


def test_classes_are_listed_once():
    """Not once for each of them."""

    class Counted(dict):
        lists = 0

        def __iter__(self):
            Counted.lists += 1
            return super().__iter__()

    table = ClassTable(range(50))
    table.numbers = Counted(table.numbers)
    assert table.classes.tolist() == list(range(50))
    assert Counted.lists <= 2
