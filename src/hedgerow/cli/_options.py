"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    Path, typer.Argument(help="CSV with a header, Parquet or JSON lines, perhaps compressed by gzip; - reads a pipe.")
]
ModelFile = Annotated[Path, typer.Argument(help="File written by hedgerow fit or by a model's save method.")]
Target = Annotated[str, typer.Option("--target", "-t", help="Column to be predicted.", metavar="COLUMN")]
Task = Annotated[
    str,
    typer.Option(
        metavar="TASK",
        help="regression or classification; auto: classification if the target is text, or true and false.",
    ),
]
Model = Annotated[
    str,
    typer.Option(
        metavar="MODEL",
        help="boosting, forest, kernel, bart, tree, online, conformal or quantile, or the name of a class.",
        autocompletion=lambda: ["boosting", "forest", "kernel", "bart", "tree", "online", "conformal", "quantile"],
    ),
]
Trees = Annotated[int | None, typer.Option(help="Number of trees; the model's default if not given.", min=1)]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="Another parameter of the model, as name=value; may be given again.", metavar="NAME=VALUE"
    ),
]
Ignore = Annotated[list[str] | None, typer.Option(help="Columns to leave out: a,b or given again.", metavar="COLUMNS")]
Categorical = Annotated[
    list[str] | None,
    typer.Option(help="Columns of numbers that are categories: a,b or given again.", metavar="COLUMNS"),
]
Use = Annotated[
    list[str] | None, typer.Option(help="Columns to use that would be left out, such as ids.", metavar="COLUMNS")
]

Missing = Annotated[
    list[str] | None,
    typer.Option(help="Further marks of missing values, such as -999: a,b or given again.", metavar="MARKS"),
]
Dates = Annotated[
    str | None,
    typer.Option(
        metavar="ORDER",
        help="day-first or month-first: how to read 01/02/2025, if the column leaves it open.",
        autocompletion=lambda: ["day-first", "month-first"],
    ),
]


def _check_seed(seed: int) -> int:
    if not 0 <= seed < 2**32:
        raise typer.BadParameter(f"must lie between 0 and {2**32 - 1}, got {seed}")
    return seed


Seed = Annotated[int, typer.Option(help="Random seed.", callback=_check_seed)]
Jobs = Annotated[int, typer.Option(help="Threads; -1 for all cores. The result does not depend on it.")]
Folds = Annotated[int, typer.Option("--cv", help="Folds of the cross-validation.", min=2)]
