"""The table and the picture of coverage."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np

from benchmarks.coverage.run import CONFIDENCE, GROUPS, MODELS, N_ROWS, N_SEEDS, N_TEST, Count
from benchmarks.report import machine

PAGE = Path(__file__).parent / "report.md"
PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "coverage.png"


def write(found: Sequence[Count], page: Path = PAGE, picture: Path = PICTURE) -> None:
    """Write both."""
    table = {(one.model, one.group): one for one in found}
    lines = ["| | " + " | ".join(f"({letter})" for letter in _letters()) + " |", "|---|" + "---|" * len(GROUPS)]
    for model in MODELS:
        cells = (table.get((model, group)) for group in GROUPS)
        lines.append(f"| {model} | " + " | ".join(f"{100 * one.coverage:.0f}" if one else "" for one in cells) + " |")
    legend = [
        f"- ({letter}) {group}" + (f": {word}" if word else "")
        for letter, (group, word) in zip(_letters(), GROUPS.items(), strict=True)
    ]
    text = (
        f"Share of targets, in percent, inside their {CONFIDENCE:.0%} interval. {N_ROWS:,} rows of four columns are "
        f"learned and {N_TEST:,} others asked about, in {N_SEEDS} draw, models at their defaults. What the rows asked "
        f"about leave open is 0.4, in a third of them 0.7; another draw of the rows learned moves a number by 1 or 2. "
        f"Made by `make bench-coverage` on {date.today()}: {machine()}."
    )
    page.write_text("\n".join(["# Coverage", "", text, "", *lines, "", *legend, ""]), encoding="utf-8")
    draw(table, picture)


def _letters() -> str:
    return "abcdefghijklmnopqrstuvwxyz"[: len(GROUPS)]


def draw(table: dict[tuple[str, str], Count], picture: Path) -> None:
    """A cell for each model and group, the darker the further coverage is from what was asked for."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shares = np.array(
        [[table[m, g].coverage if (m, g) in table else np.nan for g in GROUPS] for m in MODELS], dtype=np.float64
    )
    figure, axes = plt.subplots(figsize=(11, 5.2), layout="constrained")
    image = axes.imshow(shares - CONFIDENCE, cmap="RdBu", vmin=-0.2, vmax=0.2, aspect="auto")
    axes.set_xticks(range(len(GROUPS)), list(GROUPS), rotation=38, ha="right")
    axes.set_yticks(range(len(MODELS)), list(MODELS))
    for (i, k), share in np.ndenumerate(shares):
        if np.isfinite(share):
            dark = abs(share - CONFIDENCE) > 0.12
            axes.text(k, i, f"{100 * share:.0f}", ha="center", va="center", color="white" if dark else "black")
    bar = figure.colorbar(image, ax=axes, shrink=0.8, ticks=[-0.2, -0.1, 0.0, 0.1])
    bar.ax.set_yticklabels([f"{100 * (CONFIDENCE + tick):.0f} %" for tick in (-0.2, -0.1, 0.0, 0.1)])
    axes.set_title(f"Targets inside their {CONFIDENCE:.0%} interval, percent")
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    figure.savefig(picture, dpi=130)
    plt.close(figure)
