"""Rows of a CSV, Parquet or JSON-lines file, without loading the file: memory holds one chunk.

The formats differ in how records are found; what is a feature, what is the target, what a column holds and what is
refused is decided in one place for all. What a column holds follows from the first rows of the file, never from how the
rows are split into chunks.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from hedgerow.stream._chunks import CHUNK, Chunk, Stream, as_matrix
from hedgerow.stream._delimiter import LINES, delimiter_of
from hedgerow.stream._kinds import KINDS_IN_TEXT, WORDS, finite, is_missing, kind_of, read

Record = tuple[int, Sequence[Any], Any]
"""Where it stands in the file (a line or a row), its features, its target."""

FIRST = CHUNK
"""Rows at the beginning of a file from which it follows what its columns hold."""

FORMATS = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}


class FileRows(Stream):
    """Rows of a file; made by `rows`. Each pass opens the file anew.

    Attributes
    ----------
    features : tuple of str
        Columns, without the target and those ignored.
    column_kinds : dict
        What each of them holds: "number", "boolean", "date", "time", "duration" or "category".
    label_kind : {"number", "class"}
        What the target is.
    """

    unit = "line"
    kinds_in_text: tuple[str, ...] = ()

    def __init__(
        self, path: Path, target: str, ignore: Sequence[str], labels: str, missing: str, kinds: Mapping[str, str]
    ) -> None:
        self.path, self.target, self.missing = path, target, missing
        self._position = 0
        columns = self._columns()
        absent = [name for name in dict.fromkeys((target, *ignore, *kinds)) if name not in columns]
        if absent:
            raise ValueError(f"{str(path)!r} has no column {_list(absent)}; it has {_list(columns)}")
        self.features = tuple(name for name in columns if name != target and name not in ignore)
        if not self.features:
            raise ValueError(f"{str(path)!r} has no column besides the target and those ignored")
        first = list(islice(self._records(), FIRST))
        self.label_kind = labels
        if labels == "auto":
            label = next((label for _, _, label in first if not is_missing(label)), 0.0)
            self.label_kind = "number" if _is_number(label) else "class"
        first_values = zip(*(features for _, features, _ in first), strict=True) if first else [()] * len(self.features)
        self.column_kinds = {
            name: kinds.get(name) or kind_of(values, self.kinds_in_text)
            for name, values in zip(self.features, first_values, strict=True)
        }

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
            records = (record for record in records if not any(map(is_missing, (*record[1], record[2]))))
        records = islice(records, start, None)
        while part := list(islice(records, size)):
            yield self._chunk(part)

    def _chunk(self, records: list[Record]) -> Chunk:
        return Chunk(self._matrix(records), self._labels(records), self.features)

    def _matrix(self, records: list[Record]) -> npt.NDArray[Any]:
        """Numbers as they are most often, or else cell by cell."""
        if set(self.column_kinds.values()) == {"number"}:
            try:
                matrix = np.array([features for _, features, _ in records], dtype=np.float64)
                if np.isfinite(matrix).all():
                    return matrix
            except (TypeError, ValueError, OverflowError):
                pass
        kinds = self.column_kinds.items()
        cells = [
            [self._cell(place, *column, value) for column, value in zip(kinds, features, strict=True)]
            for place, features, _ in records
        ]
        return as_matrix(cells, len(self.features))

    def _cell(self, place: int, name: str, kind: str, value: Any) -> Any:
        try:
            found = read(value, kind)
        except ValueError:
            what = {"number": "finite number", "category": "single value"}.get(kind, kind)
            raise ValueError(
                f"{self._where(place)}: column {name!r} is {value!r:.80}, not a {what}; leave the column out with "
                f"ignore=[{name!r}] (--ignore), or say what it holds, such as kinds={{{name!r}: 'category'}} "
                "(--categorical)"
            ) from None
        if found is None and self.missing == "error":
            raise ValueError(f"{self._where(place)}: column {name!r} is missing; fill it, or {SKIP}")
        return found

    def _labels(self, records: list[Record]) -> npt.NDArray[Any]:
        hole = next((place for place, _, label in records if is_missing(label)), None)
        if hole is not None:
            raise ValueError(f"{self._where(hole)}: the target {self.target!r} is missing; fill it, or {SKIP}")
        if self.label_kind == "class":
            labels = np.empty(len(records), dtype=object)
            labels[:] = [label for _, _, label in records]
            return labels
        return np.array([self._number(place, label) for place, _, label in records], dtype=np.float64)

    def _number(self, place: int, label: Any) -> float:
        try:
            return finite(label)
        except (TypeError, ValueError):
            raise ValueError(
                f"{self._where(place)}: column {self.target!r} is {label!r:.80}, not a finite number; for classes, "
                "say labels='class' (--task classification)"
            ) from None

    def _where(self, place: int) -> str:
        return f"{str(self.path)!r}, {self.unit} {place:,}"

    @contextmanager
    def _text(self) -> Iterator[tuple[io.TextIOBase, BinaryIO]]:
        """Open the file as text, together with the raw file, whose position is how far one has read."""
        try:
            with self.path.open("rb") as raw:
                bare: Any = gzip.GzipFile(fileobj=raw) if self.path.suffix == ".gz" else raw
                yield io.TextIOWrapper(bare, encoding="utf-8-sig", newline=""), raw
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{str(self.path)!r} is not compressed by gzip, or damaged: {error}") from None
        except UnicodeDecodeError as error:
            raise ValueError(f"{str(self.path)!r} is not text: {error}") from None
        except csv.Error as error:
            raise ValueError(f"{str(self.path)!r} is not a CSV file: {error}") from None


class CsvRows(FileRows):
    """Rows of a CSV file with a header; commas, semicolons, tabs or bars separate values."""

    kinds_in_text = KINDS_IN_TEXT

    @cached_property
    def _delimiter(self) -> str:
        with self._text() as (text, _):
            return delimiter_of(islice(text, LINES))

    def _columns(self) -> list[str]:
        with self._text() as (text, _):
            columns = next(iter(csv.reader(text, delimiter=self._delimiter)), [])
        if not columns:
            raise ValueError(f"{str(self.path)!r} is empty; a CSV file begins with the names of its columns")
        if len(set(columns)) < len(columns):
            raise ValueError(f"{str(self.path)!r} names a column twice: {_list(columns)}")
        return columns

    def _records(self) -> Iterator[Record]:
        columns = self._columns()
        at, target = [columns.index(name) for name in self.features], columns.index(self.target)
        with self._text() as (text, raw):
            reader = csv.reader(text, delimiter=self._delimiter)
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

    kinds_in_text = ("date", "time")

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
        self._parquet = pyarrow.parquet
        self._errors = (pyarrow.ArrowException, UnicodeDecodeError, OverflowError)  # names, texts and dates of values
        super().__init__(path, *rest)

    @property
    def n_rows(self) -> int | None:
        """Number of rows, unless some may be left out."""
        with self._open() as file:
            return None if self.missing == "skip" else int(file.metadata.num_rows)

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
            yield self._chunk(part)

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


SKIP = "pass missing='skip' (--skip-missing) to leave out rows with missing values"
READERS: dict[str, type[FileRows]] = {"csv": CsvRows, "parquet": ParquetRows, "jsonl": JsonRows}


def rows(
    path: str | os.PathLike[str],
    target: str,
    *,
    ignore: Iterable[str] = (),
    labels: str = "auto",
    missing: str = "keep",
    format: str = "auto",
    kinds: Mapping[str, str] | None = None,
) -> FileRows:
    r"""Rows of a CSV, Parquet or JSON-lines file, one after another, without loading the file.

    Parameters
    ----------
    path : str or path
        The file. CSV and JSON lines may be compressed by gzip (``.csv.gz``). Values in CSV are separated by commas,
        semicolons, tabs or bars, whatever fits the first lines.
    target : str
        Column to be predicted. All others are features.
    ignore : iterable of str, optional
        Columns to leave out.
    labels : {"auto", "number", "class"}, default="auto"
        What the target is. "auto": numbers if the first one is a number, else classes.
    missing : {"keep", "skip", "error"}, default="keep"
        What to do with a row in which a value is missing: hand it on, for models that take missing values, as those of
        this library do; leave it out; or raise ValueError. A target must not be missing, unless such rows are left out.
        In text an empty cell, ``NA``, ``N/A``, ``NaN``, ``null`` and ``None`` are missing, in any case.
    format : {"auto", "csv", "parquet", "jsonl"}, default="auto"
        "auto" goes by the ending of the name.
    kinds : dict, optional
        What columns hold, by name: "number", "boolean", "date", "time", "duration" or "category". By default the first
        1,000 rows tell: numbers; true and false; ISO dates; times of day; else categories. Numbers if all are missing.
        A later value that does not fit is an error.

    Returns
    -------
    stream : FileRows
        Going through it gives rows ``(x, y)`` with x a mapping from column to value; `chunks` gives many at a time,
        from any row on. It can be gone through again. `column_kinds` has what each column was taken for.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hedgerow.stream import rows
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "trees.csv"
    >>> _ = path.write_text("height,girth,age\n12,1.5,40\n20,2.5,90\n")
    >>> next(iter(rows(path, target="age")))
    ({'height': 12.0, 'girth': 1.5}, 40.0)
    >>> _ = path.write_text("kind,planted,girth,age\noak,1984-04-01,NA,40\nelm,,2.5,90\n")
    >>> stream = rows(path, target="age")
    >>> stream.column_kinds
    {'kind': 'category', 'planted': 'date', 'girth': 'number'}
    >>> list(stream)[1]
    ({'kind': 'elm', 'planted': None, 'girth': 2.5}, 90.0)
    """
    if kinds is not None and not isinstance(kinds, Mapping):
        raise TypeError(f"kinds must be a mapping from columns to what they hold, got {kinds!r:.80}")
    for name, value, allowed in (
        ("labels", labels, ("auto", "number", "class")),
        ("missing", missing, ("keep", "skip", "error")),
        ("format", format, ("auto", *READERS)),
        *((f"kinds[{name!r}]", kind, WORDS) for name, kind in (kinds or {}).items()),
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
    return READERS[kind](file, target, tuple(ignore), labels, missing, kinds or {})


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except OverflowError:
        return True  # refused later, with its place
    except (TypeError, ValueError):
        return False
    return True


def _list(names: list[str]) -> str:
    shown = ", ".join(repr(str(name)) for name in names[:12])
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"
