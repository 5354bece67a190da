"""The page that the benchmark on class probabilities writes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from benchmarks.class_report import markdown
from benchmarks.losses import MODELS, MOST_TEST, MOST_TRAIN, WIDEST_FOR_RIVER, Loss
from benchmarks.report import HEADINGS, Line, machine, warning

PAGE = Path(__file__).parent / "losses.md"

HOW_TO_READ = f"""\
Made by `make bench-losses`. Of each set at most {MOST_TRAIN:,} rows are learned and {MOST_TEST:,} others are asked
about, by its own split where it has one. hedgerow's forest and boosting and ExtraTrees (100 trees) are at their
defaults. *Calibrated* are ExtraTrees' probabilities by max(p, floor) ^ power, as boosting's are, with the two numbers
from what a bootstrapped forest says of rows out of bag; the time of that is not counted. river's AMF has 10 trees, its
default, and is left out on sets of more than {WIDEST_FOR_RIVER} columns, for memory. Log loss is in nats, with
probabilities raised to 2.2e-16 where they are less. Times are processor time on one thread, two fits at once."""


def write(lines: Sequence[Line], found: Sequence[Loss], load: float) -> None:
    """Write the page."""
    parts = ["# Benchmarks on class probabilities", machine(), HOW_TO_READ, *filter(None, [warning(load)])]
    for section, members in groupby(lines, key=lambda line: line.section):
        parts.append(f"## {section}\n\n{markdown(HEADINGS, (line.cells for line in members))}")
    by_name = {(one.data, one.model): one for one in found}
    for title, cell in (("log loss", "{.loss:.3f}"), ("accuracy", "{.accuracy:.3f}"), ("fit, s", "{.fit_seconds:.2f}")):
        rows = [
            (name, *(cell.format(by_name[name, model]) if (name, model) in by_name else "" for model in MODELS))
            for name in sorted({one.data for one in found})
        ]
        parts.append(f"## {title}\n\n{markdown(('', *MODELS), rows)}")
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
