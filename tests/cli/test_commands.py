"""fit, info and predict, from a CSV file and back to one."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

import hedgerow
from command_line import answer, done, refusal, run, tables


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(size=(200, 2)), columns=["height", "width"])
    frame["area"] = frame["height"] * frame["width"] + rng.normal(scale=0.01, size=200)
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def model(data, tmp_path):
    path = tmp_path / "area.hedgerow"
    done("fit", data, "--target", "area", "--out", path, "--model", "forest", "--trees", 7, "--seed", 3)
    return path


def test_version():
    assert run("--version").stdout == f"hedgerow {hedgerow.__version__}\n"


def test_fit_saves_the_forest_that_python_would_fit(data, model):
    frame = pd.read_csv(data, dtype=str)[["height", "width", "area"]].astype(float)  # to the last digit
    X, y = frame[["height", "width"]], frame["area"]
    expected = hedgerow.MondrianForestRegressor(7, random_state=3).fit(X, y)
    np.testing.assert_array_equal(hedgerow.load(model).predict(X), expected.predict(X))


def test_info_shows_parameters_and_size(model):
    about, columns, parameters = tables("info", model)
    forest, facts = hedgerow.load(model), {row["fact"]: row["value"] for row in about}
    assert facts["class"] == "MondrianForestRegressor"
    assert facts["rows held"] == "200"
    assert facts["nodes in all trees"] == str(forest.n_nodes_)
    assert float(facts["noise variance"]) == pytest.approx(forest.noise_variance_, rel=1e-8)
    assert columns == [{"column": name, "taken for": "number"} for name in ("height", "width")]
    assert {"parameter": "n_estimators", "value": "7", "default": "50"} in parameters
    assert answer("info", model)["columns"] == columns


def test_info_of_a_model_that_has_not_learned(tmp_path):
    path = tmp_path / "empty.hedgerow"
    hedgerow.MondrianForestRegressor().save(path)
    assert "not fitted" in done("info", path).stdout
    assert "has not learned anything" in refusal("predict", path, path, "--out", tmp_path / "out.csv")


def test_predict_writes_the_forest_s_intervals(data, model, tmp_path):
    shuffled = pd.read_csv(data)[["area", "width", "height"]]  # other order, and a column that is not needed
    shuffled.to_csv(tmp_path / "query.csv", index=False)
    out = tmp_path / "predictions.csv"
    done("predict", model, tmp_path / "query.csv", "--out", out, "--confidence", 0.5)
    table, forest = pd.read_csv(out), hedgerow.load(model)
    X = shuffled[["height", "width"]]
    mean, std = forest.predict(X, return_std=True)
    np.testing.assert_allclose(table["mean"], mean, rtol=1e-12)
    np.testing.assert_allclose(table["std"], std, rtol=1e-9)
    np.testing.assert_allclose(table[["lower", "upper"]], forest.predict_interval(X, confidence=0.5), rtol=1e-12)


def test_columns_may_be_ignored(data, tmp_path):
    frame = pd.read_csv(data).assign(name="oak")
    frame.to_csv(data, index=False)
    out = tmp_path / "model"
    done("fit", data, "--target", "area", "--out", out, "--ignore", "name", "--trees", 2, "--model", "forest")
    assert list(hedgerow.load(out).feature_names_in_) == ["height", "width"]


def test_wrong_columns_and_values_are_named(data, model, tmp_path):
    out = tmp_path / "out"
    assert "no column 'volume'; it has 'height', 'width', 'area'" in refusal(
        "fit", data, "--target", "volume", "--out", out
    )
    said = refusal("fit", data, "--target", "area", "--out", out, "--ignore", "colour,hight")
    assert "--ignore: " in said
    assert "no column 'colour', 'hight' (did you mean 'height'?)" in said
    forest = ("fit", data, "--target", "area", "--out", out, "--model", "forest")
    assert "smoothing must be" in refusal(*forest, "--set", "smoothing=none")
    assert "did you mean 'smoothing'?" in refusal(*forest, "--set", "smothing=none", code=2)
    frame = pd.read_csv(data)
    frame.drop(columns="width").to_csv(tmp_path / "narrow.csv", index=False)
    said = refusal("predict", model, tmp_path / "narrow.csv", "--out", out)
    assert "lacks 1 of 2 columns that the model learned: 'width'; it also has 'area'" in said
    frame.rename(columns=str.title).to_csv(tmp_path / "titles.csv", index=False)
    said = refusal("predict", model, tmp_path / "titles.csv", "--out", out)
    assert "lacks 2 of 2" in said
    assert "'height' (did you mean 'Height'?), 'width' (did you mean 'Width'?)" in said
    frame.loc[5, "width"] = np.inf
    frame.to_csv(tmp_path / "hole.csv", index=False)
    assert "column 'width'" in refusal("fit", tmp_path / "hole.csv", "--target", "width", "--out", out)
    infinite = refusal("fit", tmp_path / "hole.csv", "--target", "height", "--ignore", "area", "--out", out)
    assert "feature 'width' is inf in row 5" in infinite
    assert "no column 'oak'" in refusal("fit", data, "--target", "area", "--out", out, "--categorical", "oak")
    assert "--confidence" in refusal("predict", model, data, "--out", out, "--confidence", 1.5, code=2)
    assert not out.exists()


def test_files_that_are_not_there_or_not_what_they_should_be(data, model, tmp_path):
    out = tmp_path / "out"
    assert "no file or folder" in refusal("info", tmp_path / "nowhere")
    assert "no file or folder" in refusal("fit", tmp_path / "nowhere.csv", "--target", "area", "--out", out)
    assert "to write to" in refusal("fit", data, "--target", "area", "--out", tmp_path / "nowhere" / "model")
    assert "is a folder" in refusal("predict", model, data, "--out", tmp_path)
    assert "is a folder" in refusal("fit", tmp_path, "--target", "area", "--out", out)
    assert "a model is needed here" in refusal("info", data)
    (tmp_path / "nothing.csv").touch()
    assert "is empty" in refusal("fit", tmp_path / "nothing.csv", "--target", "area", "--out", out)
    (tmp_path / "header.csv").write_text("height,width,area\n")
    assert "no rows" in refusal("fit", tmp_path / "header.csv", "--target", "area", "--out", out)


def test_a_damaged_model_is_refused(model, data, tmp_path):
    content = model.read_bytes()
    cut = tmp_path / "cut"
    cut.write_bytes(content[: len(content) // 2])
    assert "damaged" in refusal("info", cut)
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header["__metadata__"]["hedgerow"] = header["__metadata__"]["hedgerow"].replace("MondrianForestRegressor", "Oak")
    text = json.dumps(header).encode()
    renamed = tmp_path / "renamed"
    renamed.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])
    assert "'Oak'" in refusal("predict", renamed, data, "--out", tmp_path / "out")


def test_without_pandas_it_says_what_to_install(data, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert "hedgerow[tables]" in refusal("fit", data, "--target", "area", "--out", tmp_path / "model")
