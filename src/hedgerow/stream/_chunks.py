"""Streams: rows that come in an order, handed on in chunks, from any row on.

Whatever users call a stream (our own readers, arrays, frames, chunks, single rows of any kind) becomes chunks of one
form here. Nothing that is computed from rows depends on how they are split into chunks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from hedgerow.base.columns.table import column_names, is_missing, is_plain, python_columns, read_cells

CHUNK = 1000
NUMBER = float | int | np.number | None
DIFFERENT_WIDTHS = "the rows of a stream must all have the same number of features"
Row = Sequence[Any] | npt.NDArray[Any]


@dataclass(frozen=True)
class Chunk:
    """Consecutive rows of a stream."""

    X: npt.NDArray[Any]
    """Shape (n, d): numbers, NaN where one is missing; or, if some column holds anything else, Python values (text,
    dates, numbers, None where one is missing)."""
    y: npt.NDArray[Any]
    """Shape (n,): targets, or labels of classes of any kind."""
    names: tuple[str, ...] | None = None
    """Names of the columns, where they have names."""

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __getitem__(self, rows: slice) -> Chunk:
        return Chunk(self.X[rows], self.y[rows], self.names)

    def row(self, index: int) -> Any:
        """One row: a mapping where columns have names, or a vector."""
        if self.names is None:
            return self.X[index]
        return dict(zip(self.names, self.X[index].tolist(), strict=True))


class Stream:
    """Rows that can be gone through again and again, and from any row on.

    Going through a stream gives rows ``(x, y)``; `chunks` gives the same rows many at a time.
    """

    change_points: tuple[int, ...] = ()
    """Rows at which the distribution of the stream is known to change."""

    def chunks(self, start: int = 0, size: int = CHUNK) -> Iterator[Chunk]:
        """Yield the rows from `start` on, at most `size` at a time."""
        raise NotImplementedError

    @property
    def n_rows(self) -> int | None:
        """Number of rows; None where that is known only at the end."""
        return None

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for chunk in self.chunks():
            labels = chunk.y.tolist()
            for index in range(len(chunk)):
                yield chunk.row(index), labels[index]


class ArrayStream(Stream):
    """Rows of a matrix or frame, with their targets."""

    def __init__(self, X: Any, y: Any) -> None:
        self._rows = as_chunk(X, y)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self._rows)

    def chunks(self, start: int = 0, size: int = CHUNK) -> Iterator[Chunk]:
        """Yield the rows from `start` on."""
        for begin in range(start, len(self._rows), size):
            yield self._rows[begin : begin + size]


class IterableStream(Stream):
    """Rows ``(x, y)`` or chunks ``(X, y)`` from any iterable. Rows before the first one wanted are thrown away."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = items
        self.change_points = tuple(getattr(items, "change_points", ()))

    @property
    def n_rows(self) -> int | None:
        """Nothing is known of an iterable's rows."""
        return None

    def chunks(self, start: int = 0, size: int = CHUNK) -> Iterator[Chunk]:
        """Yield the rows from `start` on."""
        seen = 0
        for chunk in self._as_they_come(size):
            wanted = chunk[max(0, start - seen) :]
            seen += len(chunk)
            for begin in range(0, len(wanted), size):
                yield wanted[begin : begin + size]

    def _as_they_come(self, size: int) -> Iterator[Chunk]:
        items = map(_pair, self._items)
        reader: _Rows | None = None
        for x, y in items:
            if _is_matrix(x):
                yield as_chunk(x, y)
                continue
            reader = _Rows(x) if reader is None else reader
            rows, labels = [reader(x)], [y]
            for x_next, y_next in islice(items, size - 1):
                rows.append(reader(x_next))
                labels.append(y_next)
            yield Chunk(as_matrix(rows, reader.width), label_vector(labels), reader.names)


class _Rows:
    """Reads rows that are like the first one: mappings with its keys, or sequences of its length."""

    def __init__(self, first: Any) -> None:
        self._keys = tuple(first) if isinstance(first, Mapping) else None
        self.names = None if self._keys is None else tuple(map(str, self._keys))
        self.width = len(self._values(first))
        if not self.width:
            raise ValueError("a row must have at least one feature")

    def __call__(self, x: Any) -> Row:
        row = self._values(x)
        if len(row) != self.width:
            raise ValueError(f"the first row of the stream has {self.width} features, another has {len(row)}")
        return row

    def _values(self, x: Any) -> Row:
        if self._keys is None:
            if isinstance(x, Mapping):
                raise ValueError("the first row of the stream is a sequence, another is a mapping")
            if isinstance(x, str | bytes) or not isinstance(x, Iterable) or getattr(x, "ndim", 1) != 1:
                raise ValueError(f"a row must be a mapping, a sequence or a 1-D array, got {x!r:.80}")
            return x if isinstance(x, list | tuple | np.ndarray) else list(x)
        if not isinstance(x, Mapping):
            raise ValueError(f"the first row of the stream is a mapping, another is a {type(x).__name__}")
        missing = [key for key in self._keys if key not in x]
        if missing:
            raise ValueError(
                f"a row of the stream has no feature {missing[0]!r}, which the first one has; a value that is missing "
                "is None or NaN"
            )
        return [x[key] for key in self._keys]


