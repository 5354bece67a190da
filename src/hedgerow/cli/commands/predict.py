"""``hedgerow predict``: predictions for the rows of a table, with intervals, quantiles or class probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from sklearn.base import is_classifier

from hedgerow.cli._models import load_model
from hedgerow.cli._names import listed, reading_of
from hedgerow.cli._options import Data, Dates, Missing, ModelFile
from hedgerow.cli._output import Output, UsageError, check_destination
from hedgerow.cli._rows import rows_for
from hedgerow.cli._scores import CONFIDENCE
from hedgerow.cli._table import PIPE, write_table

CHUNK = 1024


def predict(
    out: Output,
    model: ModelFile,
    data: Data,
    to: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Where to write, a line for each row: CSV, Parquet or JSON lines by the ending of the name; - writes "
            "CSV, or JSON lines with --json, to the standard output.",
        ),
    ] = PIPE,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMNS", help="Columns of DATA to copy beside the predictions: a,b or all."),
    ] = None,
    confidence: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NUMBERS",
            help="Probability of the interval between lower and upper, 0.9 if not given; 0.5,0.9 gives two.",
        ),
    ] = None,
    quantiles: Annotated[
        list[str] | None, typer.Option(metavar="NUMBERS", help="Quantiles to write, such as 0.1,0.5,0.9.")
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Write the probability of every class.")] = False,
    missing: Missing = None,
    dates: Dates = None,
) -> None:
    """Predict the rows of a table.

    Numbers come as mean, std, lower and upper; classes as the most probable one and its probability. Columns that the
    model did not learn are ignored.
    """
    if to != PIPE:
        check_destination(to)
    levels = {"confidence": _levels("--confidence", confidence), "quantiles": _levels("--quantiles", quantiles)}
    learner = load_model(model)
    if is_classifier(learner) and (confidence or quantiles):
        name = "confidence" if confidence else "quantiles"
        raise UsageError(
            f"--{name} is for regression; this model predicts classes, and --proba writes their probabilities"
        )
    if proba and not is_classifier(learner):
        raise UsageError("--proba is for classes; this model predicts numbers, and --quantiles writes more of them")
    X, kept = rows_for(out, learner, data, keep or [], reading_of(missing, dates))
    if not levels["confidence"] and not levels["quantiles"]:
        levels["confidence"] = [CONFIDENCE]
    parts = []
    with out.progress("predicting", len(X)) as advance:
        for begin in range(0, len(X), CHUNK):
            rows = X[begin : begin + CHUNK]
            parts.append(
                _of_classes(learner, rows, proba) if is_classifier(learner) else _of_numbers(learner, rows, **levels)
            )
            advance(len(rows))
    found = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    kept = kept.rename(columns={name: f"{name} (input)" for name in kept.columns if name in found})
    table = kept.assign(**found)
    write_table(table, to, out.as_json)
    if to == PIPE:
        out.as_json = False  # the predictions are the result
    out.facts(rows=len(table), columns=list(table.columns), out=str(to))
    if to != PIPE:
        out.done(f"{len(table):,} rows written to {to}: {', '.join(map(str, table.columns[:8]))}")


def _levels(option: str, given: Sequence[str] | None) -> list[float]:
    found = []
    for text in listed(given, ()):
        try:
            level = float(text)
        except ValueError:
            level = float("nan")
        if not 0 < level < 1:
            raise UsageError(f"{option} must lie between 0 and 1, got {text!r}")
        found.append(level)
    return found


def _of_classes(model: Any, rows: Any, proba: bool) -> dict[str, Any]:
    probabilities = model.predict_proba(rows)
    best = np.argmax(probabilities, axis=1)
    if not proba:
        return {"class": model.classes_[best], "probability": np.max(probabilities, axis=1)}
    each = {f"p({label})": column for label, column in zip(model.classes_, probabilities.T, strict=True)}
    return {"class": model.classes_[best], **each}


def _of_numbers(model: Any, rows: Any, confidence: list[float], quantiles: list[float]) -> dict[str, Any]:
    dist = model.predict_dist(rows)
    found = {"mean": dist.mean(), "std": dist.std()}
    for level in confidence:
        mark = f"_{level:g}" if len(confidence) > 1 else ""
        interval = dist.interval(level)
        found |= {f"lower{mark}": interval[..., 0], f"upper{mark}": interval[..., 1]}
    for level in quantiles:
        found[f"q{level:g}"] = dist.ppf(level)
    return {name: column for each, values in found.items() for name, column in _columns(each, np.asarray(values))}


def _columns(name: str, values: Any) -> list[tuple[str, Any]]:
    """Return one column, or one for each of several targets."""
    if values.ndim == 1:
        return [(name, values)]
    return [(f"{name}_{target + 1}", values[:, target]) for target in range(values.shape[1])]
