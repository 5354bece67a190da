"""Tables in files: CSV, Parquet and JSON lines, also compressed or through pipes, read and written by pandas."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

from hedgerow.cli._memory import Budget, records, sample
from hedgerow.cli._output import UsageError
from hedgerow.cli._text import AS_IT_IS, Reading, is_code, mend_text, with_dots
from hedgerow.stream import _kinds
from hedgerow.stream._delimiter import LINES, delimiter_of

PIPE = Path("-")
"""Stands for the standard input or output."""

HEAD = 1 << 16
"""Bytes at the beginning of a file that show what it is."""

NO_TABLES = {b"PK\x03\x04": "an Excel workbook or another zip archive", b"SQLite format 3": "an SQLite database"}
MISSING = sorted({*_kinds.MISSING, *map(str.upper, _kinds.MISSING), *map(str.title, _kinds.MISSING)})
ENDINGS = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".jsonl": "json", ".ndjson": "json", ".json": "json"}
UNEVEN = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
"""The message of pandas for a line that is too long."""


def read_table(
    path: Path,
    say: Callable[[str], None] | None = None,
    is_text: Callable[[str], bool] | None = None,
    budget: Budget | None = None,
    reading: Reading = AS_IT_IS,
) -> Any:
    """Read a file, or the standard input, as a pandas frame.

    What was done to make sense of it is passed to `say`. In CSV the columns of which `is_text` is true stay text as it
    is written. Of a file with more rows than the budget allows, a random sample is read; `attrs` has their number.
    """
    notes: list[str] = []
    n_all: int | None = None
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("reading tables needs pandas: pip install 'hedgerow[tables]'") from None
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder, not a file")
    with _opened(path) as file:
        head = file.read(HEAD)
        file.seek(0)
        kind = _format_of(path, head)
        if kind == "parquet":
            frame, n_all = _read_parquet(path, file, pd, budget)
        elif kind == "json":
            frame, n_all = _read_json(path, file, pd, budget)
        else:
            frame, n_all, notes = _read_csv(path, file, head, is_text or _is_none, pd, budget, reading)
    if n_all is not None and n_all > len(frame):
        frame.attrs["n_all"] = n_all
    if len(frame) == 0:
        raise ValueError(f"{str(path)!r} has a header but no rows")
    nested = [name for name in frame if frame[name].dtype == object and not all(map(_is_single, frame[name]))]
    if nested:
        raise ValueError(f"{str(path)!r}: {quoted(nested)} holds lists or objects; a column has a single value a row")
    if "delimiter" not in frame.attrs and all(_is_all_text(frame[name]) for name in frame):  # types tell nothing
        frame.attrs["codes"] = sorted(str(name) for name in frame if frame[name].dropna().map(is_code).any())
        frame.attrs["delimiter"] = ","
    codes, delimiter = frame.attrs.get("codes", ()), frame.attrs.get("delimiter")
    notes += mend_text(frame, lambda name: name in codes or (is_text or _is_none)(name), delimiter, reading)
    numbers = [float(mark) for mark in reading.missing if _is_number(mark)]
    for name in frame.select_dtypes("number") if numbers else ():
        frame[name] = frame[name].mask(frame[name].isin(numbers))
    if codes:
        notes.append(f"codes that begin with zeros, taken for text: {', '.join(sorted(codes))}")
    for note in notes if say else ():
        say(note)  # type: ignore[misc]
    return frame


def write_table(frame: Any, path: Path, as_json: bool = False) -> None:
    """Write a frame by the ending of the name: CSV, Parquet, JSON lines, compressed if it ends in .gz."""
    endings = [ending.lower() for ending in path.suffixes]
    kind = next((ENDINGS[ending] for ending in reversed(endings) if ending in ENDINGS), "csv")
    if kind == "parquet":
        try:
            frame.to_parquet(path, index=False)
        except ImportError:
            raise ImportError("Parquet files need pyarrow: pip install 'hedgerow[parquet]'") from None
        return
    is_json = kind == "json" or (path == PIPE and as_json)
    text = frame.to_json(orient="records", lines=True, date_format="iso") if is_json else frame.to_csv(index=False)
    if path == PIPE:
        sys.stdout.write(text)
    elif endings[-1:] == [".gz"]:
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8", newline="")


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file, decompressed if need be."""
    try:
        if path == PIPE:
            content = sys.stdin.buffer.read()
            yield io.BytesIO(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
            return
        with path.open("rb") as raw:
            is_packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            if path.suffix == ".gz" and not is_packed:
                raise ValueError(f"{str(path)!r} is not compressed by gzip, or damaged")
            if is_packed:
                with gzip.open(raw) as unpacked:
                    yield unpacked  # type: ignore[misc]
            else:
                yield raw
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{str(path)!r} is not compressed by gzip, or damaged: {error}") from None


def _format_of(path: Path, head: bytes) -> str:
    """Find the format by the ending of the name or else by the first bytes."""
    for begin, what in NO_TABLES.items():
        if head.startswith(begin):
            raise ValueError(f"{str(path)!r} is {what}; save the table as CSV, and give that file")
    kind = next((ENDINGS[ending.lower()] for ending in reversed(path.suffixes) if ending.lower() in ENDINGS), None)
    if kind is None:
        is_json = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[") and b'"' in head
        kind = "parquet" if head.startswith(b"PAR1") else "json" if is_json else "csv"
    return kind


def format_for_streams(path: Path) -> str:
    """Return the format of a file that is read row by row, in the words of `hedgerow.stream.rows`."""
    if path == PIPE:
        raise UsageError("stream reads a file more than once, so not through a pipe; write the rows to a file")
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder, not a file")
    with _opened(path) as file:
        kind = _format_of(path, file.read(HEAD))
    return "jsonl" if kind == "json" else kind


def _read_parquet(path: Path, file: BinaryIO, pd: Any, budget: Budget | None) -> tuple[Any, int | None]:
    try:
        return (pd.read_parquet(file), None) if budget is None else _some_of_parquet(file, budget)
    except ImportError:
        raise ImportError("Parquet files need pyarrow: pip install 'hedgerow[parquet]'") from None
    except UsageError:
        raise
    except (ValueError, OSError) as error:
        raise ValueError(f"{str(path)!r} is not a Parquet file, or damaged: {error}") from None


def _some_of_parquet(file: BinaryIO, budget: Budget) -> tuple[Any, int]:
    """Read one group of rows after another, and keep those of the sample."""
    import numpy as np
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    source = ParquetFile(file)
    n_all = source.metadata.num_rows
    n = min(n_all, budget.rows(len(source.schema_arrow.names), "regression"))
    if n == n_all:
        return source.read().to_pandas(), n
    chosen = np.sort(np.random.default_rng(budget.seed).choice(n_all, n, replace=False))
    parts, first = [], 0
    for batch in source.iter_batches():
        begin, end = np.searchsorted(chosen, [first, first + batch.num_rows])
        parts.append(batch.take(pa.array(chosen[begin:end] - first)))
        first += batch.num_rows
    return pa.Table.from_batches(parts).to_pandas(), n_all


def _read_json(path: Path, file: BinaryIO, pd: Any, budget: Budget | None) -> tuple[Any, int | None]:
    """Read an object a line, or one list of objects."""
    n_all: int | None = None
    try:
        if budget is not None and file.read(HEAD).decode("utf-8-sig", errors="ignore").lstrip()[:1] == "{":
            file.seek(0)
            file, n_all = _some_lines(file, "utf-8-sig", budget)
        elif budget is not None:
            file.seek(0)
        text = file.read().decode("utf-8-sig")
        if text.lstrip().startswith("["):
            objects = json.loads(text)
        else:
            objects = [_json_line(line, number) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    except UnicodeDecodeError as error:
        raise ValueError(f"{str(path)!r} is not text: {error}") from None
    except UsageError:
        raise
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{str(path)!r} is not JSON: {error}") from None
    if not isinstance(objects, list) or not objects or not all(isinstance(each, dict) for each in objects):
        raise ValueError(f"{str(path)!r} must hold JSON objects, one a line, each with the columns of a row")
    return pd.DataFrame(objects), n_all


def _some_lines(file: BinaryIO, encoding: str, budget: Budget, delimiter: str | None = None) -> tuple[BinaryIO, int]:
    """Return a sample of the lines in UTF-8, or of the records below a header, and how many there are."""
    lines = iter(io.TextIOWrapper(file, encoding=encoding, newline=""))
    header = "" if delimiter is None else next(records(lines), "")
    first = next(lines, "")
    width = len(_json_line(first, 1)) if delimiter is None else len(next(csv.reader([header], delimiter=delimiter), []))
    every = records(chain([first], lines)) if delimiter else (line for line in chain([first], lines) if line.strip())
    kept, n_all = sample(every, budget.rows(width, "regression"), budget.seed)
    return io.BytesIO("".join([header, *kept]).encode()), n_all


def _json_line(line: str, number: int) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise ValueError(f"line {number:,}: {error}") from None


def _read_csv(
    path: Path,
    file: BinaryIO,
    head: bytes,
    is_text: Callable[[str], bool],
    pd: Any,
    budget: Budget | None,
    reading: Reading,
) -> tuple[Any, int | None, list[str]]:
    n_all = None
    encoding, notes = _encoding_of(path, file, head)
    lines = head.decode(encoding, errors="ignore").lstrip("\ufeff").splitlines()
    if not any(line.strip() for line in lines):
        raise ValueError(f"{str(path)!r} is empty; a CSV file begins with the names of its columns")
    delimiter = delimiter_of(islice(lines, LINES))
    lines = lines if len(head) < HEAD else lines[:-1] or lines  # the last one may be cut
    header, *cells = [*csv.reader((line for line in lines if line.strip()), delimiter=delimiter)] or [[]]
    first = {name.strip(): [row[place] for row in cells if place < len(row)] for place, name in enumerate(header)}
    codes = {name for name, column in first.items() if any(map(is_code, column))}
    dotted = {name for name, column in first.items() if with_dots(column, delimiter)}
    if budget is not None:
        file, n_all = _some_lines(file, encoding, budget, delimiter)
        encoding = "utf-8"
    is_old = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                file,
                sep=delimiter,
                encoding=encoding,
                index_col=False,
                skipinitialspace=True,
                dtype={name: str for name in header if is_text(name.strip()) or name.strip() in codes | dotted},
                na_values=[*MISSING, *reading.missing],
                low_memory=False,  # the type of a column follows from all of it
                # Before version 3.1 pandas misses the last digit unless told; since then it warns when told.
                **({"float_precision": "round_trip"} if is_old else {}),
            )
    except pd.errors.ParserWarning:
        raise ValueError(f"{str(path)!r} has rows with more values than the header has names") from None
    except (UnicodeError, pd.errors.ParserError, pd.errors.EmptyDataError, EOFError, zlib.error) as error:
        uneven = UNEVEN.search(str(error))
        why = f"line {uneven[2]} has {uneven[3]} values instead of {uneven[1]}" if uneven else str(error).strip()
        raise ValueError(f"{str(path)!r} is not a CSV file, or damaged: {why}") from None
    frame.attrs["codes"] = sorted(codes)  # what pandas writes into files must be plain
    frame, notes = _named(frame, header, path, notes, delimiter)
    return frame, n_all, notes


def _named(frame: Any, header: list[str], path: Path, notes: list[str], delimiter: str) -> tuple[Any, list[str]]:
    """Return the frame with names without blanks around them, and what there is to say about its header."""
    names = [str(name).strip() for name in frame.columns]
    if len(set(names)) == len(names):
        frame.columns = names
    frame.attrs["delimiter"] = delimiter
    if delimiter != ",":
        notes.append(f"values are separated by {({';': 'semicolons', chr(9): 'tabs', '|': 'bars'})[delimiter]}")
    cells = [cell.strip() for cell in header]
    twice = sorted({cell for cell in cells if cell and cells.count(cell) > 1})
    if twice:
        frame.attrs["twice"] = twice
        copies = [name for name in names if name not in cells and name.rpartition(".")[0] in twice]
        notes.append(f"the header has {quoted(twice)} more than once; the copies are called {quoted(copies)}")
    if cells and all(_is_number(cell) for cell in cells):
        notes.append(f"the first line of {str(path)!r} is taken for names of columns, but holds numbers: no header?")
    return frame, notes


def _encoding_of(path: Path, file: BinaryIO, head: bytes) -> tuple[str, list[str]]:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) and len(head) > 2:
        return "utf-16", []
    if b"\0" in head:
        raise ValueError(f"{str(path)!r} is not text: it has bytes that are 0; a table is CSV, Parquet or JSON lines")
    decoder = codecs.getincrementaldecoder("utf-8")()
    encoding, notes = "utf-8-sig", []
    try:
        while block := file.read(HEAD):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        encoding, notes = "cp1252", [f"{str(path)!r} is not UTF-8; it is read as Windows-1252"]
    file.seek(0)
    return encoding, notes


def _is_all_text(column: Any) -> bool:
    return bool(column.dropna().map(lambda cell: isinstance(cell, str)).all())


def _is_single(value: Any) -> bool:
    """Whether a cell holds one value, and not a list, a mapping or an array."""
    return isinstance(value, Hashable)


def _is_none(name: str) -> bool:
    """Whether a column stays text, where none does."""
    return False


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def quoted(names: Iterable[Any]) -> str:
    """Return names in quotation marks, the first twelve."""
    every = list(names)
    listed = ", ".join(repr(str(name)) for name in every[:12])
    return listed if len(every) <= 12 else f"{listed} and {len(every) - 12} more"
