"""Memory of fitted forests; peaks and files of default models; time of imports."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import hedgerow
from benchmarks.shared.data import friedman
from benchmarks.shared.page import Options, Page
from benchmarks.speed.batch import N_TREES, hedgerow_forest, peer

PEAKS = (
    ("MondrianForestRegressor", 48_000, 10),
    ("MondrianForestRegressor", 100_000, 20),
    ("MondrianForestRegressor", 1_000_000, 10),
    ("MondrianBoostingRegressor", 100_000, 20),
    ("MondrianBoostingRegressor", 1_000_000, 10),
    ("MondrianBoostingClassifier", 100_000, 20),
)
"""Default models, rows and columns."""
STATEMENTS = ("import hedgerow", "from hedgerow import MondrianForestRegressor", "import sklearn.base")


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


def peaks(page: Page, options: Options) -> None:
    """Fit default models, each in a process of its own, and save them."""
    rows = []
    for name, n, width in PEAKS:
        n = options.pick(n // 100, n)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh_process:
            seconds, *found = fresh_process.submit(peak_of_model, name, n, width).result()
        rows.append((f"`{name}`", f"{n:,} x {width}", f"{seconds:.0f} s", *(f"{each / 1e6:,.0f} MB" for each in found)))
    headings = ("model", "rows x columns", "fit, one thread", "peak while it fits", "file")
    words = (
        "Peaks are what the process has grown by at most since before `fit`. Classes are four, cut from the targets."
    )
    page.table("Memory of default models", headings, rows, words)


def peak_of_model(name: str, n_rows: int, width: int) -> tuple[float, int, int]:
    """Fit a model; return seconds of processor time, bytes by which the process grew at most, and bytes of its file."""
    model = getattr(hedgerow, name)(random_state=0, n_jobs=1)
    data = friedman(n_rows, width, n_test=0)
    y = np.digitize(data.y, np.quantile(data.y, [0.25, 0.5, 0.75])) if name.endswith("Classifier") else data.y
    model.fit(data.X[:200], y[:200])
    before, begin = resident_bytes(), time.process_time()
    model.fit(data.X, y)
    seconds = time.process_time() - begin
    peak = most_resident_bytes() - before
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model")
        return seconds, peak, os.path.getsize(f"{folder}/model")


def most_resident_bytes() -> int:
    """Return the most memory that this process has occupied; 0 where the system does not say."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def imports(page: Page, options: Options) -> None:
    """Time imports in fresh processes, beside that of Python itself."""
    rounds, best = options.pick(1, 7), dict.fromkeys(("pass", *STATEMENTS), np.inf)
    for _ in range(rounds):
        for statement in best:
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True)
            best[statement] = min(best[statement], time.perf_counter() - begin)
    rows = [(f"`{statement}`", f"{(best[statement] - best['pass']) * 1e3:.0f} ms") for statement in STATEMENTS]
    page.table("Import, by the wall clock, without the start of Python", ("", "time"), rows)
