"""Text in tables that is something else: numbers with decimal commas or thousands separators, dates of other forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any

from hedgerow.stream import _kinds

PLAIN, DECIMAL, GROUPED = "numbers", "numbers with decimal commas", "numbers with thousands separators"
DOTTED, THREE_PLACES = "numbers with dots between thousands", "numbers whose dots are taken for decimal points"
NUMBERS = {
    PLAIN: re.compile(r"[+-]?(\d{1,18}(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII),
    DECIMAL: re.compile(r"[+-]?((\d+|\d{1,3}(\.\d{3})+)(,\d*)?|,\d+)([eE][+-]?\d+)?", re.ASCII),
    GROUPED: re.compile(r"[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d*)?([eE][+-]?\d+)?", re.ASCII),
}
ONE_DOT = re.compile(r"[+-]?(\d+|\d{1,3}\.\d{3})", re.ASCII)
SEVERAL_DOTS = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)", re.ASCII)
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
ISO = "ISO8601"
UNCLEAR = "left as text, because it is not clear whether day or month comes first (--dates says it)"
UNCLEAR_DATE = re.compile(r"\d{1,2}/\d{1,2}/\d{2,4}( .*)?", re.ASCII)
SLASHED = re.compile(r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/\d{4}(?P<time> \d{1,2}:\d\d)?", re.ASCII)
MONTHS = 12
DAY_FIRST, MONTH_FIRST = "day-first", "month-first"
ORDERS = {DAY_FIRST: "first", MONTH_FIRST: "second"}
"""Orders of day and month, and the part of a date that is the day."""
ENOUGH = 20
"""Different numbers, or dates, from which one text among them is a word for a missing value."""
HALF, MOST_NAMED = 0.5, 3


@dataclass(frozen=True)
class Reading:
    """What the user knows of the text in a table."""

    missing: tuple[str, ...] = ()
    """Further marks of missing values."""
    dates: str = ""
    """Whether dates such as 01/02/2025 have the day first, or the month; nothing: as far as the column shows it."""
    known: frozenset[str] = frozenset()
    """Columns that are known to hold numbers or dates."""


AS_IT_IS = Reading()


def knowing(reading: Reading, kinds: Mapping[str, str]) -> Reading:
    """Return the same for columns of which a model knows what they hold."""
    return replace(reading, known=frozenset(name for name, kind in kinds.items() if kind in ("number", "date")))


def is_text(column: Any) -> bool:
    """Whether a column holds text, or Python values of any kind."""
    return column.dtype == object or str(column.dtype).startswith("str")


def is_code(text: str) -> bool:
    """Whether a cell is digits that begin with a zero, such as postal codes: no number is written so."""
    return CODE.fullmatch(text.strip()) is not None


def with_dots(cells: Sequence[str], delimiter: str) -> bool:
    """Whether dots in these cells may stand between thousands: three digits follow each, in a file with semicolons."""
    bare = _without_unit([cell.strip() for cell in cells if not _is_nothing(cell)])[1]
    return delimiter == ";" and any("." in text for text in bare) and all(map(SEVERAL_DOTS.fullmatch, bare))


def mend_text(
    frame: Any, stays_text: Callable[[str], bool], delimiter: str | None, reading: Reading = AS_IT_IS
) -> list[str]:
    """Turn columns of text that are numbers or dates into those, in place, and return what there is to say.

    Blanks around text are taken away. Columns of which `stays_text` is true stay text. Text that is plain digits is a
    number only in CSV, which has a delimiter. Marks such as "-" are missing values among numbers and dates, and so is
    a word that is the only one among many of them.
    """
    notes: dict[str, list[str]] = {}
    waiting: dict[str, Any] = {}
    lone: dict[str, str] = {}
    for name in [name for name in frame.columns if is_text(frame[name])]:
        column = frame[name].map(_stripped, na_action="ignore")
        column = frame[name] = column.mask(column.isin(reading.missing)) if reading.missing else column
        values = column.dropna().unique()
        if stays_text(str(name)) or not len(values) or not all(isinstance(value, str) for value in values):
            continue
        texts = [value for value in values if not _kinds.is_mark(value)]
        if delimiter is not None and (word := _lone_word(column, texts, str(name) in reading.known)):
            lone[name] = word
            texts.remove(word)
        waiting[name] = texts
    has_commas = delimiter == ";" and any(
        _kind_of_numbers(texts, ";", False)[0] == DECIMAL for texts in waiting.values()
    )
    for name, texts in waiting.items():
        column = frame[name]
        what, mended = (
            _as_numbers(column, texts, delimiter, has_commas) or _as_dates(column, texts, reading.dates) or ("", column)
        )
        is_mark = [_kinds.is_mark(value) or value == lone.get(name) for value in column.dropna().unique()]
        marks = list(column.dropna().unique()[is_mark]) if texts else []
        if marks and (what != UNCLEAR if what else all(map(_kinds.DATE.fullmatch, texts))):
            notes.setdefault(f"{', '.join(map(repr, marks))} is taken for a missing value", []).append(str(name))
            mended = mended.mask(column.isin(marks))
        frame[name] = mended
        if what:
            notes.setdefault(what, []).append(str(name))
    return [f"{what}: {', '.join(names)}" for what, names in notes.items() if what != PLAIN]


def _lone_word(column: Any, texts: Sequence[str], is_known: bool) -> str:
    """Return the only word among numbers or dates; nothing if there is none, or several.

    Where it is not known what the column holds, many different of them must be there, and in half of the rows.
    """
    few = len(texts) <= (1 if is_known else ENOUGH)
    if few or sum(not kind_of_text(text) for text in texts[:ENOUGH]) > 1:
        return ""
    for kind in ("numbers", "dates"):
        odd = [text for text in texts if kind_of_text(text) != kind]
        if len(odd) == 1 and not any(map(str.isdigit, odd[0])):
            return odd[0] if is_known or (column == odd[0]).mean() <= HALF else ""
    return ""


def _as_numbers(column: Any, texts: Sequence[str], delimiter: str | None, has_commas: bool) -> tuple[str, Any] | None:
    """Return what kind of numbers these are, and the numbers; None if they are none."""
    what, unit, bare = _kind_of_numbers(texts, delimiter, has_commas)
    if not what:
        return None
    away, point = (".", ",") if what in (DECIMAL, DOTTED) else (",", ".")
    numbers = [float(text.replace(away, "").replace(point, ".")) for text in bare]
    read = dict(zip(texts, numbers, strict=True))
    return f"{what} in {unit}" if unit else what, column.map(read).astype(float)


def _kind_of_numbers(texts: Sequence[str], delimiter: str | None, has_commas: bool) -> tuple[str, str, list[str]]:
    """Return what kind of numbers these are, the unit of all of them, and the numbers without it; "" if they are none.

    `has_commas` is whether the file writes decimal commas elsewhere, so that a dot stands between thousands. Parquet
    and JSON, which have no delimiter, have types: there only text with a unit or with groups of digits is a number.
    """
    unit, bare = _without_unit(texts) if texts else ("", [])
    is_typed = delimiter is None
    if not texts or (is_typed and not unit and not any("," in text for text in bare)):
        return "", "", []
    if any("," in text for text in bare):
        kinds = [DECIMAL, GROUPED] if delimiter == ";" else [GROUPED, DECIMAL][: 1 if is_typed and not unit else 2]
        return next((what for what in kinds if all(map(NUMBERS[what].fullmatch, bare))), ""), unit, bare
    what = PLAIN if all(map(NUMBERS[PLAIN].fullmatch, bare)) else ""
    if any("." in text for text in bare) and all(map(SEVERAL_DOTS.fullmatch, bare)):
        is_clear = not all(map(ONE_DOT.fullmatch, bare)) or has_commas or (delimiter == ";" and unit not in ("", "%"))
        what = DOTTED if is_clear else THREE_PLACES if delimiter == ";" else "" if is_typed else what
    return what, unit, bare


def _without_unit(texts: Sequence[str]) -> tuple[str, list[str]]:
    """Return the unit that stands in every cell, and the cells without it; no unit if there is none, or several."""
    found = [WITH_UNIT.fullmatch(text) for text in texts]
    units = {(match["before"] or "") + (match["after"] or "") if match else "" for match in found}
    if len(units) != 1 or not (unit := units.pop()):
        return "", list(texts)
    return unit, [match["number"] for match in found if match]


def nearly(values: Any) -> str:
    """Return what most of a column of text is, and which cells are something else; nothing if it is only text."""
    counts = values.map(str).value_counts()
    kinds = {text: kind_of_text(text) for text in counts.index}
    for kind in ("numbers", "dates"):
        odd = [text for text in counts.index if kinds[text] != kind]
        n = int(counts[odd].sum())
        if 0 < n <= (1 - MOSTLY) * len(values):
            named = ", ".join(repr(text) for text in odd[:3]) + (" ..." if len(odd) > 3 else "")
            rows = f"{n:,} row{'s' * (n > 1)}"
            marks = ",".join(odd)
            how = f"--missing {quote(marks)}" if len(odd) <= MOST_NAMED and marks.count(",") < len(odd) else ""
            return f"{kind} but for {named} in {rows}: {how or 'empty those cells'} to use it as {kind}"
    return ""


def kind_of_text(text: str) -> str:
    """Return whether a cell of text is one of numbers, in any notation, or of dates; nothing if it is neither."""
    bare = _without_unit([text])[1][0]
    if any(pattern.fullmatch(bare) for pattern in NUMBERS.values()):
        return "numbers"
    return "dates" if any(pattern.fullmatch(text) for pattern in (*DATES.values(), SLASHED, _kinds.DATE)) else ""


def _as_dates(column: Any, texts: Sequence[str], given: str = "") -> tuple[str, Any] | None:
    """Return dates, or that it is not clear which ones; None if these are none, or ISO's only."""
    import pandas as pd

    order = _order_of(texts, given)
    forms = {text: _form_of(text, order) for text in texts}
    if any(form != ISO for form in forms.values()) and all(forms.values()):
        with suppress(ValueError, OverflowError):
            read = {text: pd.to_datetime(text, format=form) for text, form in forms.items()}
            what = "dates that do not follow ISO 8601"
            if any("/%m/%Y" in str(form) or "/%d/%Y" in str(form) for form in forms.values()):
                what = f"dates with the {'day' if order == DAY_FIRST else 'month'} first"
            elif len(set(forms.values())) > 1:
                what = "dates of several forms"
            return what, pd.to_datetime(column.map(read))
    return (UNCLEAR, column) if texts and all(UNCLEAR_DATE.fullmatch(text) for text in texts) else None


def _order_of(texts: Sequence[str], given: str) -> str:
    """Return whether day or month comes first in dates with slashes: one of the two exceeds 12, or it is given."""
    found = [match for match in map(SLASHED.fullmatch, texts) if match]
    found_orders = {order for match in found for order, part in ORDERS.items() if int(match[part]) > MONTHS}
    if not found_orders:
        return given
    order = found_orders.pop()
    return order if not found_orders and given in ("", order) else ""


def _form_of(text: str, order: str = "") -> str | None:
    """Return the form of a date; None if it is none, or not clear."""
    if _kinds.DATE.fullmatch(text):
        return ISO
    if order and (match := SLASHED.fullmatch(text)):
        return ("%d/%m/%Y" if order == DAY_FIRST else "%m/%d/%Y") + (" %H:%M" if match["time"] else "")
    return next((form for form, pattern in DATES.items() if pattern.fullmatch(text)), None)


def _is_nothing(cell: str) -> bool:
    return _kinds.is_missing(cell) or _kinds.is_mark(cell)


def _stripped(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return str(value)  # a name made of digits
    if not isinstance(value, str):
        return value
    text = value.strip()
    return None if _kinds.is_missing(text) else text
