"""Cost of learning one more row after n rows, from a thousand to a million: it grows like log n."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.shared.data import Floats, Split, friedman
from benchmarks.shared.page import Options, Page
from benchmarks.shared.pictures import BLUE, GREEN, subplots
from benchmarks.speed.batch import hedgerow_forest

N_TREES = 4
FIRST = 10


def measure(page: Page, options: Options) -> None:
    """Time the stretches from n to 2 n rows, n = 1,024, 2,048, ..."""
    last = options.pick(13, 20)
    data = friedman(2**last, 5, n_test=0)
    counts = 2 ** np.arange(FIRST, last)
    curves = {smoothing: curve(smoothing, counts, data, options.pick(1, 3)) for smoothing in ("moments", "hierarchy")}
    shown = [0, *range(2, len(counts) - 1, 3), len(counts) - 1]
    rows = [
        (f"{counts[k]:,} to {2 * counts[k]:,}", *(f"{costs[k]:.2f}" for costs in curves.values()))
        for k in dict.fromkeys(shown)
    ]
    words = (
        f"{N_TREES} trees, 5 columns; each stretch holds one review of the hyper-parameters; the best of three runs."
    )
    page.table("Learn one more row with `partial_fit`, µs a row and tree", ("rows", *curves), rows, words)

    figure, axes = subplots(figsize=(7, 4.2))
    for (smoothing, costs), colour in zip(curves.items(), (BLUE, GREEN), strict=True):
        axes.plot(counts, costs, "o-", color=colour, label=f'smoothing="{smoothing}"')
    axes.set(xscale="log", ylim=(0, None), xlabel="rows learned before", ylabel="µs a row and tree")
    axes.set_title("Cost of learning one more row", loc="left")
    axes.legend(frameon=False)
    page.picture(figure, "growth.png", "Cost of a row against the number of rows learned before")


def curve(smoothing: str, counts: Floats, data: Split, rounds: int) -> Floats:
    """Return the best microseconds per row and tree of each stretch."""
    seconds = np.full(counts.size, np.inf)
    for _ in range(rounds):
        forest = hedgerow_forest(n_estimators=N_TREES, smoothing=smoothing)
        forest.partial_fit(data.X[: counts[0]], data.y[: counts[0]])
        for place, count in enumerate(counts):
            stretch = slice(count, 2 * count)
            begin = time.process_time()
            forest.partial_fit(data.X[stretch], data.y[stretch])
            seconds[place] = min(seconds[place], time.process_time() - begin)
    return seconds / counts / N_TREES * 1e6
