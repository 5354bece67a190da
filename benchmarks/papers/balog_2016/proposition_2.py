"""Proposition 2: how fast the Mondrian kernel of M trees approaches the Laplace kernel, uniformly."""

from __future__ import annotations

import numpy as np

from benchmarks.shared.data import Floats
from benchmarks.shared.page import Page
from benchmarks.shared.pictures import BLUE, GREEN, ORANGE, subplots
from hedgerow import MondrianFeatures

LIFETIME, N_ROWS, WIDTH = 10.0, 40, 2
SIZES = (10, 20, 30, 40, 60, 80, 120, 160, 320)
DELTAS = (0.15, 0.2, 0.25)
BOUND = 12 * WIDTH + 2
"""The exponent of the proposition is -M delta^2 / BOUND."""


def largest_errors(n_trees: int, sizes: tuple[int, ...], seed: int = 0) -> dict[int, Floats]:
    """Largest error over all pairs of rows, for each size, of as many kernels as the trees give; rows are uniform."""
    X = np.random.default_rng(seed).uniform(size=(N_ROWS, WIDTH))
    first, second = np.triu_indices(N_ROWS, 1)
    true = np.exp(-LIFETIME * np.abs(X[first] - X[second]).sum(axis=1))
    cells = MondrianFeatures(n_trees, LIFETIME, random_state=seed).fit(X).transform(X).indices.reshape(N_ROWS, -1)
    shared = (cells[first] == cells[second]).astype(np.float32)
    found = {}
    for size in sizes:
        n = n_trees // size
        kernels = shared[:, : n * size].reshape(len(true), n, size).mean(axis=2)
        found[size] = np.abs(kernels - true[:, None]).max(axis=0).astype(np.float64)
    return found


def exponent(sizes: Floats, chances: Floats) -> float:
    """Return the slope of the logarithm of probabilities over the number of trees."""
    return float(np.polyfit(sizes, np.log(chances), 1)[0])


def add(page: Page, n_trees: int) -> None:
    """Add a table of probabilities and exponents, and two curves."""
    errors = largest_errors(n_trees, SIZES)
    means = {size: float(each.mean()) for size, each in errors.items()}
    rows = [("mean of the largest error", *(f"{mean:.3f}" for mean in means.values()), "", "")]
    chances: dict[float, Floats] = {}
    for delta in DELTAS:
        chances[delta] = np.array([(each > delta).mean() for each in errors.values()])
        is_seen = (chances[delta] > 5e-3) & (chances[delta] < 0.95)
        found = exponent(np.array(SIZES)[is_seen], chances[delta][is_seen]) if is_seen.sum() > 1 else np.nan
        cells = [f"{chance:.3f}" for chance in chances[delta]]
        rows.append(
            (f"share above {delta}", *cells, "" if np.isnan(found) else f"{found:.4f}", f"{-(delta**2) / BOUND:.4f}")
        )
    rate = np.polyfit(np.log(SIZES), np.log([*means.values()]), 1)[0]
    words = (
        f"{N_ROWS} rows in the unit square, lifetime {LIFETIME:g}, {n_trees:,} trees divided into kernels of M. The "
        f"mean falls like M to the power {rate:.2f}; the central limit theorem says -0.5. The proposition bounds the "
        "probability that the largest error exceeds delta by a multiple of M^(2/3) exp(-M delta^2 / (12 D + 2)). The "
        "last columns are the slope of the logarithm of that share over M, where the share is between 0.005 and 0.95, "
        "and the exponent of the proposition: it holds with much room, as a union bound over a net of points must."
    )
    page.table("Proposition 2", ("M", *map(str, SIZES), "slope", "proposition"), rows, words)
    figure, axes = subplots(1, 2, figsize=(9, 3.4))
    axes[0].loglog(SIZES, [*means.values()], "o-", color=BLUE, markersize=4, label="measured")
    axes[0].loglog(
        SIZES, means[SIZES[0]] * (np.array(SIZES) / SIZES[0]) ** -0.5, "--", color="grey", label="$M^{-1/2}$"
    )
    axes[0].set(title="mean of the largest error", xlabel="trees, M")
    for colour, (delta, of_delta) in zip((BLUE, ORANGE, GREEN), chances.items(), strict=True):
        is_seen = of_delta > 0
        axes[1].semilogy(
            np.array(SIZES)[is_seen], of_delta[is_seen], "o-", color=colour, markersize=4, label=str(delta)
        )
        axes[1].semilogy(SIZES, np.exp(-np.array(SIZES) * delta**2 / BOUND), "--", color=colour)
    axes[1].set(title="share of kernels with a larger error than δ", xlabel="trees, M", ylim=(5e-4, 1.5), xlim=(0, 170))
    axes[1].legend(title="δ; dashed, its exponent\nin the proposition", frameon=False, fontsize=8, title_fontsize=8)
    axes[0].set_yticks([0.05, 0.1, 0.2, 0.3], ["0.05", "0.1", "0.2", "0.3"])
    axes[0].minorticks_off()
    axes[0].legend(frameon=False, fontsize=8)
    page.picture(figure, "proposition_2.png", "Largest error of the kernel, and how often it exceeds a bound")
