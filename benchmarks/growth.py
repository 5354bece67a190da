"""Cost of learning one more row after n rows, from a thousand to a million: it grows like log n."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.data import friedman
from benchmarks.peers import hedgerow_forest
from benchmarks.report import Line
from benchmarks.timing import Effort

PICTURE = Path(__file__).parent / "growth.png"
SECTION = "cost per row and tree of partial_fit; 4 trees, 5 columns, min_samples_split 10 (see growth.png)"
N_TREES = 4
FIRST_DOUBLING, LAST_DOUBLING = 10, 20


@dataclass(frozen=True)
class Curve:
    """Best microseconds per row and tree, over the rows from each count to twice that count."""

    smoothing: str
    n_rows: npt.NDArray[np.int64]
    microseconds: npt.NDArray[np.float64]

    def broken_line(self) -> npt.NDArray[np.float64]:
        """Return the best fit that is straight in log n, up to a knee and beyond it.

        A row visits about log n nodes. The knee is where, most likely, the trees outgrow the cache
        and each further level has to be fetched from memory; that was not measured here.
        """
        doublings = np.log2(self.n_rows)
        fits = []
        for knee in doublings[1:-1]:
            terms = np.column_stack([np.ones_like(doublings), doublings, np.maximum(doublings - knee, 0)])
            weights, *_ = np.linalg.lstsq(terms, self.microseconds, rcond=None)
            fits.append(terms @ weights)
        return min(fits, key=lambda fit: float(np.sum((fit - self.microseconds) ** 2)))

    def explained(self) -> float:
        """Return the share of the curve's variance that the broken line explains."""
        return float(1 - np.var(self.microseconds - self.broken_line()) / np.var(self.microseconds))


def run(effort: Effort) -> Iterator[Line]:
    """Yield the cost at the ends of each curve; draw the picture if the run is a full one."""
    last = LAST_DOUBLING - 4 if effort.quick else LAST_DOUBLING
    curves = [measure(smoothing, last, effort.rounds(3)) for smoothing in ("moments", "hierarchy")]
    for curve in curves:
        costs = curve.microseconds
        for index in (0, len(costs) // 2, -1):
            what = f"{curve.smoothing}, rows {curve.n_rows[index]:,} to {2 * curve.n_rows[index]:,}"
            log_law = np.log2(curve.n_rows[index]) / np.log2(curve.n_rows[0])
            yield Line(SECTION, what, f"{costs[index]:.2f} µs", f"log n: {log_law:.2f}x", costs[index] / costs[0])
        what = f"{curve.smoothing}, share explained by a line in log n with one knee"
        yield Line(SECTION, what, "", "", curve.explained(), unit="")
    if not effort.quick:
        draw(curves)


def measure(smoothing: str, last: int, rounds: int) -> Curve:
    """Learn all rows online `rounds` times, timing each stretch from n to 2 n rows; it holds one review."""
    counts = 2 ** np.arange(FIRST_DOUBLING, last)
    data = friedman(2**last, 5, n_test=0)
    seconds = np.full(counts.size, np.inf)
    for _ in range(rounds):
        forest = hedgerow_forest(n_estimators=N_TREES, smoothing=smoothing)
        forest.partial_fit(data.X[: counts[0]], data.y[: counts[0]])
        for index, count in enumerate(counts):
            stretch = slice(count, 2 * count)
            begin = time.process_time()
            forest.partial_fit(data.X[stretch], data.y[stretch])
            seconds[index] = min(seconds[index], time.process_time() - begin)
    return Curve(smoothing, counts, seconds / counts / N_TREES * 1e6)


def draw(curves: list[Curve]) -> None:
    """Draw the curves against log n, where growth like log n is a straight line."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for curve, colour in zip(curves, ("tab:blue", "tab:green"), strict=True):
        axes.plot(curve.n_rows, curve.microseconds, "o-", color=colour, label=f'smoothing="{curve.smoothing}"')
        axes.plot(
            curve.n_rows,
            curve.broken_line(),
            "--",
            color=colour,
            alpha=0.5,
            label="straight in log n, one knee",
        )
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("rows learned before")
    axes.set_ylabel("µs per row and tree")
    axes.set_title("Cost of learning one more row", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(PICTURE, dpi=120)
    plt.close(figure)
