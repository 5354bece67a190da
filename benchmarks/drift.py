"""Friedman's function with a drift: how soon windowed Mondrian forests forget, next to the report's methods."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from river.forest import AMFRegressor
from threadpoolctl import threadpool_limits

from benchmarks.report import machine, warning
from hedgerow import MondrianForestRegressor
from hedgerow.plot import RunDisplay
from hedgerow.stream import Run, evaluate, friedman_drift

PAGE = Path(__file__).parent / "drift.md"
PICTURE = Path(__file__).parent / "drift.png"
WINDOW = 10_000
"""Rows in a window of the history, as in document 003."""
WINDOWS_KEPT = (2_000, 5_000, 10_000, None)
LATER = 150_000

REPORTED = {
    "Mondrian forest": (0.015, 0.353, 0.210, 0.354, 0.080, 0.371),
    "OnlineQRF": (0.019, 0.330, 0.196, 0.338, 0.021, 0.376),
    "CPExact": (0.065, 0.228, 0.103, 0.469, 0.088, 0.343),
    "CPApprox": (0.045, 0.255, 0.088, 0.488, 0.067, 0.370),
}
"""Miss rate and relative size before, first after and 150,000 rows after the drift, read off the report's figures."""


@dataclass(frozen=True)
class Recovery:
    """What a drift did to a run."""

    name: str
    cells: tuple[float, ...]
    """Miss rate and relative size before, first after, later."""
    rows_until_valid: tuple[int | None, ...]
    """After each change, rows at the end of the first window that misses less than promised; None if none does."""
    rows_per_second: float

    @classmethod
    def of(cls, run: Run) -> Recovery:
        history, scale = run.history, run.n_rows / 1_000_000
        begin, misses = history["begin"], history["mean_error_rate"]
        drift = run.change_points[0]
        at = [np.searchsorted(begin, row) for row in (drift - run.window, drift, drift + int(LATER * scale))]
        cells = [float(history[name][i]) for i in at for name in ("mean_error_rate", "relative_interval_size")]
        ends = (*run.change_points[1:], run.n_rows)
        until = []
        for change, end in zip(run.change_points, ends, strict=True):
            valid = (begin >= change) & (begin < end) & (misses < 1 - run.confidence)
            until.append(int(history["end"][valid][0] - change) if valid.any() else None)
        return cls(run.name, tuple(cells), tuple(until), run.n_rows / run.seconds)


def forest(window: int | None, n_estimators: int = 10) -> MondrianForestRegressor:
    return MondrianForestRegressor(n_estimators, window=window, random_state=0)


def run(n_rows: int) -> Iterator[Run]:
    """Yield a run for each window that is kept."""
    for window in WINDOWS_KEPT:
        name = "all rows kept" if window is None else f"window={window:,}"
        stream = friedman_drift("report", n_rows, random_state=0)
        yield evaluate(forest(window), stream, window=n_rows // 100, name=name)


def speed(n_rows: int, rounds: int = 2) -> dict[str, float]:
    """Return rows a second of processor time through `evaluate`, best of some rounds in turn."""
    models = {"hedgerow, window=2,000": lambda: forest(2_000), "river AMFRegressor": lambda: AMFRegressor(10, seed=0)}
    best = dict.fromkeys(models, 0.0)
    for _ in range(rounds):
        for name, new in models.items():
            stream = friedman_drift("report", n_rows, random_state=0)
            with threadpool_limits(1):
                begin = time.process_time()
                evaluate(new(), stream, progress=False)
                best[name] = max(best[name], n_rows / (time.process_time() - begin))
    return best


def write(runs: list[Run], speeds: dict[str, float], n_speed: int, load: float) -> None:
    """Write the page and draw the picture."""
    n_rows = runs[0].n_rows
    recoveries = [Recovery.of(run) for run in runs]
    fast, slow = speeds.values()
    parts = [
        "# Benchmarks on a drift",
        machine(),
        HOW_TO_READ.format(n_rows=n_rows),
        *filter(None, [warning(load)]),
        table("ours", recoveries),
        "The report's methods on the same stream, one million rows, 10 trees, read off its figures:\n\n" + reported(),
        "![Share of misses, size and error by window](drift.png)",
        f"Through `evaluate`, {n_speed:,} rows, 10 trees each, processor time on one thread, the better of two turns: "
        f"hedgerow, `window=2000`, {fast:,.0f} rows/s with intervals; river's AMFRegressor, {slow:,.0f} without. "
        f"{fast / slow:.1f} times as fast.",
    ]
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    RunDisplay.from_runs(*runs).figure_.savefig(PICTURE, dpi=110)


def table(title: str, recoveries: list[Recovery]) -> str:
    head = (title, "before", "first after", "later", "rows until valid", "after the change back", "rows/s")
    lines = [head, ("---",) * len(head)]
    for each in recoveries:
        pairs = [f"{each.cells[k]:.3f} / {each.cells[k + 1]:.3f}" for k in (0, 2, 4)]
        until = ["never" if rows is None else f"{rows:,}" for rows in each.rows_until_valid]
        lines.append((each.name, *pairs, *until, f"{each.rows_per_second:,.0f}"))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def reported() -> str:
    head = ("report", "before", "first after", "150,000 later")
    lines = [head, ("---",) * len(head)]
    lines += [(name, *(f"{c[k]:.3f} / {c[k + 1]:.3f}" for k in (0, 2, 4))) for name, c in REPORTED.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


HOW_TO_READ = """\
Made by `make bench-drift`. Friedman's function of the report, {n_rows:,} rows; at a quarter of them five features
change places, at three quarters they change back. Each row is forecast, then learned. Mondrian forests of 10 trees,
all else at its default (hyper-parameters learned), keep the rows of a window. Entries are miss rate / size relative
to the labels of the window, of intervals that promise to miss 0.1, in windows of a hundredth of the rows: the last
before the drift, the first after it, and 15 % of the rows later. *Rows until valid* is where the first such window ends
that misses less than 0.1. Rows a second are by the wall clock."""
