"""fit, info and predict when the target is a class."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow.cli import app
from hedgerow.cli._table import read_table

RUNNER = CliRunner()


def run(*arguments):
    return RUNNER.invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})


def refusal(*arguments):
    result = run(*arguments)
    assert result.exit_code == 1, result.output
    assert result.stderr.startswith("error: ")
    return result.stderr


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
    result = run("fit", data, "--target", "kind", "--ignore", "code", "--out", path, "--trees", 7, "--seed", 3)
    assert result.exit_code == 0, result.output
    assert "3 classes" in result.stdout
    return path


def test_a_text_target_is_classified(frame, model):
    X = frame[["height", "width"]]
    expected = hedgerow.MondrianForestClassifier(7, random_state=3).fit(X, frame["kind"])
    loaded = hedgerow.load(model)
    assert isinstance(loaded, hedgerow.MondrianForestClassifier)
    np.testing.assert_array_equal(loaded.predict_proba(X), expected.predict_proba(X))


def test_predict_writes_classes_and_their_probabilities(frame, data, model, tmp_path):
    out = tmp_path / "predictions.csv"
    result = run("predict", model, data, "--out", out)
    assert result.exit_code == 0, result.output
    table, forest = read_table(out), hedgerow.load(model)
    X = frame[["height", "width"]]
    assert list(table.columns) == ["class", "p(ash)", "p(elm)", "p(oak)"]
    assert table["class"].tolist() == forest.predict(X).tolist()
    np.testing.assert_allclose(table.iloc[:, 1:], forest.predict_proba(X), rtol=1e-12)
    assert "--confidence" in refusal("predict", model, data, "--out", out, "--confidence", 0.5)


def test_info_lists_classes(model):
    shown = run("info", model).stdout
    assert "MondrianForestClassifier" in shown
    assert "ash, elm, oak" in shown


def test_numbers_are_classes_only_when_asked_for(data, tmp_path):
    out = tmp_path / "code.hedgerow"
    arguments = ("fit", data, "--target", "code", "--ignore", "kind", "--out", out, "--trees", 3)
    assert run(*arguments).exit_code == 0
    assert isinstance(hedgerow.load(out), hedgerow.MondrianForestRegressor)
    assert run(*arguments, "--task", "classification").exit_code == 0
    assert hedgerow.load(out).classes_.tolist() == [10, 20, 30]


def test_true_and_false_are_classes(frame, tmp_path):
    path, out = tmp_path / "rows.csv", tmp_path / "model"
    frame.assign(tall=frame.height > 0.5)[["height", "width", "tall"]].to_csv(path, index=False)
    assert run("fit", path, "--target", "tall", "--out", out, "--trees", 3).exit_code == 0
    assert hedgerow.load(out).classes_.tolist() == [False, True]


def test_what_does_not_fit_together_is_refused(frame, data, tmp_path):
    out = tmp_path / "model"
    text = ("fit", data, "--target", "kind", "--ignore", "code", "--out", out)
    assert "does not hold numbers" in refusal(*text, "--task", "regression")
    assert "--task must be" in refusal(*text, "--task", "clustering")
    assert "--smoothing is for regression" in refusal(*text, "--smoothing", "moments")
    assert "no column 'colour'" in refusal("fit", data, "--target", "colour", "--out", out)
    holes = frame.drop(columns="code")
    holes.loc[3, "kind"] = None
    holes.to_csv(tmp_path / "holes.csv", index=False)
    assert "missing values" in refusal("fit", tmp_path / "holes.csv", "--target", "kind", "--out", out)
    heights = ("fit", data, "--target", "height", "--ignore", "kind", "--out", out)
    assert "continuous" in refusal(*heights, "--task", "classification")
    assert not out.exists()
