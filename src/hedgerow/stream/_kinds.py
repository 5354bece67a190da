"""What a column of a file holds, by its first values: numbers, booleans, dates, times of day or categories.

In CSV every value is text, and so are the dates of JSON. Parquet has types of its own.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from hedgerow.base.columns import table

WORDS = ("number", "boolean", "date", "time", "duration", "category")
"""Kinds of columns, in the words of the models' `column_kinds_`."""

MISSING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"})
"""Text that stands for a missing value, in any case."""

MARKS = frozenset({"-", "--", "\N{EN DASH}", "\N{EM DASH}", "?"})
"""What people write where they have no number, date or time; a category may be called so."""

KINDS_IN_TEXT = ("number", "boolean", "date", "time")
TRUTHS = {"true": True, "false": False}
DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?", re.ASCII)
TIME = re.compile(r"\d\d:\d\d(:\d\d(\.\d+)?)?", re.ASCII)


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing: None, NaN, or text that stands for it."""
    return value.strip().lower() in MISSING if isinstance(value, str) else table.is_missing(value)


def is_mark(value: Any) -> bool:
    """Whether a cell holds a mark that stands for a missing value, unless it is one of several categories."""
    return isinstance(value, str) and value.strip() in MARKS


def kind_of(values: Iterable[Any], kinds_in_text: Sequence[str] = KINDS_IN_TEXT) -> str:
    """Return what a column holds that begins with these values; numbers if all are missing.

    Text may be of some kinds, else it is categories. Marks such as "-" do not count unless there is nothing else.
    """
    values = [value for value in values if not is_missing(value)]
    kinds = {_kind_of_one(value, kinds_in_text) for value in values if not is_mark(value)}
    if len(kinds) <= 1:
        return kinds.pop() if kinds else "category" if values else "number"
    return "number" if kinds == {"number", "boolean"} and "boolean" not in kinds_in_text else "category"


def read(value: Any, kind: str) -> Any:
    """Return a cell of a column of a kind as a Python value, None if it is missing; ValueError if it does not fit."""
    if is_missing(value) or (kind != "category" and is_mark(value)):
        return None
    if isinstance(value, list | dict):
        raise ValueError("not a single value")
    if kind == "category":
        return value if isinstance(value, str | bytes) else str(value)
    if not isinstance(value, str):
        if _kind_of_one(value, ()) not in {"number": ("number", "boolean")}.get(kind, (kind,)):
            raise ValueError(f"not a {kind}")
        return finite(value) if kind == "number" else value
    if kind == "number":
        return finite(value)
    if kind == "date":
        return datetime.datetime.fromisoformat(value.strip())
    if kind == "time":
        return datetime.time.fromisoformat(value.strip())
    if kind == "boolean" and value.strip().lower() in TRUTHS:
        return TRUTHS[value.strip().lower()]
    raise ValueError(f"not a {kind}")


def finite(value: Any) -> float:
    """Return a finite number, or raise ValueError."""
    if isinstance(value, str) and "_" in value:  # which Python allows in numbers; in files it belongs to names
        raise ValueError("not a number")
    try:
        number = float(value)
    except OverflowError:  # an integer of JSON may have any number of digits
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("not finite")
    return number


def _kind_of_one(value: Any, kinds_in_text: Sequence[str]) -> str:
    if isinstance(value, str):
        return next((kind for kind in kinds_in_text if _fits(value.strip(), kind)), "category")
    types: dict[str, Any] = {
        "boolean": bool,
        "number": int | float | Decimal,
        "date": datetime.date,
        "time": datetime.time,
        "duration": datetime.timedelta,
    }
    return next((kind for kind, type_ in types.items() if isinstance(value, type_)), "category")


def _fits(text: str, kind: str) -> bool:
    if (kind == "date" and not DATE.fullmatch(text)) or (kind == "time" and not TIME.fullmatch(text)):
        return False
    if kind == "number" and text.lower().lstrip("+-") in ("inf", "infinity"):
        return True  # refused later, with its place
    try:
        read(text, kind)
    except ValueError:
        return False
    return True
