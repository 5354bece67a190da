"""matplotlib, imported only when a picture is drawn, and the colours that all pictures share."""

from __future__ import annotations

from typing import Any

BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#595959"
"""From the palette of Okabe and Ito, which colour-blind readers can tell apart."""


def pyplot() -> Any:
    """Return ``matplotlib.pyplot``, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install 'hedgerow[plot]'") from None
    return plt


def axes_or_new(ax: Any) -> Any:
    """Return the axes to draw on: those given, or a new figure's."""
    return pyplot().subplots()[1] if ax is None else ax


def paler(color: Any, by: float) -> tuple[float, ...]:
    """Mix a colour with white: 0 leaves it as it is, 1 is white."""
    from matplotlib.colors import to_rgb

    return tuple(part + by * (1 - part) for part in to_rgb(color))
