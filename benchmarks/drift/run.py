"""A drift of Friedman's function: how soon windowed Mondrian forests recover."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.papers.vasiloudis_2019.reported import DRIFT
from benchmarks.shared.page import Options, Page
from benchmarks.shared.peers import river_amf
from benchmarks.shared.timing import on_all_cores
from hedgerow import MondrianForestRegressor
from hedgerow.plot import RunDisplay
from hedgerow.stream import Run, evaluate, friedman_drift

WINDOWS_KEPT = (2_000, 5_000, 10_000, None)
HEADINGS = ("before", "first after", "later", "rows until valid", "after the change back", "rows/s")
INTRODUCTION = """\
Friedman's function as in Burns' report on Vasiloudis and others (2019), {n_rows:,} rows; at a quarter of them five \
features change places, at three quarters they change back. Each row is forecast, then learned. Mondrian forests of 10 \
trees, all else at its default, keep the rows of a window. Intervals have a confidence of 0.9. Entries are miss rate / \
size relative to the targets, in windows of {window:,} rows: the last before the change, the first after it, and the \
one {later:,} rows later. *Rows until valid* is where the first such window ends that misses less than 0.1. Rows a \
second are by the wall clock, as many runs at once as there are cores, with all that `evaluate` measures on the way."""


@dataclass(frozen=True)
class Recovery:
    """What a drift did to a run."""

    name: str
    cells: tuple[float, ...]
    """Miss rate and relative size before, first after, later."""
    rows_until_valid: tuple[int | None, ...]
    """After each change, rows at the end of the first window that misses less than it should; None if none does."""
    rows_per_second: float

    @classmethod
    def of(cls, run: Run, later: int) -> Recovery:
        history = run.history
        begin, misses = history["begin"], history["mean_error_rate"]
        drift = run.change_points[0]
        at = [np.searchsorted(begin, row) for row in (drift - run.window, drift, drift + later)]
        cells = [float(history[name][i]) for i in at for name in ("mean_error_rate", "relative_interval_size")]
        ends = (*run.change_points[1:], run.n_rows)
        until = []
        for change, end in zip(run.change_points, ends, strict=True):
            valid = (begin >= change) & (begin < end) & (misses < 1 - run.confidence)
            until.append(int(history["end"][valid][0] - change) if valid.any() else None)
        return cls(run.name, tuple(cells), tuple(until), run.n_rows / run.seconds)

    @property
    def shown(self) -> tuple[str, ...]:
        until = ["never" if rows is None else f"{rows:,}" for rows in self.rows_until_valid]
        return (self.name, *pairs(self.cells), *until, f"{self.rows_per_second:,.0f}")


def pairs(cells: tuple[float, ...]) -> list[str]:
    """Return miss rate and size, before, first after and later."""
    return [f"{cells[k]:.3f} / {cells[k + 1]:.3f}" for k in (0, 2, 4)]


def forest(window: int | None) -> MondrianForestRegressor:
    return MondrianForestRegressor(10, window=window, random_state=0)


def name_of(kept: int | None) -> str:
    return "all rows kept" if kept is None else f"window={kept}"


def follow(kept: int | None, n_rows: int, window: int) -> Run:
    """Follow a forest that keeps so many rows along the stream."""
    stream = friedman_drift("report", n_rows, random_state=0)
    return evaluate(forest(kept), stream, window=window, name=name_of(kept), progress=False)


def run(page: Page, options: Options) -> None:
    """Follow a forest for each window that is kept."""
    n_rows, window, later = options.pick((8_000, 200, 3_000), (400_000, 10_000, 150_000), (1_000_000, 10_000, 150_000))
    words = INTRODUCTION.format(n_rows=n_rows, window=window, later=later)
    page.begin("A drift, and how soon it is forgotten", words, "numpy")
    runs = []
    for run in on_all_cores(follow, [(kept, n_rows, window) for kept in WINDOWS_KEPT]):
        page.tell(run.name)
        runs.append(run)
    runs.sort(key=lambda run: [name_of(kept) for kept in WINDOWS_KEPT].index(run.name))
    page.table("Mondrian forests", ("", *HEADINGS), [Recovery.of(run, later).shown for run in runs])
    page.picture(RunDisplay.from_runs(*runs).figure_, "drift.png", "Share of misses, size and error by window")
    rows = [(name, *pairs(cells)) for name, cells in DRIFT.items()]
    words = "The same stream with a million rows, 10 trees, 150,000 rows later; read off the figures of the report."
    page.table("What Burns reports", ("", *HEADINGS[:3]), rows, words)
    speed(page, options.pick(300, 5_000))


def speed(page: Page, n_rows: int) -> None:
    """Compare rows a second of processor time through `evaluate`, best of two turns."""
    models = {"hedgerow, `window=2000`, with intervals": lambda: forest(2_000)}
    if page.has("river"):
        models["river's AMFRegressor, without"] = river_amf
    best = dict.fromkeys(models, 0.0)
    for _ in range(2):
        for name, new in models.items():
            stream = friedman_drift("report", n_rows, random_state=0)
            with threadpool_limits(1):
                begin = time.process_time()
                evaluate(new(), stream, progress=False)
                best[name] = max(best[name], n_rows / (time.process_time() - begin))
    rows = [(name, f"{rate:,.0f}") for name, rate in best.items()]
    words = "10 trees each, through `evaluate`, one thread, the better of two turns."
    page.table(f"The first {n_rows:,} rows, rows a second of processor time", ("", "rows/s"), rows, words)
