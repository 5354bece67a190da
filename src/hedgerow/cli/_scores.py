"""Scores of runs as tables on the screen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rich.table import Table

from hedgerow.stream import Run

HEADINGS = {
    "mean_error_rate": "miss rate",
    "relative_interval_size": "relative size",
    "quantile_loss": "quantile loss",
    "utility": "utility",
    "interval_score": "interval score",
    "n_infinite": "infinite",
    "mean_absolute_error": "MAE",
    "root_mean_squared_error": "RMSE",
    "nlpd": "NLPD",
    "crps": "CRPS",
    "accuracy": "accuracy",
    "log_loss": "log loss",
    "n_unforeseen": "unforeseen",
}


def scores_table(runs: Sequence[Run]) -> Table:
    """Return the scores of whole runs, a column for each run."""
    table = Table(show_header=True, header_style="bold")
    table.add_column("", style="cyan", no_wrap=True)
    for run in runs:
        table.add_column(run.name, justify="right")
    table.add_row("rows", *(f"{run.n_rows:,}" for run in runs))
    if runs[0].task == "regression":
        table.add_row("promised misses", *(f"{1 - run.confidence:.3g}" for run in runs))
    for name in dict.fromkeys(name for run in runs for name in run.scores):
        table.add_row(HEADINGS.get(name, name), *(number(run.scores.get(name)) for run in runs))
    table.add_row("rows a second", *(f"{run.n_rows / max(run.seconds, 1e-9):,.0f}" for run in runs))
    return table


def history_table(run: Run, last: int | None = None) -> Table:
    """Return the scores of each window, or of the last ones."""
    history = run.windows(last)
    names = [name for name in history if name not in ("begin", "end")]
    table = Table(title=run.name, title_justify="left", header_style="bold")
    table.add_column("rows", style="cyan", justify="right", no_wrap=True)
    for name in names:
        table.add_column(HEADINGS.get(name, name), justify="right")
    for index in range(len(history["end"])):
        table.add_row(f"{history['end'][index]:,}", *(number(history[name][index]) for name in names))
    return table


def number(value: Any) -> str:
    """Return a score as text; nothing for what is not known."""
    if value is None or math.isnan(value):
        return ""
    return f"{value:,.0f}" if float(value).is_integer() and value >= 1 else f"{value:.4g}"
