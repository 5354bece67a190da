"""Columns of numbers and of classes from a CSV file, through pandas, with errors that name file and column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def read_csv(path: Path) -> Any:
    """Read a CSV file as a pandas frame."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("reading CSV files needs pandas: pip install pandas") from None
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder, not a CSV file")
    try:
        # Before its third version pandas might miss the last digit; since then it may not be told not to.
        is_old = int(pd.__version__.partition(".")[0]) < 3
        frame = pd.read_csv(path, **({"float_precision": "round_trip"} if is_old else {}))
    except (UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise ValueError(f"{str(path)!r} is not a CSV file: {error}") from None
    if len(frame) == 0:
        raise ValueError(f"{str(path)!r} has a header but no rows")
    return frame


def numbers(frame: Any, columns: list[str], path: Path) -> Any:
    """Return these columns, all of finite numbers, or say which are not there or not numbers."""
    require(frame, columns, path)
    chosen = frame[columns]
    words = [name for name in columns if chosen[name].dtype.kind not in "biuf"]
    if words:
        raise ValueError(f"column {_list(words)} of {str(path)!r} does not hold numbers; encode it, or use --ignore")
    finite = np.isfinite(chosen.to_numpy(dtype=np.float64)).all(axis=0)
    if not finite.all():
        holes = [name for name, whole in zip(columns, finite, strict=True) if not whole]
        raise ValueError(f"column {_list(holes)} of {str(path)!r} has missing or infinite values; fill or drop them")
    return chosen


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


def _list(names: list[str]) -> str:
    shown = ", ".join(repr(str(name)) for name in names[:12])
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"
