"""The curves of Bayesian trees, a picture for each figure of the thesis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.bayesian_trees.curves import Point
from benchmarks.shared.pictures import BLACK, BLUE, GREEN, GREY, ORANGE, SKY, subplots

COLOURS = {
    "prior": ORANGE,
    "empirical": GREEN,
    "optimal": BLUE,
    "optimal, 10% of columns": SKY,
    "optimal, 30% of columns": GREEN,
    "SMC, prior": ORANGE,
    "SMC, optimal": BLUE,
    "CGM": BLACK,
    "CART": GREY,
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


def draw(figure: str, points: Sequence[Point]) -> Any:
    """Return a row of panels for each data set."""
    names, panels = list(dict.fromkeys(point.data for point in points)), PANELS[figure]
    size = (3.6 * len(panels), 2.9 * len(names))
    canvas, grid = subplots(len(names), len(panels), figsize=size, squeeze=False)
    for row, name in zip(grid, names, strict=True):
        for axes, (x, y) in zip(row, panels, strict=True):
            _draw_panel(axes, [point for point in points if point.data == name], x, y)
            axes.set(xscale="log", xlabel="islands" if figure == "islands" else WORDS[x], ylabel=WORDS[y])
            axes.set_title(name, loc="left", fontsize=11, fontweight="bold")
    handles, labels = grid[0][0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower center", ncols=min(5, len(labels)), frameon=False)
    return canvas


def _draw_panel(axes: Any, points: Sequence[Point], x: str, y: str) -> None:
    for model in dict.fromkeys(point.model for point in points):
        curve = [point for point in points if point.model == model]
        colour = COLOURS.get(model, COLOURS.get(model.partition(",")[0], BLUE))
        if model == "CART":
            axes.axhline(getattr(curve[0], y), color=colour, linestyle=":", label=model)
            continue
        style = {"linestyle": "--" if "layer" in model else "-", "marker": "o", "markersize": 4, "linewidth": 1.5}
        axes.plot([getattr(p, x) for p in curve], [getattr(p, y) for p in curve], color=colour, label=model, **style)
