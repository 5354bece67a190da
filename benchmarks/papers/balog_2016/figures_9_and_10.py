"""Figures 9 and 10: the Mondrian kernel and a forest of the same trees, their errors and their weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from benchmarks.kernel.run import COLOURS, leaf_fits
from benchmarks.kernel.search import Thirds
from benchmarks.shared.data import Floats
from benchmarks.shared.page import Page
from benchmarks.shared.pictures import subplots
from hedgerow import MondrianFeatures

RIDGE, N_TREES = 1e-4, 50


def weights_of(Z: Any, y: Floats) -> dict[str, Floats]:
    """Weights of all cells, fitted together or those of each tree alone, in the units of a tree's own prediction.

    A row's prediction is the mean over its cells; in the paper weights are divided by the root of the number of trees.
    """
    n_trees = Z[0].nnz
    factor = linalg.cho_factor((Z @ Z.T).toarray() + RIDGE * np.eye(y.size), check_finite=False)
    joint = Z.T @ linalg.cho_solve(factor, y, check_finite=False) * np.sqrt(n_trees)
    members = Z * np.sqrt(n_trees)
    counts = np.asarray(members.sum(axis=0)).ravel()
    alone = (members.T @ y) / (counts + RIDGE)
    return {"joint": joint[counts > 0], "independent": alone[counts > 0]}


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
    weights = weights_of(Z, (data.y - data.y.mean()) / data.y.std())
    rows = []
    for name, each in weights.items():
        size = np.abs(each)
        shares = (f"{np.mean(size < bound):.0%}" for bound in (0.1, 0.3, 1.0))
        rows.append((name, f"{each.size:,}", *shares, f"{np.median(size):.2f}", f"{size.max():.1f}"))
    words = (
        f"Weights of the cells at lifetime {lifetime:.2g}, {N_TREES} trees, ridge {RIDGE:g}, in standard deviations of "
        "the targets, around their mean. A prediction is the mean over the trees. The paper shows those of the kernel "
        "more peaked around 0; the columns are shares of cells whose weight is smaller."
    )
    headings = ("trees fitted", "cells", "below 0.1", "below 0.3", "below 1", "median", "largest")
    page.table("Weights of kernel and forest (Figure 10)", headings, rows, words)
    figure, axes = subplots(1, 2, figsize=(9, 3.4))
    for name, (where, each) in fits.items():
        axes[0].semilogx(where, each, "o-", color=COLOURS[name], markersize=4, label=name)
    axes[0].set(title="test error, %", xlabel="lifetime")
    reach = float(np.quantile(np.abs(np.concatenate([*weights.values()])), 0.99))
    for name, each in weights.items():
        axes[1].hist(each, np.linspace(-reach, reach, 60), density=True, color=COLOURS[name], alpha=0.5, label=name)
    axes[1].set(title=f"weights at lifetime {lifetime:.2g}", xlabel="weight", ylabel="density")
    for ax in axes:
        ax.legend(title="trees fitted", frameon=False, fontsize=8, title_fontsize=8)
    page.picture(figure, "figures_9_and_10.png", "Errors and weights of trees fitted together and each alone")
