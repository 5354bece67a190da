"""``hedgerow predict``: predictions with intervals for the rows of a CSV file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

import hedgerow
from hedgerow.cli._console import check_destination, console, errors_in_words, progress_bar
from hedgerow.cli._csv import numbers, read_csv

CHUNK = 4096


def predict(
    model: Annotated[Path, typer.Argument(help="File written by hedgerow fit or by a model's save method.")],
    data: Annotated[Path, typer.Argument(help="CSV file with the columns that the model learned; others are ignored.")],
    out: Annotated[Path, typer.Option(help="CSV file to write: mean, std, lower, upper of each row, in order.")],
    confidence: Annotated[float, typer.Option(help="Probability that a label falls between lower and upper.")] = 0.9,
) -> None:
    """Predict the rows of a CSV file, with a central interval for each."""
    with errors_in_words():
        check_destination(out)
        if not 0 < confidence < 1:
            raise ValueError(f"--confidence must lie between 0 and 1, got {confidence}")
        forest = hedgerow.load(model)
        if not hasattr(forest, "n_features_in_"):
            raise ValueError(f"the model in {str(model)!r} has not learned anything yet")
        frame = read_csv(data)
        names = getattr(forest, "feature_names_in_", None)
        X = numbers(frame, list(frame.columns if names is None else names), data)
        if names is None:
            X = X.to_numpy(dtype=float)
        parts = []
        with progress_bar() as bar:
            task = bar.add_task("predicting", total=len(frame))
            for begin in range(0, len(frame), CHUNK):
                dist = forest.predict_dist(X[begin : begin + CHUNK])
                parts.append(np.column_stack([dist.mean(), dist.std(), dist.interval(confidence)]))
                bar.advance(task, len(dist))
        table = type(frame)(np.concatenate(parts), columns=["mean", "std", "lower", "upper"])
        table.to_csv(out, index=False)
    console.print(
        f"[green]✓[/] {len(table):,} rows, with {confidence:.0%} intervals, written to [bold]{out}[/]",
        highlight=False,
        soft_wrap=True,
    )
