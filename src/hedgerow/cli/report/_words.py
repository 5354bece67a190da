"""Numbers and values of tables as they are read on a page."""

from __future__ import annotations

from typing import Any


def percent(share: float, digits: int = 0) -> str:
    """Return a share in percent."""
    return f"{100 * share:.{digits}f} %"


def listed(names: Any, most: int = 6) -> str:
    """Return the first of some names, and how many there are more."""
    every = [str(name) for name in names]
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more
