"""Streams from files and from Friedman's function: what they give, what they refuse, how much memory they take."""

from __future__ import annotations

import csv
import gzip
import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from hedgerow import MondrianForestClassifier, MondrianForestRegressor
from hedgerow.stream import evaluate, friedman_drift, rows

RNG = np.random.default_rng(0)
N = 2300
FRAME = pd.DataFrame({"height": RNG.normal(size=N), "age": RNG.normal(size=N) * 1e5, "count": RNG.integers(9, size=N)})
FRAME["kind"] = np.where(FRAME["height"] > 0, "oak", "elm, or beech")
MANY = "x,y\n" + "1,2\n" * 1000
ENDINGS = ("csv", "csv.gz", "jsonl", "parquet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    FRAME.to_csv(folder / "trees.csv", index=False)
    (folder / "trees.csv.gz").write_bytes(gzip.compress((folder / "trees.csv").read_bytes()))
    (folder / "trees.jsonl").write_text("".join(json.dumps(row) + "\n" for row in FRAME.to_dict("records")))
    FRAME.to_parquet(folder / "trees.parquet", row_group_size=700)
    return folder


@pytest.mark.parametrize("ending", ENDINGS)
def test_rows_are_the_file_s(folder, ending):
    stream = rows(folder / f"trees.{ending}", target="age", ignore=["kind"])
    for _ in range(2):  # it can be gone through again
        found = list(stream)
        assert len(found) == N
        assert found[7] == ({"height": FRAME["height"][7], "count": FRAME["count"][7]}, FRAME["age"][7])
    assert stream.features == ("height", "count")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("start", [0, 1, 699, 700, 1500, N - 1, N, N + 5])
def test_chunks_begin_anywhere(folder, ending, start):
    stream = rows(folder / f"trees.{ending}", target="kind")
    chunks = list(stream.chunks(start, size=450))
    assert [len(chunk) for chunk in chunks[:-1]] == [450] * (len(chunks) - 1)
    X = np.concatenate([np.empty((0, 3)), *(chunk.X for chunk in chunks)])
    np.testing.assert_array_equal(X, FRAME[["height", "age", "count"]].to_numpy()[start:])
    assert [label for chunk in chunks for label in chunk.y] == FRAME["kind"].tolist()[start:]


@pytest.mark.parametrize("ending", ENDINGS)
def test_models_learn_names_and_the_same_bits_from_any_format(folder, ending):
    forest = MondrianForestRegressor(3, random_state=0)
    run = evaluate(forest, rows(folder / f"trees.{ending}", target="age", ignore=["kind"]), progress=False)
    other = MondrianForestRegressor(3, random_state=0)
    assert run == evaluate(other, (FRAME[["height", "count"]], FRAME["age"]), progress=False)
    assert list(forest.feature_names_in_) == ["height", "count"]
    classes = MondrianForestClassifier(2, random_state=0)
    stream = rows(folder / f"trees.{ending}", target="kind")
    assert evaluate(classes, stream, progress=False).scores["accuracy"] > 0.9
    assert list(classes.classes_) == ["elm, or beech", "oak"]


def test_numbers_may_be_classes(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,0\n2,1\n")
    assert [y for _, y in rows(tmp_path / "a.csv", "y")] == [0.0, 1.0]
    assert [y for _, y in rows(tmp_path / "a.csv", "y", labels="class")] == ["0", "1"]
    (tmp_path / "b.jsonl").write_text('{"x": 1, "y": true}\n\n{"x": 2.5, "y": false}\n')
    assert [y for _, y in rows(tmp_path / "b.jsonl", "y", labels="class")] == [True, False]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_rows_with_holes_are_kept_or_refused_or_left_out(tmp_path, ending):
    frame = FRAME[["height", "age"]].head(10).copy()
    frame.loc[3, "height"] = np.nan
    frame.loc[6, "age"] = np.nan
    path = tmp_path / f"holes.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        path.write_text(
            "".join(
                json.dumps(row) + "\n" for row in frame.astype(object).where(frame.notna(), None).to_dict("records")
            )
        )
    with pytest.raises(ValueError, match=r"(line 5|line 4|row 3): column 'height' is missing; .* missing='skip'"):
        list(rows(path, "age", missing="error"))
    with pytest.raises(ValueError, match=r"(line 8|line 7|row 6): the target 'age' is missing; .* missing='skip'"):
        list(rows(path, "age"))
    first = next(rows(path, "age").chunks(size=6)).X
    np.testing.assert_array_equal(first[:, 0], frame["height"][:6])
    assert first.dtype == np.float64
    kept = list(rows(path, "age", missing="skip"))
    assert [y for _, y in kept] == frame.dropna()["age"].tolist()
    chunk = next(rows(path, "age", missing="skip").chunks(start=4))
    assert chunk.y.tolist() == frame.dropna()["age"].tolist()[4:]


@pytest.mark.parametrize(
    ("name", "content", "target", "message"),
    [
        ("a.csv", "x,y\n1,2\n", "z", "no column 'z'; it has 'x', 'y'"),
        ("a.csv", MANY + "oak,3\n", "y", r"line 1,002: column 'x' is 'oak', not a finite number; leave .* kinds="),
        (
            "a.csv",
            MANY.replace("\n1,", "\n2020-02-01,") + "oak,3\n",
            "y",
            "line 1,002: column 'x' is 'oak', not a date",
        ),
        ("a.csv", MANY.replace("\n1,", "\n12:30,") + "25:00,3\n", "y", "line 1,002: column 'x' is '25:00', not a time"),
        ("a.csv", MANY.replace("\n1,", "\ntrue,") + "1,3\n", "y", "line 1,002: column 'x' is '1', not a boolean"),
        ("a.jsonl", '{"x": 1, "y": 2}\n{"x": [1], "y": 2}\n', "y", r"line 2: column 'x' is \[1\], not a single value"),
        ("a.csv", "x,y\n1,2\n3,elm\n", "y", r"line 3: column 'y' is 'elm'.*labels='class'"),
        ("a.csv", "x,y\n1,2\ninf,3\n", "y", "column 'x' is 'inf'"),
        ("a.csv", "x,y\n1,2,3\n", "y", "line 2: 3 values where the header names 2"),
        ("a.csv", "x,x,y\n1,2,3\n", "y", "names a column twice"),
        ("a.csv", "y\n1\n", "y", "no column besides"),
        ("a.csv", "", "y", "is empty"),
        ("a.csv", b"\xff\xfe\x00x", "y", "is not text"),
        ("a.jsonl", '{"x": 1, "y": 2}\n[1, 2]\n', "y", "line 2 is not a JSON object"),
        ("a.jsonl", '{"x": 1, "y": 2}\n{"x": \n', "y", "line 2 is not JSON"),
        ("a.jsonl", '{"x": 1, "y": 2}\n{"x": 2}\n', "y", "line 2: the target 'y' is missing"),
        ("a.jsonl", "", "y", "is empty"),
        ("a.parquet", "not parquet", "y", "not a Parquet file"),
        ("a.txt", "x,y\n", "y", "say which format"),
    ],
)
def test_what_is_wrong_in_a_file_is_said(tmp_path, name, content, target, message):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=message):
        list(rows(path, target))


