"""Rows of a CSV, Parquet or JSON-lines file, without loading the file: memory holds one chunk.

The formats differ in how records are found; what is a feature, what is the target and what is refused is decided in one
place for all.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.stream._chunks import CHUNK, Chunk, Stream

Record = tuple[int, Sequence[Any], Any]
"""Where it stands in the file (a line or a row), its features, its target."""

FORMATS = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}


class FileRows(Stream):
    """Rows of a file; made by `rows`. Each pass opens the file anew."""

    unit = "line"

    def __init__(self, path: Path, target: str, ignore: Sequence[str], labels: str, missing: str) -> None:
        self.path, self.target, self.missing = path, target, missing
        self._position = 0
        columns = self._columns()
        absent = [name for name in (target, *ignore) if name not in columns]
        if absent:
            raise ValueError(f"{str(path)!r} has no column {absent[0]!r}; it has {_list(columns)}")
        self.features = tuple(name for name in columns if name != target and name not in ignore)
        if not self.features:
            raise ValueError(f"{str(path)!r} has no column besides the target and those ignored")
        self.label_kind = labels
        if labels == "auto":
            first = next(self._records(), None)
            self.label_kind = "number" if first is None or _is_number(first[2]) else "class"

    def __repr__(self) -> str:
        return f"<rows of {str(self.path)!r}: {len(self.features)} features, target {self.target!r}>"

    def _columns(self) -> list[str]:
        """Names of all columns."""
        raise NotImplementedError

    def _records(self) -> Iterator[Record]:
        """Yield all records, features in the order of `features`; a hole is None, NaN or an empty text."""
        raise NotImplementedError

    @property
    def fraction_read(self) -> float | None:
        """How much of the file the latest pass has read, from 0 to 1."""
        size = self.path.stat().st_size
        return min(1.0, self._position / size) if size else None

    def chunks(self, start: int = 0, size: int = CHUNK) -> Iterator[Chunk]:
        """Yield the rows from `start` on."""
        records = self._records()
        if self.missing == "skip":
            records = (record for record in records if not self._has_hole(record))
        records = islice(records, start, None)
        while part := list(islice(records, size)):
            yield Chunk(self._matrix(part), self._labels(part), self.features)

    def _matrix(self, records: list[Record]) -> Floats:
        try:
            matrix = np.array([features for _, features, _ in records], dtype=np.float64)
        except (TypeError, ValueError):
            raise self._complaint(records) from None
        if not np.isfinite(matrix).all():
            raise self._complaint(records)
        return matrix

    def _labels(self, records: list[Record]) -> npt.NDArray[Any]:
        if self.label_kind == "class":
            labels = np.empty(len(records), dtype=object)
            labels[:] = [label for _, _, label in records]
            hole = next((place for place, _, label in records if _is_hole(label)), None)
            if hole is not None:
                raise ValueError(f"{self._where(hole)}: the target {self.target!r} is missing; fill it, or {SKIP}")
            return labels
        numbers = np.empty(len(records))
        for index, (place, _, label) in enumerate(records):
            numbers[index] = self._number(place, self.target, label, "; for classes, say labels='class'")
        return numbers

    def _has_hole(self, record: Record) -> bool:
        return any(_is_hole(value) for value in (*record[1], record[2]))

    def _complaint(self, records: list[Record]) -> ValueError:
        """Return the error of the first value that is not a finite number."""
        for place, features, _ in records:
            for name, value in zip(self.features, features, strict=True):
                try:
                    self._number(place, name, value, f"; leave it out with ignore=[{name!r}], or encode it")
                except ValueError as error:
                    return error
        return ValueError(f"{str(self.path)!r} holds values that are not numbers")

    def _number(self, place: int, name: str, value: Any, advice: str) -> float:
        if _is_hole(value):
            raise ValueError(f"{self._where(place)}: column {name!r} is missing; fill it, or {SKIP}")
        if not _is_number(value) or not np.isfinite(float(value)):
            raise ValueError(f"{self._where(place)}: column {name!r} is {value!r}, not a finite number{advice}")
        return float(value)

    def _where(self, place: int) -> str:
        return f"{str(self.path)!r}, {self.unit} {place:,}"

    @contextmanager
    def _text(self) -> Iterator[tuple[io.TextIOBase, BinaryIO]]:
        """Open the file as text, together with the raw file, whose position is how far one has read."""
        with self.path.open("rb") as raw:
            bare: Any = gzip.GzipFile(fileobj=raw) if self.path.suffix == ".gz" else raw
            yield io.TextIOWrapper(bare, encoding="utf-8-sig", newline=""), raw


class CsvRows(FileRows):
    """Rows of a CSV file with a header."""

    def _columns(self) -> list[str]:
        with self._text() as (text, _):
            columns = next(iter(csv.reader(text)), [])
        if not columns:
            raise ValueError(f"{str(self.path)!r} is empty; a CSV file begins with the names of its columns")
        if len(set(columns)) < len(columns):
            raise ValueError(f"{str(self.path)!r} names a column twice: {_list(columns)}")
        return columns

    def _records(self) -> Iterator[Record]:
        columns = self._columns()
        at, target = [columns.index(name) for name in self.features], columns.index(self.target)
        with self._text() as (text, raw):
            reader = csv.reader(text)
            next(reader)
            for cells in reader:
                if len(cells) != len(columns):
                    if not cells:
                        continue
                    raise ValueError(
                        f"{self._where(reader.line_num)}: {len(cells)} values where the header names {len(columns)}"
                    )
                self._position = raw.tell()
                yield reader.line_num, [cells[index] for index in at], cells[target]


class JsonRows(FileRows):
    """Rows of a file with one JSON object a line. The first one names the columns."""

    def _columns(self) -> list[str]:
        for _, record in self._objects():
            return list(record)
        raise ValueError(f"{str(self.path)!r} is empty; a JSON-lines file has an object on each line")

    def _records(self) -> Iterator[Record]:
        for line, record in self._objects():
            yield line, [record.get(name) for name in self.features], record.get(self.target)

    def _objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        with self._text() as (text, raw):
            for number, line in enumerate(text, start=1):
                if line.strip():
                    try:
                        record = json.loads(line)
                    except (ValueError, RecursionError) as error:
                        raise ValueError(f"{self._where(number)} is not JSON: {error}") from None
                    if not isinstance(record, dict):
                        raise ValueError(f"{self._where(number)} is not a JSON object")
                    self._position = raw.tell()
                    yield number, record


class ParquetRows(FileRows):
    """Rows of a Parquet file."""

    unit = "row"

    def __init__(self, path: Path, *rest: Any) -> None:
        try:
            import pyarrow.parquet
        except ImportError:
            raise ImportError("Parquet files need pyarrow: pip install 'hedgerow[parquet]'") from None
        self._parquet, self._errors = pyarrow.parquet, pyarrow.ArrowException
        super().__init__(path, *rest)

    @property
    def n_rows(self) -> int | None:
        """Number of rows, unless some may be left out."""
        with self._open() as file:
            return int(file.metadata.num_rows) if self.missing == "error" else None

    @property
    def fraction_read(self) -> None:
        """Not known: a file is read column by column."""

    def _columns(self) -> list[str]:
        with self._open() as file:
            return list(file.schema_arrow.names)

    def chunks(self, start: int = 0, size: int = CHUNK) -> Iterator[Chunk]:
        """Yield the rows from `start` on."""
        if self.missing == "skip":
            yield from super().chunks(start, size)
            return
        # Whole groups of rows before the first one wanted are not read.
        with self._open() as file:
            counts = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
        begins = np.concatenate([[0], np.cumsum(counts)])
        first = int(np.searchsorted(begins, start, side="right")) - 1
        records = islice(self._records(first, int(begins[first])), start - int(begins[first]), None)
        while part := list(islice(records, size)):
            yield Chunk(self._matrix(part), self._labels(part), self.features)

    def _records(self, first_group: int = 0, row: int = 0) -> Iterator[Record]:
        with self._open() as file:
            groups = list(range(first_group, file.num_row_groups))
            wanted = [*self.features, self.target]
            for batch in file.iter_batches(batch_size=CHUNK, row_groups=groups, columns=wanted) if groups else ():
                columns = [batch.column(batch.schema.get_field_index(name)).to_pylist() for name in wanted]
                for *features, label in zip(*columns, strict=True):
                    yield row, features, label
                    row += 1

    @contextmanager
    def _open(self) -> Iterator[Any]:
        try:
            with self._parquet.ParquetFile(self.path) as file:
                yield file
        except self._errors as error:
            raise ValueError(f"{str(self.path)!r} is not a Parquet file, or damaged: {error}") from None


SKIP = "pass missing='skip' to leave such rows out"
READERS: dict[str, type[FileRows]] = {"csv": CsvRows, "parquet": ParquetRows, "jsonl": JsonRows}


def rows(
    path: str | os.PathLike[str],
    target: str,
    *,
    ignore: Iterable[str] = (),
    labels: str = "auto",
    missing: str = "error",
    format: str = "auto",
) -> FileRows:
    r"""Rows of a CSV, Parquet or JSON-lines file, one after another, without loading the file.

    Parameters
    ----------
    path : str or path
        The file. CSV and JSON lines may be compressed by gzip (``.csv.gz``).
    target : str
        Column to be predicted. All others are features.
    ignore : iterable of str, optional
        Columns to leave out.
    labels : {"auto", "number", "class"}, default="auto"
        What the target is. "auto": numbers if the first one is a number, else classes.
    missing : {"error", "skip"}, default="error"
        What to do with a row in which a value is missing.
    format : {"auto", "csv", "parquet", "jsonl"}, default="auto"
        "auto" goes by the ending of the name.

    Returns
    -------
    stream : FileRows
        Going through it gives rows ``(x, y)`` with x a mapping from column to number; `chunks` gives many at a time,
        from any row on. It can be gone through again.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hedgerow.stream import rows
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "trees.csv"
    >>> _ = path.write_text("height,girth,age\n12,1.5,40\n20,2.5,90\n")
    >>> next(iter(rows(path, target="age")))
    ({'height': 12.0, 'girth': 1.5}, 40.0)
    """
    for name, value, allowed in (
        ("labels", labels, ("auto", "number", "class")),
        ("missing", missing, ("error", "skip")),
        ("format", format, ("auto", *READERS)),
    ):
        if value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    file = Path(path)
    if file.is_dir():
        raise ValueError(f"{str(file)!r} is a folder, not a file")
    endings = [ending for ending in file.suffixes if ending != ".gz"]
    kind = FORMATS.get(endings[-1].lower() if endings else "") if format == "auto" else format
    if kind is None:
        raise ValueError(f"{str(file)!r}: the name does not end in {_list(list(FORMATS))}; say which format it has")
    try:
        return READERS[kind](file, target, tuple(ignore), labels, missing)
    except UnicodeDecodeError as error:
        raise ValueError(f"{str(file)!r} is not text: {error}") from None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _is_hole(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in ("", "na", "nan", "null", "none")
    return value is None or (isinstance(value, float) and np.isnan(value))


def _list(names: list[str]) -> str:
    shown = ", ".join(repr(str(name)) for name in names[:12])
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"
