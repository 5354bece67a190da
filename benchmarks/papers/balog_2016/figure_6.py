"""Figure 6: test error by the number of features a row, of the Mondrian kernel, Fourier features and binning."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.kernel.run import BINNING, COLOURS, FOURIER, OURS
from benchmarks.kernel.search import Errors, Thirds, best_ridge, binning, dual_weights, fourier, laplace
from benchmarks.shared.data import Floats
from benchmarks.shared.page import Page
from benchmarks.shared.pictures import subplots
from hedgerow import MondrianFeatures

LIFETIMES = (0.025, 0.05, 0.1, 0.2)
PAPER = "about 3.1 %"


def mondrian(data: Thirds, features: MondrianFeatures) -> Errors:
    """Mondrian features: all ridges from one Krylov space, as for binning, the best by validation."""
    learn = features.fit(data.X).transform(data.X)
    weights = learn.T @ dual_weights(learn, data.y - data.y.mean())
    behind, ahead = (features.transform(rows) for rows in (data.X_validation, data.X_test))
    return best_ridge(data, behind, ahead, weights)


def add(page: Page, data: Thirds, sizes: list[int], n_repeats: int) -> None:
    """Add a table and curves, at the lifetime that is best for the exact kernel on the validation rows."""
    exact = {lifetime: laplace(data, lifetime) for lifetime in LIFETIMES}
    lifetime = min(LIFETIMES, key=lambda each: exact[each][0])
    schemes: dict[str, Any] = {
        OURS: lambda size, seed: mondrian(data, MondrianFeatures(size, lifetime, random_state=seed)),
        FOURIER: lambda size, seed: fourier(data, size, lifetime, seed),
        BINNING: lambda size, seed: binning(data, size, lifetime, seed),
    }
    found: dict[str, Floats] = {
        name: np.array([[errors(size, seed)[1] for seed in range(n_repeats)] for size in sizes])
        for name, errors in schemes.items()
    }
    rows = [(name, *(f"{each.mean():.2f}" for each in errors)) for name, errors in found.items()]
    of_exact = exact[lifetime][1]
    ahead = [size for k, size in enumerate(sizes) if found[OURS][k].mean() < found[FOURIER][k].mean()]
    where = f"at M = {', '.join(map(str, ahead))}" if ahead else "nowhere"
    words = (
        f"Test error in percent by the features a row, M, means over {n_repeats} seeds; {data.y.size:,} rows learned, "
        f"lifetime {lifetime:g}, the ridge chosen by {data.y_validation.size} other rows. The exact Laplace kernel has "
        f"{of_exact:.2f} %, in the paper {PAPER}, with 6,554 rows. The Mondrian kernel is ahead of Fourier features "
        f"{where}, in the paper below M = 15."
    )
    page.table("Figure 6: features a row", ("M", *map(str, sizes)), rows, words)
    figure, ax = subplots(figsize=(5.5, 3.6))
    for name, errors in found.items():
        ax.loglog(sizes, errors.mean(axis=1), "o-", color=COLOURS[name], label=name, markersize=4)
        ax.fill_between(sizes, errors.min(axis=1), errors.max(axis=1), color=COLOURS[name], alpha=0.15, linewidth=0)
    ax.axhline(of_exact, color="grey", linestyle="--", label="exact Laplace kernel")
    ax.set(xlabel="features a row, M", ylabel="test error, %")
    ax.legend(frameon=False, fontsize=8)
    page.picture(figure, "figure_6.png", "Test error by the number of features a row")
