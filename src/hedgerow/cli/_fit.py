"""``hedgerow fit``: a model from a CSV or Parquet file."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from hedgerow import MondrianForestClassifier, MondrianForestRegressor
from hedgerow.cli._console import check_destination, console, errors_in_words
from hedgerow.cli._table import classes, features, holds_words, numbers, read_table, require


def fit(
    data: Annotated[
        Path, typer.Argument(help="CSV file with a header, or Parquet; all columns but the target are features.")
    ],
    target: Annotated[str, typer.Option(help="Column to be predicted.")],
    out: Annotated[Path, typer.Option(help="Where to write the model.")],
    task: Annotated[
        str, typer.Option(help="regression or classification; auto: classification if the target is text.")
    ] = "auto",
    trees: Annotated[int, typer.Option(help="Number of trees.", min=1)] = 50,
    min_samples_split: Annotated[
        int | None, typer.Option(help="A block with fewer rows is not split; 2 if not given.", min=2)
    ] = None,
    smoothing: Annotated[str | None, typer.Option(help="Regression only: hierarchy (the default) or moments.")] = None,
    scaling: Annotated[str, typer.Option(help="auto, range, half, rank or none.")] = "auto",
    ignore: Annotated[list[str] | None, typer.Option(help="Column to leave out; may be given again.")] = None,
    categorical: Annotated[
        list[str] | None, typer.Option(help="Column of numbers that are categories; may be given again.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.", min=0)] = 0,
    jobs: Annotated[int, typer.Option(help="Threads; -1 for all cores. The model does not depend on it.")] = -1,
) -> None:
    """Fit a Mondrian forest to a CSV or Parquet file and save it.

    Columns may hold numbers, text (categories), ISO dates, times, true and false; values may be missing.
    """
    with errors_in_words():
        check_destination(out)
        chosen = list(categorical or [])
        frame = read_table(data, chosen)
        is_classifier = _is_classification(task, frame, target, data)
        left_out = {target, *(ignore or [])}
        y = classes(frame, target, data) if is_classifier else numbers(frame, target, data)
        unknown = sorted(left_out - set(frame.columns))
        if unknown:
            raise ValueError(f"--ignore {unknown[0]!r}: {str(data)!r} has no such column")
        names = [name for name in frame.columns if name not in left_out]
        if not names:
            raise ValueError(f"{str(data)!r} has no column besides the target and those ignored")
        require(frame[names], chosen, data)
        X = features(frame, names, data, dict.fromkeys(chosen, "category"))
        options = {"min_samples_split": min_samples_split, "smoothing": smoothing}
        given = {name: value for name, value in options.items() if value is not None}
        if is_classifier and "smoothing" in given:
            raise ValueError("--smoothing is for regression; classes are smoothed in one way only")
        model: Any = MondrianForestClassifier if is_classifier else MondrianForestRegressor
        forest = model(
            trees, scaling=scaling, categorical_features=chosen or "from_dtype", n_jobs=jobs, random_state=seed, **given
        )
        begin = perf_counter()
        with console.status(f"growing {trees} trees on {len(frame):,} rows"):
            forest.fit(X, y)
        seconds = perf_counter() - begin
        forest.save(out)
    kind = f"{len(forest.classes_)} classes" if is_classifier else "regression"
    console.print(
        f"[green]✓[/] {kind}, {trees} trees, {len(frame):,} rows, {len(names)} features, {seconds:.2f} s; "
        f"saved to [bold]{out}[/] ({out.stat().st_size / 1e6:.1f} MB)",
        highlight=False,
        soft_wrap=True,
    )


def _is_classification(task: str, frame: Any, target: str, data: Path) -> bool:
    if task not in ("auto", "regression", "classification"):
        raise ValueError(f"--task must be auto, regression or classification, got {task!r}")
    return task == "classification" or (task == "auto" and holds_words(frame, target, data))
