"""Figures 9 and 10: the Mondrian kernel and a forest of the same trees, their errors and their weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from benchmarks.kernel.run import COLOURS, leaf_fits
from benchmarks.kernel.search import Thirds
from benchmarks.papers.balog_2016.figure_8 import learner
from benchmarks.shared.data import Floats
from benchmarks.shared.page import Page
from benchmarks.shared.pictures import BLUE, GREEN, ORANGE, SKY, subplots
from hedgerow import MondrianFeatures

LIFETIME, RIDGES, PASSES, N_TREES = 2e-6, (1e-4, 1.0, 100.0), (1, 5, 50), 50
WITH_FOREST = ("joint, 1 pass", "joint, 5 passes", "joint, 50 passes", "independent")
SHOWN = {"joint, ridge 0.0001": BLUE, "joint, 1 pass": GREEN, "joint, 50 passes": SKY, "independent": ORANGE}


def weights_of(Z: Any, y: Floats, data: Thirds) -> dict[str, Floats]:
    """Weights of all cells, fitted together or those of each tree alone, in the units of a tree's own prediction.

    A row's prediction is the mean over its cells; in the paper weights are divided by the root of the number of trees.
    """
    n_trees = Z[0].nnz
    Z = Z[:, np.unique(Z.indices)]
    members = Z * np.sqrt(n_trees)
    counts = np.asarray(members.sum(axis=0)).ravel()
    found = {}
    for ridge in RIDGES:
        inner = (Z.T @ Z).toarray() + ridge * np.eye(Z.shape[1])
        found[f"joint, ridge {ridge:g}"] = linalg.solve(inner, Z.T @ y, assume_a="pos") * np.sqrt(n_trees)
    for n_passes in PASSES:
        name = f"joint, {n_passes} pass{'es' * (n_passes > 1)}"
        found[name] = learner(data, n_passes).fit(Z, y).coef_ * np.sqrt(n_trees)
    found["independent"] = (members.T @ y) / (counts + RIDGES[0])
    return found


def add(page: Page, data: Thirds, n_lifetimes: int) -> None:
    """Add the errors by lifetime, then the weights at the lifetime of the paper."""
    fits = leaf_fits(page, "cpu_act, columns as they are", data, n_lifetimes)
    best = {name: (min(each), float(where[int(np.argmin(each))])) for name, (where, each) in fits.items()}
    page.text(
        f"Fitted together the trees are best at a lifetime of {best['joint'][1]:.2g}, with {best['joint'][0]:.2f} %; "
        f"each alone at {best['independent'][1]:.2g}, with {best['independent'][0]:.2f} %. In the paper, too, the "
        "kernel has the lower error, and at a smaller lifetime."
    )
    Z = MondrianFeatures(N_TREES, LIFETIME, random_state=0).fit(data.X).transform(data.X)
    y = (data.y - data.y.mean()) / data.y.std()
    weights = weights_of(Z, y, data)
    rows = []
    for name, each in weights.items():
        size = np.abs(each)
        shares = (f"{np.mean(size < bound):.0%}" for bound in (0.1, 0.3, 1.0))
        rows.append((name, *shares, f"{np.median(size):.2f}", f"{size.max():.1f}"))
    words = (
        f"Weights of the {each.size:,} cells at lifetime {LIFETIME:g}, as in the paper, {N_TREES} trees, in standard "
        "deviations of the targets, around their mean. A prediction is the mean over the trees. Columns are shares of "
        "cells whose weight is smaller. *Ridge*: solved; *passes*: by stochastic gradients, with the ridge of the "
        f"paper, {RIDGES[0]:g}; *independent*: each tree alone. The paper shows the weights of the kernel more peaked "
        f"around 0 than those of the forest.\n\n"
        "Here that depends on how far they are fitted, for gradients begin at 0. Below 0.1 are "
        + ", ".join(f"{np.mean(np.abs(weights[name]) < 0.1):.0%} ({name})" for name in WITH_FOREST)
        + ". Solved with the ridge of the paper, weights are large and cancel each other. The paper does not say how "
        "many passes it made."
    )
    headings = ("trees fitted", "below 0.1", "below 0.3", "below 1", "median", "largest")
    page.table("Weights of kernel and forest (Figure 10)", headings, rows, words)
    figure, axes = subplots(1, 2, figsize=(9, 3.4))
    for name, (where, each) in fits.items():
        axes[0].semilogx(where, each, "o-", color=COLOURS[name], markersize=4, label=name)
    axes[0].set(title="test error, %", xlabel="lifetime")
    for name, colour in SHOWN.items():
        axes[1].hist(
            weights[name],
            np.linspace(-4, 4, 60),
            density=True,
            histtype="step",
            color=colour,
            linewidth=1.5,
            label=name,
        )
    axes[1].set(title=f"weights at lifetime {LIFETIME:.2g}", xlabel="weight", ylabel="density")
    for ax in axes:
        ax.legend(title="trees fitted", frameon=False, fontsize=8, title_fontsize=8)
    page.picture(figure, "figures_9_and_10.png", "Errors and weights of trees fitted together and each alone")
