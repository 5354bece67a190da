"""Table 1: run times; and what the update threshold of CPExact saves and costs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from benchmarks.online_forests.methods import Scores, river_intervals
from benchmarks.papers.vasiloudis_2019.methods import METHODS, exact
from benchmarks.papers.vasiloudis_2019.reported import SECONDS
from benchmarks.papers.vasiloudis_2019.small_sets import CONFIDENCE
from benchmarks.shared.data import Table
from benchmarks.shared.page import Page
from hedgerow.stream import friedman_drift


def run_times(page: Page, small: Mapping[str, float], large: Mapping[str, float], n_rows: int, n_river: int) -> None:
    """Show seconds next to those of the report, and next to river's forest."""
    rows = [
        ("small sets, hedgerow", *(f"{small[name]:.2f}" for name in METHODS)),
        *((what, *(f"{theirs[name]:g}" for name in METHODS)) for what, theirs in SECONDS.items() if "small" in what),
        (f"{n_rows:,} rows, hedgerow", *(f"{large[name]:.0f}" for name in METHODS)),
        *((what, *(f"{theirs[name]:g}" for name in METHODS)) for what, theirs in SECONDS.items() if "million" in what),
    ]
    words = (
        "Seconds for a set, the mean over sets, and for the stream with a drift. Ours are processor time on one "
        "thread, without the scores; theirs come from other machines, Mondrian forests on several threads with Burns, "
        "all methods with the authors."
    )
    if page.has("river"):
        X, y = friedman_drift("report", 4 * n_river, random_state=0).arrays()
        stream = Table("friedman", X[:n_river], y[:n_river])
        begin = time.process_time()
        river_intervals(stream)
        rate = n_river / (time.process_time() - begin)
        words += (
            " river's adaptive forest, the base learner of the report, with intervals from its last 1,000 residuals "
            f"takes {rate:,.0f} rows a second in the first {n_river:,} rows of the stream: {1e6 / rate:,.0f} s for a "
            "million, if it gets no slower."
        )
    page.table("Table 1: run times", ("", *METHODS), rows, words)


def thresholds(page: Page, n_rows: int, sizes: Sequence[int]) -> None:
    """Let scores follow the trees after every row, or less often; there is a drift at a quarter of the rows."""
    X, y = friedman_drift("report", n_rows, random_state=0).arrays()
    after = slice(n_rows // 4, n_rows // 4 + n_rows // 20)
    rows = []
    for update_every in sizes:
        begin = time.process_time()
        interval = exact(0, update_every).predict_then_learn(X, y, confidence=CONFIDENCE)[1]
        seconds = time.process_time() - begin
        whole, drifted = Scores.of(y, interval, CONFIDENCE), Scores.of(y[after], interval[after], CONFIDENCE)
        numbers = (whole.miss_rate, whole.size, drifted.miss_rate)
        rows.append((f"{update_every}", f"{seconds:.2f}", *(f"{number:.3f}" for number in numbers)))
    headings = (
        "update_every",
        "seconds",
        "miss rate",
        "relative size",
        f"miss rate, {n_rows // 20:,} rows after a drift",
    )
    words = (
        f"The stream with a drift, {n_rows:,} rows. Burns refreshes the scores of CPExact after every 50 rows, which "
        "he finds 6 to 12.5 times as fast as the authors' code, relative to other methods, and about 50 times as fast "
        "as his own at every row. Here scores are kept up to date by looking only at rows whose leaf has changed, so "
        "little is left to save."
    )
    page.table("CPExact: how often scores are refreshed", headings, rows, words)
