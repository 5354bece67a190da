"""Damaged tables: each is refused with a sentence, or read. Checkpoints are in `checkpoints`, played here."""

from __future__ import annotations

import gzip
import io
import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas

import tables
from fuzz.checkpoints import resume
from fuzz.files import folder
from fuzz.judge import REFUSED, WRONG_NUMBER, Judge
from fuzz.mutations import change_bytes, change_json
from fuzz.values import anything
from hedgerow.stream import evaluate, rows
from models import online_forest

REFUSALS = (ValueError, OSError)
KINDS = ("number", "boolean", "date", "time", "duration", "category")
WORDS = "NA nan inf -inf 1e999 1e-999 1e308 -0 0x10 1_000 1,5 ٣ ½ true False 24:00 [1] {} null - + . e ä 2024-02-30"
DATES = "0001-01-01 9999-12-31T23:59:59.999999 2024-01-01T00:00:00+99:99"
ODD = ("", " ", "1" * 400, "x" * 5000, '"', '""', '"a', "a\nb", "\r", "\0", "\ufeff", "\ud800")
CELLS = (*WORDS.split(), *DATES.split(), *ODD)
"""What may stand in a cell of text."""
ENDINGS = (".csv", ".jsonl", ".parquet", ".csv.gz", ".jsonl.gz")
HOLDING = 40
"""Rows of a table."""


def run(seed: int, judge: Judge) -> None:
    """Play one case."""
    rng = Random(seed)
    with folder() as place:
        if rng.random() < 0.15:
            resume(rng, judge, place)
        else:
            read(rng, judge, damaged_table(rng, place))


def read(rng: Random, judge: Judge, path: Path) -> None:
    """Read a table in any of the ways that there are, and let a model learn it."""
    judge.say(f"{path.name}: {path.read_bytes()!r:.3000}")
    how: dict[str, Any] = {
        "target": rng.choice(("y", "y", "y", "y", "few", "when", "none")),
        "labels": rng.choice(("auto", "auto", "number", "class")),
        "missing": rng.choice(("keep", "keep", "skip", "error")),
    }
    if rng.random() < 0.3:
        how["ignore"] = rng.choice((("when",), ("few", "many"), ("none",), ()))
    if rng.random() < 0.3:
        how["kinds"] = {rng.choice(("size", "few", "flag", "when")): rng.choice(KINDS)}
    if rng.random() < 0.1:
        how[rng.choice(sorted(how))] = anything(rng)
    source = judge.call(f"rows({how})", lambda: rows(path, **how), (*REFUSALS, TypeError))
    if source is REFUSED:
        return
    chunks = judge.call("chunks", lambda: list(source.chunks(rng.choice((0, 0, 0, 5, 1000)), 16)), REFUSALS)
    if chunks is REFUSED:
        return
    for chunk in chunks:
        if source.label_kind == "number" and not np.isfinite(np.asarray(chunk.y, dtype=float)).all():
            judge.fault(WRONG_NUMBER, f"targets are not finite: {chunk.y!r:.300}")
    if source.label_kind == "number" and rng.random() < 0.5:
        forest = online_forest(n_estimators=2)
        judge.call("evaluate", lambda: evaluate(forest, source, window=10, progress=False), REFUSALS)


def damaged_table(rng: Random, place: Path) -> Path:
    """Write a table with damage to it, in any format, and return where it is."""
    ending = rng.choice(ENDINGS)
    path = place / f"table{ending}"
    if ending == ".parquet":
        content = _parquet(rng)
    else:
        content = _csv(rng) if ".csv" in ending else _json_lines(rng)
        content = change_bytes(rng, content) if rng.random() < 0.4 else content
        content = gzip.compress(content, 1) if ending.endswith(".gz") else content
    if ending.endswith((".gz", ".parquet")) and rng.random() < 0.5:
        content = change_bytes(rng, content)
    path.write_bytes(content)
    return path


@cache
def whole_table() -> pandas.DataFrame:
    """Return the table to be damaged, as text and numbers."""
    table, y = tables.draw_table(HOLDING)
    return tables.frame(table).assign(y=y.round(3))


def _csv(rng: Random) -> bytes:
    lines = [line.split(",") for line in _csv_text().splitlines()]
    for _ in range(rng.choice((0, 1, 1, 2, 5))):
        line = lines[rng.randrange(len(lines)) if rng.random() < 0.9 else 0]
        line[rng.randrange(len(line))] = rng.choice(CELLS)
    if rng.random() < 0.1:
        line = rng.choice(lines)
        line.append("more") if rng.random() < 0.5 else line.pop()
    return rng.choice(("\n", "\n", "\r\n")).join(map(",".join, lines)).encode("utf-8", errors="surrogatepass")


@cache
def _csv_text() -> str:
    return str(whole_table().to_csv(index=False))


def _json_lines(rng: Random) -> bytes:
    records = [json.loads(line) for line in _json_text()]
    for _ in range(rng.choice((0, 1, 1, 2, 5))):
        place = rng.randrange(len(records))
        records[place] = change_json(rng, [records[place]])
        records[place] = records[place][0] if len(records[place]) == 1 else records[place]
    if rng.random() < 0.1:
        record = rng.choice(records)
        if isinstance(record, dict):
            record[rng.choice(("y", "size", "few", "when"))] = rng.choice(CELLS)
    return "\n".join(map(json.dumps, records)).encode()


@cache
def _json_text() -> list[str]:
    return str(whole_table().to_json(orient="records", lines=True, date_format="iso")).splitlines()


def _parquet(rng: Random) -> bytes:
    """Return a Parquet file, with a column of another type now and then."""
    frame = whole_table()
    if rng.random() < 0.3:
        other = rng.choice(OTHER_COLUMNS)
        frame = frame.assign(**{rng.choice(("size", "few", "when", "y")): other(len(frame))})
    out = io.BytesIO()
    frame.to_parquet(out, row_group_size=rng.choice((7, 1000)))
    return out.getvalue()


OTHER_COLUMNS = (
    lambda n: [[1.0]] * n,
    lambda n: [{"a": 1}] * n,
    lambda n: [b"\xff"] * n,
    lambda n: [None] * n,
    lambda n: pandas.Series([2**63] * n, dtype="uint64"),
    lambda n: pandas.Series(["9999-01-01"] * n, dtype="datetime64[s]"),
    lambda n: pandas.Series(pandas.to_timedelta([1] * n, unit="ns")),
    lambda n: pandas.Categorical(["a", "b"] * (n // 2)),
    lambda n: [np.inf] * n,
    lambda n: [1e300, -1e300] * (n // 2),
    lambda n: pandas.Series(pandas.to_datetime(["2024-01-01"] * n)).dt.tz_localize("Asia/Tokyo"),
)
