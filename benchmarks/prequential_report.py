"""The page that the prequential benchmark writes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from benchmarks.class_report import markdown
from benchmarks.prequential import MOST_ROWS, OURS, PEERS, Prequential
from benchmarks.report import HEADINGS, Line, machine, warning

PAGE = Path(__file__).parent / "prequential.md"
MODELS = (*OURS, *PEERS)

HOW_TO_READ = f"""\
Made by `make bench-prequential`. Each row is forecast, then learned, one after another; of each set the first
{MOST_ROWS:,} rows at most. metro_traffic, seoul_bike and elec2 are in order of time, the others are shuffled. Columns
are in [0, 1] and labels standardised, which river's forests need and ours do not. The number after a model's name is
that of its trees, for boosting that of each stage; everything else is at its default, but that boosting has a shape
common to all rows. 50 trees are our default, 10 are river's.

hedgerow's forests and boosting say mean and standard deviation of every row, in one call of `predict_then_learn`;
river's forests say the mean, in a loop over `predict_one` and `learn_one`. Times are processor time on one thread, and
include all that is learned anew at doublings. Contestants take turns, set by set, one turn each."""


def write(lines: Sequence[Line], found: Sequence[Prequential], load: float) -> None:
    """Write the page."""
    parts = ["# Prequential benchmarks", machine(), HOW_TO_READ, *filter(None, [warning(load)])]
    for section, members in groupby(lines, key=lambda line: line.section):
        parts.append(f"## {section}\n\n{markdown(HEADINGS, (line.cells for line in members))}")
    by_name = {(one.data, one.model): one for one in found}
    rows_of = {one.data: one.n_rows for one in found}

    def table(cell: str) -> str:
        rows = []
        for name, n_rows in rows_of.items():
            cells = (by_name.get((name, model)) for model in MODELS)
            rows.append((name, f"{n_rows:,}", *("" if one is None else cell.format(one) for one in cells)))
        return markdown(("", "rows", *MODELS), rows)

    parts.append(f"## error by set: RMSE, and for elec2, which has classes, log-loss\n\n{table('{0.error:.3f}')}")
    parts.append(f"## processor time by set, µs a row\n\n{table('{0.microseconds:.0f}')}")
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
