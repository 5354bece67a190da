"""What the display of a run draws is its history."""

import matplotlib
import numpy as np
import pytest

from hedgerow import MondrianForestClassifier, MondrianForestRegressor
from hedgerow.plot import RunDisplay
from hedgerow.stream import evaluate, friedman_drift

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def run():
    stream = friedman_drift("report", 600, random_state=0)
    return evaluate(MondrianForestRegressor(3, window=100, random_state=0), stream, window=100, name="windowed")


def marks(ax, gid):
    return [line for line in ax.lines if line.get_gid() == gid]


def test_lines_are_the_history(run):
    display = run.plot()
    assert list(display.lines_) == ["mean_error_rate", "relative_interval_size", "mean_absolute_error"]
    (line,) = display.lines_["relative_interval_size"]
    np.testing.assert_array_equal(line.get_ydata(), run.history["relative_interval_size"])
    np.testing.assert_array_equal(line.get_xdata(), np.arange(6) * 100 + 50)
    assert display.figure_ is display.axes_[0].figure
    assert display.axes_[0].get_title(loc="left") == "windowed, 600 rows"


def test_promise_changes_and_drifts_are_marked(run):
    run.drifts = (299,)
    display = RunDisplay.from_runs(run)
    run.drifts = ()
    (promised,) = marks(display.axes_[0], "promised")
    assert promised.get_ydata() == pytest.approx([0.1, 0.1])
    assert [line.get_xdata()[0] for line in marks(display.axes_[1], "change")] == [150, 450]
    (drifts,) = marks(display.axes_[0], "drifts")
    assert drifts.get_xdata() == (299,) or list(drifts.get_xdata()) == [299]
    assert not marks(RunDisplay.from_runs(run).axes_[0], "drifts")


def test_several_runs_share_panels_that_are_chosen(run):
    _, axes = plt.subplots(2, 1)
    display = RunDisplay.from_runs(run, run, scores=["utility", "quantile_loss"], axes=axes, linewidth=3)
    assert display.axes_ == list(axes)
    assert len(display.lines_["utility"]) == 2
    assert display.lines_["utility"][1].get_linewidth() == 3
    assert len(display.axes_[0].get_legend().get_texts()) == 2
    with pytest.raises(ValueError, match="2 scores need 2 axes"):
        RunDisplay.from_runs(run, scores=["utility", "quantile_loss"], axes=axes[:1])
    with pytest.raises(ValueError, match="no score 'accuracy'"):
        RunDisplay([run], ["accuracy"])
    with pytest.raises(ValueError, match="no run"):
        RunDisplay([])


def test_from_estimator_evaluates_and_classes_have_their_own_panels(run):
    X, y = friedman_drift("report", 300, random_state=0).arrays()
    display = RunDisplay.from_estimator(MondrianForestClassifier(2, random_state=0), (X, y > 14), window=100)
    assert list(display.lines_) == ["accuracy", "log_loss"]
    with pytest.raises(ValueError, match="draw them apart"):
        RunDisplay([run, *display.runs])
