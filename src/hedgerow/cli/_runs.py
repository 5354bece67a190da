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
MEANINGS = {
    "nominal miss rate": "share of targets that should lie outside their intervals",
    "miss rate": "share of targets that do",
    "relative size": "mean width of intervals, as a share of the range of targets",
    "quantile loss": "combines width and misses, relative to that range; smaller is better",
    "utility": "near 1 for narrow intervals with valid coverage, otherwise smaller",
    "interval score": "mean width plus a penalty for each miss; smaller is better",
    "infinite": "infinite intervals, before the model had learned enough rows",
    "MAE": "mean absolute error",
    "RMSE": "root mean squared error",
    "NLPD": "mean negative log density of targets; smaller is better",
    "CRPS": "distance between forecast distribution and target; smaller is better",
    "accuracy": "share of rows predicted correctly",
    "log loss": "mean negative log probability of the actual class; smaller is better",
    "unforeseen": "rows whose class had not occurred before",
}
"""What scores are, for a page and a terminal."""


def scores_rows(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return the scores of whole runs, a column for each run."""
    names = names_of(runs)
    found: dict[str, list[Any]] = {"rows": [run.n_rows for run in runs]}
    if runs[0].task == "regression":
        found["nominal miss rate"] = [round(1 - run.confidence, 12) for run in runs]
    for name in dict.fromkeys(name for run in runs for name in run.scores):
        found[HEADINGS.get(name, name)] = [run.scores.get(name) for run in runs]
    found["rows a second"] = [round(run.n_rows / max(run.seconds, 1e-9)) for run in runs]
    return [{"score": score, **dict(zip(names, values, strict=True))} for score, values in found.items()]


def with_meanings(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return scores with what they are."""
    return [row | {"meaning": MEANINGS.get(row["score"], "")} for row in rows]


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
