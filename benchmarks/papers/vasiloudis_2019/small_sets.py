"""Figures 1 to 3: miss rate, size, loss and utility on small sets."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.online_forests.methods import Scores
from benchmarks.online_forests.run import SETS
from benchmarks.papers.vasiloudis_2019 import capymoa_intervals
from benchmarks.papers.vasiloudis_2019.methods import CHECKS, METHODS, OURS, Forecaster, leaves_begin_empty
from benchmarks.papers.vasiloudis_2019.reported import APPROXIMATE, EXACT, MONDRIAN, QUANTILE, SMALL_SETS
from benchmarks.shared.data import Table, regression_sets
from benchmarks.shared.page import Options, Page
from benchmarks.shared.pictures import BLUE, GREEN, GREY, ORANGE, subplots

CONFIDENCE = 0.9
LEVELS = (0.8, 0.95, 0.99)
FEW_ROWS = 2000
COLOURS = dict(zip(METHODS, (GREY, BLUE, GREEN, ORANGE), strict=True))


@dataclass(frozen=True)
class Found:
    """Means over seeds of one method, a line for each set: miss rate, size, loss, utility and seconds."""

    by_set: np.ndarray
    confidence: float

    @property
    def cells(self) -> tuple[str, ...]:
        """Return its means over sets."""
        misses, size, loss, utility = self.by_set[:, :4].T
        return (
            f"{misses.mean():.3f} ({misses.min():.3f} to {misses.max():.3f})",
            f"{(misses > 1 - self.confidence).sum()} of {misses.size}",
            f"{size.mean():.3f}",
            f"{loss.mean():.4f}",
            f"{utility.mean():.3f}",
        )

    @property
    def seconds(self) -> float:
        """Processor time for a set, the mean over sets."""
        return float(self.by_set[:, 4].mean())


def follow(
    methods: Mapping[str, Forecaster], tables: Sequence[Table], n_seeds: int, confidence: float, shuffled: bool = False
) -> dict[str, Found]:
    """Let all methods forecast and learn all sets, in the order of the files or, with each seed, in another one."""
    found: dict[str, list[list[float]]] = {name: [] for name in methods}
    for table in tables:
        for name, forecast in methods.items():
            of_set = []
            for seed in range(n_seeds):
                order = np.random.default_rng(seed).permutation(table.y.size) if shuffled else slice(None)
                X, y = np.ascontiguousarray(table.X[order]), table.y[order]
                begin = time.process_time()
                interval = forecast(X, y, seed, confidence)
                seconds = time.process_time() - begin
                s = Scores.of(y, interval, confidence)
                of_set.append((s.miss_rate, s.size, s.loss, s.utility, seconds))
            found[name].append(np.mean(of_set, axis=0).tolist())
    return {name: Found(np.array(of_sets), confidence) for name, of_sets in found.items()}


def small_sets(page: Page, options: Options) -> dict[str, float]:
    """Show the figures and what changes them; return seconds a set."""
    tables = regression_sets(options.data, options.pick(400, 10_000), SETS)[: options.pick(2, 100)]
    if options.quick:
        tables = [Table(table.name, table.X[:400], table.y[:400]) for table in tables]
    page.skipped(SETS, [table.name for table in tables])
    n_seeds, few = options.pick(1, 10), options.pick(1, 1, 3)
    found = follow(METHODS, tables, n_seeds, CONFIDENCE)
    names = [table.name for table in tables]
    in_figures(page, found, names, n_seeds)
    by_set(page, found, names)
    page.tell("rows in random order")
    shuffled = follow(METHODS, tables, few, CONFIDENCE, shuffled=True)
    page.tell("variants")
    others = follow(CHECKS | OURS, tables, few, CONFIDENCE)
    headings = ("", "miss rate", "above 0.1", "relative size", "quantile loss", "utility")
    rows = [
        *((f"{name}, rows in random order", *f.cells) for name, f in shuffled.items()),
        *((name, *others[name].cells) for name in CHECKS),
        *((f"{name}, the library's own settings", *others[name].cells) for name in OURS),
    ]
    words = (
        f"Means over sets, seeds: {few}, in the order of the files unless said. The first lines are the methods of "
        "the report when rows are exchangeable, as conformal prediction assumes; then come checks of what may differ; "
        "then what the library does by default, and what its own options do."
    )
    page.table("What changes Figures 1 to 3", headings, rows, words)
    page.tell("empty leaves")
    short = [Table(table.name, table.X[:2000], table.y[:2000]) for table in tables[::2]]
    pair = {"inherited": METHODS[QUANTILE], "empty": leaves_begin_empty}
    differences(page, found, others, follow(pair, short, 1, CONFIDENCE))
    levels(page, tables, few)
    next_to_capymoa(page, tables)
    return {name: f.seconds for name, f in found.items()}


def next_to_capymoa(page: Page, tables: Sequence[Table]) -> None:
    """Let another library forecast the first rows of all sets."""
    if not capymoa_intervals.is_there(page):
        return
    short = [Table(table.name, table.X[:FEW_ROWS], table.y[:FEW_ROWS]) for table in tables]
    ours = METHODS | {"approximate and normalised": OURS["the same, approximate and normalised"]}
    found = follow(ours | {capymoa_intervals.NAME: capymoa_intervals.adapi}, short, 1, CONFIDENCE)
    headings = ("", "miss rate", "above 0.1", "relative size", "quantile loss", "utility", "seconds a set")
    words = (
        f"The first {FEW_ROWS:,} rows of each set. CapyMOA's adaptive prediction intervals are around its adaptive "
        f"random forest of {capymoa_intervals.N_TREES} trees, all else at its default; *approximate and normalised* is "
        "this library's `OnlineConformalRegressor` so set. Seconds are processor time, of CapyMOA that of all threads "
        "of its Java machine."
    )
    rows = [(name, *f.cells, f"{f.seconds:.2f}") for name, f in found.items()]
    page.table("Next to CapyMOA", headings, rows, words)


def in_figures(page: Page, found: Mapping[str, Found], names: Sequence[str], n_seeds: int) -> None:
    """Draw the three figures, and compare means."""
    rows = []
    for name, f in found.items():
        theirs = SMALL_SETS[name]
        shown = (
            f"{theirs.miss_rate:.3f} ({theirs.least:.3f} to {theirs.most:.3f})",
            f"{theirs.n_above} of {theirs.n_points}",
            f"{theirs.size:.3f}",
            f"{theirs.loss:.4f}",
            f"{theirs.utility:.3f}",
        )
        rows += [(name, "hedgerow", *f.cells), ("", "Burns", *shown)]
    headings = ("", "", "miss rate", "above 0.1", "relative size", "quantile loss", "utility")
    words = (
        f"Confidence {CONFIDENCE}, means over {len(names)} sets and {n_seeds} seeds, rows in the order of the files. "
        "Burns' means were read off his figures, which have no numbers: among them CPExact's utility of "
        f"{SMALL_SETS[EXACT].utility:.3f} and loss of {SMALL_SETS[EXACT].loss:.4f}. They are over other sets: his text "
        "counts 14, his figures show 18 to 20 points a method, and he does not name them."
    )
    page.table("Figures 1 to 3: small sets", headings, rows, words)
    figure, axes = subplots(figsize=(6.4, 4.2))
    for name, f in found.items():
        axes.scatter(f.by_set[:, 0], f.by_set[:, 1], s=30, color=COLOURS[name], label=name)
    axes.axvline(1 - CONFIDENCE, color="black", linestyle="--", linewidth=1, zorder=0)
    axes.set(xlabel="miss rate (MER)", ylabel="relative interval size (RIS)", xlim=(0, None), ylim=(0, None))
    figure.legend(loc="outside upper center", ncols=4, frameon=False)
    page.picture(figure, "figure_1.png", "Figure 1: miss rate and size, a point for each set and method")
    figure, panels = subplots(1, 2, figsize=(9.6, 3.6))
    for axes, column, words in zip(panels, (2, 3), ("quantile loss", "utility"), strict=True):
        for place, (name, f) in enumerate(found.items()):
            spread = place + np.linspace(-0.18, 0.18, len(names))
            axes.scatter(spread, f.by_set[:, column], s=24, color=COLOURS[name])
            axes.hlines(f.by_set[:, column].mean(), place - 0.3, place + 0.3, color="black", linewidth=1.5)
        axes.set(xticks=range(len(found)), xticklabels=list(found), ylabel=words, ylim=(0, None))
        axes.tick_params(axis="x", labelsize=9)
    page.picture(figure, "figures_2_3.png", "Figures 2 and 3: loss and utility, a point for each set, a line the mean")


def differences(
    page: Page, found: Mapping[str, Found], others: Mapping[str, Found], leaves: Mapping[str, Found]
) -> None:
    """Say what explains that ours differs, and what does not."""

    def misses(f: Found) -> str:
        return f"{f.by_set[:, 0].mean():.3f}"

    one_tree, coarse = (others[name] for name in list(CHECKS)[:2])
    page.text(
        f"CPApprox misses {misses(found[APPROXIMATE])} of the rows here and {SMALL_SETS[APPROXIMATE].miss_rate} in the "
        "report. Ours scores a row by the forecast of all ten trees, made before they learned it; the code of the "
        "report scores it by the last tree alone, which errs more than the mean that the interval surrounds. Scored by "
        f"one tree, ours misses {misses(one_tree)}.\n\n"
        f"OnlineQRF misses {misses(found[QUANTILE])} here and {SMALL_SETS[QUANTILE].miss_rate} in the report, whose "
        "code begins the leaves of a new split with empty sketches and does not count the weights of bagging. In the "
        f"first 2,000 rows of every second set ours misses {misses(leaves['inherited'])}, and by those rules "
        f"{misses(leaves['empty'])}.\n\n"
        f"MondrianForest misses {misses(found[MONDRIAN])} here and {SMALL_SETS[MONDRIAN].miss_rate} in the report. "
        "Such intervals are too narrow because leaves are single rows, whose variance is 0: with at least 10 rows "
        f"for a split, as Lakshminarayanan and others (2016) have, it misses {misses(coarse)}."
    )


def by_set(page: Page, found: Mapping[str, Found], names: Sequence[str]) -> None:
    """Show miss rate, size, loss and utility by set."""
    cells = [
        (name, *(" / ".join(f"{value:.3f}" for value in f.by_set[place, :4]) for f in found.values()))
        for place, name in enumerate(names)
    ]
    page.table("By set", ("", *found), cells, "Miss rate / relative size / quantile loss / utility.")


def levels(page: Page, tables: Sequence[Table], n_seeds: int) -> None:
    """Ask for other confidences."""
    rows = []
    for confidence in LEVELS:
        page.tell(f"confidence {confidence}")
        rows += [(f"{confidence}", name, *f.cells) for name, f in follow(METHODS, tables, n_seeds, confidence).items()]
    headings = ("confidence", "", "miss rate", "too high", "relative size", "quantile loss", "utility")
    words = (
        f"Means over sets, seeds: {n_seeds}, rows in the order of the files; *too high* counts sets that are missed "
        "more often than 1 minus the confidence. The report leaves this to the paper."
    )
    page.table("Other confidence levels", headings, rows, words)
