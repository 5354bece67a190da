"""Matplotlib without a screen, and colours that all can tell apart."""

from __future__ import annotations

from typing import Any

BLUE, ORANGE, GREEN, YELLOW, SKY = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9"
PINK, GREY, BLACK = "#CC79A7", "#595959", "#000000"


def subplots(*shape: int, **options: Any) -> tuple[Any, Any]:
    """Return a figure and its axes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(*shape, layout="constrained", **options)
    for each in figure.axes:
        each.spines[["top", "right"]].set_visible(False)
    return figure, axes
