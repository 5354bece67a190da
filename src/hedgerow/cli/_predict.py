"""``hedgerow predict``: predictions for the rows of a file, with intervals or with class probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from sklearn.base import is_classifier

import hedgerow
from hedgerow.cli._console import check_destination, console, errors_in_words, progress_bar
from hedgerow.cli._table import features, read_table

CHUNK = 1024
CONFIDENCE = 0.9


def predict(
    model: Annotated[Path, typer.Argument(help="File written by hedgerow fit or by a model's save method.")],
    data: Annotated[
        Path, typer.Argument(help="CSV or Parquet file with the columns that the model learned; others are ignored.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="CSV file to write, a line for each row: mean, std, lower and upper; or the class, and the "
            "probability of each."
        ),
    ],
    confidence: Annotated[
        float | None, typer.Option(help="Regression only: probability between lower and upper; 0.9 if not given.")
    ] = None,
) -> None:
    """Predict the rows of a file, with a central interval for each, or with the probability of each class."""
    with errors_in_words():
        check_destination(out)
        if confidence is not None and not 0 < confidence < 1:
            raise ValueError(f"--confidence must lie between 0 and 1, got {confidence}")
        forest = hedgerow.load(model)
        if isinstance(forest, hedgerow.optimize.Optimizer):
            raise ValueError(f"{str(model)!r} is an optimisation, not a model; hedgerow info shows it")
        if not hasattr(forest, "predict"):
            kind = type(forest).__name__
            raise ValueError(f"{str(model)!r} holds {kind}, which does not predict; hedgerow info shows it")
        if not hasattr(forest, "n_features_in_"):
            raise ValueError(f"the model in {str(model)!r} has not learned anything yet")
        if confidence is not None and is_classifier(forest):
            raise ValueError("--confidence is for regression; this model predicts classes and their probabilities")
        X = _rows(forest, data)
        from pandas import DataFrame  # which is there, or the rows could not have been read

        parts = []
        with progress_bar() as bar:
            task = bar.add_task("predicting", total=len(X))
            for begin in range(0, len(X), CHUNK):
                rows = X[begin : begin + CHUNK]
                parts.append(_predicted(forest, rows, confidence or CONFIDENCE))
                bar.advance(task, len(rows))
        table = DataFrame({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
        table.to_csv(out, index=False)
    kind = "probabilities" if is_classifier(forest) else f"{confidence or CONFIDENCE:.0%} intervals"
    console.print(
        f"[green]✓[/] {len(table):,} rows, with {kind}, written to [bold]{out}[/]",
        highlight=False,
        soft_wrap=True,
    )


def _rows(forest: Any, data: Path) -> Any:
    """Columns of a file, read as what the model took them for."""
    kinds = forest.column_kinds_
    frame = read_table(data, [name for name, kind in kinds.items() if kind == "category"])
    if hasattr(forest, "feature_names_in_"):
        return features(frame, list(kinds), data, kinds)
    columns = list(frame.columns)  # the model knows its columns by number
    known = dict(zip(columns, kinds.values(), strict=False))
    return features(frame, columns, data, known).to_numpy(dtype=float if set(known.values()) <= {"number"} else object)


def _predicted(forest: Any, rows: Any, confidence: float) -> dict[str, Any]:
    """Columns of the table to write."""
    if is_classifier(forest):
        probabilities = forest.predict_proba(rows)
        best = forest.classes_[np.argmax(probabilities, axis=1)]
        each = {f"p({label})": column for label, column in zip(forest.classes_, probabilities.T, strict=True)}
        return {"class": best, **each}
    dist = forest.predict_dist(rows)
    lower, upper = dist.interval(confidence).T
    return {"mean": dist.mean(), "std": dist.std(), "lower": lower, "upper": upper}
