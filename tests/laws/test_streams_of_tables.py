"""Streams of text, dates and missing values: the same bits whatever they are read from and however they are split."""

from __future__ import annotations

import datetime
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hedgerow import (
    MondrianBoostingRegressor,
    MondrianForestClassifier,
    MondrianForestRegressor,
    OnlineConformalRegressor,
    OnlineForestRegressor,
)
from hedgerow.stream import ArrayStream, evaluate, rows
from hedgerow.stream._checkpoint import row_digest
from hedgerow.stream._chunks import as_chunk, as_stream
from models import bits

N = 1300


def table():
    """Text with missing values, numbers with missing values from row 700 on, dates, categories by type, booleans."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=N).round(3), "kind": rng.choice(["oak", "elm", "Ä, or 1"], N)})
    frame.loc[700 + np.flatnonzero(rng.random(N - 700) < 0.2), "size"] = np.nan
    frame["planted"] = pd.date_range("2020-01-01", periods=N, freq="7h")
    frame["code"] = pd.Categorical(rng.integers(3, size=N))
    frame["is_old"] = rng.random(N) < 0.5
    y = np.where(frame["kind"] == "oak", 2.0, 0.0) + frame["size"].fillna(1.0) + frame["code"].astype(int)
    frame.loc[rng.random(N) < 0.1, ["kind", "planted"]] = None
    return frame, (y + 0.1 * rng.normal(size=N)).to_numpy()


FRAME, Y = table()
RECORDS = [
    {
        "size": None if size != size else size,
        "kind": None if kind != kind else kind,
        "planted": None if planted is pd.NaT else planted.to_pydatetime(),
        "code": str(code),
        "is_old": bool(is_old),
    }
    for size, kind, planted, code, is_old in FRAME.itertuples(index=False)
]


def new():
    return MondrianForestRegressor(3, random_state=0)


def quiet(model, stream, **how):
    return evaluate(model, stream, progress=False, **how)


@pytest.fixture(scope="module")
def expected():
    return quiet(new(), (FRAME, Y))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    whole = FRAME.assign(y=Y)
    whole.to_csv(folder / "trees.csv", index=False)
    whole.to_parquet(folder / "trees.parquet", row_group_size=300)
    lines = [{**record, "y": y} for record, y in zip(RECORDS, Y.tolist(), strict=True)]
    (folder / "trees.jsonl").write_text("".join(json.dumps(line, default=str) + "\n" for line in lines))
    return folder


STREAMS = {
    "polars": lambda: (pl.DataFrame(RECORDS), Y),
    "chunks": lambda: [(FRAME[i : i + 37], Y[i : i + 37]) for i in range(0, N, 37)],
    "mappings": lambda: zip(RECORDS, Y.tolist(), strict=True),
    "lists": lambda: [(list(record.values()), y) for record, y in zip(RECORDS, Y.tolist(), strict=True)],
    "objects": lambda: (np.array([list(record.values()) for record in RECORDS], dtype=object), Y),
}


@pytest.mark.parametrize("kind", STREAMS)
def test_any_stream_gives_the_same_bits(kind, expected):
    assert quiet(new(), STREAMS[kind]()) == expected


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_any_file_gives_the_same_bits(folder, ending, expected):
    stream = rows(folder / f"trees.{ending}", "y", kinds={"code": "category"})
    model = new()
    assert quiet(model, stream) == expected
    kinds = {"size": "number", "kind": "category", "planted": "date", "code": "category", "is_old": "boolean"}
    assert stream.column_kinds == kinds
    assert model.column_kinds_ == kinds


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize(("start", "size"), [(0, 7), (299, 100), (1001, 1000), (N - 1, 5)])
def test_values_do_not_depend_on_chunks(folder, ending, start, size):
    stream = rows(folder / f"trees.{ending}", "y", kinds={"code": "category"})
    found = [values for chunk in stream.chunks(start, size) for values in chunk.X.tolist()]
    assert found == [list(record.values()) for record in RECORDS[start:]]


@pytest.mark.parametrize(
    "make",
    [
        lambda: MondrianBoostingRegressor(2, max_stages=2, random_state=0),
        lambda: OnlineForestRegressor(3, random_state=0),
        lambda: OnlineConformalRegressor(OnlineForestRegressor(3, random_state=0), random_state=0),
        lambda: MondrianForestClassifier(3, random_state=0),
    ],
    ids=["boosting", "online", "conformal", "classes"],
)
def test_other_models(make):
    labels = np.where(np.median(Y) < Y, "high", "low") if isinstance(make(), MondrianForestClassifier) else Y
    run = quiet(make(), (FRAME[500:900], labels[500:900]))
    split = [(FRAME[i : i + 61], labels[i : i + 61]) for i in range(500, 900, 61)]
    split[-1] = (FRAME[866:900], labels[866:900])
    assert quiet(make(), split) == run
    assert run.n_rows == 400


def test_a_checkpoint_in_the_middle_changes_nothing(tmp_path, expected):
    path = tmp_path / "checkpoint"
    quiet(new(), (FRAME[:1000], Y[:1000]), checkpoint=path)
    model, undisturbed = new(), new()
    assert quiet(model, (FRAME, Y), checkpoint=path) == expected
    quiet(undisturbed, zip(RECORDS, Y.tolist(), strict=True))
    assert bits(model) == bits(undisturbed)
    changed = FRAME.copy()
    changed.loc[999, "kind"] = "ash"
    quiet(new(), (FRAME[:1000], Y[:1000]), checkpoint=tmp_path / "other")
    with pytest.raises(ValueError, match="row 999 of the stream is not the one that was learned"):
        quiet(new(), (changed, Y), checkpoint=tmp_path / "other")


def test_the_digest_of_a_row_does_not_depend_on_its_neighbours():
    numbers, text = [1.0, None], ["oak", datetime.date(2020, 1, 1)]
    together, alone = as_chunk([numbers, text], [1.0, 2.0]), as_chunk([numbers], [1.0])
    assert together.X.dtype == object
    assert alone.X.dtype == np.float64
    assert row_digest(together, 0) == row_digest(alone, 0)
    assert row_digest(together, 1) == row_digest(as_chunk([text], [2.0]), 0)
    others = (["oak", datetime.date(2020, 1, 2)], ["Oak", datetime.date(2020, 1, 1)], ["oak", None])
    assert len({row_digest(as_chunk([row], [2.0]), 0) for row in (text, *others)}) == 4


def test_chunks_of_numbers_are_numbers():
    chunk = next(ArrayStream(FRAME[["size", "is_old"]], Y).chunks(size=900))
    assert chunk.X.dtype == np.float64
    assert np.isnan(chunk.X[700:, 0]).any()
    assert next(ArrayStream(FRAME, Y).chunks(size=2)).row(1) == RECORDS[1]


@pytest.mark.parametrize("kind", ["pandas", "nullable", "polars", "arrow", "columns", "text in columns"])
def test_tables_of_any_library(kind):
    """Numbers with missing values and their names, whatever holds them."""
    columns = {"a": [1, None, 3], "b": [0.5, 1.5, None]}
    if kind == "text in columns":
        columns["c"] = ["oak", None, "elm"]
    table = {
        "pandas": lambda: pd.DataFrame(columns),
        "nullable": lambda: pd.DataFrame(columns).convert_dtypes(),
        "polars": lambda: pl.DataFrame(columns),
        "arrow": lambda: pa.table(columns),
    }.get(kind, lambda: columns)()
    chunk = next(as_stream((table, [1.0, 2.0, 3.0])).chunks())
    assert chunk.names == tuple(columns)
    assert chunk.X.dtype == (object if kind == "text in columns" else np.float64)
    assert [[None if v is None or v != v else v for v in row] for row in chunk.X.tolist()] == [
        list(row) for row in zip(*columns.values(), strict=True)
    ]


def test_tables_that_are_not_whole():
    for table, words in (([[1.0], [1.0, 2.0]], "same number of features"), ({"a": [1.0], "b": []}, "one length")):
        with pytest.raises(ValueError, match=words):
            quiet(new(), (table, [1.0, 2.0]))


CELLS = {
    "1.5,NA,nan,": "number",
    "": "number",
    "1e3,-2, 7 ": "number",
    "2020_01,2020_02": "category",
    "1,oak": "category",
    "True,false,": "boolean",
    "true,1": "category",
    "2020-01-31,N/A": "date",
    "2020-01-31T12:00:00Z,2020-01-31 08:30": "date",
    "2020-01-31,2020-02-31": "category",
    "08:30,23:59:59.5": "time",
    "24:01": "category",
    "2020-01-31,08:30": "category",
}


@pytest.mark.parametrize("cells", CELLS)
def test_what_a_column_of_text_is_taken_for(tmp_path, cells):
    lines = [f"{cell},{number}" for number, cell in enumerate(cells.split(","))]
    (tmp_path / "a.csv").write_text("\n".join(["x,y", *lines, ""]))
    stream = rows(tmp_path / "a.csv", "y")
    assert stream.column_kinds == {"x": CELLS[cells]}
    values = [x["x"] for x, _ in stream]
    assert len(values) == len(lines)
    missing = [cell in ("", "NA", "nan", "N/A") for cell in cells.split(",")]
    assert [value is None or value != value for value in values] == missing


def test_later_rows_do_not_change_what_a_column_is_taken_for(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n" + "7,1\n" * 999 + "oak,1\n" + "8,1\n" * 5)
    assert next(rows(tmp_path / "a.csv", "y").chunks(1002)).X.tolist() == [["8"]] * 3
    (tmp_path / "b.csv").write_text("x,y\n" + "7,1\n" * 1000 + "oak,1\n" + "8,1\n" * 5)
    stream = rows(tmp_path / "b.csv", "y")
    assert next(stream.chunks(1002)).X.tolist() == [[8.0]] * 4
    with pytest.raises(ValueError, match="line 1,002: column 'x' is 'oak'"):
        list(stream)
    told = rows(tmp_path / "b.csv", "y", kinds={"x": "category"})
    assert [x["x"] for x, _ in told][-6:] == ["oak", *["8"] * 5]
