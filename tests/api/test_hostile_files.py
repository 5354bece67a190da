"""Numbers in files that cannot be, and look as if they could: each is refused. What holds of all is in `tests/laws`."""

from __future__ import annotations

import contextlib
import json

import numpy as np
import pytest

import hedgerow
from models import BY_NAME, numbers
from stored import Stored
from trees import StoredForest

pytestmark = pytest.mark.filterwarnings("ignore")
NAN, INFINITY = float("nan"), float("inf")

# What was learned, according to the header, changed in one entry; of an entry that is a mapping, in one of its own.
LEARNED = {
    "forest": [
        *[{"columns/width": value} for value in (0, -1, 2, 10**30, "two")],
        *[{"columns/names": value} for value in (["a"], 7)],
        *[{"learner/seed": value} for value in (-1, 2**64, None)],
        {"learner/labels/origin": NAN},
        *[{"learner/labels/model": value} for value in ([1.0], [1.0, 1.0, 1.0], [0.0, 1.0], [1.0, INFINITY], None)],
        *[{"settings/n_estimators": value} for value in (10**9, 10**400)],
        {"settings/min_samples_split": 10**400},
        {"settings/window": 10**30},
        {"settings/smoothing": "moments"},
        {"settings": []},
    ],
    "forest, positive": [
        {"learner/labels/target/name": "other"},
        *[{"learner/labels/target/target": value} for value in (["sqrt", 1.0], ["log", 0.0], ["log", INFINITY])],
        {"learner/labels/target/name": "functions"},
    ],
    "class forest": [
        *[{"learner/labels/leaf_discount": value} for value in (-0.1, 1.1, NAN, "0.5", [0.5])],
        *[{"learner/labels/power": value} for value in (0.0, -1.0, 0.1, 17.0, NAN, INFINITY, "2", [2.0])],
        *[
            {"classes": value}
            for value in (
                None,
                "012",
                {"0": 0, "1": 1, "2": 2},
                3,
                ["blue", "green"],
                ["blue", "green", "green"],
                [0, 1, True],
                [0, 1, 1.0],
                [0, 1, None],
                [0, 1, [2]],
                [0, 1, {"list": [2]}],
                [0, 1, {"$tuple": 2}],
                [0, 1, {"$tuple": [[2]]}],
                [0, 1, NAN],
                [],
            )
        ],
    ],
    "class forest, balanced": [
        *[{"settings/class_weight": {"$mapping": value}} for value in ([["red", -2.0]], [["red", NAN]], [["red"]])],
        *[{"settings/class_weight": {"$mapping": value}} for value in ([[[], 1.0]], 3)],
        {"settings/class_weight": "heavy"},
        *[{"balanced": value} for value in ([1.0, 1.0, 1.0], None)],
    ],
    "boosting": [
        {"columns/width": 0},
        {"learner/seed": -1},
        *[{"learner/next_relearn": value} for value in (0, 10**9)],
        {"learner/transform": "log"},
        {"learner/linear": 3},
        {"learner/stages/chains": []},
        {"learner/stages/chains/0/weight": -1.0},
        {"learner/stages/chains/0/error": NAN},
        *[{"learner/calibration/numbers": value} for value in ([1.0, 1.0, 1.0, NAN], [1.0, 1.0])],
        {"learner/calibration/shape": "cauchy"},
        *[
            {"learner/calibration/shape": name, "learner/calibration/shape_numbers": value}
            for name, value in (("student", [2.0, 1.0]), ("normal", [1.0]), ("empirical", [0.0, 1.0]))
        ],
        {"columns/names": ["a"]},
    ],
    "class boosting": [
        {"columns/width": 0},
        *[{"learner/n_announced": value} for value in (-1, 9)],
        {"learner/stages/chains": []},
        {"learner/stages/chains/0/weight": -1.0},
        {"learner/stages/chains/0/error": NAN},
        *[{"classes": value} for value in (["blue", "red"], ["blue", "green", "red", "white"], "012")],
        *[{"learner/calibration/floor": value} for value in (0.0, NAN)],
        {"learner/calibration/share": 2.0},
        {"learner/linear": 3},
    ],
    "Bayesian tree": [
        *[{"columns/width": value} for value in (0, 2, "x")],
        {"columns/names": ["a"]},
        {"learner/leaves/scale": -1.0},
    ],
    "Bayesian tree, classes": [*[{"columns/width": value} for value in (0, 2)], {"classes": []}],
    "conformal, all options": [{"learner/sizes/seed": value} for value in (-1, 2**64, None)],
}

