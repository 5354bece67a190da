"""The page and the pictures that the benchmarks on Bayesian trees write."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.class_report import markdown
from benchmarks.report import HEADINGS, Line, machine, warning
from benchmarks.tree_curves import CONCENTRATION, Point

PAGE = Path(__file__).parent / "bayesian_trees.md"
PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
COLOURS = {
    "prior, node": "#D55E00",
    "prior, layer": "#D55E00",
    "empirical, node": "#009E73",
    "optimal, node": "#0072B2",
    "optimal, layer": "#0072B2",
    "prior": "#D55E00",
    "optimal": "#0072B2",
    "optimal, 10% of columns": "#56B4E9",
    "optimal, 30% of columns": "#009E73",
    "SMC, prior": "#D55E00",
    "SMC, optimal": "#0072B2",
    "CGM": "#000000",
    "CART": "#595959",
}
TITLES = {
    "samplers": "filters, chains and CART (Figure 3.6)",
    "proposals": "proposals and expansions (Figures 3.2, 3.3 and 3.7)",
    "islands": "islands (Figure 3.5)",
    "irrelevant": "irrelevant columns (Figure 3.4)",
}

HOW_TO_READ = f"""\
Made by `make bench-bayesian-trees`: the experiments of section 3.4 of Lakshminarayanan's thesis with its
hyper-parameters (concentration {CONCENTRATION}, split_base 0.95, split_decay 0.5, resampling below a tenth of the
particles). pendigits and madelon have their predefined test rows, magic04 a random 30 %. Numbers are means over
three seeds, the thesis has ten. Times are processor time of `fit` on one thread, without prediction. Chains start
from the root alone and throw the first half of their steps away. CART is scikit-learn's tree with at least ten rows
a leaf; its probabilities are smoothed with the same concentration. The peer in plain NumPy is
`benchmarks/tree_reference.py`, one call a node and particle, as the authors' code is.

The thesis finds filters one to two orders of magnitude sooner than chains; both were Python there. Here a step of
a chain proposes on a copy that shares its rows with the tree, and takes ten to twenty microseconds, so the lead of
filters is smaller. Five chains of 100,000 steps also predict a little better than any number of particles that was
tried."""


def write(lines: Sequence[Line], points: Sequence[Point], load: float) -> None:
    """Write the page and draw the pictures."""
    parts = ["# Benchmarks on Bayesian trees", machine(), HOW_TO_READ, *filter(None, [warning(load)])]
    for section, members in groupby(lines, key=lambda line: line.section):
        parts.append(f"## {section}\n\n{markdown(HEADINGS, (line.cells for line in members))}")
    for figure, title in TITLES.items():
        parts.append(f"## {title}\n\n![{title}](../docs/pictures/bayesian_trees_{figure}.png)")
        of_figure = [point for point in points if point.figure == figure]
        for name in dict.fromkeys(point.data for point in of_figure):
            parts.append(f"{name}\n\n{table([point for point in of_figure if point.data == name])}")
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    draw(points)


def table(points: Sequence[Point]) -> str:
    """Return all points of one data set."""
    headings = ("model", "size", "seconds", "log probability", "accuracy", "log evidence")
    rows = [
        (
            point.model,
            f"{point.size:,}",
            f"{point.seconds:.3g}",
            f"{point.log_probability:.3f} ± {point.log_probability_sd:.3f}",
            f"{point.accuracy:.4f} ± {point.accuracy_sd:.4f}",
            "" if point.evidence != point.evidence else f"{point.evidence:.0f}",
        )
        for point in points
    ]
    return markdown(headings, rows)


def draw(points: Sequence[Point]) -> None:
    """Draw a picture for each figure: a row of panels for each data set."""
    import matplotlib

    matplotlib.use("Agg")
    panels = {
        "samplers": (("seconds", "log_probability"), ("seconds", "accuracy")),
        "proposals": (("seconds", "log_probability"), ("size", "log_probability"), ("size", "evidence")),
        "islands": (("size", "log_probability"), ("size", "accuracy")),
        "irrelevant": (("seconds", "log_probability"), ("size", "log_probability"), ("seconds", "accuracy")),
    }
    for figure, axes in panels.items():
        of_figure = [point for point in points if point.figure == figure]
        if of_figure:
            _draw_figure(figure, of_figure, axes)


WORDS = {
    "seconds": "seconds",
    "size": "particles",
    "log_probability": "log probability of a test row",
    "accuracy": "test rows right",
    "evidence": "log evidence of the training rows",
}


def _draw_figure(figure: str, points: Sequence[Point], panels: Sequence[tuple[str, str]]) -> None:
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(point.data for point in points))
    shape = {"figsize": (3.6 * len(panels), 2.9 * len(names)), "layout": "constrained", "squeeze": False}
    canvas, grid = plt.subplots(len(names), len(panels), **shape)
    for row, name in zip(grid, names, strict=True):
        for axes, (x, y) in zip(row, panels, strict=True):
            of_data = [point for point in points if point.data == name]
            _draw_panel(axes, of_data, x, y)
            axes.set(xscale="log", xlabel="islands" if figure == "islands" else WORDS[x], ylabel=WORDS[y])
            axes.set_title(name, loc="left", fontsize=11, fontweight="bold")
            axes.spines[["top", "right"]].set_visible(False)
    handles, labels = grid[0][0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower center", ncols=min(5, len(labels)), frameon=False)
    canvas.savefig(PICTURES / f"bayesian_trees_{figure}.png", dpi=100)
    plt.close(canvas)


def _draw_panel(axes: Any, points: Sequence[Point], x: str, y: str) -> None:
    for model in dict.fromkeys(point.model for point in points):
        curve = [point for point in points if point.model == model]
        colour = COLOURS.get(model, "#0072B2")
        if model == "CART":
            axes.axhline(getattr(curve[0], y), color=colour, linestyle=":", label=model)
            continue
        style = {"linestyle": "--" if "layer" in model else "-", "marker": "o", "markersize": 4, "linewidth": 1.5}
        axes.plot([getattr(p, x) for p in curve], [getattr(p, y) for p in curve], color=colour, label=model, **style)
