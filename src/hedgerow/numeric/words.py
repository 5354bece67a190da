"""Numbers and values as people read them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

MAY_BE_YEARS = 10_000
"""Below, whole numbers in tables have no comma between thousands."""


def number_in_words(value: float, digits: int = 4) -> str:
    """Return a number: all digits before the point, so many in all, an exponent only if it is very small or large."""
    if not math.isfinite(value) or abs(value) >= 1e15:
        return f"{value:.{digits}g}"
    if abs(value) >= 10 ** (digits - 1) or float(value).is_integer():
        return f"{round(value):,}"
    return f"{value:.{digits}g}" if abs(value) >= 0.001 else f"{value:.2g}"


def words_for(value: Any) -> str:
    """Return a value of a table: numbers in four digits, a day without an hour, and what is missing."""
    if value is None or value != value:
        return "missing"
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        number = float(value)
        is_short = abs(number) < MAY_BE_YEARS and number.is_integer()
        return str(int(number)) if is_short else number_in_words(number)
    return str(value).removesuffix(" 00:00:00") if hasattr(value, "year") else str(value)
