"""Damaged tables and checkpoints: each is refused with a sentence, or read."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas

import tables
from fuzz.files import damaged
from fuzz.judge import REFUSED, WRONG_NUMBER, Judge
from fuzz.mutations import change_bytes, change_json
from fuzz.values import anything
from hedgerow.stream import evaluate, rows
from hedgerow.stream._checkpoint import MAGIC
from models import BY_NAME, IN_MEMORY, online_forest
from stored import Stored

REFUSALS = (ValueError, OSError, gzip.BadGzipFile)
KINDS = ("number", "boolean", "date", "time", "duration", "category")
CELLS = (
    *("", " ", "NA", "nan", "inf", "-inf", "1e999", "1e-999", "1e308", "-0", "0x10", "1_000", "1,5", "1" * 400, "٣", "½"),
    *("true", "False", "2024-02-30", "0001-01-01", "9999-12-31T23:59:59.999999", "2024-01-01T00:00:00+99:99", "24:00"),
    *('"', '""', '"a', "a\nb", "\r", "\0", "\ufeff", "\ud800", "ä", "x" * 5000, "[1]", "{}", "null", "-", "+", ".", "e"),
)
HOLDING = 40
"""Rows of a table."""


def run(seed: int, judge: Judge) -> None:
    """Play one case."""
    rng = Random(seed)
    with folder() as place:
        if rng.random() < 0.15:
            _resume(rng, judge, place)
        else:
            path = damaged_table(rng, place)
            _read(rng, judge, path)


@contextmanager
def folder() -> Iterator[Path]:
    """Return a folder in memory, where there is one."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as name:
        yield Path(name)


def _read(rng: Random, judge: Judge, path: Path) -> None:
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
    ending = rng.choice((".csv", ".csv", ".jsonl", ".parquet", ".csv.gz", ".jsonl.gz"))
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


# Checkpoints.

WORDS = ("conformal", "online forest", "class forest", "forest, window")


def _resume(rng: Random, judge: Judge, place: Path) -> None:
    """Go on from a damaged checkpoint.

    The run is refused, or is what it would have been without an interruption, unless the damage was done by somebody who
    then wrote the checksum anew.
    """
    name, is_forged = rng.choice(WORDS), rng.random() < 0.6
    newest, before, expected = checkpoints(name)
    if is_forged:
        newest = _forged(rng, newest)
    elif rng.random() < 0.8:
        newest = change_bytes(rng, newest)
    path = place / "checkpoint"
    path.write_bytes(newest)
    if rng.random() < 0.8:
        (place / "checkpoint.previous").write_bytes(change_bytes(rng, before) if rng.random() < 0.5 else before)
    run = judge.call(f"evaluate({name!r}, checkpoint=...)", lambda: _evaluated(name, path), REFUSALS)
    if run is not REFUSED and run != expected and not is_forged:
        judge.fault(WRONG_NUMBER, f"the run differs from one without an interruption: {run} instead of {expected}")


def _forged(rng: Random, content: bytes) -> bytes:
    """Return a damaged checkpoint whose checksum is right."""
    body = content[len(MAGIC) + 65 :]
    stored = Stored.parse(body)
    if rng.random() < 0.3:
        body = damaged(rng, body, body)
    else:
        name = rng.choice(("run", "model"))
        inner = damaged(rng, stored.arrays[name].tobytes(), stored.arrays["run"].tobytes())
        body = stored.with_array(name, np.frombuffer(inner, np.uint8)).to_bytes()
    return b"".join((MAGIC, hashlib.sha256(body).hexdigest().encode(), b"\n", body))


@cache
def checkpoints(name: str) -> tuple[bytes, bytes, Any]:
    """Return a checkpoint in the middle of a run, the one before it, and the run to its end."""
    with folder() as place:
        path = place / "checkpoint"
        for n in (20, 30):
            _evaluated(name, path, n)
        contents = path.read_bytes(), (place / "checkpoint.previous").read_bytes()
        return *contents, _evaluated(name, place / "other")


def _evaluated(name: str, path: Path, n: int = HOLDING) -> Any:
    case = BY_NAME[name]
    X, y = case.data(HOLDING)
    parameters = {"n_estimators": 2} if "n_estimators" in case.parameters else {"base__n_estimators": 2}
    model = case.new().set_params(**parameters)
    return evaluate(model, (X[:n], y[:n]), window=10, checkpoint=path, progress=False)
