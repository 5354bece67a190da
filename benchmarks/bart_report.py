"""The page that the benchmarks on BART write."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from benchmarks.bart_mixing import STUCK, Mixing
from benchmarks.bart_peers import peers
from benchmarks.class_report import markdown
from benchmarks.report import HEADINGS, Line, machine, warning

PAGE = Path(__file__).parent / "bart.md"
COLUMNS = (
    "data",
    "sampler",
    "start",
    "ESS log-lik.",
    "ESS noise",
    "s a chain",
    "ESS / s",
    "R-hat log-lik.",
    "R-hat noise",
    "R-hat leaves",
    "leaves",
    "root changes",
    "stuck",
    "test error",
)
THESIS = {  # tables 4.1 and 4.2
    "2": (751.66, 473.57, 259.11),
    "3": (762.96, 285.2, 666.71),
    "4": (14.01, 11.76, 686.79),
    "5": (2.92, 1.35, 667.27),
    "7": (1.16, 1.78, 422.96),
}
HOW_TO_READ = f"""\
Made by `make bench-bart`. Times are processor time on one thread. ESS is that of single chains (Geyer's initial
positive sequence), the median over chains and data sets; R-hat is rank-normalised, split and folded, over four chains,
the worst of the data sets. Chains start each from a draw of the prior, or, as is the default, from single leaves. A
chain on a hypercube is stuck if its mean squared error on the rows it has learned exceeds {STUCK}; the variance of
the noise is 0.0001. *Root changes* is the share of sweeps after which a tree has another rule at its root, *test
error* the mean squared error of a chain's mean, the median over chains.

What the thesis has in its Tables 4.1 and 4.4 is the column *ESS log-lik.*; in 4.2 and 4.5, *ESS / s*. It does not
show what it was meant to: chains of particle Gibbs that sit still in a poor tree with too much noise have a high
effective sample size of the log-likelihood. R-hat, stuck chains and the test error do show it."""


def write(lines: Sequence[Line], mixings: Sequence[Mixing], load: float) -> None:
    """Write the page."""
    parts = ["# Benchmarks on BART", machine(*peers()), HOW_TO_READ, *filter(None, [warning(load)])]
    for section, members in groupby(lines, key=lambda line: line.section):
        parts.append(f"## {section}\n\n{markdown(HEADINGS, (line.cells for line in members))}")
    for table, rows in groupby(mixings, key=lambda mixing: mixing.table):
        parts.append(f"## {table}\n\n{markdown(COLUMNS, map(cells, rows))}")
    known = [(data, *(f"{value:g}" for value in values)) for data, values in THESIS.items()]
    table = markdown(("D", "CGM", "GrowPrune", "PG"), known)
    parts.append(f"## Table 4.1 of the thesis: ESS of the log-likelihood\n\n{table}")
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def cells(found: Mixing) -> tuple[str, ...]:
    """One line of a table."""
    return (
        found.data,
        found.sampler,
        found.start,
        f"{found.ess_log_likelihood:.0f}",
        f"{found.ess_noise:.0f}",
        f"{found.seconds:.2f}",
        f"{found.ess_log_likelihood / found.seconds:.3g}",
        f"{found.r_hat_log_likelihood:.2f}",
        f"{found.r_hat_noise:.2f}",
        f"{found.r_hat_leaves:.2f}",
        f"{found.n_leaves:.3g}",
        f"{found.root_change_rate:.1%}",
        f"{found.n_stuck} of {found.n_chains}" if found.data in THESIS else "",
        f"{found.test_error:.3g}",
    )
