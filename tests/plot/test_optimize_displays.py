"""Pictures of optimisations show the numbers of the result."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from hedgerow.optimize import Integer, Real, minimize
from hedgerow.plot import ConvergenceDisplay, SliceDisplay

SPACE = {"a": Real(1e-3, 1, log=True), "b": (0, 1), "n": Integer(1, 5), "c": ["x", "y"]}


def f(point):
    return None if point["b"] > 0.9 else (np.log10(point["a"]) + 1) ** 2 + point["b"] + abs(point["n"] - 2)


@pytest.fixture(scope="module")
def result():
    return minimize(f, SPACE, 40, 0)


def test_convergence_shows_the_best_so_far(result):
    display = ConvergenceDisplay.from_results(result, result, labels=["one", "other"])
    assert len(display.lines_) == 2
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), result.best_so_far)
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["one", "other"]
    assert display.ax_.get_ylabel() == "value"


def test_convergence_shows_the_distance_from_the_optimum(result):
    display = ConvergenceDisplay.from_results(result, optimum=-0.5)
    np.testing.assert_allclose(display.lines_[0].get_ydata(), result.best_so_far + 0.5)
    assert display.ax_.get_yscale() == "log"


def test_a_slice_is_what_the_forest_says_through_the_best_point(result):
    display = SliceDisplay.from_result(result, ["a"])
    points = [{**result.x, "a": value} for value in display.grids[0]]
    mean, std = result.predict(points, return_std=True)
    np.testing.assert_allclose(display.mean, mean, rtol=1e-6)
    np.testing.assert_allclose(display.std, std, rtol=1e-6)
    assert display.axes_[0].get_xscale() == "log"
    assert display.axes_[0].get_xlabel() == "a"


def test_a_map_has_the_first_parameter_across(result):
    display = SliceDisplay.from_result(result, ["b", 2], resolution=20)
    assert display.mean.shape == (5, 20)
    assert display.grids[1].tolist() == [1, 2, 3, 4, 5]
    point = {**result.x, "b": display.grids[0][3], "n": 4}
    assert display.mean[3, 3] == pytest.approx(result.predict([point])[0], rel=1e-6)
    assert [axes.get_ylabel() for axes in display.axes_] == ["n", "n"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (["z"], "there is no parameter 'z'"),
        (["c"], "is a choice"),
        ("a", "a list of one or two"),
        (["a", "b", "n"], "a list of one or two"),
        ([7], "there is no parameter 7"),
    ],
)
def test_what_cannot_be_sliced_is_refused(result, parameters, message):
    with pytest.raises(ValueError, match=message):
        SliceDisplay(result, parameters)


def test_without_any_value_there_is_no_slice():
    with pytest.raises(ValueError, match="no evaluation has given a value"):
        SliceDisplay(minimize(lambda x: None, [(0, 1)], 5, 0), [0])


def test_labels_must_fit():
    with pytest.raises(ValueError, match="one label a result"):
        ConvergenceDisplay([minimize(lambda x: 1.0, [(0, 1)], 3, 0)], ["a", "b"])
    with pytest.raises(ValueError, match="no result"):
        ConvergenceDisplay([])
