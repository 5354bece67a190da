"""The colours of classes are what the forest says."""

import matplotlib
import numpy as np
import pytest

from hedgerow import MondrianForestClassifier
from hedgerow.plot import ClassDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    return X, np.where(X[:, 0] > 0.5, "right", "left")


@pytest.fixture(scope="module")
def forest(rows):
    return MondrianForestClassifier(5, random_state=0).fit(*rows)


def test_classes_over_the_plane(forest, rows):
    X, y = rows
    display = ClassDisplay.from_estimator(forest, X, y, resolution=30, margin=0.5)
    point = [[display.horizontal[4], display.vertical[20]]]
    np.testing.assert_array_equal(display.probabilities[20, 4], forest.predict_proba(point)[0])
    width = np.ptp(X[:, 0])
    assert display.horizontal[0] == pytest.approx(X[:, 0].min() - 0.5 * width)
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["left", "right"]
    np.testing.assert_array_equal(display.ax_.collections[0].get_offsets(), X[y == "left"])


def test_a_sure_class_has_its_colour_and_a_doubtful_one_is_pale():
    probabilities = np.array([[[1.0, 0.0], [0.5, 0.5], [0.1, 0.9]]])
    display = ClassDisplay(np.arange(3.0), np.arange(1.0), np.array(["a", "b"]), probabilities)
    first, second = display.colours()
    colours = display._blend(display.colours())[0]
    np.testing.assert_allclose(colours[0], 1 - 0.85 * (1 - first))
    np.testing.assert_allclose(colours[1], 1.0)
    np.testing.assert_allclose(colours[2], 1 - 0.85 * 0.8 * (1 - second))


@pytest.mark.parametrize("part", ["total", "noise", "disagreement", "distance"])
def test_a_part_of_the_uncertainty(forest, rows, part):
    _, ax = plt.subplots()
    display = ClassDisplay.from_estimator(forest, rows[0], part=part, resolution=20, ax=ax)
    assert display.ax_ is ax
    point = [[display.horizontal[3], display.vertical[11]]]
    drawn = np.asarray(display.image_.get_array())
    assert drawn[11, 3] == getattr(forest.predict_uncertainty(point), part)[0]
    assert display.image_.get_clim() == (0, np.log(2))


def test_many_classes_have_as_many_colours(rows):
    X, _ = rows
    forest = MondrianForestClassifier(2, random_state=0).fit(X, np.arange(200) % 9)
    colours = ClassDisplay.from_estimator(forest, X, resolution=5).colours()
    assert len(np.unique(colours, axis=0)) == 9


def test_one_class_is_drawn(rows):
    X, _ = rows
    forest = MondrianForestClassifier(2, random_state=0).fit(X, ["only"] * 200)
    ClassDisplay.from_estimator(forest, X, resolution=5)
    ClassDisplay.from_estimator(forest, X, part="total", resolution=5)


def test_wrong_questions_are_refused(forest, rows):
    X, y = rows
    wide = MondrianForestClassifier(2, random_state=0).fit(np.column_stack([X, X]), y)
    with pytest.raises(ValueError, match="two features"):
        ClassDisplay.from_estimator(wide, np.column_stack([X, X]))
    with pytest.raises(ValueError, match="part must be"):
        ClassDisplay.from_estimator(forest, X, part="doubt")
