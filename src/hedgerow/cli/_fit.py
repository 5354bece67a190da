"""``hedgerow fit``: a model from a CSV file."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from hedgerow import MondrianForestRegressor
from hedgerow.cli._console import check_destination, console, errors_in_words
from hedgerow.cli._csv import numbers, read_csv


def fit(
    data: Annotated[Path, typer.Argument(help="CSV file with a header; all columns but the target are features.")],
    target: Annotated[str, typer.Option(help="Column to be predicted.")],
    out: Annotated[Path, typer.Option(help="Where to write the model.")],
    trees: Annotated[int, typer.Option(help="Number of trees.", min=1)] = 50,
    min_samples_split: Annotated[int, typer.Option(help="A block with fewer rows is not split.", min=2)] = 10,
    smoothing: Annotated[str, typer.Option(help="hierarchy or moments.")] = "hierarchy",
    scaling: Annotated[str, typer.Option(help="range, rank or none.")] = "range",
    ignore: Annotated[list[str] | None, typer.Option(help="Column to leave out; may be given again.")] = None,
    seed: Annotated[int, typer.Option(help="Where the randomness starts.", min=0)] = 0,
    jobs: Annotated[int, typer.Option(help="Threads; -1 for all cores. The model does not depend on it.")] = -1,
) -> None:
    """Fit a Mondrian forest for regression to a CSV file and save it."""
    with errors_in_words():
        check_destination(out)
        frame = read_csv(data)
        left_out = {target, *(ignore or [])}
        numbers(frame, sorted(left_out & {target}), data)
        unknown = sorted(left_out - set(frame.columns))
        if unknown:
            raise ValueError(f"--ignore {unknown[0]!r}: {str(data)!r} has no such column")
        features = [name for name in frame.columns if name not in left_out]
        if not features:
            raise ValueError(f"{str(data)!r} has no column besides the target and those ignored")
        X, y = numbers(frame, features, data), frame[target].to_numpy(dtype=float)
        forest = MondrianForestRegressor(
            trees,
            min_samples_split=min_samples_split,
            smoothing=smoothing,
            scaling=scaling,
            n_jobs=jobs,
            random_state=seed,
        )
        begin = perf_counter()
        with console.status(f"growing {trees} trees on {len(frame):,} rows"):
            forest.fit(X, y)
        seconds = perf_counter() - begin
        forest.save(out)
    console.print(
        f"[green]✓[/] {trees} trees, {len(frame):,} rows, {len(features)} features, {seconds:.2f} s; "
        f"saved to [bold]{out}[/] ({out.stat().st_size / 1e6:.1f} MB)",
        highlight=False,
        soft_wrap=True,
    )