def aligned(chunks: Iterable[Chunk], row: int, size: int = CHUNK) -> Iterator[Chunk]:
    """Yield the same rows, the first of which is number `row`, in chunks that end at multiples of `size`.

    Which rows share a chunk is then the same wherever a stream was cut before.
    """
    held: list[Chunk] = []
    for chunk in chunks:
        rest = chunk
        while len(rest):
            room = size - row % size
            part, rest = rest[:room], rest[room:]
            held.append(part)
            row += len(part)
            if row % size == 0:
                yield _joined(held)
                held = []
    if held:
        yield _joined(held)


def _joined(chunks: list[Chunk]) -> Chunk:
    if len(chunks) == 1:
        return chunks[0]
    if len({chunk.X.shape[1] for chunk in chunks}) > 1:
        raise ValueError(DIFFERENT_WIDTHS)
    return Chunk(
        np.concatenate([chunk.X for chunk in chunks]), np.concatenate([chunk.y for chunk in chunks]), chunks[0].names
    )


def as_stream(stream: Any) -> Stream:
    """Return whatever users call a stream as one, or raise TypeError with what can be one."""
    if isinstance(stream, Stream):
        return stream
    if isinstance(stream, tuple) and len(stream) == 2 and (_is_matrix(stream[0]) or isinstance(stream[0], Mapping)):
        return ArrayStream(*stream)
    if isinstance(stream, Iterable) and not isinstance(stream, str | bytes | Mapping | np.ndarray):
        return IterableStream(stream)
    raise TypeError(
        "a stream is an iterable of rows (x, y) or of chunks (X, y), a pair of arrays (X, y), or what "
        f"hedgerow.stream.rows and friedman_drift return; got {type(stream).__name__}"
    )


def as_chunk(X: Any, y: Any) -> Chunk:
    """Return a matrix, a frame or a dictionary of columns and its targets as a chunk."""
    names = column_names(X)
    if names is None and not _is_matrix(X):
        raise ValueError(f"X must be a table: an array of two dimensions, a frame, or rows; got {X!r:.80}")
    if isinstance(X, list):
        if len({np.size(row) for row in X}) > 1:
            raise ValueError(DIFFERENT_WIDTHS)
        matrix = as_matrix(X, len(X[0]))
    elif names is None and is_plain(X):
        matrix = np.ascontiguousarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    elif is_plain(X):
        matrix = read_cells(X, names or (), set(), None).values
    else:
        columns = python_columns(X)
        if len({len(column) for column in columns}) > 1:
            raise ValueError("the columns of a stream must all have the same number of values")
        matrix = as_matrix(list(zip(*columns, strict=True)), len(columns))
    labels = label_vector(y)
    if labels.shape != (matrix.shape[0],):
        raise ValueError(f"{matrix.shape[0]} rows came with labels of shape {labels.shape}; expected one label a row")
    return Chunk(matrix, labels, names)


def as_matrix(rows: Sequence[Row], width: int) -> npt.NDArray[Any]:
    """Return rows as a matrix: of numbers, NaN where one is missing; or of Python values, if there is anything else."""
    if rows and all(isinstance(row, np.ndarray) and row.dtype.kind in "biuf" for row in rows):
        return np.array(rows, dtype=np.float64)
    if all(isinstance(value, NUMBER) for row in rows for value in row):
        return np.array(rows, dtype=np.float64).reshape(-1, width)
    matrix = np.empty((len(rows), width), dtype=object)
    for index, row in enumerate(rows):
        matrix[index] = [None if is_missing(value) else value for value in row]
    return matrix


def label_vector(y: Any) -> npt.NDArray[Any]:
    """Labels as a vector: of numbers if they are, else of objects as they came."""
    if not hasattr(y, "__array__") and not isinstance(y, Sequence):
        raise ValueError(f"y must be a label a row, got {y!r:.80}")
    labels = y if isinstance(y, np.ndarray) else np.asarray(y) if hasattr(y, "__array__") else None
    if labels is None:
        labels = np.asarray(y) if all(isinstance(label, int | float | np.number) for label in y) else _objects(y)
    return labels


def _objects(y: Sequence[Any]) -> npt.NDArray[Any]:
    labels = np.empty(len(y), dtype=object)
    labels[:] = list(y)
    return labels


def _is_matrix(x: Any) -> bool:
    shape = getattr(x, "shape", None)
    return (shape is not None and len(shape) == 2) or (
        isinstance(x, list) and bool(x) and isinstance(x[0], list | tuple | np.ndarray)
    )


def _pair(item: Any) -> tuple[Any, Any]:
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise TypeError(f"a stream must give pairs (x, y), got {type(item).__name__} {item!r:.80}")
    return item[0], item[1]