def test_parameters_and_missing_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        rows(tmp_path / "nowhere.csv", "y")
    with pytest.raises(ValueError, match="is a folder"):
        rows(tmp_path, "y")
    for wrong in ({"labels": "text"}, {"missing": "drop"}, {"format": "xml"}, {"kinds": {"x": "text"}}):
        with pytest.raises(ValueError, match=rf"{next(iter(wrong))}.* must be one of"):
            rows("a.csv", "y", **wrong)
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    with pytest.raises(ValueError, match="no column 'z'"):
        rows(tmp_path / "a.csv", "y", ignore=["z"])
    with pytest.raises(ValueError, match="no column 'z'"):
        rows(tmp_path / "a.csv", "y", kinds={"z": "category"})


def test_without_pyarrow_it_says_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"hedgerow\[parquet\]"):
        rows(folder / "trees.parquet", target="age")


MEMORY = """
import resource, sys
from hedgerow.stream import rows
def kilobytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)
stream = rows(sys.argv[1], target="y")
for number, chunk in enumerate(stream.chunks()):
    if number == 5:
        early = kilobytes()
print(number, kilobytes() - early)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="what a process has taken is asked of POSIX systems")
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_memory_stays_flat(tmp_path, ending):
    n, path = 40_000, tmp_path / f"long.{ending}"
    frame = pd.DataFrame(RNG.normal(size=(n, 6)), columns=["a", "b", "c", "d", "e", "y"])
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path, row_group_size=2000)
    else:
        frame.to_json(path, orient="records", lines=True)
    found = subprocess.run([sys.executable, "-c", MEMORY, path], capture_output=True, text=True, check=True)
    last_chunk, grown_kilobytes = map(int, found.stdout.split())
    assert last_chunk == 39
    # As lists of numbers the rows would take some 14 MB. Parquet keeps a few groups of rows ahead.
    assert grown_kilobytes < 5_000


# Friedman's function.


def by_hand(kind, x, changed):
    """The label without noise, in plain Python, features counted from 1 as in the texts."""
    x1, x2, x3, x4, x5 = x[:5]
    if changed and kind == "reproduction":  # the columns were moved: x1 stands where x4 belongs, and so on
        x4, x5, x2, x1, x3 = x1, x2, x3, x4, x5
    elif changed:
        x1, x2, x3, x4, x5 = x4, x5, x2, x1, x3
    square = (20 * (x3 - 0.5)) ** 2 if kind == "jmlr" else 20 * (x3 - 0.5) ** 2
    return 10 * math.sin(math.pi * x1 * x2) + square + 10 * x4 + 5 * x5


@pytest.mark.parametrize(
    ("kind", "change_points"), [("report", (500, 1500)), ("reproduction", (500, 1500)), ("jmlr", (1000, 1500))]
)
def test_friedman_is_the_formula(kind, change_points):
    stream = friedman_drift(kind, 2000, random_state=3)
    assert stream.change_points == change_points
    assert stream.n_rows == 2000
    X, y = stream.arrays()
    assert X.min() >= 0
    assert X.max() < 1
    begin, end = change_points
    noise = np.array([y[i] - by_hand(kind, X[i].tolist(), begin <= i < end) for i in range(2000)])
    if kind == "report":
        assert -1e-12 < noise.min() < 0.01
        assert 0.99 < noise.max() < 1 + 1e-12
        assert abs(noise.mean() - 0.5) < 4 * math.sqrt(1 / 12 / 2000)  # four standard errors
    else:
        assert abs(noise.mean()) < 4 / math.sqrt(2000)
        assert abs(noise.std() - 1) < 4 / math.sqrt(4000)


def test_friedman_can_begin_anywhere_and_be_dealt_anyhow():
    stream = friedman_drift("jmlr", 1000, random_state=3)
    X, y = stream.arrays()
    for start, size in ((0, 7), (501, 100), (999, 1000), (1000, 10)):
        chunks = list(stream.chunks(start, size))
        np.testing.assert_array_equal(np.concatenate([np.empty((0, 10)), *(chunk.X for chunk in chunks)]), X[start:])
        np.testing.assert_array_equal(np.concatenate([np.empty(0), *(chunk.y for chunk in chunks)]), y[start:])
    x, label = next(iter(stream))
    np.testing.assert_array_equal(x, X[0])
    assert label == y[0]
    again = friedman_drift("jmlr", 1000, random_state=3).arrays()
    np.testing.assert_array_equal(again[0], X)
    assert (friedman_drift("jmlr", 1000, random_state=4).arrays()[0] != X).any()


def test_friedman_refuses_what_is_not_there():
    with pytest.raises(ValueError, match="kind must be one of 'report', 'reproduction', 'jmlr'"):
        friedman_drift("river", 10)
    with pytest.raises(ValueError, match="n_rows"):
        friedman_drift("report", 0)


@pytest.mark.parametrize(
    ("delimiter", "text"), [(";", "1,5;a, b"), ("\t", "1.5\ta, b"), ("|", "1.5|a; b"), (",", '1.5,"a;b"')]
)
def test_what_separates_values_is_told_by_the_first_lines(delimiter, text, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(delimiter.join(["x", "kind", "y"]) + "\n" + f"{text}{delimiter}3\n" * 5)
    (x, y), *rest = rows(path, target="y")
    assert len(rest) == 4
    assert list(x) == ["x", "kind"]
    assert x["kind"] == next(csv.reader([text], delimiter=delimiter))[1]
    assert y == 3.0


def test_all_columns_that_are_not_there_are_named(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n1,2\n")
    with pytest.raises(ValueError, match="no column 'z', 'b', 'c'; it has 'a', 'y'"):
        rows(path, target="z", ignore=["b"], kinds={"c": "category"})
