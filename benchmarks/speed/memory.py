"""Memory of a fitted forest, as it counts itself and as the process grows."""

from __future__ import annotations

import gc
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.shared.data import friedman
from benchmarks.shared.page import Options, Page
from benchmarks.speed.batch import N_TREES, hedgerow_forest, peer


def measure(page: Page, options: Options) -> None:
    """Fit each forest in a process of its own."""
    n, rows = options.pick(2000, 100_000), []
    for width in (8, 10, 90):
        cells = []
        for ours in (True, False):
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh_process:
                cells += fresh_process.submit(bytes_of_forest, ours, n, width).result()
        counted, grown, _, peer_grown = (f"{each / n / N_TREES:.1f}" for each in cells)
        rows.append((f"{width}", counted, grown, peer_grown))
    headings = ("columns", "hedgerow, `sys.getsizeof`", "hedgerow, growth of the process", "ExtraTrees, growth")
    words = "hedgerow's forest holds its rows, for it can unlearn them; ExtraTrees does not."
    page.table(f"Memory of a forest fitted on {n:,} rows, bytes a row and tree", headings, rows, words)


def bytes_of_forest(ours: bool, n_rows: int, width: int) -> tuple[int, int]:
    """Fit a forest; return the bytes it counts and those by which this process has grown."""
    forest = hedgerow_forest() if ours else peer(max_features=5)
    warm_up = friedman(100, width, n_test=0)
    forest.fit(warm_up.X, warm_up.y)  # what is loaded on first use is not counted
    data = friedman(n_rows, width, n_test=0)
    before = resident_bytes()
    forest.fit(data.X, data.y)
    gc.collect()
    return sys.getsizeof(forest), resident_bytes() - before


def resident_bytes() -> int:
    """Return the memory this process occupies now; 0 where the system does not say."""
    statistics = Path("/proc/self/statm")
    return int(statistics.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statistics.exists() else 0
