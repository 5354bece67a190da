"""Keyed cuts next to free ones: fitting, learning and unlearning online, and merging next to fitting."""

from __future__ import annotations

from functools import partial
from typing import Any

import hedgerow
from benchmarks.shared.data import friedman
from benchmarks.shared.page import Options, Page, ratio
from benchmarks.shared.timing import interleave
from benchmarks.speed.batch import hedgerow_forest

CUTS = ("free", "keyed")
WORDS = (
    "`min_samples_split` 2, range scaling. Rows are learned and unlearned by a forest that holds as many. The last "
    "column is the time with keyed cuts over that with free ones."
)


def measure(page: Page, options: Options) -> None:
    """Time both kinds of cuts in turn, in one process, at two widths; then two halves that are merged."""
    n, lines = options.pick(500, 20_000), []
    for width in (10, 30):
        data = friedman(2 * n, width)
        first, last = (data.X[:n], data.y[:n]), (data.X[n:], data.y[n:])
        works: dict[str, Any] = {
            "fit": lambda cuts, first=first: partial(new(cuts).fit, *first),
            "partial_fit": lambda cuts, first=first, last=last: partial(new(cuts).fit(*first).partial_fit, *last),
            "unlearn": lambda cuts, first=first, last=last: partial(
                new(cuts).fit(*first).partial_fit(*last).unlearn, *last
            ),
        }
        for name, work in works.items():
            found = interleave({cuts: partial(work, cuts) for cuts in CUTS}, options.pick(1, 5))
            times = (found[cuts].per_row(n) for cuts in CUTS)
            lines.append((f"{name}, {width} columns", *times, ratio(found["keyed"].best / found["free"].best)))
    page.table(f"Keyed cuts: {n:,} rows, time a row", ("", *CUTS, "times as long"), lines, WORDS)
    merging(page, options)


def merging(page: Page, options: Options) -> None:
    """Merge two forests of half the rows, and a small one into a large one."""
    n, lines = options.pick(500, 20_000), []
    data = friedman(n, 10)
    for part in (n // 2, n // 20):
        parts = [new("keyed", scaling="none").fit(data.X[rows], data.y[rows]) for rows in (slice(part, n), slice(part))]
        works: dict[str, Any] = {
            "merge": partial(hedgerow.merge, parts),
            "fit": partial(new("keyed", scaling="none").fit, data.X, data.y),
        }
        found = interleave({name: lambda work=work: work for name, work in works.items()}, options.pick(1, 5))
        lines.append((f"{n - part:,} + {part:,}", str(found["merge"]), str(found["fit"])))
    page.table("Merge two forests, next to fitting all rows", ("rows", "`hedgerow.merge`", "fit"), lines)


def new(cuts: str, **parameters: Any) -> Any:
    """Return a forest whose leaves are single rows."""
    return hedgerow_forest(cuts=cuts, **{"min_samples_split": 2, "scaling": "range", **parameters})
