"""Names that users give: columns, models, parameters; errors name all that are not there, and near matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from hedgerow.cli._output import UsageError
from hedgerow.cli._table import quoted
from hedgerow.cli._text import DAY_FIRST, MONTH_FIRST, Reading


def require(columns: Iterable[Any], wanted: Sequence[str], path: Path, option: str = "") -> None:
    """Say which of the columns wanted are not there, all at once; `option` is where they were named."""
    have = [str(name) for name in columns]
    absent = [name for name in dict.fromkeys(wanted) if name not in have]
    if absent:
        raise ValueError(
            f"{option and f'{option}: '}{str(path)!r} has no column {with_matches(absent, have)}; it has {quoted(have)}"
        )


def with_matches(absent: Sequence[str], have: Sequence[str]) -> str:
    """Return names that are not there, each with what might be meant."""
    found = []
    for name in absent:
        match = near(name, have)
        found.append(f"{name!r} (did you mean {match!r}?)" if match else repr(name))
    shown = ", ".join(found[:12])
    return shown if len(found) <= 12 else f"{shown} and {len(found) - 12} more"


def near(name: str, have: Sequence[str]) -> str | None:
    """Return the name that is most like this one, whatever its case; None if none is like it."""
    plain = {each.strip().lower(): each for each in reversed(have)}
    matches = get_close_matches(name.strip().lower(), list(plain), n=1, cutoff=0.6)
    return plain[matches[0]] if matches else None


def listed(given: Sequence[str] | None, columns: Iterable[Any]) -> list[str]:
    """Return names given by an option that may be repeated, and may hold several names between commas."""
    have = set(map(str, columns))
    names: list[str] = []
    for text in given or ():
        names += [text] if text in have else [part.strip() for part in text.split(",") if part.strip()]
    return list(dict.fromkeys(names))


def chosen(option: str, value: str, allowed: Sequence[str]) -> str:
    """Return a value that must be one of some words."""
    if value not in allowed:
        match = near(value, allowed)
        guess = f"; did you mean {match!r}?" if match else ""
        raise UsageError(f"{option} must be one of {', '.join(allowed)}, got {value!r}{guess}")
    return value


def reading_of(missing: Sequence[str] | None, dates: str | None) -> Reading:
    """Return what --missing and --dates give."""
    marks = [mark.strip() for mark in listed(missing, ())]
    return Reading(tuple(marks), chosen("--dates", dates, (DAY_FIRST, MONTH_FIRST)) if dates else "")
