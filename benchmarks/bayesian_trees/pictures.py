"""The curves of Bayesian trees, a picture for each figure of the thesis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.bayesian_trees.curves import Point
from benchmarks.shared.pictures import BLACK, BLUE, GREEN, GREY, ORANGE, PINK, SKY, subplots

COLOURS = {
    "prior": ORANGE,
    "empirical": GREEN,
    "optimal": BLUE,
    "optimal, 10% of columns": SKY,
    "optimal, 30% of columns": GREEN,
    "SMC, prior": ORANGE,
    "SMC, optimal": BLUE,
    "CGM": BLACK,
    "CART, gini": GREY,
    "CART, entropy": PINK,
}
PANELS = {
    "samplers": (("seconds", "log_probability"), ("seconds", "accuracy")),
    "proposals": (("seconds", "log_probability"), ("size", "log_probability"), ("size", "evidence")),
    "islands": (("size", "log_probability"), ("size", "accuracy")),
    "irrelevant": (("seconds", "log_probability"), ("size", "log_probability"), ("seconds", "accuracy")),
}
WORDS = {
    "seconds": "seconds",
    "size": "particles",
    "log_probability": "log probability of a test row",
    "accuracy": "test rows right",
    "evidence": "log evidence of the training rows",
}


def draw(
    figure: str, points: Sequence[Point], panels: Sequence[tuple[str, str]] | None = None, n_columns: int | None = None
) -> Any:
    """Return the panels of each data set, in a row unless said."""
    names, panels = list(dict.fromkeys(point.data for point in points)), panels or PANELS[figure]
    shown = [(name, *panel) for name in names for panel in panels]
    n_columns = n_columns or len(panels)
    n_rows = -(-len(shown) // n_columns)
    canvas, grid = subplots(n_rows, n_columns, figsize=(3.8 * n_columns, 2.9 * n_rows), squeeze=False)
    for axes, (name, x, y) in zip(grid.flat, shown, strict=True):
        _draw_panel(axes, [point for point in points if point.data == name], x, y)
        axes.set(xscale="log", xlabel="islands" if figure == "islands" else WORDS[x], ylabel=WORDS[y])
        axes.xaxis.set_minor_formatter("")  # labels between powers of ten run into each other
        axes.set_title(name, loc="left", fontsize=11, fontweight="bold")
    handles, labels = grid[0][0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower center", ncols=min(2 * n_columns + 1, len(labels)), frameon=False)
    return canvas


def _draw_panel(axes: Any, points: Sequence[Point], x: str, y: str) -> None:
    for model in dict.fromkeys(point.model for point in points):
        curve = [point for point in points if point.model == model]
        colour = COLOURS.get(model, COLOURS.get(model.partition(",")[0], BLUE))
        if model.startswith("CART"):
            axes.axhline(getattr(curve[0], y), color=colour, linestyle=":", label=model)
            continue
        style = {"linestyle": "--" if "layer" in model else "-", "marker": "o", "markersize": 4, "linewidth": 1.5}
        axes.plot([getattr(p, x) for p in curve], [getattr(p, y) for p in curve], color=colour, label=model, **style)
