"""The page and the pictures that the benchmarks on online forests write."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from benchmarks.online_forests import POINTS, memory_curve
from benchmarks.report import HEADINGS, Line, machine, warning
from benchmarks.stream_methods import METHODS, PEER_ROWS, RIVER, SETS, Scores

PAGE = Path(__file__).parent / "online_forests.md"
PICTURES = Path(__file__).parents[1] / "docs" / "pictures"

HOW_TO_READ = f"""\
Made by `make bench-online`. All forests have 10 trees and their default parameters, unless said. Times are processor
time on one thread; the best of three turns counts, and of hedgerow's turns before and after river's the slower half.
Miss rate, size, loss and utility are those of document 003, for intervals of confidence 0.9; rows whose interval is
infinite count as covered and have no size. Rows of the sets are shuffled (seed 0): conformal promises are about
exchangeable rows. river's forest meets only the first {PEER_ROWS:,} rows of each set."""


def write(lines: Sequence[Line], scores: Sequence[Scores], load: float) -> None:
    """Write the page and draw the pictures."""
    parts = ["# Benchmarks on online forests with intervals", machine(), HOW_TO_READ, *filter(None, [warning(load)])]
    for section, members in groupby(lines, key=lambda line: line.section):
        parts.append(f"## {section}\n\n{_markdown(HEADINGS, [line.cells for line in members])}")
    parts += ["## means over the sets", _means(scores)]
    for what, title in (("loss", "quantile loss"), ("miss_rate", "miss rate"), ("utility", "utility")):
        parts += [f"## {title}", _by_set(scores, what)]
    parts += [f"## quantile loss over the first {PEER_ROWS:,} rows", _by_set(scores, "loss", first_rows=True)]
    parts.append("![Memory while learning a million rows](../docs/pictures/online_memory.png)")
    parts.append("![Miss rate against size](../docs/pictures/online_methods.png)")
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    draw_memory()
    draw_methods(scores)


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def _means(scores: Sequence[Scores]) -> str:
    head = ("method", "miss rate", "highest", "size", "loss", "utility")
    rows = []
    for method in METHODS:
        own = [each for each in scores if each.method == method and each.data in SETS]
        misses, sizes, losses, utilities = (
            np.array([getattr(each, what) for each in own]) for what in ("miss_rate", "size", "loss", "utility")
        )
        shown = (misses.mean(), misses.max(), sizes.mean(), losses.mean(), utilities.mean())
        rows.append((method, *(f"{value:.{4 if place == 3 else 3}f}" for place, value in enumerate(shown))))
    return _markdown(head, rows)


def _by_set(scores: Sequence[Scores], what: str, first_rows: bool = False) -> str:
    methods = [*METHODS, RIVER] if first_rows else list(METHODS)
    found = {(each.data, each.method): getattr(each, what) for each in scores}
    rows = []
    for name in SETS:
        data = f"{name}, first rows" if first_rows else name
        rows.append((name, *(f"{found[data, method]:.{4 if what == 'loss' else 3}f}" for method in methods)))
    return _markdown(("set", *methods), rows)


def draw_memory(n: int = 1_000_000) -> None:
    """Draw the size of forests with and without a bound; the latter for a fifth of the rows."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    for max_nodes, n_rows, colour in ((1001, n, "#0072B2"), (201, n, "#009E73"), (None, n // 5, "#D55E00")):
        sizes = memory_curve(n_rows, max_nodes)
        rows = np.arange(1, POINTS + 1) * (n_rows // POINTS)
        axes.plot(rows, sizes, color=colour, label="no bound" if max_nodes is None else f"max_nodes={max_nodes}")
    axes.set(xlabel="rows learned", ylabel="megabytes", yscale="log", title="An online forest of 10 trees, two drifts")
    axes.legend()
    figure.savefig(PICTURES / "online_memory.png", dpi=120)
    plt.close(figure)


def draw_methods(scores: Sequence[Scores]) -> None:
    """Draw Figure 1 of document 003: a point for each method and set."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    colours = ("#595959", "#56B4E9", "#0072B2", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#000000")
    for method, colour in zip(METHODS, colours, strict=True):
        own = [each for each in scores if each.method == method and each.data in SETS]
        axes.scatter([e.miss_rate for e in own], [e.size for e in own], s=22, color=colour, label=method)
    axes.axvline(0.1, color="grey", linestyle="--", linewidth=1)
    axes.set(xlabel="miss rate", ylabel="relative size of intervals", title="12 sets, confidence 0.9")
    axes.legend(fontsize=7)
    figure.savefig(PICTURES / "online_methods.png", dpi=120)
    plt.close(figure)
