"""matplotlib, imported only when a picture is drawn, and the colours that all pictures share."""

from __future__ import annotations

from typing import Any

BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#595959"
"""From the palette of Okabe and Ito, which colour-blind readers can tell apart."""

COLOURS = (BLUE, ORANGE, GREEN, PURPLE, "#E69F00", "#56B4E9")
"""Of models and runs, in the order in which they are drawn."""
LETTER, HANDLE = 0.088, 0.65
"""Inches that a letter of a legend takes, and its line."""
MOST_LETTERS = 60


def pyplot() -> Any:
    """Return ``matplotlib.pyplot``, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install 'hedgerow[plot]'") from None
    return plt


def axes_or_new(ax: Any) -> Any:
    """Return the axes to draw on: those given, or a new figure's, in which no label is cut off."""
    return pyplot().subplots(layout="constrained")[1] if ax is None else ax


def explain_lines(ax: Any, is_own: bool) -> None:
    """Explain lines: above the axes if the figure is our own, else where there is room, for its layout is not ours."""
    handles, labels = ax.get_legend_handles_labels()
    labels = [label if len(label) <= MOST_LETTERS else f"{label[: MOST_LETTERS - 1]}…" for label in labels]
    before = ax.get_legend()
    if not is_own and (before is None or before.get_gid() != "above"):
        # Whatever it has to cover is seen through it, and the words stay readable.
        ax.legend(handles, labels, fontsize="small", framealpha=0.8, edgecolor="none", fancybox=False)
        return
    width = ax.figure.get_size_inches()[0] * 0.85 / ax.get_gridspec().ncols
    n_columns = max(1, min(len(labels), int(width / (HANDLE + LETTER * max(map(len, labels))))))
    place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2, "frameon": False}
    ax.legend(handles, labels, ncols=n_columns, **place).set_gid("above")


def paler(color: Any, by: float) -> tuple[float, ...]:
    """Mix a colour with white: 0 leaves it as it is, 1 is white."""
    from matplotlib.colors import to_rgb

    return tuple(part + by * (1 - part) for part in to_rgb(color))
