"""Chapter 4, Figures 4.2 to 4.4: the first sweeps of one chain of each sampler."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.bart.mixing import CUBE_DECAYS, hypercube
from benchmarks.shared.data import Floats
from benchmarks.shared.page import Options, Page
from benchmarks.shared.pictures import BLUE, GREEN, ORANGE, SKY, subplots
from hedgerow import BARTRegressor

COLOURS = {"cgm": BLUE, "grow_prune": ORANGE, "pg": GREEN, "auto": SKY}
MOST_SHOWN = 200
"""Sweeps at which a line of the picture is drawn."""


@dataclass(frozen=True)
class Chain:
    """Number of leaves, and mean squared errors on the rows learned and on others, after each sweep."""

    leaves: Floats
    train: Floats
    test: Floats


def follow(dimension: int, sampler: str, n_sweeps: int) -> Chain:
    """Run one chain from a single leaf, and keep every sweep."""
    data = hypercube(dimension, 0)
    model = BARTRegressor(
        n_estimators=1, sampler=sampler, start="leaves", split_decay=CUBE_DECAYS[dimension], n_chains=1, n_burn_in=0,
        n_draws=n_sweeps, n_jobs=1, random_state=0,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of chains that have not converged
        model.fit(data.X, data.y)
    train, test = (
        ((model.predict_draws(X) - y) ** 2).mean(axis=1) for X, y in ((data.X, data.y), (data.X_test, data.y_test))
    )
    return Chain(model.trace_["n_leaves"][0], train, test)


def traces(page: Page, options: Options, names: Mapping[str, str]) -> None:
    """Draw the figures, and tabulate the second half of each chain."""
    dimensions, n_sweeps = options.pick((2, 3), (2, 3, 4)), options.pick(100, 2000)
    found = {(each, sampler): follow(each, sampler, n_sweeps) for each in dimensions for sampler in names}
    half, rows = n_sweeps // 2, []
    for (dimension, sampler), chain in found.items():
        error = np.median(chain.test[half:])
        reached = int(np.argmax(chain.test <= 2 * error)) + 1
        rows.append((
            f"{dimension}", names[sampler], f"{chain.leaves[half:].mean():.1f} of {2**dimension}",
            f"{np.median(chain.train[half:]):.2g}", f"{error:.2g}", f"{reached:,}",
        ))  # fmt: skip
    words = (
        f"One chain of {n_sweeps:,} sweeps from a single leaf on one data set of each dimension, as in the thesis' "
        "figures: number of leaves, and mean squared errors of the tree after each sweep. The table has the mean "
        "number of leaves and the median errors over the second half, and the sweep after which the test error is "
        "first within twice its median, which a chain that stays in a poor tree reaches soon. The thesis sees PG reach "
        "the true number of leaves and a low test error much sooner than the others, and GrowPrune keep too many "
        "leaves, with a low error on the rows it learned."
    )
    headings = ("D", "", "leaves", "error, learned", "error, test", "sweeps to twice the test error")
    page.table("Figures 4.2 to 4.4: traces", headings, rows, words)
    page.picture(draw(found, dimensions, names), "figures_4_2_to_4_4.png", "Figures 4.2 to 4.4: traces of four chains")


def draw(found: Mapping[tuple[int, str], Chain], dimensions: Sequence[int], names: Mapping[str, str]) -> Any:
    """Draw a column for each dimension, a row for each quantity."""
    figure, panels = subplots(3, len(dimensions), figsize=(3.6 * len(dimensions), 6.6), sharex=True)
    for column, dimension in enumerate(dimensions):
        for sampler, name in names.items():
            chain = found[dimension, sampler]
            sweeps = np.unique(np.geomspace(1, chain.leaves.size, MOST_SHOWN).astype(int))
            for axes, values in zip(panels[:, column], (chain.leaves, chain.train, chain.test), strict=True):
                axes.plot(sweeps, values[sweeps - 1], color=COLOURS[sampler], linewidth=1.2, label=name)
        panels[0, column].axhline(2**dimension, color="black", linestyle="--", linewidth=1)
        panels[0, column].set_title(f"hypercube-{dimension}", loc="left", fontsize=11, fontweight="bold")
        panels[0, column].set(xscale="log", ylim=(0, None))
        for axes in panels[1:, column]:
            axes.set_yscale("log")
        panels[2, column].set_xlabel("sweep")
    for axes, label in zip(panels[:, 0], ("leaves", "error, learned", "error, test"), strict=True):
        axes.set_ylabel(label)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    return figure
