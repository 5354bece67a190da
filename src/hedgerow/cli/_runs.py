"""Scores of runs as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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


def scores_rows(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return the scores of whole runs, a column for each run."""
    names = names_of(runs)
    found: dict[str, list[Any]] = {"rows": [run.n_rows for run in runs]}
    if runs[0].task == "regression":
        found["promised misses"] = [round(1 - run.confidence, 12) for run in runs]
    for name in dict.fromkeys(name for run in runs for name in run.scores):
        found[HEADINGS.get(name, name)] = [run.scores.get(name) for run in runs]
    found["rows a second"] = [round(run.n_rows / max(run.seconds, 1e-9)) for run in runs]
    return [{"score": score, **dict(zip(names, values, strict=True))} for score, values in found.items()]


def history_rows(run: Run, last: int | None = None) -> list[dict[str, Any]]:
    """Return the scores of each window, or of the last ones."""
    history = run.windows(last)
    names = {"end": "rows"} | {name: HEADINGS.get(name, name) for name in history if name not in ("begin", "end")}
    columns = [history[name].tolist() for name in names]
    return [dict(zip(names.values(), values, strict=True)) for values in zip(*columns, strict=True)]


def names_of(runs: Sequence[Run]) -> list[str]:
    """Return the names of runs, with numbers after those that come again."""
    names = [run.name for run in runs]
    return [
        name if names.count(name) == 1 else f"{name} ({names[:place].count(name) + 1})"
        for place, name in enumerate(names)
    ]
