"""Files with text, dates and missing values: fit, predict, stream and info."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hedgerow
from command_line import done, refusal, tables

N = 240


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=N).round(3), "kind": rng.choice(["oak", "elm", "7"], N)})
    frame["zip"] = rng.integers(3, size=N)
    frame["planted"] = pd.date_range("2020-01-01", periods=N, freq="D")
    frame["seen"] = [f"{hour:02}:30" for hour in rng.integers(24, size=N)]
    frame["is_old"] = rng.random(N) < 0.5
    frame["y"] = (frame["kind"] == "oak") * 3.0 + frame["zip"] + 0.1 * rng.normal(size=N)
    frame.loc[rng.random(N) < 0.1, ["size", "kind", "planted"]] = None
    return frame


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    text = frame.to_csv(None, index=False, na_rep="NA")
    (folder / "trees.csv").write_text("\n".join(line.replace("NA", "", 1) for line in text.splitlines()))
    frame.to_parquet(folder / "trees.parquet")
    options = ("--model", "forest", "--trees", 5, "--categorical", "zip")
    done("fit", folder / "trees.csv", "--target", "y", "--out", folder / "model", *options)
    return folder


KINDS = {
    "size": "number",
    "kind": "category",
    "zip": "category",
    "planted": "date",
    "seen": "time",
    "is_old": "boolean",
}


def test_fit_is_what_python_does(frame, folder):
    forest = hedgerow.load(folder / "model")
    assert forest.column_kinds_ == KINDS
    X = frame.drop(columns="y").assign(seen=[pd.Timestamp(text).time() for text in frame["seen"]])
    expected = hedgerow.MondrianForestRegressor(5, categorical_features=["zip"], random_state=0).fit(X, frame["y"])
    np.testing.assert_array_equal(forest.predict(X), expected.predict(X))
    assert np.corrcoef(forest.predict(X), frame["y"])[0, 1] > 0.9


def test_parquet_is_read_by_its_types(folder, tmp_path):
    options = ("--target", "y", "--out", tmp_path / "model", "--trees", 2, "--ignore", "seen", "--categorical", "zip")
    options += ("--model", "forest")
    done("fit", folder / "trees.parquet", *options)
    kinds = hedgerow.load(tmp_path / "model").column_kinds_
    assert kinds == {name: kind for name, kind in KINDS.items() if name != "seen"}
    done("predict", tmp_path / "model", folder / "trees.parquet", "--out", tmp_path / "out.csv")
    pd.DataFrame({"a": [{"b": 1}, {"b": 2}], "c": [[1], [2]], "y": [1.0, 2.0]}).to_parquet(tmp_path / "nested.parquet")
    assert "'a', 'c' holds lists" in refusal("fit", tmp_path / "nested.parquet", "--target", "y")
    (tmp_path / "bad.parquet").write_text("no")
    assert "not a Parquet file" in refusal("fit", tmp_path / "bad.parquet", *options)


def test_predict_reads_columns_as_the_model_learned_them(frame, folder, tmp_path):
    """In a part of the file types might be told differently: only numbers among the categories, no value at all."""
    forest = hedgerow.load(folder / "model")
    X = frame.drop(columns="y").assign(seen=[pd.Timestamp(text).time() for text in frame["seen"]])
    for name, part in {
        "numbers": frame[frame["kind"] == "7"],
        "missing": frame[frame["kind"].isna()],
        "one": frame.head(1),
    }.items():
        part.to_csv(tmp_path / f"{name}.csv", index=False)
        done("predict", folder / "model", tmp_path / f"{name}.csv", "--out", tmp_path / "out.csv")
        mean = pd.read_csv(tmp_path / "out.csv")["mean"]
        np.testing.assert_allclose(mean, forest.predict(X.loc[part.index]), rtol=1e-12)


def test_a_model_of_python_reads_the_same_categories(frame, folder, tmp_path):
    columns = ["zip", "size"]
    forest = hedgerow.MondrianForestRegressor(5, categorical_features=["zip"], random_state=0)
    forest.fit(frame[columns], frame["y"]).save(tmp_path / "model")
    done("predict", tmp_path / "model", folder / "trees.csv", "--out", tmp_path / "out.csv")
    mean = pd.read_csv(tmp_path / "out.csv")["mean"]
    np.testing.assert_allclose(mean, forest.predict(frame[columns]), rtol=1e-12)
    unnamed = hedgerow.MondrianForestRegressor(5, random_state=0).fit(frame[columns].to_numpy(), frame["y"])
    unnamed.save(tmp_path / "model")
    frame[columns].to_csv(tmp_path / "query.csv", index=False)
    done("predict", tmp_path / "model", tmp_path / "query.csv", "--out", tmp_path / "out.csv")
    mean = pd.read_csv(tmp_path / "out.csv")["mean"]
    np.testing.assert_allclose(mean, unnamed.predict(frame[columns].to_numpy()), rtol=1e-12)


def test_what_does_not_predict_says_so(frame, folder, tmp_path):
    hedgerow.MondrianFeatures(2).fit(frame[["size", "kind"]]).save(tmp_path / "model")
    said = refusal("predict", tmp_path / "model", folder / "trees.csv", "--out", tmp_path / "out.csv")
    assert "holds MondrianFeatures, which does not predict" in said


def test_info_says_what_columns_were_taken_for(folder):
    _, columns, _ = tables("info", folder / "model")
    assert {row["column"]: row["taken for"] for row in columns} == {
        **{"size": "number", "kind": "category", "zip": "category", "planted": "date", "seen": "time of day"},
        "is_old": "true or false",
    }


def test_values_that_do_not_fit_are_named(frame, folder, tmp_path):
    wrong = frame.astype({"size": object}).head(20)
    wrong.loc[7, "size"], wrong.loc[9, "size"] = "oak", "elm"
    wrong.to_csv(tmp_path / "a.csv", index=False)
    said = refusal("predict", folder / "model", tmp_path / "a.csv", "--out", tmp_path / "out.csv")
    assert "column 'size' of" in said
    assert "holds 'oak', 'elm', and the model has learned numbers there" in said
    frame.assign(planted="soon").to_csv(tmp_path / "a.csv", index=False)
    said = refusal("predict", folder / "model", tmp_path / "a.csv", "--out", tmp_path / "out.csv")
    assert "column 'planted'" in said
    assert "has learned dates" in said
    frame.assign(planted=5).to_csv(tmp_path / "a.csv", index=False)
    assert "'planted' was taken for dates" in refusal(
        "predict", folder / "model", tmp_path / "a.csv", "--out", tmp_path / "out.csv"
    )


@pytest.mark.parametrize("model", ["forest", "boosting", "online"])
def test_stream_and_predict(folder, tmp_path, model):
    out = tmp_path / "model"
    options = ("--model", model, "--trees", 2, "--categorical", "zip", "--save-model", out)
    assert "240 rows" in done("stream", folder / "trees.csv", "--target", "y", *options).stderr
    assert hedgerow.load(out).column_kinds_ == KINDS
    done("predict", out, folder / "trees.csv", "--out", tmp_path / "out.csv")
    assert "207 rows" in done("stream", folder / "trees.csv", "--target", "y", *options, "--skip-missing").stderr
