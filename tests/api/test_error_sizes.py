"""What is learned of the sizes of errors: never from the row itself, bounded, and checked when it is read."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load as arrays_from_bytes
from safetensors.numpy import save as arrays_to_bytes

import hedgerow
from hedgerow import OnlineConformalRegressor
from hedgerow.base.rows import Rows
from online_models import bits, conformal, draw_stream, forest, mondrian

X, Y = draw_stream()
NORMALISED = {
    "exact": lambda: conformal(normalised=True),
    "approximate": lambda: conformal(normalised=True, mode="approximate"),
    "Mondrian": lambda: conformal(mondrian(), normalised=True),
}
EVERY = pytest.mark.parametrize("new", NORMALISED.values(), ids=NORMALISED)


def parts_of(model, path):
    path.write_bytes(bits(model))
    with safe_open(path, framework="numpy") as file:
        header = json.loads(file.metadata()["hedgerow"])
    return arrays_from_bytes(path.read_bytes()), header


def write(path, arrays, header):
    path.write_bytes(arrays_to_bytes(arrays, metadata={"hedgerow": json.dumps(header)}))


@EVERY
def test_a_row_is_not_measured_in_its_own_error(new):
    """Two labels for the last row: the scale of its forecast is the same, and so are the scores of rows before it."""
    scales = []
    for label in (Y[299], Y[299] + 100.0):
        model = new().partial_fit(X[:299], Y[:299])
        _, scale, _ = model._learner.calibration.forecast_then_learn(Rows(X[299:300], np.array([label])), np.empty(0))
        scales.append(scale[0])
    assert scales[0] == scales[1] == new().partial_fit(X[:299], Y[:299])._learner._forecasts(X[299:300])[1][0]


@EVERY
def test_the_first_rows_teach_nothing(new, tmp_path):
    """Until the spread is known nothing is measured in it; a file of so few rows is read again."""
    model = new().partial_fit(X[:15], Y[:15])
    assert model._learner.sizes.core.arrivals == 0
    model.save(tmp_path / "young")
    young = hedgerow.load(tmp_path / "young").partial_fit(X[15:], Y[15:])
    assert bits(young) == bits(new().partial_fit(X, Y))
    assert young._learner.sizes.core.arrivals in (370, 380)


@EVERY
def test_units_of_sizes(new):
    """In the unit of the labels around a Mondrian forest, whose reviews change what a standard deviation is."""
    sizes, eightfold = (new().fit(X, scale * Y)._learner.sizes.core.means(X, 1) for scale in (1.0, 8.0))
    np.testing.assert_allclose(eightfold, sizes * (8.0 if new is NORMALISED["Mondrian"] else 1.0), rtol=1e-6)


def test_plain_scores_learn_no_sizes():
    model = conformal().fit(X, Y)
    assert model._learner.sizes is None
    assert model._learner.state()["sizes"] is None


def test_seeds_differ_and_are_drawn_once():
    model = OnlineConformalRegressor(normalised=True, random_state=3).fit(X, Y)
    assert model._learner.sizes.core.seed != model.base_._core.seed
    assert bits(OnlineConformalRegressor(normalised=True, random_state=3).fit(X, Y)) == bits(model)


def test_memory_is_bounded_by_max_nodes():
    rng = np.random.default_rng(0)
    rows = rng.uniform(size=(20_000, 4))
    labels = np.sin(9 * rows[:, 0]) + rows[:, 1] * rng.normal(size=20_000)
    model, sizes = OnlineConformalRegressor(forest(max_nodes=21), normalised=True), []
    for begin in range(0, 20_000, 5000):
        model.partial_fit(rows[begin : begin + 5000], labels[begin : begin + 5000])
        sizes.append(model.__sizeof__())
    assert max(sizes) <= 1.05 * sizes[0]
    assert model._learner.sizes.core.n_nodes == 5 * 21
    assert model.__sizeof__() > model.base_.__sizeof__() + model._learner.sizes.core.n_bytes


@EVERY
def test_labels_that_never_vary_are_no_trouble(new):
    model = new().fit(X, np.full(400, 7.0))
    assert np.isfinite(model.predict_interval(X, 0.8)).all()
    model.partial_fit(X, Y)
    assert np.isfinite(model.predict_interval(X, 0.8)).all()


@EVERY
def test_sizes_in_a_file_are_checked(new, tmp_path):
    path = tmp_path / "bad"
    arrays, header = parts_of(new().fit(X, Y), path)
    write(path, arrays, header)
    hedgerow.load(path)
    without = {name: array for name, array in arrays.items() if not name.startswith("sizes.")}
    far = np.full_like(arrays["sizes.leaves.moments"], np.nan)
    bad = [
        (without, {}),
        ({**arrays, "sizes.counters": np.array([401], dtype=np.uint64)}, {}),
        ({**arrays, "sizes.counters": np.array([59], dtype=np.uint64)}, {}),
        ({**arrays, "sizes.leaves.moments": far}, {}),
        ({**arrays, "sizes.nodes.link": np.zeros_like(arrays["sizes.nodes.link"])}, {}),
        (arrays, {"sizes_seed": -1}),
        (arrays, {"sizes_seed": 2**64}),
        (arrays, {"sizes_seed": None}),
    ]
    for changed, numbers in bad:
        write(path, changed, {**header, "fitted": {**header["fitted"], **numbers}})
        with pytest.raises(ValueError, match="cannot load"):
            hedgerow.load(path)


def test_calibration_rows_in_a_file_are_checked(tmp_path):
    path = tmp_path / "bad"
    arrays, header = parts_of(NORMALISED["exact"]().fit(X, Y), path)
    names = ("labels", "factors", "excess", "sums")
    bad = [(name, value) for name in names for value in (np.nan, np.inf)] + [("factors", 0.0), ("factors", -1.0)]
    for name, value in bad:
        array = arrays[f"calibration.{name}"].copy()
        array[-1] = value
        write(path, {**arrays, f"calibration.{name}": array}, header)
        with pytest.raises(ValueError, match="cannot load"):
            hedgerow.load(path)
    write(path, {**arrays, "calibration.factors": arrays["calibration.factors"][:-1]}, header)
    with pytest.raises(ValueError, match="wrong shape"):
        hedgerow.load(path)
