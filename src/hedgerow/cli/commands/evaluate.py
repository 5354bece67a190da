"""``hedgerow evaluate``: models on rows that they have not learned, next to those of other libraries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer

from hedgerow.cli._folds import folds_of
from hedgerow.cli._models import new_model, word_for
from hedgerow.cli._names import listed, reading_of
from hedgerow.cli._options import (
    Categorical,
    Data,
    Dates,
    Folds,
    Ignore,
    Jobs,
    Missing,
    Seed,
    Settings,
    Target,
    Task,
    Trees,
    Use,
)
from hedgerow.cli._output import Output
from hedgerow.cli._peers import peer_scores, peers
from hedgerow.cli._scores import BASELINES, CONFIDENCE, Scores, baseline_scores, check_confidence, scores_of
from hedgerow.cli._text import Reading
from hedgerow.cli._training import Training, further_rows, training_rows

Split = tuple[Any, Any, Any, Any]
"""Rows and targets that are learned, rows and targets that are predicted."""


def evaluate(
    out: Output,
    data: Data,
    target: Target,
    test: Annotated[Path | None, typer.Option(help="Table to predict, instead of cross-validation of DATA.")] = None,
    cv: Folds = 5,
    model: Annotated[
        list[str] | None, typer.Option(metavar="MODELS", help="Our models to compare: boosting,forest if not given.")
    ] = None,
    others: Annotated[bool, typer.Option(help="Whether to fit models of other libraries too.")] = True,
    task: Task = "auto",
    trees: Trees = None,
    settings: Settings = None,
    confidence: Annotated[float, typer.Option(help="Nominal coverage of the intervals.")] = CONFIDENCE,
    ignore: Ignore = None,
    categorical: Categorical = None,
    use: Use = None,
    missing: Missing = None,
    dates: Dates = None,
    seed: Seed = 0,
    jobs: Jobs = -1,
) -> None:
    """Compare models on rows that they have not learned: cross-validation, or another file.

    Ours are next to ExtraTrees and HistGradientBoosting of scikit-learn and to LightGBM and CatBoost if these are
    installed, all at their defaults. Their intervals are made of errors on a fifth of the rows.
    """
    check_confidence(confidence)
    for name in listed(model, ()):
        word_for(name)  # refused before the table is read
    if test is not None:
        test.stat()
    reading = reading_of(missing, dates)
    rows = training_rows(out, data, target, task, ignore, categorical, use, reading=reading)
    how: dict[str, Any] = {"task": rows.task, "confidence": confidence}
    contenders: dict[str, Callable[..., Scores]] = {}
    for name in listed(model, ()) or ["boosting", "forest"]:
        ours = partial(new_model, name, rows.task, trees, settings, random_state=seed, n_jobs=jobs)
        ours()  # refused now, or never
        contenders[f"hedgerow {name}"] = partial(_our_scores, ours)
    there, absent = peers() if others else ({}, [])
    if others:
        contenders |= {name: partial(peer_scores, fit, seed=seed, jobs=jobs) for name, fit in there.items()}
        if absent:
            out.say(f"not installed, so not compared: {', '.join(absent)}")
        out.facts(not_installed=absent)
    splits = _splits(out, rows, test, target, cv, seed, reading)
    found = []
    with out.progress("evaluating", len(contenders) * len(splits)) as advance:
        for name, scores in contenders.items():
            try:
                found.append({"model": name, **_mean_scores(scores, splits, advance, **how)})
            except Exception as error:
                if name not in there:
                    raise
                out.say(f"{name} failed, so it is not compared: {' '.join(str(error).split()):.200}")
    baseline = [baseline_scores(y, y_new, **how) for _, y, _, y_new in splits]
    found.append({"model": BASELINES[rows.task], **_mean(baseline)})
    where = f"on the rows of {test}" if test else f"mean over {cv} folds"
    promise = f"; intervals of {confidence:.0%}" if rows.task == "regression" else ""
    out.table("scores", found, f"Rows not learned, {where}{promise}", _best(found, confidence))
    out.facts(evaluated=where, confidence=confidence)


def _our_scores(new: Callable[[], Any], X: Any, y: Any, X_new: Any, y_new: Any, task: str, confidence: float) -> Scores:
    return scores_of(new().fit(X, y), X_new, y_new, task, confidence)


def _splits(
    out: Output, rows: Training, test: Path | None, target: str, cv: int, seed: int, reading: Reading
) -> list[Split]:
    if test is not None:
        new = further_rows(out, test, target, rows.task, rows.kinds, reading)
        return [(rows.X, rows.y, new.X, new.y)]
    folds = folds_of(rows.y, rows.task, cv, seed)
    return [(rows.X.iloc[own], rows.y[own], rows.X.iloc[new], rows.y[new]) for own, new in folds]


def _mean_scores(scores: Callable[..., Scores], splits: list[Split], advance: Any, **how: Any) -> Scores:
    begin, each = perf_counter(), []
    for split in splits:
        each.append(scores(*split, **how))
        advance(1)
    return _mean(each) | {"seconds": (perf_counter() - begin) / len(splits)}


def _mean(scores: list[Scores]) -> Scores:
    return {name: float(np.mean([each[name] for each in scores])) for name in scores[0] if name != "MAE"}


def _best(rows: list[dict[str, Any]], confidence: float) -> dict[str, int]:
    """Return which model has the best of each score."""
    signs = {"RMSE": 1, "R2": -1, "CRPS": 1, "log loss": 1, "accuracy": -1}
    found = {
        name: int(np.argmin([sign * row[name] for row in rows])) for name, sign in signs.items() if name in rows[0]
    }
    if "coverage" in rows[0]:
        found["coverage"] = int(np.argmin([abs(row["coverage"] - confidence) for row in rows[:-1]]))
    return found
