"""Distribution functions of ranks within their bands, a panel a sampler, and differences of means, a row a sampler."""

from __future__ import annotations

from textwrap import fill
from typing import Any

import numpy as np
from scipy.stats import norm

from benchmarks.shared.pictures import BLACK, BLUE, GREEN, GREY, ORANGE, PINK, SKY, subplots

N_COLUMNS = 5
COLOURS = {
    "first row": BLUE,
    "other row": SKY,
    "noise": ORANGE,
    "noise of a row": PINK,
    "splits": GREEN,
    "leaves": GREEN,
    "log likelihood": BLACK,
}


def draw_ranks(ranks: dict[str, dict[str, Any]], n_draws: int, level: float) -> Any:
    """Return small panels; uniform ranks leave a band with this probability."""
    from calibration.uniformity import bands

    n_lines = -(-len(ranks) // N_COLUMNS)
    figure, grid = subplots(
        n_lines, N_COLUMNS, figsize=(9.2, 1.5 * n_lines + 0.6), sharex=True, sharey=True, squeeze=False
    )
    uniform = np.arange(1, n_draws + 1) / (n_draws + 1)
    for axes, (sampler, found) in zip(grid.ravel(), ranks.items(), strict=False):
        n_runs = len(next(iter(found.values())))
        lower, upper = bands(n_runs, n_draws, level)
        axes.fill_between(uniform, lower / n_runs - uniform, upper / n_runs - uniform, color=GREY, alpha=0.18, lw=0)
        axes.axhline(0.0, color=GREY, lw=0.6)
        for name, values in found.items():
            shares = np.bincount(values, minlength=n_draws + 1).cumsum()[:-1] / n_runs
            axes.plot(uniform, shares - uniform, color=COLOURS[name], lw=1.1)
        axes.set_title(fill(sampler, 26), fontsize=8, loc="left")
        axes.tick_params(labelsize=7)
        axes.set(xlim=(0.0, 1.0), xticks=[0.0, 0.5, 1.0])
    for axes in grid.ravel()[len(ranks) :]:
        axes.set_visible(False)
    names = [name for name in COLOURS if any(name in found for found in ranks.values())]
    handles = [grid[0][0].plot([], [], color=COLOURS[name], label=name)[0] for name in names]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False, fontsize=8)
    figure.supxlabel("rank of the truth, as a share of the draws", fontsize=8)
    figure.supylabel("distribution function minus the uniform one", fontsize=8)
    return figure


def draw_differences(differences: dict[tuple[str, str], dict[str, tuple[float, float]]], false_alarms: float) -> Any:
    """Return a row of dots for each sampler, a dot a function, and where the alarm is."""
    families = list(dict.fromkeys(family for family, _ in differences))
    figure, grid = subplots(1, len(families), figsize=(9.2, 4.4), sharex=True, squeeze=False)
    limit = norm.isf(0.5 * false_alarms / sum(len(found) for found in differences.values()))
    for axes, family in zip(grid[0], families, strict=True):
        samplers = [sampler for where, sampler in differences if where == family]
        axes.axvspan(-limit, limit, color=GREY, alpha=0.18, lw=0)
        axes.axvline(0.0, color=GREY, lw=0.6)
        for line, sampler in enumerate(samplers):
            scores = [z for z, _ in differences[family, sampler].values()]
            axes.plot(scores, np.full(len(scores), line), "o", color=BLUE, ms=3.2, alpha=0.6, mew=0)
        axes.set_yticks(range(len(samplers)), samplers, fontsize=8)
        axes.set(ylim=(len(samplers) - 0.4, -0.6), xlim=(-1.3 * limit, 1.3 * limit))
        axes.set_title(family, fontsize=10, loc="left", fontweight="bold")
        axes.tick_params(axis="x", labelsize=8)
    figure.supxlabel("difference of means in standard errors", fontsize=8)
    return figure
