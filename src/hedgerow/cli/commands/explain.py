"""``hedgerow explain``: which columns move predictions, or widen intervals; and why one row is predicted as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from sklearn.base import is_classifier

from hedgerow.cli._models import load_model
from hedgerow.cli._names import reading_of
from hedgerow.cli._options import Data, Dates, Missing, ModelFile, Seed
from hedgerow.cli._output import Output, UsageError, check_destination
from hedgerow.cli._rows import rows_for
from hedgerow.cli._scores import CONFIDENCE
from hedgerow.cli._table import PIPE, write_table
from hedgerow.explain import Explanation
from hedgerow.numeric.words import words_for

DRAWN, DRAWN_BESIDE = 200, 32
"""Rows that are explained by default; and beside a single one, for models that hold no rows."""


def explain(
    out: Output,
    model: ModelFile,
    data: Data,
    row: Annotated[int | None, typer.Option(help="Explain this row of DATA alone; the first is 1.", min=1)] = None,
    width: Annotated[
        bool, typer.Option("--width", help="Explain the width of the interval instead of the prediction.")
    ] = False,
    confidence: Annotated[float, typer.Option(help="Probability of the interval.")] = CONFIDENCE,
    rows: Annotated[
        int | None, typer.Option(help="Rows of DATA to draw and explain; 200 if not given, all with --out.", min=1)
    ] = None,
    background: Annotated[
        int,
        typer.Option(help="Rows to compare with: four times as many take four times as long, and halve errors.", min=1),
    ] = 32,
    to: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Write the values of all columns, a line for each row explained; - writes to the standard output.",
        ),
    ] = None,
    missing: Missing = None,
    dates: Dates = None,
    seed: Seed = 0,
) -> None:
    """Show which columns move the predictions for the rows of a table.

    Values are Shapley values: they add up to the difference between a prediction and the mean of others. With --row,
    one row is explained, in a table and in words.
    """
    if to is not None and to != PIPE:
        check_destination(to)
    if not 0 < confidence < 1:
        raise UsageError(f"--confidence must lie between 0 and 1, got {confidence}")
    learner = load_model(model)
    if width and is_classifier(learner):
        raise UsageError("--width is for regression; this model predicts classes, which have no intervals")
    X, _ = rows_for(out, learner, data, [], reading_of(missing, dates))
    if row is not None and row > len(X):
        raise UsageError(f"--row {row} is not there: {str(data)!r} has {len(X):,} rows")
    most = DRAWN_BESIDE if row is not None else rows or (len(X) if to is not None else DRAWN)
    places = _drawn(len(X), most, seed) if row is None else np.append(row - 1, _drawn(len(X), most, seed))
    output = "width" if width else "mean"
    with out.progress("explaining"):
        chosen = X.iloc[places] if hasattr(X, "iloc") else X[places]
        found = learner.explain(chosen, output, confidence=confidence, background=background, random_state=seed)
    out.facts(output=output, confidence=confidence, rows=1 if row is not None else len(found))
    shown = slice(None) if row is None else slice(1)
    if to is not None:
        write_table(_table(found, places, shown), to, out.as_json)
    if to == PIPE:
        out.as_json = False  # the values are the result
    elif row is None:
        _show_columns(out, found)
    else:
        _show_row(out, learner, chosen[:1], found)
    if to is not None and to != PIPE:
        out.done(f"{len(places[shown]):,} rows written to {to}")


def _drawn(n: int, most: int, seed: int) -> Any:
    """Return places of some rows, in order."""
    return np.sort(np.random.default_rng(seed).permutation(n)[:most])


def _show_columns(out: Output, found: Explanation) -> None:
    sizes, places = found.importances, np.argsort(-found.importances)
    others = tuple(axis for axis in range(found.error.ndim) if axis != 1)
    errors = found.error.mean(axis=others)
    rows = [
        {"column": found.feature_names[place], "mean absolute value": sizes[place], "error of a value": errors[place]}
        for place in places
    ]
    what = "width of intervals" if found.output == "width" else "predictions"
    out.table("columns", rows, f"What moves the {what} of {len(found):,} rows")


def _show_row(out: Output, model: Any, row: Any, found: Explanation) -> None:
    answers = {"the interval" if found.output == "width" else "the prediction": found.sentence(0)}
    if hasattr(model, "predict_uncertainty"):
        answers["the uncertainty"] = model.predict_uncertainty(row).sentence(0)
    out.table("prediction", [_prediction(model, row, found.confidence)], "Prediction")
    rows = [
        {
            "column": one.column,
            "in this row": words_for(one.data) if out.results.is_terminal else one.data,
            "value": one.value,
            "error": one.error,
        }
        for one in found.strongest(0)
    ]
    out.table("columns", rows, "What moves the width of its interval" if found.output == "width" else "What moves it")
    out.table("why", [{"about": about, "answer": answer} for about, answer in answers.items()], "In words")


def _prediction(model: Any, row: Any, confidence: float) -> dict[str, Any]:
    if is_classifier(model):
        probabilities = model.predict_proba(row)[0]
        best = int(np.argmax(probabilities))
        return {"class": str(model.classes_[best]), "probability": probabilities[best]}
    mean = np.ravel(model.predict(row))
    lower, upper = model.predict_interval(row, confidence).reshape(-1, 2).T
    marks = [""] if mean.size == 1 else [f"_{target + 1}" for target in range(mean.size)]
    return {
        f"{name}{mark}": values[place]
        for place, mark in enumerate(marks)
        for name, values in (("mean", mean), ("lower", lower), ("upper", upper))
    }


def _table(found: Explanation, places: Any, shown: slice) -> Any:
    """Return values as a table: number of the row, base value, and a column for each column and output."""
    import pandas as pd

    values = found.values[shown].reshape(len(places[shown]), len(found.feature_names), -1)
    base = found.base_values[shown].reshape(len(places[shown]), -1)
    names = [""] if found.output_names is None else [f" ({name})" for name in found.output_names]
    columns = {"row": places[shown] + 1}
    for place, mark in enumerate(names):
        columns[f"base value{mark}"] = base[:, place]
        columns |= {f"{name}{mark}": values[:, c, place] for c, name in enumerate(found.feature_names)}
    return pd.DataFrame(columns)
