"""``hedgerow stream``: forecast each row of a file, score the forecast, then learn the row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.live import Live
from rich.text import Text

from hedgerow.cli._columns import KINDS
from hedgerow.cli._models import new_model
from hedgerow.cli._names import chosen, listed
from hedgerow.cli._options import Categorical, Ignore, Jobs, Model, Seed, Settings, Target, Task
from hedgerow.cli._output import Output, UsageError, check_destination, drawn
from hedgerow.cli._runs import history_rows, scores_rows, with_meanings
from hedgerow.cli._table import format_for_streams
from hedgerow.cli._target import TASKS, refuse_hardly_classes, task_of_numbers
from hedgerow.cli._text import MOSTLY, is_code, kind_of_text
from hedgerow.stream import Run, rows
from hedgerow.stream._evaluate import evaluation
from hedgerow.stream._progress import expected_rows

LABELS = dict(zip(TASKS, ("auto", "number", "class"), strict=True))

WINDOW, N_WINDOWS, SHORTEST = 1000, 20, 50
"""Rows of a window; of a file that has fewer of them a window is shorter, but not shorter than that."""


def stream(
    out: Output,
    data: Annotated[
        Path, typer.Argument(help="CSV with a header, Parquet or JSON lines; all columns but the target are features.")
    ],
    target: Target,
    model: Model = "forest",
    task: Task = "auto",
    trees: Annotated[int, typer.Option(help="Number of trees.", min=1)] = 10,
    settings: Settings = None,
    keep: Annotated[int | None, typer.Option(help="forest only: keep only the latest N rows.", min=1)] = None,
    confidence: Annotated[float, typer.Option(help="Nominal coverage of the intervals.")] = 0.9,
    window: Annotated[
        int | None,
        typer.Option(help="Rows per line of the table; 1000 if not given, or a twentieth of a short file.", min=1),
    ] = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    skip_missing: Annotated[bool, typer.Option("--skip-missing", help="Leave out rows with missing values.")] = False,
    distribution: Annotated[bool, typer.Option("--distribution", help="Score NLPD and CRPS too; slower.")] = False,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File to resume from after an interruption; created if it does not exist.")
    ] = None,
    to: Annotated[Path | None, typer.Option("--out", "-o", help="Where to save the run, for hedgerow report.")] = None,
    save_model: Annotated[Path | None, typer.Option(help="Where to save the model that has learned all rows.")] = None,
    seed: Seed = 0,
    jobs: Jobs = -1,
) -> None:
    """Forecast each row of a file, score the forecast, then learn the row.

    The file may be larger than memory. Rows are taken as they come.
    """
    for path in filter(None, (checkpoint, to, save_model)):
        check_destination(path)
    labels = LABELS[chosen("--task", task, TASKS)]
    how: Any = {"missing": "skip" if skip_missing else "keep"}
    how["kinds"] = dict.fromkeys(listed(categorical, ()), "category")
    how["ignore"] = listed(ignore, ())
    how["format"] = format_for_streams(data)
    source = rows(data, target, labels=labels, **how)
    first = next(source.chunks(), None)
    unread = [] if first is None else _unread(first.X, source.column_kinds, how["kinds"])
    if first is not None and labels == "auto" and source.label_kind == "number":
        if task_of_numbers(out, first.y, target) == "classification":
            source = rows(data, target, labels="class", **how)
    elif first is not None and labels == "auto":
        other_form = any(map(kind_of_text, map(str, first.y)))
        advice = "write its numbers as 1234.5, or use fit, which reads them" if other_form else ""
        refuse_hardly_classes(len(set(first.y)), len(first.y), target, data, advice)
    does = "classification" if source.label_kind == "class" else "regression"
    if distribution and does == "classification":
        raise UsageError("--distribution is for regression; classes are scored by their probabilities anyway")
    if keep is not None and model not in ("forest", "MondrianForestRegressor", "MondrianForestClassifier"):
        raise UsageError(f"--keep is for models that can unlearn; --model {model} cannot")
    kept = [] if keep is None else [f"window={keep}"]
    learner = new_model(model, does, trees, [*(settings or ()), *kept], random_state=seed, n_jobs=jobs)
    if not hasattr(learner, "partial_fit"):
        raise UsageError(f"--model {model} does not learn row by row; --model forest does")
    taken = [{"column": name, "taken for": KINDS[kind]} for name, kind in source.column_kinds.items()]
    out.table("columns", taken, "What the columns were taken for")
    if unread:
        out.say(
            f"note: {', '.join(unread)} taken for categories, though their values look like numbers or dates: "
            "stream reads 1234.5 and 2025-01-31 only, fit reads other forms too"
        )
    name = f"{type(learner).__name__}, {trees} trees" + (f", {keep:,} rows kept" if keep else "")
    # A checkpoint is of one window, and the file may have grown since.
    size = window or (WINDOW if checkpoint else _window_for(source))
    steps = evaluation(learner, source, confidence, size, checkpoint, distribution=distribution, name=name)
    run = _watched(out, steps, source)
    if to is not None:
        run.save(to)
    if save_model is not None:
        learner.save(save_model)
    found = scores_rows([run])
    out.table("scores", with_meanings(found) if out.results.is_terminal else found, "Each row forecast, then learned")
    written = [f"{what} saved to {path}" for what, path in (("run", to), ("model", save_model)) if path]
    out.done("; ".join([f"{run.n_rows:,} rows, {run.n_rows / max(run.seconds, 1e-9):,.0f} a second", *written]))


def _unread(X: Any, kinds: Mapping[str, str], given: Mapping[str, str]) -> list[str]:
    """Return columns of categories whose texts mostly are numbers or dates, in forms that streams do not read."""
    found = []
    for place, (name, kind) in enumerate(kinds.items()):
        if kind == "category" and name not in given:
            texts = {str(value) for value in X[:, place] if value is not None}
            n_read = sum(kind_of_text(text) != "" and not is_code(text) for text in texts)
            if n_read and n_read >= MOSTLY * len(texts):
                found.append(name)
    return found


def _window_for(source: Any) -> int:
    """Return a window of which a short file has about twenty."""
    n = 0
    for chunk in source.chunks():
        n += len(chunk.y)
        if n >= N_WINDOWS * WINDOW:
            return WINDOW
    return max(SHORTEST, n // N_WINDOWS)


def _watched(out: Output, steps: Iterator[Run], source: Any) -> Run:
    """Take all steps, with a live table of the latest windows if there is a terminal."""
    run = next(steps)
    if out.quiet or not out.words.is_terminal:
        for step in steps:
            run = step
        return run
    with Live(console=out.words, transient=True, refresh_per_second=4) as live:
        for run in steps:
            expected = expected_rows(source, run)
            speed = run.n_rows / max(run.seconds, 1e-9)
            left = (
                ""
                if expected is None
                else f" of about {expected:,}, {max(0, expected - run.n_rows) / speed:,.0f} s left"
            )
            summary = Text(f"{run.n_rows:,} rows{left}; {speed:,.0f} rows/s")
            live.update(Group(drawn(history_rows(run, last=12), run.name, width=out.words.width), summary))
    return run
