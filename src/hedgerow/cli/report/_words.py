"""Numbers and values of tables as they are read on a page."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.cli._output import shown


def words_for(value: Any) -> str:
    """Return a value in words: dates without midnight, numbers in about four digits, and what is missing."""
    if value is None or value != value:
        return "missing"
    if isinstance(value, float | np.floating) and 1000 <= abs(float(value)) < 1e9:
        return f"{float(value):,.0f}"
    return str(value).removesuffix(" 00:00:00") if hasattr(value, "year") else shown(value)


def percent(share: float, digits: int = 0) -> str:
    """Return a share in percent."""
    return f"{100 * share:.{digits}f} %"


def listed(names: Any, most: int = 6) -> str:
    """Return the first of some names, and how many there are more."""
    every = [str(name) for name in names]
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more
