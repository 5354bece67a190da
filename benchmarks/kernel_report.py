"""The page and the picture that the benchmarks on the Mondrian kernel write."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.class_report import markdown
from benchmarks.kernel import Figures
from benchmarks.report import HEADINGS, Line, machine, warning

PAGE = Path(__file__).parent / "kernel.md"
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "kernel.png"
COLOURS = {
    "Mondrian kernel": "#0072B2",
    "random Fourier features": "#D55E00",
    "random binning": "#009E73",
    "joint": "#0072B2",
    "independent": "#D55E00",
}

HOW_TO_READ = """\
Made by `make bench-kernel`. Contestants took turns within each round; the best turn of each counts, and the percentage
in brackets says how much longer the median turn took. Times are processor time on one thread, matrices included.

The figures are those of Balog and others, The Mondrian Kernel (UAI 2016). cpu_act is split 80, 10 and 10 percent at
random; columns are measured by their range. Every scheme has the best of 29 ridges at each width by the validation
rows. In Figure 8 random Fourier features are solved exactly by the eigenvalues of their 350 by 350 covariance; in the
paper all schemes were trained by stochastic gradient descent. Random binning is solved as our own features are. Both
look for the width as in the paper: begun at lifetime 1, doubled or halved, then between neighbours."""


def write(lines: Sequence[Line], figures: Figures, load: float) -> None:
    """Write the page and draw the picture."""
    parts = ["# Benchmarks on the Mondrian kernel", machine(), HOW_TO_READ, *filter(None, [warning(load)])]
    for section, members in groupby(lines, key=lambda line: line.section):
        parts.append(f"## {section}\n\n{markdown(HEADINGS, (line.cells for line in members))}")
    parts.append("![Figures 5, 8 and 9](../docs/pictures/kernel.png)")
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    draw(figures.curves)


def draw(curves: dict[str, dict[str, Any]]) -> None:
    """Three panels side by side."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    for name, (sizes, errors) in curves["Figure 5"].items():
        axes[0].loglog(sizes, errors, "o-", color=COLOURS[name], label=name, markersize=3)
    axes[0].set(title="error of the kernel", xlabel="features a row", ylabel="largest error")
    for name, curve in curves["Figure 8"].items():
        seconds, _, errors = zip(*curve, strict=True)
        axes[1].semilogx(seconds, errors, "o-", color=COLOURS[name], label=name, markersize=3)
    axes[1].set(title="looking for the width, cpu_act", xlabel="seconds", ylabel="validation error, %", ylim=(2.5, 8))
    for name, (lifetimes, errors) in curves["Figure 9"].items():
        axes[2].semilogx(lifetimes, errors, "o-", color=COLOURS[name], label=f"leaves fitted: {name}", markersize=3)
    axes[2].set(title="kernel and forest, same trees, cpu_act", xlabel="lifetime", ylabel="test error, %")
    for ax in axes:
        ax.legend(frameon=False, fontsize=8)
    figure.savefig(PICTURE, dpi=110)
