"""The page that the benchmark on optimisation writes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from benchmarks.class_report import markdown
from benchmarks.optimize import Score
from benchmarks.report import HEADINGS, Line, machine, warning

PAGE = Path(__file__).parent / "optimize.md"

HOW_TO_READ = """\
Made by `make bench-optimize`. All methods have their default parameters; *forest alone* is hedgerow without local
searches. Values are to be small, also those of Table 3, which has them with the other sign. Times are processor
time a suggestion, on one thread for hedgerow, with what the function itself and the bookkeeping around it take; those
of *cost* are without the function, taken in turns, and the best of five turns counts.

The grids of the two functions are 250,000 places each, three of them with five seeds. hedgerow is told which place was
tried, the nearest that was not yet; Optuna cannot be told, and has the value of the nearest place. All places are
random but for one, which is where the function is least: document 000 gives 3.322 as the best on its grids of
Hartmann's function, and the best of 250,000 random places is worse than 3.22. SVM-grid and LDA-grid are searched as
whole numbers; their names are swapped in the paper's table. How its grids were made the paper does not tell in full, so
compare with the peers of this run first. GPSampler and SMAC3 take so long that they meet only the whole functions,
with two seeds."""


def write(lines: Sequence[Line], scores: Sequence[Score], load: float) -> None:
    """Write the page."""
    parts = [
        "# Benchmarks on Bayesian optimisation",
        machine("optuna", "smac", "torch"),
        HOW_TO_READ,
        *filter(None, [warning(load)]),
    ]
    for section, members in groupby(lines, key=lambda line: line.section):
        parts.append(f"## {section}\n\n{markdown(HEADINGS, (line.cells for line in members))}")
    parts.append("## all methods")
    for problem, n in dict.fromkeys((score.problem, score.n) for score in scores):
        members = [score for score in scores if (score.problem, score.n) == (problem, n)]
        parts.append(f"### {problem}, {n} evaluations\n\n{table(members)}")
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def table(scores: Sequence[Score]) -> str:
    """Return what each method found."""
    rows = [
        (
            score.method,
            f"{score.mean:.6g} ± {np.std(score.found):.2g}",
            f"{np.median(score.found):.6g}",
            f"{max(score.found):.6g}",
            str(len(score.found)),
            f"{score.milliseconds:.3g}",
        )
        for score in scores
    ]
    return markdown(("method", "least value, mean ± sd", "median", "worst", "runs", "ms a suggestion"), rows)
