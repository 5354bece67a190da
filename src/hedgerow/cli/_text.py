"""Text in tables that is something else: numbers with decimal commas or thousands separators, dates of other forms."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hedgerow.stream import _kinds

PLAIN, DECIMAL, GROUPED = "numbers", "numbers with decimal commas", "numbers with thousands separators"
NUMBERS = {
    PLAIN: re.compile(r"[+-]?(\d{1,18}(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII),
    DECIMAL: re.compile(r"[+-]?((\d+|\d{1,3}(\.\d{3})+)(,\d*)?|,\d+)([eE][+-]?\d+)?", re.ASCII),
    GROUPED: re.compile(r"[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d*)?([eE][+-]?\d+)?", re.ASCII),
}
CODE = re.compile(r"0\d+", re.ASCII)
MARKS = "€|\\$|£|¥|%|EUR|USD|GBP|CHF|Fr\\."
WITH_UNIT = re.compile(rf"(?P<before>{MARKS})?\s*(?P<number>[^\s].*?)\s*(?P<after>{MARKS})?")
"""A number with a currency or a percent sign on one side."""
MOSTLY = 0.9
"""Text of which so many rows are numbers, or dates, is worth a word."""
DATES = {
    "%d.%m.%Y": re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}", re.ASCII),
    "%d.%m.%Y %H:%M": re.compile(r"\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d\d", re.ASCII),
    "%Y/%m/%d": re.compile(r"\d{4}/\d{1,2}/\d{1,2}", re.ASCII),
    "%Y/%m/%d %H:%M": re.compile(r"\d{4}/\d{1,2}/\d{1,2} \d{1,2}:\d\d", re.ASCII),
}
"""Forms of dates, besides ISO's, in which the order of day and month is clear."""
UNCLEAR = "left as text, because it is not clear whether day or month comes first (write 2025-12-31)"
UNCLEAR_DATE = re.compile(r"\d{1,2}/\d{1,2}/\d{2,4}( .*)?", re.ASCII)


def is_text(column: Any) -> bool:
    """Whether a column holds text, or Python values of any kind."""
    return column.dtype == object or str(column.dtype).startswith("str")


def is_code(text: str) -> bool:
    """Whether a cell is digits that begin with a zero, such as postal codes: no number is written so."""
    return CODE.fullmatch(text.strip()) is not None


def mend_text(frame: Any, stays_text: Callable[[str], bool], delimiter: str | None) -> list[str]:
    """Turn columns of text that are numbers or dates into those, in place, and return what there is to say.

    Blanks around text are taken away. Columns of which `stays_text` is true stay text. Numbers are looked for only in
    CSV, which has a delimiter; elsewhere text is text.
    """
    said: dict[str, list[str]] = {}
    for name in [name for name in frame.columns if is_text(frame[name])]:
        column = frame[name] = frame[name].map(_stripped, na_action="ignore")
        values = column.dropna().unique()
        if stays_text(str(name)) or not len(values) or not all(isinstance(value, str) for value in values):
            continue
        what, mended = _as_numbers(column, values, delimiter) or _as_dates(column, values) or ("", column)
        frame[name] = mended
        if what:
            said.setdefault(what, []).append(str(name))
    return [f"{what}: {', '.join(names)}" for what, names in said.items() if what != PLAIN]


def _as_numbers(column: Any, texts: Any, delimiter: str | None) -> tuple[str, Any] | None:
    """Return what kind of numbers these are, and the numbers; None if they are none."""
    if delimiter is None:
        return None
    unit, bare = _without_unit(texts)
    with_commas = [DECIMAL, GROUPED] if delimiter == ";" else [GROUPED, DECIMAL]
    for what in with_commas if any("," in text for text in bare) else [PLAIN]:
        if all(NUMBERS[what].fullmatch(text) for text in bare):
            away, point = (".", ",") if what == DECIMAL else (",", ".")
            numbers = [float(text.replace(away, "").replace(point, ".")) for text in bare]
            read = dict(zip(texts, numbers, strict=True))
            return f"{what} in {unit}" if unit else what, column.map(read).astype(float)
    return None


def _without_unit(texts: Any) -> tuple[str, list[str]]:
    """Return the unit that stands in every cell, and the cells without it; no unit if there is none, or several."""
    found = [WITH_UNIT.fullmatch(text) for text in texts]
    units = {(match["before"] or "") + (match["after"] or "") if match else "" for match in found}
    if len(units) != 1 or not (unit := units.pop()):
        return "", list(texts)
    return unit, [match["number"] for match in found if match]


def nearly(values: Any) -> str:
    """Return what most of a column of text is, and which cells are something else; nothing if it is only text."""
    counts = values.map(str).value_counts()
    kinds = {text: _kind_of_text(text) for text in counts.index}
    for kind in ("numbers", "dates"):
        odd = [text for text in counts.index if kinds[text] != kind]
        n = int(counts[odd].sum())
        if 0 < n <= (1 - MOSTLY) * len(values):
            named = ", ".join(repr(text) for text in odd[:3]) + (" ..." if len(odd) > 3 else "")
            rows = f"{n:,} row{'s' * (n > 1)}"
            return f"{kind} but for {named} in {rows}: empty those cells to use it as {kind}"
    return ""


def _kind_of_text(text: str) -> str:
    if any(pattern.fullmatch(text) for pattern in NUMBERS.values()):
        return "numbers"
    return "dates" if any(pattern.fullmatch(text) for pattern in (*DATES.values(), _kinds.DATE)) else ""


def _as_dates(column: Any, texts: Any) -> tuple[str, Any] | None:
    """Return dates, or that it is not clear which ones; None if these are none."""
    import pandas as pd

    form = next((form for form, pattern in DATES.items() if all(map(pattern.fullmatch, texts))), None)
    if form is not None:
        with suppress(ValueError, OverflowError):
            return "dates that do not follow ISO 8601", pd.to_datetime(column, format=form)
    return (UNCLEAR, column) if all(UNCLEAR_DATE.fullmatch(text) for text in texts) else None


def _stripped(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return str(value)  # a name made of digits
    if not isinstance(value, str):
        return value
    text = value.strip()
    return None if _kinds.is_missing(text) else text
