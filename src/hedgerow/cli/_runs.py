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
    "promised misses": "share of targets that may lie outside their intervals",
    "miss rate": "share of targets that do",
    "relative size": "mean width of intervals, as a share of the range of targets",
    "quantile loss": "width and misses in one number, as a share of that range; smaller is better",
    "utility": "narrow intervals that keep their promise have 1, others less",
    "interval score": "mean width, and a fine for each miss; smaller is better",
    "infinite": "intervals without an end, before the model knew enough",
    "MAE": "mean size of errors",
    "RMSE": "root of the mean square of errors",
    "NLPD": "mean of minus the log of the density at the target; smaller is better",
    "CRPS": "mean distance of the distribution from the target; smaller is better",
    "accuracy": "share of rows predicted right",
    "log loss": "mean of minus the log of the probability of what came; smaller is better",
    "unforeseen": "rows of a class that had no probability, such as its first",
}
"""What scores are, for a page and a terminal."""


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


def with_meanings(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return scores with what they are."""
    return [row | {"which is": MEANINGS.get(row["score"], "")} for row in rows]


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