# An array, a place in it and a number that cannot be there.
ARRAYS = {
    "forest, window": [
        (name, 0, value)
        for name in ("rows.given", "rows.features", "rows.labels", "rows.weights", "scaling.slopes")
        for value in (NAN, INFINITY, -INFINITY)
    ],
    "class forest": [
        *[("rows.labels", 0, value) for value in (3.0, 0.5, -1.0, INFINITY, 1e300)],
        ("seen.labels", 0, -1.0),
        ("seen.labels", 1, NAN),
    ],
    "conformal, all options": [
        *[(f"calibration/{name}", -1, value) for name in ("labels", "factors", "excess", "sums") for value in (NAN,)],
        *[(f"calibration/{name}", -1, INFINITY) for name in ("labels", "factors", "excess", "sums")],
        *[("calibration/factors", -1, value) for value in (0.0, -1.0)],
        *[("sizes/forest/counters", 0, value) for value in (401,)],
        ("sizes/forest/leaves.moments", 0, NAN),
    ],
}


@pytest.fixture(scope="module")
def content():
    """Return the file of a variant, made once."""
    made = {}

    def of(name):
        if name not in made:
            made[name] = Stored.of(BY_NAME[name].seasoned())
        return made[name]

    return of


@pytest.mark.parametrize(("name", "change"), [(name, change) for name in LEARNED for change in LEARNED[name]], ids=str)
def test_hostile_headers(name, change, content, tmp_path):
    with pytest.raises(ValueError, match="cannot load"):
        content(name).with_learned(change).load(tmp_path / "model")


@pytest.mark.parametrize(("name", "change"), [(name, change) for name in ARRAYS for change in ARRAYS[name]], ids=str)
def test_hostile_arrays(name, change, content, tmp_path):
    (array, place, value), stored = change, content(name)
    array = stored.full_name(array)
    assert stored.arrays[array].reshape(-1)[place] != value
    with pytest.raises(ValueError, match="cannot load"):
        stored.with_number(array, place, value).load(tmp_path / "model")


# What a leaf of one row says: how many classes, which, its weight and count. A place in it and what cannot be there.
SUMMARIES = [
    *[(0, value) for value in (-1.0, 2.5, 1e18, NAN, 0.0, 2.0)],
    *[(1, value) for value in (0.5, 3.0, -1.0)],
    *[(2, value) for value in (0.0, -1.0, INFINITY, 1e-320, 1.25)],
    *[(3, value) for value in (0.0, 2.0, NAN)],
]


def test_hostile_summaries(content, tmp_path):
    stored = content("class forest")
    forest = StoredForest.of(stored.load(tmp_path / "model"))
    leaves, rows = forest.leaf_rows()
    is_alone = np.bincount(leaves)[leaves] == 1
    leaf, row = leaves[is_alone][0], rows[is_alone][0]
    good = np.array([1.0, forest.arrays["rows.labels"][row], forest.weights[row], 1.0])
    sizes = np.zeros(forest.n_trees, dtype=np.uint64)
    sizes[forest.tree[leaf]] = 1

    def saying(numbers):
        own = {"trees.n_summaries": sizes, "summaries.values": numbers}
        own["summaries.node"] = np.array([leaf - forest.roots[forest.tree[leaf]]], dtype=np.uint32)
        changed = {stored.full_name(name): array for name, array in own.items()}
        return Stored(stored.header, {**stored.arrays, **changed})

    saying(good).load(tmp_path / "model")
    for place, value in SUMMARIES:
        bad = good.copy()
        bad[place] = value
        with pytest.raises(ValueError, match="cannot load"):
            saying(bad).load(tmp_path / "model")
    with pytest.raises(ValueError, match="cannot load"):
        saying(good[:-1]).load(tmp_path / "model")


@pytest.mark.parametrize("depth", [10, 200, 300, 400, 450, 480, 490, 495, 5000])
def test_deeply_nested_classes(depth, content, tmp_path):
    stored = content("class forest").with_learned({"classes": "DEEP"})
    nested = '{"$tuple": [' * depth + "7" + "]}" * depth
    text = json.dumps(stored.header).replace('"DEEP"', f"[0, 1, {nested}]")
    path = stored.write(tmp_path / "model", text=text)
    X, _ = BY_NAME["class forest"].data(9)
    with contextlib.suppress(*[ValueError] * (depth > 10)):  # how deep is too deep depends on the interpreter
        assert np.isfinite(numbers(hedgerow.load(path), X)).all()


def test_a_stage_of_other_vectors_is_refused(content, tmp_path):
    stored = content("class boosting")
    name = stored.full_name("stages/chains/0/stages/0/forest/labels/vectors")
    with pytest.raises(ValueError, match="cannot load"):
        stored.with_array(name, stored.arrays[name][:, :1]).load(tmp_path / "model")


def test_errors_that_were_not_measured_are_refused(content, tmp_path):
    with pytest.raises(ValueError, match="cannot load"):
        content("conformal, all options").with_learned({"learner/sizes": None}).load(tmp_path / "model")
