"""Explanations on the command line: of a file, of a row, of widths, in words and in files."""

import numpy as np
import pandas as pd
import pytest

import hedgerow
from command_line import answer, done, refusal, tables

FAST = ("--background", 6)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A file of flats, and models that have learned it."""
    folder, rng = tmp_path_factory.mktemp("flats"), np.random.default_rng(0)
    frame = pd.DataFrame({"area": rng.uniform(30, 90, 80), "district": rng.choice(["hill", "harbour"], 80)})
    frame["price"] = frame["area"] * np.where(frame["district"] == "hill", 5.0, 3.0) + rng.normal(size=80)
    frame["kind"] = np.where(frame["price"] > 220, "dear", "cheap")
    frame.to_csv(folder / "flats.csv", index=False)
    columns = frame[["area", "district"]]
    hedgerow.MondrianForestRegressor(5, random_state=0).fit(columns, frame["price"]).save(folder / "forest")
    hedgerow.MondrianForestClassifier(5, random_state=0).fit(columns, frame["kind"]).save(folder / "classes")
    hedgerow.OnlineForestRegressor(3, random_state=0).fit(columns, frame["price"]).save(folder / "online")
    both = hedgerow.MondrianForestRegressor(5, random_state=0)
    both.fit(columns, frame[["price", "area"]].to_numpy()).save(folder / "both")
    return folder


def test_of_a_file(made):
    (columns,) = tables("explain", made / "forest", made / "flats.csv", "--rows", 20, *FAST)
    assert {row["column"] for row in columns} == {"area", "district"}
    sizes = [float(row["mean absolute value"]) for row in columns]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] > 10
    found = answer("explain", made / "forest", made / "flats.csv", "--rows", 20, *FAST)
    assert found["rows"] == 20
    assert found["output"] == "mean"


def test_of_a_row(made):
    given = "explain", made / "forest", made / "flats.csv", "--row", 3, *FAST
    prediction, columns, why = tables(*given)
    frame, model = pd.read_csv(made / "flats.csv"), hedgerow.load(made / "forest")
    row = frame[["area", "district"]][2:3]
    assert float(prediction[0]["mean"]) == pytest.approx(model.predict(row)[0])
    low, high = model.predict_interval(row)[0]
    assert (float(prediction[0]["lower"]), float(prediction[0]["upper"])) == pytest.approx((low, high))
    expected = {one.column: one for one in model.explain(row, background=6).strongest(0)}
    assert {line["column"]: float(line["value"]) for line in columns} == pytest.approx(
        {name: one.value for name, one in expected.items()}
    )
    assert {line["column"]: line["in this row"] for line in columns}["district"] == frame["district"][2]
    assert [line["about"] for line in why] == ["the prediction", "the uncertainty"]
    assert why[0]["answer"].startswith("The prediction is")
    assert answer(*given)["why"] == why


def test_of_widths(made):
    *_, why = tables("explain", made / "forest", made / "flats.csv", "--row", 1, "--width", "--confidence", 0.5, *FAST)
    assert why[0]["about"] == "the interval"
    assert why[0]["answer"].startswith("The width of the 50 % interval is")
    (columns,) = tables("explain", made / "forest", made / "flats.csv", "--width", "--rows", 5, *FAST)
    assert len(columns) == 2


@pytest.mark.parametrize(("name", "words"), [("classes", "probability of class"), ("both", "prediction of target 0")])
def test_of_classes_and_of_several_targets(made, name, words):
    prediction, columns, why = tables("explain", made / name, made / "flats.csv", "--row", 1, *FAST)
    assert words in why[0]["answer"]
    assert len(columns) == 2
    assert len(prediction) == 1


def test_of_models_that_hold_no_rows(made):
    *_, why = tables("explain", made / "online", made / "flats.csv", "--row", 80, *FAST)
    assert why[0]["answer"].startswith("The prediction is")


@pytest.mark.parametrize("name", ["forest", "classes"])
def test_values_in_a_file(made, tmp_path, name):
    path = tmp_path / "values.csv"
    done("explain", made / name, made / "flats.csv", "--out", path, *FAST)
    written, model = pd.read_csv(path), hedgerow.load(made / name)
    X = pd.read_csv(made / "flats.csv")[["area", "district"]]
    assert written["row"].tolist() == list(range(1, 81))
    if name == "forest":
        said, expected = written.drop(columns="row").sum(axis=1), model.predict(X)
    else:
        marked = [column for column in written if column.endswith("(dear)")]
        said, expected = written[marked].sum(axis=1), model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(said, expected, rtol=1e-6)


def test_values_in_a_pipe(made):
    lines = done("explain", made / "forest", made / "flats.csv", "--rows", 4, "--out", "-", *FAST).stdout.splitlines()
    assert lines[0] == "row,base value,area,district"
    assert len(lines) == 5


def test_refusals(made, tmp_path):
    given = "explain", made / "forest", made / "flats.csv"
    assert "--row 81 is not there" in refusal(*given, "--row", 81, code=2)
    assert "--confidence must lie between 0 and 1" in refusal(*given, "--confidence", 2, code=2)
    assert "--width is for regression" in refusal("explain", made / "classes", made / "flats.csv", "--width", code=2)
    assert "no folder" in refusal(*given, "--out", tmp_path / "nowhere" / "values.csv")
    assert "--rows" in refusal(*given, "--rows", 0, code=2)
    empty = tmp_path / "other.csv"
    empty.write_text("height\n1\n")
    assert "area" in refusal("explain", made / "forest", empty)
