"""Cost as rows, columns, trees and threads grow, of a forest and of boosting, each in a process of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

from benchmarks.shared.data import friedman
from benchmarks.shared.page import Options, Page
from benchmarks.shared.pictures import BLUE, ORANGE, subplots
from benchmarks.speed.batch import N_TREES, hedgerow_forest
from hedgerow import MondrianBoostingRegressor

FOREST, BOOSTING = "forest", "boosting"
COLOURS = {FOREST: BLUE, BOOSTING: ORANGE}
N_ASKED = 10_000
LONG = 10.0
"""Seconds: what takes longer is done once, the rest three times, and the best counts."""


class Case(NamedTuple):
    """A model, and how large it is."""

    model: str
    n_rows: int
    width: int = 10
    n_trees: int = N_TREES
    n_threads: int = 1


class Cost(NamedTuple):
    """Microseconds to fit a row, and to predict one; by the wall clock if threads are several."""

    fit: float
    predict: float


def measure(page: Page, options: Options) -> None:
    """Let one number grow while the others stay."""
    tens = options.pick([1000, 2000], [10**k for k in range(3, 8)])
    n, wide = options.pick(1000, 10_000), options.pick([5, 20], [5, 10, 20, 40, 80, 160])
    threads = sorted({1, *(t for t in (2, 4, 8, 16) if t <= (os.cpu_count() or 1))})
    for_forest = {
        "rows": [Case(FOREST, rows) for rows in tens],
        "columns": [Case(FOREST, n, width) for width in wide],
        "trees": [Case(FOREST, n, n_trees=trees) for trees in options.pick([5, 20], [5, 10, 20, 40, 80, 160])],
        "threads": [Case(FOREST, 10 * n, n_trees=80, n_threads=each) for each in threads],
    }
    for_boosting = {
        "rows": [Case(BOOSTING, rows) for rows in tens if rows <= 10**6],
        "columns": [Case(BOOSTING, n, width) for width in wide],
        "threads": [Case(BOOSTING, n, n_threads=each) for each in threads],
    }
    found = {case: cost_of(case) for cases in (for_forest, for_boosting) for each in cases.values() for case in each}
    page.text("## Cost as models grow")
    page.text(WORDS.format(n=n, ten_n=10 * n))
    figure, axes = subplots(1, 4, figsize=(13, 3.9), sharey=True)
    for panel, what in zip(axes, for_forest, strict=True):
        lines = {FOREST: for_forest[what], BOOSTING: for_boosting.get(what, [])}
        _tell(page, what, lines, found)
        _draw(panel, what, lines, found)
    axes[0].set_ylabel("µs a row")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False)
    page.picture(figure, "scaling.png", "Cost of a row as rows, columns, trees and threads grow")


WORDS = """\
Microseconds a row, to fit and to predict mean and standard deviation. The forest has 10 trees and hyper-parameters as \
in the paper, boosting is the default. Data have 10 columns. Columns, trees and boosting's threads grow at {n:,} rows, \
the forest's threads at {ten_n:,} rows and 80 trees."""


def cost_of(case: Case) -> Cost:
    """Measure it in a fresh process, so that the memory of one does not slow down the next."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh_process:
        return fresh_process.submit(_cost, case).result()


def _cost(case: Case) -> Cost:
    clock = time.process_time if case.n_threads == 1 else time.perf_counter
    data = friedman(case.n_rows, case.width, n_test=N_ASKED)
    _model(case).fit(data.X[:200], data.y[:200]).predict(data.X_test[:10])  # what is loaded on first use is not timed
    best = [float("inf")] * 2
    for _ in range(3):
        model, begin = _model(case), clock()
        model.fit(data.X, data.y)
        middle = clock()
        model.predict(data.X_test, return_std=True)
        best = [min(best[0], middle - begin), min(best[1], clock() - middle)]
        if best[0] > LONG:
            break
    return Cost(best[0] / case.n_rows * 1e6, best[1] / N_ASKED * 1e6)


def _model(case: Case) -> Any:
    if case.model == BOOSTING:
        return MondrianBoostingRegressor(n_jobs=case.n_threads, random_state=0)
    return hedgerow_forest(n_estimators=case.n_trees, n_jobs=case.n_threads)


def _size(case: Case, what: str) -> int:
    return {"rows": case.n_rows, "columns": case.width, "trees": case.n_trees, "threads": case.n_threads}[what]


def _tell(page: Page, what: str, lines: dict[str, list[Case]], found: dict[Case, Cost]) -> None:
    sizes = [_size(case, what) for case in lines[FOREST]]
    rows = []
    for size in sizes:
        cells = [f"{size:,}"]
        for cases in filter(None, lines.values()):
            costs = [found[case] for case in cases if _size(case, what) == size]
            cells += (
                [f"{number:,.0f}" if number >= 100 else f"{number:.3g}" for number in costs[0]] if costs else ["", ""]
            )
        rows.append(cells)
    headings = [what, *(f"{name}, {verb}" for name, cases in lines.items() if cases for verb in Cost._fields)]
    page.table("", headings, rows)


def _draw(panel: Any, what: str, lines: dict[str, list[Case]], found: dict[Case, Cost]) -> None:
    for name, cases in lines.items():
        sizes: Sequence[int] = [_size(case, what) for case in cases]
        for place, (verb, style) in enumerate({"fit": "o-", "predict": "o--"}.items()):
            costs = [found[case][place] for case in cases]
            panel.plot(sizes, costs, style, color=COLOURS[name], markersize=4, label=f"{name}, {verb}")
    panel.set(xscale="log", yscale="log", xlabel=what)
    if what != "rows":
        sizes = [_size(case, what) for case in lines[FOREST]]
        panel.set_xticks(sizes, [str(size) for size in sizes])
        panel.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
