"""Memory of a fitted batch forest, as the forest counts it and as the process grows."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.data import friedman
from benchmarks.peers import N_TREES, extra_trees, hedgerow_forest
from benchmarks.report import Line
from benchmarks.timing import Effort

COUNTED = "memory of a fitted forest, bytes per row and tree, rows included; min_samples_split 10"
WIDTHS = (8, 10, 90)


def run(effort: Effort) -> Iterator[Line]:
    """Yield two lines for each width: the forest's own count, and the growth of a fresh process."""
    n = effort.rows(100_000)
    for width in WIDTHS:
        target = 0.45 * (40 + 8 * width)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh_process:
            counted, grown = fresh_process.submit(bytes_of_forest, n, width).result()
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh_process:
            peer = fresh_process.submit(growth_of_extra_trees, n, width).result()
        per_tree = [each / n / N_TREES for each in (counted, grown, peer)]
        unit, what = " B", f"{width} columns"
        yield Line(COUNTED, f"{what}, counted", f"{per_tree[0]:.1f} B", "", per_tree[0], target, True, unit)
        if grown > 0:
            shown, theirs = (f"{each:.1f} B" for each in per_tree[1:])
            yield Line(COUNTED, f"{what}, process growth", shown, theirs, per_tree[1], None, True, unit)


def bytes_of_forest(n_rows: int, width: int) -> tuple[int, int]:
    """Fit a forest; return the bytes it counts and those by which this process has grown."""
    warm_up(hedgerow_forest(), width)
    data = friedman(n_rows, width, n_test=0)
    before = resident_bytes()
    forest = hedgerow_forest().fit(data.X, data.y)
    gc.collect()
    return forest._core.n_bytes, resident_bytes() - before


def growth_of_extra_trees(n_rows: int, width: int) -> int:
    """Fit scikit-learn's forest, trying 5 columns a cut to save time; return the growth of this process."""
    warm_up(extra_trees(), width)
    data = friedman(n_rows, width, n_test=0)
    before = resident_bytes()
    forest = extra_trees().set_params(max_features=5).fit(data.X, data.y)
    gc.collect()
    grown = resident_bytes() - before
    del forest
    return grown


def warm_up(forest: object, width: int) -> None:
    """Fit a few rows, so that what is loaded on first use is not counted."""
    data = friedman(100, width, n_test=0)
    forest.fit(data.X, data.y)  # type: ignore[attr-defined]


def resident_bytes() -> int:
    """Return the memory this process occupies now; 0 where the system does not say."""
    statistics = Path("/proc/self/statm")
    return int(statistics.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statistics.exists() else 0
