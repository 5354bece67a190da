"""Columns of a CSV or Parquet file, through pandas, with errors that name file and column."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.stream import _kinds


def read_table(path: Path, categories: Iterable[str] = ()) -> Any:
    """Read a CSV or Parquet file as a pandas frame; in CSV the columns named stay text as it is written."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("reading tables needs pandas: pip install pandas") from None
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder, not a CSV file")
    frame = _read_parquet(path, pd) if path.suffix in (".parquet", ".pq") else _read_csv(path, pd, list(categories))
    if len(frame) == 0:
        raise ValueError(f"{str(path)!r} has a header but no rows")
    return frame


def features(frame: Any, columns: list[str], path: Path, kinds: Mapping[str, str]) -> Any:
    """Return these columns: dates and times as such, the others as they are.

    `kinds` says what some columns hold, which a model has learned, or categories that were asked for. In the others
    text tells: it is dates or times if all of it is, else categories.
    """
    require(frame, columns, path)
    chosen = frame[columns].copy()
    for name in columns:
        column, kind = chosen[name], kinds.get(name, "unknown")
        if not _is_text(column) or kind == "category":
            continue
        values = column.to_list()
        kind = _kinds.kind_of(values, ("date", "time")) if kind == "unknown" else kind
        if kind != "category":
            read = [_cell(value, kind, name, path, row) for row, value in enumerate(values)]
            chosen[name] = type(column)(read, index=column.index, dtype=float if kind == "number" else object)
    return chosen


def numbers(frame: Any, column: str, path: Path) -> Any:
    """Return a column of finite numbers, or say that it is not there or does not hold numbers."""
    require(frame, [column], path)
    if frame[column].dtype.kind not in "biuf":
        raise ValueError(f"column {column!r} of {str(path)!r} does not hold numbers")
    found = frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
    if not np.isfinite(found).all():
        raise ValueError(f"column {column!r} of {str(path)!r} has missing or infinite values; fill or drop them")
    return found


def classes(frame: Any, column: str, path: Path) -> Any:
    """Return a column of class labels, of any kind, none missing."""
    require(frame, [column], path)
    if frame[column].isna().any():
        raise ValueError(f"column {column!r} of {str(path)!r} has missing values; fill or drop them")
    return frame[column].to_numpy()


def holds_words(frame: Any, column: str, path: Path) -> bool:
    """Whether a column is text, or true and false, so that its values can only be classes."""
    require(frame, [column], path)
    return frame[column].dtype.kind not in "iuf"


def require(frame: Any, columns: list[str], path: Path) -> None:
    """Say which of these columns are not there."""
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise ValueError(f"{str(path)!r} has no column {_list(missing)}; it has {_list(list(frame.columns))}")


def _read_csv(path: Path, pd: Any, categories: list[str]) -> Any:
    try:
        # Before its third version pandas might miss the last digit; since then it may not be told not to.
        is_old = int(pd.__version__.partition(".")[0]) < 3
        return pd.read_csv(
            path,
            dtype=dict.fromkeys(categories, str),
            na_values=sorted({*_kinds.MISSING, *map(str.upper, _kinds.MISSING), *map(str.title, _kinds.MISSING)}),
            low_memory=False,  # the type of a column follows from all of it
            **({"float_precision": "round_trip"} if is_old else {}),
        )
    except (UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError, EOFError, zlib.error) as error:
        raise ValueError(f"{str(path)!r} is not a CSV file: {error}") from None


def _read_parquet(path: Path, pd: Any) -> Any:
    try:
        return pd.read_parquet(path)
    except ImportError:
        raise ImportError("Parquet files need pyarrow: pip install 'hedgerow[parquet]'") from None
    except ValueError as error:
        raise ValueError(f"{str(path)!r} is not a Parquet file, or damaged: {error}") from None


def _is_text(column: Any) -> bool:
    """Whether a column holds text, or Python values of any kind."""
    return column.dtype == object or str(column.dtype).startswith("str")


def _cell(value: Any, kind: str, name: str, path: Path, row: int) -> Any:
    try:
        return _kinds.read(value, kind)
    except ValueError:
        words = {"category": "categories"}.get(kind, f"{kind}s")
        raise ValueError(
            f"column {name!r} of {str(path)!r} is {value!r:.80} in row {row + 1:,}, and the model has learned {words} "
            "there; mend the file, or fit the model again with --categorical"
        ) from None


def _list(names: list[str]) -> str:
    shown = ", ".join(repr(str(name)) for name in names[:12])
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"
