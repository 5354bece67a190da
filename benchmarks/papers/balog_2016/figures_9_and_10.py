"""Figures 9 and 10: the Mondrian kernel and a forest of the same trees, their errors and their weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from benchmarks.kernel.run import COLOURS, leaf_fits
from benchmarks.kernel.search import Thirds
from benchmarks.papers.balog_2016.figure_8 import N_PASSES, learner
from benchmarks.shared.data import Floats
from benchmarks.shared.page import Page
from benchmarks.shared.pictures import GREEN, subplots
from hedgerow import MondrianFeatures

RIDGE, N_TREES = 1e-4, 50


def weights_of(Z: Any, y: Floats, by_gradients: Any) -> dict[str, Floats]:
    """Weights of all cells, fitted together or those of each tree alone, in the units of a tree's own prediction.

    A row's prediction is the mean over its cells; in the paper weights are divided by the root of the number of trees.
    """
    n_trees = Z[0].nnz
    factor = linalg.cho_factor((Z @ Z.T).toarray() + RIDGE * np.eye(y.size), check_finite=False)
    joint = Z.T @ linalg.cho_solve(factor, y, check_finite=False) * np.sqrt(n_trees)
    members = Z * np.sqrt(n_trees)
    counts = np.asarray(members.sum(axis=0)).ravel()
    alone = (members.T @ y) / (counts + RIDGE)
    found = {
        "joint": joint,
        "joint, by gradients": by_gradients.fit(Z, y).coef_ * np.sqrt(n_trees),
        "independent": alone,
    }
    return {name: each[counts > 0] for name, each in found.items()}


def add(page: Page, data: Thirds, n_lifetimes: int) -> None:
    """Add the errors by lifetime, then the weights where the kernel is best."""
    fits = leaf_fits(page, "cpu_act", data, n_lifetimes)
    lifetimes, errors = fits["joint"]
    lifetime = float(lifetimes[int(np.argmin(errors))])
    best = {name: (min(each), float(lifetimes[int(np.argmin(each))])) for name, (_, each) in fits.items()}
    page.text(
        f"Fitted together the trees are best at a lifetime of {best['joint'][1]:.2g}, with {best['joint'][0]:.2f} %; "
        f"each alone at {best['independent'][1]:.2g}, with {best['independent'][0]:.2f} %. In the paper the kernel has "
        "the lower error, and at a smaller lifetime."
    )
    Z = MondrianFeatures(N_TREES, lifetime, random_state=0).fit(data.X).transform(data.X)
    weights = weights_of(Z, (data.y - data.y.mean()) / data.y.std(), learner(data))
    rows = []
    for name, each in weights.items():
        size = np.abs(each)
        shares = (f"{np.mean(size < bound):.0%}" for bound in (0.1, 0.3, 1.0))
        rows.append((name, f"{each.size:,}", *shares, f"{np.median(size):.2f}", f"{size.max():.1f}"))
    words = (
        f"Weights of the cells at lifetime {lifetime:.2g}, {N_TREES} trees, ridge {RIDGE:g}, in standard deviations of "
        "the targets, around their mean. A prediction is the mean over the trees. Columns are shares of cells whose "
        "weight is smaller. The paper, which fits by gradients, shows those of the kernel more peaked around 0 than "
        "those of the forest. With so small a ridge the exact solution may have large weights that cancel; "
        f"{N_PASSES} passes of stochastic gradients, begun at 0, end before it."
    )
    headings = ("trees fitted", "cells", "below 0.1", "below 0.3", "below 1", "median", "largest")
    page.table("Weights of kernel and forest (Figure 10)", headings, rows, words)
    figure, axes = subplots(1, 2, figsize=(9, 3.4))
    for name, (where, each) in fits.items():
        axes[0].semilogx(where, each, "o-", color=COLOURS[name], markersize=4, label=name)
    axes[0].set(title="test error, %", xlabel="lifetime")
    reach = float(np.quantile(np.abs(np.concatenate([*weights.values()])), 0.9))
    for name, each in weights.items():
        colour = COLOURS.get(name, GREEN)
        bins = np.linspace(-reach, reach, 60)
        axes[1].hist(each, bins, density=True, histtype="step", color=colour, linewidth=1.5, label=name)
    axes[1].set(title=f"weights at lifetime {lifetime:.2g}", xlabel="weight", ylabel="density")
    for ax in axes:
        ax.legend(title="trees fitted", frameon=False, fontsize=8, title_fontsize=8)
    page.picture(figure, "figures_9_and_10.png", "Errors and weights of trees fitted together and each alone")
