"""What the displays draw is what the forest says."""

import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest

from hedgerow import MondrianForestRegressor
from hedgerow.plot import CalibrationDisplay, IntervalDisplay, PartitionDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    return X, X[:, 0] + rng.normal(scale=0.1, size=300)


@pytest.fixture(scope="module")
def forest(rows):
    return MondrianForestRegressor(5, random_state=0).fit(*rows)


def test_intervals_along_a_feature(forest, rows):
    X, y = rows
    display = IntervalDisplay.from_estimator(forest, X, y, feature=1, confidence=[0.9, 0.5], grid=20)
    query = np.column_stack([np.full(20, np.median(X[:, 0])), np.linspace(X[:, 1].min(), X[:, 1].max(), 20)])
    np.testing.assert_array_equal(
        display.mean_line_.get_xydata(), np.column_stack([query[:, 1], forest.predict(query)])
    )
    assert list(display.bands) == [0.5, 0.9]
    np.testing.assert_array_equal(display.bands[0.9], forest.predict_interval(query, confidence=0.9))
    assert len(display.band_areas_) == 2
    np.testing.assert_array_equal(display.row_points_.get_offsets(), np.column_stack([X[:, 1], y]))
    assert display.ax_.get_xlabel() == "x1"
    assert display.figure_ is display.ax_.figure


def test_intervals_on_given_axes_and_grid_with_names(rows):
    X, y = rows
    frame = pd.DataFrame(X, columns=["height", "width"])
    forest = MondrianForestRegressor(2, random_state=0).fit(frame, y)
    _, ax = plt.subplots()
    display = IntervalDisplay.from_estimator(forest, frame, feature="width", confidence=0.8, grid=[1.0, -1.0], ax=ax)
    assert display.ax_ is ax
    assert ax.get_xlabel() == "width"
    assert display.values.tolist() == [-1.0, 1.0]
    assert display.row_points_ is None
    with pytest.raises(ValueError, match="no feature 'depth'"):
        IntervalDisplay.from_estimator(forest, frame, feature="depth")
    with pytest.raises(ValueError, match="less than 2"):
        IntervalDisplay.from_estimator(forest, frame, feature=2)


def test_calibration_counts_covered_labels(forest, rows):
    X, y = rows
    display = CalibrationDisplay.from_estimator(forest, X, y)
    level = 0.6
    interval = forest.predict_interval(X, confidence=level)
    inside = np.mean((y >= interval[:, 0]) & (y <= interval[:, 1]))
    at = np.argmin(np.abs(display.nominal - level))
    assert display.nominal[at] == pytest.approx(level)
    assert display.observed[at] == pytest.approx(inside, abs=1.5 / y.size)
    np.testing.assert_array_equal(display.line_.get_ydata(), display.observed)
    assert display.ax_.get_legend().get_texts()[0].get_text() == "MondrianForestRegressor"


def test_two_calibrations_share_one_diagonal():
    uniform = (np.arange(1000) + 0.5) / 1000
    first = CalibrationDisplay.from_probabilities(uniform, name="kept")
    second = CalibrationDisplay.from_probabilities(uniform**3, name="broken", ax=first.ax_, color="black")
    np.testing.assert_allclose(first.observed, first.nominal, atol=1e-9)
    assert len(first.ax_.lines) == 3
    assert second.line_.get_color() == "black"


def test_partition_borders_part_leaves(forest, rows):
    X, _ = rows
    display = PartitionDisplay.from_estimator(forest, X, tree=3, resolution=40)
    assert display.leaves.shape == display.mean.shape == (40, 40)
    point = [[display.horizontal[7], display.vertical[31]]]
    assert display.leaves[31, 7] == forest.apply(point)[0, 3]
    assert display.mean[31, 7] == forest.predict(point)[0]
    upright, level = display.borders()
    step = display.vertical[1] - display.vertical[0]
    total = sum(segment[1, 1] - segment[0, 1] for segment in upright)
    n_changes = (display.leaves[:, 1:] != display.leaves[:, :-1]).sum()
    assert total == pytest.approx(n_changes * step, rel=0.1)  # the grid's first and last cells are half as high
    assert all(segment[0, 1] == segment[1, 1] for segment in level)


def test_partition_needs_two_features_and_an_existing_tree(forest, rows):
    X, y = rows
    wide = MondrianForestRegressor(2, random_state=0).fit(np.column_stack([X, y]), y)
    with pytest.raises(ValueError, match="two features"):
        PartitionDisplay.from_estimator(wide, np.column_stack([X, y]))
    with pytest.raises(ValueError, match="less than 5"):
        PartitionDisplay.from_estimator(forest, X, tree=5)


def test_without_matplotlib_it_says_what_to_install(forest, rows, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"hedgerow\[plot\]"):
        IntervalDisplay.from_estimator(forest, rows[0])
