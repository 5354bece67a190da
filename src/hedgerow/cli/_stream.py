"""``hedgerow stream``: forecast each row of a file, score the forecast, then learn the row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.live import Live
from rich.text import Text

from hedgerow import (
    MondrianBoostingClassifier,
    MondrianBoostingRegressor,
    MondrianForestClassifier,
    MondrianForestRegressor,
    OnlineConformalRegressor,
    OnlineForestRegressor,
    OnlineQuantileForestRegressor,
)
from hedgerow.cli._console import check_destination, console, errors_in_words
from hedgerow.cli._scores import history_table, scores_table
from hedgerow.stream import Run, rows
from hedgerow.stream._evaluate import evaluation
from hedgerow.stream._progress import expected_rows


def _around_a_forest(new: Any) -> Any:
    """Return what makes a model whose trees are those of an online forest."""

    def make(trees: int, **how: Any) -> Any:
        return new(OnlineForestRegressor(trees, **how), random_state=how["random_state"])

    return make


MODELS: dict[str, dict[str, Any]] = {
    "mondrian": {"number": MondrianForestRegressor, "class": MondrianForestClassifier},
    "boosting": {"number": MondrianBoostingRegressor, "class": MondrianBoostingClassifier},
    "online": {"number": OnlineForestRegressor},
    "conformal": {"number": _around_a_forest(OnlineConformalRegressor)},
    "quantile": {"number": _around_a_forest(OnlineQuantileForestRegressor)},
}
"""What makes a model, by name and by what it predicts."""


def stream(
    data: Annotated[Path, typer.Argument(help="CSV, Parquet or JSON-lines file; it is never loaded as a whole.")],
    target: Annotated[str, typer.Option(help="Column to be predicted; all others are features.")],
    model: Annotated[str, typer.Option(help=f"{', '.join(MODELS)}; the last three learn numbers only.")] = "mondrian",
    task: Annotated[
        str, typer.Option(help="regression or classification; auto: classification if the target is text.")
    ] = "auto",
    trees: Annotated[int, typer.Option(help="Number of trees.", min=1)] = 10,
    keep: Annotated[
        int | None, typer.Option(help="Mondrian forests: rows to keep; older ones are unlearned.", min=1)
    ] = None,
    confidence: Annotated[float, typer.Option(help="What the intervals promise.")] = 0.9,
    window: Annotated[int, typer.Option(help="Rows of a line in the table.", min=1)] = 1000,
    ignore: Annotated[list[str] | None, typer.Option(help="Column to leave out; may be given again.")] = None,
    categorical: Annotated[
        list[str] | None, typer.Option(help="Column of numbers that are categories; may be given again.")
    ] = None,
    skip_missing: Annotated[bool, typer.Option("--skip-missing", help="Leave out rows with missing values.")] = False,
    distribution: Annotated[bool, typer.Option("--distribution", help="Score NLPD and CRPS too; slower.")] = False,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File to go on from after an interruption; made if it is not there.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where to save the run, for hedgerow report.")] = None,
    save_model: Annotated[Path | None, typer.Option(help="Where to save the model that has learned all rows.")] = None,
    seed: Annotated[int, typer.Option(help="Random seed.", min=0)] = 0,
    jobs: Annotated[int, typer.Option(help="Threads; -1 for all cores. The result does not depend on it.")] = -1,
) -> None:
    """Forecast each row of a file, score the forecast, then learn the row."""
    with errors_in_words():
        for path in filter(None, (checkpoint, out, save_model)):
            check_destination(path)
        labels = {"auto": "auto", "regression": "number", "classification": "class"}.get(task)
        if labels is None:
            raise ValueError(f"--task must be auto, regression or classification, got {task!r}")
        how: Any = {
            "missing": "skip" if skip_missing else "keep",
            "kinds": dict.fromkeys(categorical or (), "category"),
        }
        source = rows(data, target, ignore=ignore or (), labels=labels, **how)
        if distribution and source.label_kind == "class":
            raise ValueError("--distribution is for regression; classes are scored by their probabilities anyway")
        learner = _new_model(model, source.label_kind, trees, keep, seed, jobs)
        name = f"{type(learner).__name__}, {trees} trees" + (f", {keep:,} rows kept" if keep else "")
        steps = evaluation(learner, source, confidence, window, checkpoint, distribution=distribution, name=name)
        run = _watched(steps, source)
        if out is not None:
            run.save(out)
        if save_model is not None:
            learner.save(save_model)
    console.print(scores_table([run]))
    written = [f"{what} saved to [bold]{path}[/]" for what, path in (("run", out), ("model", save_model)) if path]
    console.print(
        "; ".join([f"[green]✓[/] {run.n_rows:,} rows, {run.n_rows / max(run.seconds, 1e-9):,.0f} a second", *written]),
        highlight=False,
        soft_wrap=True,
    )


def _new_model(word: str, kind: str, trees: int, keep: int | None, seed: int, jobs: int) -> Any:
    if word not in MODELS:
        raise ValueError(f"--model must be one of {', '.join(MODELS)}, got {word!r}")
    if kind not in MODELS[word]:
        raise ValueError(f"--model {word} cannot learn classes; use --model mondrian")
    if keep is not None and word != "mondrian":
        raise ValueError(f"--keep is for models that can unlearn; --model {word} cannot")
    kept = {} if keep is None else {"window": keep}
    return MODELS[word][kind](trees, n_jobs=jobs, random_state=seed, **kept)


def _watched(steps: Iterator[Run], source: Any) -> Run:
    """Take all steps, with a live table of the latest windows if there is a terminal."""
    run = next(steps)
    if not console.is_terminal:
        for step in steps:
            run = step
        return run
    with Live(console=console, transient=True, refresh_per_second=4) as live:
        for run in steps:
            expected = expected_rows(source, run)
            speed = run.n_rows / max(run.seconds, 1e-9)
            left = (
                ""
                if expected is None
                else f" of about {expected:,}, {max(0, expected - run.n_rows) / speed:,.0f} s left"
            )
            live.update(Group(history_table(run, last=12), Text(f"{run.n_rows:,} rows{left}; {speed:,.0f} rows/s")))
    return run
