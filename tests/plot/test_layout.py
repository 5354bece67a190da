"""Pictures as people see them: nothing is cut off, legends leave curves alone, models have colours of their own."""

import matplotlib
import numpy as np
import pytest

from hedgerow import MondrianForestClassifier, MondrianForestRegressor
from hedgerow.plot import CalibrationDisplay, ClassDisplay, IntervalDisplay, RunDisplay
from hedgerow.stream import Run

matplotlib.use("Agg")
import matplotlib.pyplot as plt

LONG = "MondrianForestRegressor, 100 trees, 10,000 rows kept, number {}"


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(120, 2))
    return X, 1e6 * (X[:, 0] + X[:, 1])


@pytest.fixture(scope="module")
def forest(rows):
    return MondrianForestRegressor(3, random_state=0).fit(*rows)


def a_run(name):
    rng = np.random.default_rng(len(name))
    run = Run(name, "regression", 0.9, 10, "intervals errors")
    y = rng.normal(size=50)
    return run.update({"intervals": (y, np.column_stack([y - 1, y + rng.uniform(-1, 1, 50)])), "errors": (y, y + 0.1)})


def is_whole(figure):
    """Whether all that is drawn lies within the figure."""
    figure.canvas.draw()
    drawn, (width, height) = figure.get_tightbbox(figure.canvas.get_renderer()), figure.get_size_inches()
    return min(drawn.x0, drawn.y0) >= -0.02 and drawn.x1 <= width + 0.02 and drawn.y1 <= height + 0.02


def legend_is_above(ax):
    return ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1 - 1


@pytest.mark.parametrize("n", [1, 2, 4, 7])
@pytest.mark.parametrize("scores", [None, ["mean_error_rate"]])
def test_many_runs_leave_room_for_the_axes(n, scores):
    display = RunDisplay.from_runs(*(a_run(LONG.format(number)) for number in range(n)), scores=scores)
    assert is_whole(display.figure_)
    for ax in display.axes_:
        assert ax.get_position().width > 0.75
        assert ax.get_position().height > 0.5 / len(display.axes_) - 0.05
    assert n == 1 or legend_is_above(display.axes_[0])


def test_models_have_colours_of_their_own(forest, rows):
    X, y = rows
    first = CalibrationDisplay.from_estimator(forest, X, y, name="one")
    others = [CalibrationDisplay.from_estimator(forest, X, y, name=name, ax=first.ax_) for name in ("two", "three")]
    assert len({display.line_.get_color() for display in (first, *others)}) == 3
    assert len({display.line_.get_marker() for display in (first, *others)}) == 3
    assert [text.get_text() for text in first.ax_.get_legend().get_texts()] == ["one", "two", "three"]
    assert is_whole(first.figure_)
    assert legend_is_above(first.ax_)
    assert CalibrationDisplay.from_estimator(forest, X, y, color="red").line_.get_color() == "red"


class Says:
    """A classifier that says what it is told."""

    _estimator_type = "classifier"

    def __init__(self, classes, probabilities):
        self.classes_, self.probabilities = np.array(classes), np.asarray(probabilities)

    def __sklearn_tags__(self):
        return MondrianForestClassifier().__sklearn_tags__()

    def predict_proba(self, X):
        return self.probabilities


def test_calibration_of_classes():
    said = np.repeat(np.linspace(0.05, 0.95, 10), 100)
    came = np.tile(np.arange(100), 10) < 100 * said**2
    model = Says(["no", "yes"], np.column_stack([1 - said, said]))
    display = CalibrationDisplay.from_estimator(model, np.zeros((1000, 1)), np.where(came, "yes", "no"))
    np.testing.assert_allclose(display.nominal, np.linspace(0.05, 0.95, 10))
    np.testing.assert_allclose(display.observed, np.ceil(100 * np.linspace(0.05, 0.95, 10) ** 2) / 100, atol=0.011)
    assert display.ax_.get_xlabel() == "mean predicted probability"
    three = Says([1, 2, 3], np.tile([0.2, 0.5, 0.3], (30, 1)))
    display = CalibrationDisplay.from_estimator(three, np.zeros((30, 1)), np.full(30, 2))
    np.testing.assert_allclose(display.nominal, 0.5)
    np.testing.assert_array_equal(display.observed, 1.0)


def test_labels_of_large_numbers_are_not_cut(forest, rows):
    display = IntervalDisplay.from_estimator(forest, *rows, grid=20)
    assert is_whole(display.figure_)
    assert legend_is_above(display.ax_)


def test_rows_that_the_bands_are_not_about_are_pale(forest, rows):
    X, y = rows
    display = IntervalDisplay.from_estimator(forest, X, y, grid=20)
    opacity = np.asarray(display.row_points_.get_alpha())
    apart = np.abs(X[:, 1] - np.median(X[:, 1]))
    assert opacity[apart.argmin()] > 0.95
    assert opacity[apart.argmax()] < 0.12
    assert np.corrcoef(opacity, apart)[0, 1] < -0.95
    alone = MondrianForestRegressor(2, random_state=0).fit(X[:, :1], y)
    np.testing.assert_array_equal(IntervalDisplay.from_estimator(alone, X[:, :1], y, grid=20).nearness, 1.0)


def test_categories_and_missing_values_are_far_from_the_slice(rows):
    import pandas as pd

    X, y = rows
    frame = pd.DataFrame({"x": X[:, 0], "town": np.where(X[:, 1] > 0.7, "Oslo", "Bern"), "z": 0.5})
    frame.loc[:9, "z"] = np.nan
    forest = MondrianForestRegressor(2, random_state=0).fit(frame, y)
    nearness = IntervalDisplay.from_estimator(forest, frame, y, grid=20).nearness
    np.testing.assert_array_equal(nearness, ((frame["town"] == "Bern") & frame["z"].notna()).astype(float))


def test_distance_is_dark_amid_the_data():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 0.3, size=(60, 2)) for centre in (0.0, 2.0)])
    forest = MondrianForestClassifier(20, random_state=0).fit(X, np.repeat(["a", "b"], 60))
    display = ClassDisplay.from_estimator(forest, X, part="distance", margin=1.0, resolution=40)
    at_rows = forest.predict_uncertainty(X).distance
    assert at_rows.mean() < 0.2 * display.uncertainty.max()
    corner = display.uncertainty[:5, -5:].mean()
    assert corner > 5 * at_rows.mean()


def test_models_of_one_name_are_numbered():
    uniform = np.linspace(0, 1, 50)
    ax = plt.subplots(figsize=(4, 3))[1]
    for _ in range(3):
        CalibrationDisplay.from_probabilities(uniform, name="forest", ax=ax)
    CalibrationDisplay.from_probabilities(uniform, name="tree", ax=ax)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["forest", "forest (2)", "forest (3)", "tree"]
    assert ax.get_legend().get_frame().get_alpha() == 0.8  # curves are seen through it
