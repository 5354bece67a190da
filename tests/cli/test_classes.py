"""fit, info and predict when the target is a class."""

import numpy as np
import pandas as pd
import pytest

import hedgerow
from command_line import done, refusal


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(size=(150, 2)), columns=["height", "width"])
    frame["kind"] = np.select([frame.height > 0.7, frame.width > 0.6], ["oak", "elm"], "ash")
    frame["code"] = frame["kind"].map({"oak": 30, "elm": 20, "ash": 10})
    return frame


@pytest.fixture
def data(frame, tmp_path):
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def model(data, tmp_path):
    path = tmp_path / "kind.hedgerow"
    options = ("--ignore", "code", "--model", "forest", "--trees", 7, "--seed", 3)
    assert "3 classes" in done("fit", data, "--target", "kind", *options, "--out", path).stderr
    return path


def test_a_text_target_is_classified(frame, model):
    X = frame[["height", "width"]]
    expected = hedgerow.MondrianForestClassifier(7, random_state=3).fit(X, frame["kind"])
    loaded = hedgerow.load(model)
    assert isinstance(loaded, hedgerow.MondrianForestClassifier)
    np.testing.assert_array_equal(loaded.predict_proba(X), expected.predict_proba(X))


def test_predict_writes_classes_and_their_probabilities(frame, data, model, tmp_path):
    out = tmp_path / "predictions.csv"
    done("predict", model, data, "--out", out, "--proba")
    table, forest = pd.read_csv(out), hedgerow.load(model)
    X = frame[["height", "width"]]
    assert list(table.columns) == ["class", "p(ash)", "p(elm)", "p(oak)"]
    assert table["class"].tolist() == forest.predict(X).tolist()
    np.testing.assert_allclose(table.iloc[:, 1:], forest.predict_proba(X), rtol=1e-12)
    done("predict", model, data, "--out", out)
    table = pd.read_csv(out)
    assert list(table.columns) == ["class", "probability"]
    np.testing.assert_allclose(table["probability"], forest.predict_proba(X).max(axis=1), rtol=1e-12)
    assert "--confidence" in refusal("predict", model, data, "--out", out, "--confidence", 0.5, code=2)
    assert "--quantiles" in refusal("predict", model, data, "--out", out, "--quantiles", 0.5, code=2)


def test_info_lists_classes(model):
    shown = done("info", model).stdout
    assert "MondrianForestClassifier" in shown
    assert "ash, elm, oak" in shown


def test_few_numbers_are_not_silently_regressed(frame, data, tmp_path):
    out = tmp_path / "code.hedgerow"
    arguments = ("fit", data, "--target", "code", "--ignore", "kind", "--out", out, "--model", "forest", "--trees", 3)
    said = refusal(*arguments, code=2)
    assert "'code' has only the values 10, 20, 30" in said
    assert not out.exists()
    done(*arguments, "--task", "regression")  # as the message advises
    assert isinstance(hedgerow.load(out), hedgerow.MondrianForestRegressor)
    done(*arguments, "--task", "classification")
    assert hedgerow.load(out).classes_.tolist() == [10, 20, 30]


def test_two_numbers_are_classes_which_is_said(frame, tmp_path):
    path, out = tmp_path / "rows.csv", tmp_path / "model"
    rows = frame[["height", "width"]].assign(tall=(frame.height > 0.5).astype(float))
    rows.loc[3, "tall"] = None
    rows.to_csv(path, index=False)
    arguments = ("fit", path, "--target", "tall", "--out", out, "--trees", 3)
    said = done(*arguments).stderr
    assert "'tall' is 0, 1 only, so taken for two classes; --task regression takes it for a number" in said
    assert "1 of 150 rows have no 'tall'; they are left out" in said
    assert hedgerow.load(out).classes_.tolist() == [0, 1]
    done(*arguments, "--task", "regression")
    assert isinstance(hedgerow.load(out), hedgerow.MondrianBoostingRegressor)


def test_true_and_false_are_classes(frame, tmp_path):
    path, out = tmp_path / "rows.csv", tmp_path / "model"
    rows = frame.assign(tall=frame.height > 0.5)[["height", "width", "tall"]].astype({"tall": object})
    for hole in (False, True):
        if hole:
            rows.loc[3, "tall"] = None
        rows.to_csv(path, index=False)
        done("fit", path, "--target", "tall", "--out", out, "--model", "forest", "--trees", 3)
        assert hedgerow.load(out).classes_.tolist() == [False, True]


def test_what_does_not_fit_together_is_refused(frame, data, tmp_path):
    out = tmp_path / "model"
    text = ("fit", data, "--target", "kind", "--ignore", "code", "--out", out)
    assert "does not hold numbers" in refusal(*text, "--task", "regression")
    assert "--task must be" in refusal(*text, "--task", "clustering", code=2)
    said = refusal(*text, "--model", "kernel", code=2)
    assert "--model kernel cannot learn classes; --model boosting, forest, bart or tree can" in said
    assert "did you mean 'forest'?" in refusal(*text, "--model", "forrest", code=2)
    assert "--set smoothing" in refusal(*text, "--model", "forest", "--set", "smoothing=moments", code=2)
    assert "MondrianForestClassifier does" in refusal(*text, "--model", "MondrianForestRegressor", code=2)
    assert "no column 'colour'" in refusal("fit", data, "--target", "colour", "--out", out)
    heights = ("fit", data, "--target", "height", "--ignore", "kind", "--out", out)
    assert "continuous" in refusal(*heights, "--task", "classification")
    names = frame.assign(name=[f"tree {row}" for row in range(len(frame))])
    names.to_csv(tmp_path / "names.csv", index=False)
    said = refusal("fit", tmp_path / "names.csv", "--target", "name", "--out", out, code=2)
    assert "150 different values in 150 rows" in said
    assert not out.exists()
