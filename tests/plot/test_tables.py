"""Pictures of models that have learned frames with text, dates and missing values."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import pytest

from hedgerow import BayesianTreeRegressor, MondrianForestClassifier, MondrianForestRegressor
from hedgerow.plot import CalibrationDisplay, ClassDisplay, IntervalDisplay, PartitionDisplay, TreeDisplay

matplotlib.use("Agg")
N = 150
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "size": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N)),
        "kind": RNG.choice(["oak", "oak", "elm", None], N),
        "planted": pd.date_range("2020-01-01", periods=N, tz="UTC"),
        "is_old": RNG.random(N) < 0.5,
    }
)
Y = FRAME["size"].fillna(2.0).to_numpy() + (FRAME["kind"] == "oak")


@pytest.fixture(scope="module")
def forest():
    return MondrianForestRegressor(5, random_state=0).fit(FRAME, Y)


def test_intervals_along_numbers(forest):
    display = IntervalDisplay.from_estimator(forest, FRAME, Y, feature="size", grid=9)
    size = FRAME["size"]
    np.testing.assert_allclose(display.values, np.linspace(size.min(), size.max(), 9))
    old = bool(np.median(FRAME["is_old"]))
    others = {"kind": "oak", "planted": FRAME["planted"][N // 2], "is_old": old}
    query = pd.DataFrame([{"size": value, **others} for value in display.values])
    np.testing.assert_array_equal(display.mean, forest.predict(query))


@pytest.mark.parametrize("feature", ["planted", "is_old"])
def test_intervals_along_dates_and_booleans(forest, feature):
    display = IntervalDisplay.from_estimator(forest, FRAME, Y, feature=feature, grid=7)
    assert np.isfinite(display.mean).all()
    if feature == "planted":
        assert display.values[0] == np.datetime64("2020-01-01")
        assert display.values[-1] == np.datetime64("2020-05-29")
        days = pd.date_range("2020-02-01", periods=3)
        assert IntervalDisplay.from_estimator(forest, FRAME, feature=feature, grid=days).values.size == 3
    display.figure_.canvas.draw()


def test_without_names():
    rows = FRAME[["size", "kind"]].to_numpy()
    forest = MondrianForestRegressor(5, random_state=0).fit(rows, Y)
    assert IntervalDisplay.from_estimator(forest, rows, feature=0, grid=7).mean.shape == (7,)


def test_what_cannot_be_drawn_is_said(forest):
    with pytest.raises(ValueError, match="along numbers or dates; 'kind' was taken for a category"):
        IntervalDisplay.from_estimator(forest, FRAME, feature="kind")
    with pytest.raises(ValueError, match="over two features, this model has 4"):
        PartitionDisplay.from_estimator(forest, FRAME)
    pair = FRAME[["size", "kind"]]
    with pytest.raises(ValueError, match="over two features that are numbers; 'kind' was taken for a category"):
        PartitionDisplay.from_estimator(MondrianForestRegressor(2).fit(pair, Y), pair)
    with pytest.raises(ValueError, match=r"classes are drawn .* numbers; 'kind' was taken for a category"):
        ClassDisplay.from_estimator(MondrianForestClassifier(2).fit(pair, Y > 1), pair)
    nothing = FRAME.assign(size=np.nan)
    with pytest.raises(ValueError, match="has no value"):
        IntervalDisplay.from_estimator(forest, nothing, feature="size")


def test_planes_of_numbers_with_missing_values():
    pair = FRAME[["size", "is_old"]]
    forest = MondrianForestRegressor(2, random_state=0).fit(pair, Y)
    display = PartitionDisplay.from_estimator(forest, pair, resolution=20)
    assert display.horizontal[[0, -1]].tolist() == [FRAME["size"].min(), FRAME["size"].max()]
    classes = MondrianForestClassifier(2, random_state=0).fit(pair, Y > 1)
    assert ClassDisplay.from_estimator(classes, pair, Y > 1, resolution=20).probabilities.shape == (20, 20, 2)


def test_other_displays(forest):
    CalibrationDisplay.from_estimator(forest, FRAME, Y)
    tree = BayesianTreeRegressor(random_state=0).fit(FRAME, Y)
    found = tree.most_probable_tree()
    assert found.feature_names == tree.axis_names_  # columns are fewer than what trees cut
    assert any(name in str(found) for name in ("kind (place 2) <= ", "size (missing) <= "))
    assert len(TreeDisplay.from_estimator(tree).texts_) == found.feature.size
