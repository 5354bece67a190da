"""What each column of a table is taken for: a number, a category, a date, or nothing that a model can use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np

from hedgerow.cli._names import require, with_matches
from hedgerow.cli._output import Output
from hedgerow.cli._table import quoted
from hedgerow.cli._text import UNCLEAR_DATE, is_text, kind_of_text, nearly
from hedgerow.stream import _kinds

KINDS = {
    "number": "number",
    "boolean": "true or false",
    "category": "category",
    "date": "date",
    "time": "time of day",
    "duration": "duration",
    "unknown": "always missing",
}
"""Kinds of columns, in words."""

LEFT_OUT = "left out"
ID_NAME = re.compile(
    r"(?i:(^|[\s_.-])(id|ids|uuid|guid|key|index|rowid|row)$)|[a-z](Id|ID)$|^Unnamed: \d+$|^#$", re.ASCII
)
HARDLY_RECURS = 0.9
"""Text is left out if it has more different values than this share of its rows: a new row would hardly ever match."""
ENOUGH = 20
"""Rows from which it is seen that values do not recur."""


@dataclass(frozen=True)
class Column:
    """What a column was taken for, and why."""

    name: str
    kind: str
    missing: int
    notes: str

    @property
    def is_used(self) -> bool:
        """Whether a model learns it."""
        return self.kind != LEFT_OUT


def look_at(frame: Any, names: Sequence[str], categorical: Sequence[str], use: Sequence[str]) -> list[Column]:
    """Say what each of these columns is; those of `use` are not left out, those of `categorical` are categories."""
    return [_look_at_one(frame[name], name, name in categorical, name in use) for name in names]


def show_columns(out: Output, found: Sequence[Column]) -> None:
    """Say what each column was taken for."""
    rows: list[dict[str, Any]] = [
        {
            "column": column.name,
            "taken for": KINDS.get(column.kind, column.kind),
            "missing": column.missing or None,
            "notes": column.notes,
        }
        for column in found
    ]
    out.table("columns", rows, "What the columns were taken for")


def kind_of(column: Any) -> str:
    """Return what a column holds, by its type, or by its text."""
    if is_text(column):
        return _kinds.kind_of(column.to_list(), ("date", "time"))
    name = str(column.dtype)
    by_type = {"b": "boolean", "M": "date", "m": "duration"}
    return "category" if name == "category" else by_type.get(column.dtype.kind, "number")


def features(frame: Any, columns: Sequence[str], path: Path, kinds: Mapping[str, str]) -> Any:
    """Return these columns: dates and times as such, the others as they are.

    `kinds` is what some columns hold, which a model has learned, or categories that were requested. In the others
    text decides: it is dates or times if all of it is, else categories. Categories are text.
    """
    require(frame.columns, list(columns), path)
    chosen = frame[list(columns)].copy()
    for name in columns:
        column, kind = chosen[name], kinds.get(name, "unknown")
        if kind == "category" and column.dtype.kind in "iuf":
            chosen[name] = column.map(lambda value: f"{value:.17g}", na_action="ignore").astype(object)
        if not is_text(column) or kind == "category":
            continue
        values = column.to_list()
        kind = _kinds.kind_of(values, ("date", "time")) if kind == "unknown" else kind
        if kind != "category":
            _refuse_words(values, kind, name, path)
            read = [_cell(value, kind, name, path, row) for row, value in enumerate(values)]
            chosen[name] = type(column)(read, index=column.index, dtype=float if kind == "number" else object)
        if kind == "date":
            with suppress(ValueError, TypeError):  # dates before 1677, or in several time zones
                chosen[name] = chosen[name].astype("datetime64[ns]")
    return chosen


def require_learned(frame: Any, learned: Sequence[str], path: Path) -> None:
    """Say which columns that a model has learned are not in a file, and which of the file it does not know."""
    have = [str(name) for name in frame.columns]
    absent = [name for name in learned if name not in have]
    if absent:
        other = [name for name in have if name not in learned]
        rest = f"; it also has {quoted(other)}, which the model did not learn" if other else ""
        raise ValueError(
            f"{str(path)!r} lacks {len(absent):,} of {len(learned):,} columns that the model learned: "
            f"{with_matches(absent, other)}{rest}"
        )


def _look_at_one(column: Any, name: str, is_category: bool, is_wanted: bool) -> Column:
    missing, values = int(column.isna().sum()), column.dropna()
    distinct, kind = values.nunique(), "category" if is_category else kind_of(column)
    n = len(values)
    mixed = nearly(values) if kind == "category" and not is_category and is_text(column) else ""
    why = "" if is_category or is_wanted else _why_left_out(values, name, kind, distinct, n, missing)
    if why:
        return Column(name, LEFT_OUT, missing, mixed or why)
    if kind == "number" and not is_wanted and ID_NAME.search(name) and _are_whole(values) and distinct > 2:
        return Column(name, "category", missing, f"an id that recurs: {distinct:,} different in {n:,} rows")
    return Column(name, kind, missing, mixed or _notes(values, kind, distinct))


def _why_left_out(values: Any, name: str, kind: str, distinct: int, n: int, missing: int) -> str:
    """Return why a column is left out; nothing if it is not."""
    if n == 0:
        return "empty"
    if distinct == 1 and not missing:
        return f"always {_short(values.iloc[0])}"
    all_differ = distinct == n >= ENOUGH
    if kind == "category" and n >= ENOUGH and distinct > HARDLY_RECURS * n:
        what = "differs in every row" if all_differ else f"{distinct:,} different values in {n:,} rows"
        return f"text that hardly recurs: {what}"
    if kind == "number" and all_differ and _are_whole(values):
        if ID_NAME.search(name):
            return "an id: differs in every row"
        if (values - values.index).isin([0]).all() or (values - values.index).isin([1]).all():
            return "numbers the rows"
    return ""


def _notes(values: Any, kind: str, distinct: int) -> str:
    if distinct == 1 and kind != "boolean":
        return f"always {_short(values.iloc[0])}, or missing"
    if kind == "category":
        few = ", ".join(_short(value) for value in values.value_counts().index[:4])
        return f"{distinct:,} different: {few}{' ...' if distinct > 4 else ''}"
    if kind in ("number", "date", "time", "duration"):
        return f"{_short(values.min())} to {_short(values.max())}"
    return ""


def _are_whole(values: Any) -> bool:
    return bool(values.dtype.kind in "iu" or (values.dtype.kind == "f" and (values % 1 == 0).all()))


def _short(value: Any) -> str:
    """Return a value in a few characters."""
    if isinstance(value, float | np.floating):
        number = float(value)
        return f"{number:.0f}" if number.is_integer() and abs(number) < 1e15 else f"{number:.6g}"
    text = str(value).removesuffix(" 00:00:00")
    return text if len(text) <= 16 else f"{text[:15]}…"


def _refuse_words(values: Sequence[Any], kind: str, name: str, path: Path) -> None:
    """Say which words stand among the numbers or dates of a column, and what can be done about it."""
    texts = dict.fromkeys(value for value in values if isinstance(value, str) and not _kinds.is_mark(value))
    odd = [text for text in texts if not kind_of_text(text) and not _kinds.is_missing(text)]
    if odd and kind in ("number", "date"):
        some = [text for text in odd[:3] if "," not in text]
        marks = f"--missing {quote(','.join(some))} takes it for missing, or " if some else ""
        raise ValueError(
            f"column {name!r} of {str(path)!r} holds {quoted(odd)}, and the model has learned {kind}s there; {marks}"
            "fit the model again with --categorical"
        )


def _cell(value: Any, kind: str, name: str, path: Path, row: int) -> Any:
    try:
        return _kinds.read(value, kind)
    except ValueError:
        words = {"category": "categories"}.get(kind, f"{kind}s")
        is_unclear = kind == "date" and UNCLEAR_DATE.fullmatch(str(value))
        how = "--dates says whether day or month comes first" if is_unclear else "mend the file"
        raise ValueError(
            f"column {name!r} of {str(path)!r} is {value!r:.80} in row {row + 1:,}, and the model has learned {words} "
            f"there; {how}, or fit the model again with --categorical"
        ) from None
