"""``hedgerow fit``: a model from a table."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from time import perf_counter
from typing import Annotated, Any

import typer

from hedgerow.cli._memory import Budget
from hedgerow.cli._models import new_model, word_for
from hedgerow.cli._names import reading_of
from hedgerow.cli._options import (
    Categorical,
    Data,
    Dates,
    Ignore,
    Jobs,
    Missing,
    Model,
    Seed,
    Settings,
    Target,
    Task,
    Trees,
    Use,
)
from hedgerow.cli._output import Output, UsageError, check_destination, size_in_words
from hedgerow.cli._scores import CONFIDENCE, check_confidence, show_honest_scores, show_strongest, too_good
from hedgerow.cli._table import PIPE
from hedgerow.cli._training import Training, training_rows


def fit(
    out: Output,
    data: Data,
    target: Target,
    to: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to write the model; DATA with .hedgerow if not given.")
    ] = None,
    model: Model = "boosting",
    task: Task = "auto",
    trees: Trees = None,
    settings: Settings = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    use: Use = None,
    missing: Missing = None,
    dates: Dates = None,
    confidence: Annotated[float, typer.Option(help="Nominal coverage of the intervals that are scored.")] = CONFIDENCE,
    score: Annotated[bool, typer.Option(help="Score predictions of rows that were left out.")] = True,
    max_memory: Annotated[
        str | None,
        typer.Option(
            metavar="AMOUNT",
            help="About how much memory to use, such as 4GB: of a larger table a random sample is learned.",
        ),
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = -1,
) -> None:
    """Fit a model to a table, show its scores, and save it.

    Columns may hold numbers, text, dates, times, true and false; values may be missing.
    """
    path = model_path(data, to)
    word_for(model)  # refused before the table is read
    check_confidence(confidence)
    budget = None if max_memory is None else budget_for(max_memory, model, trees, seed)
    reading = reading_of(missing, dates)
    rows = training_rows(out, data, target, task, ignore, categorical, use, budget, reading)
    fitted = fit_and_save(out, new_model(model, rows.task, trees, settings, random_state=seed, n_jobs=jobs), rows, path)
    scores = show_honest_scores(out, fitted, rows, confidence) if score else []
    strongest = show_strongest(out, fitted)
    if warning := too_good(scores, strongest, target):
        out.say(f"note: {warning} --ignore {quote(strongest[0][0])} leaves it out")
    say_saved(out, path, data)


def budget_for(max_memory: str, model: str, trees: int | None, seed: int) -> Budget:
    """Return how much memory the rows and a model of them may take."""
    word = word_for(model)
    keeps_rows = word in ("boosting", "forest")
    n_trees = new_model(word, "regression", trees).n_estimators if keeps_rows else 0
    return Budget.parse(max_memory, word, n_trees, seed)


def model_path(data: Path, to: Path | None) -> Path:
    """Return where to write the model, which must be possible."""
    if to is None:
        if data == PIPE:
            raise UsageError("--out is needed where rows come through a pipe")
        to = Path(data.name.split(".")[0] or "model").with_suffix(".hedgerow")
    check_destination(to)
    return to


def say_saved(out: Output, path: Path, source: Path | None = None) -> None:
    """Say where the model is, and what to do with it."""
    data = "DATA.csv" if source in (None, PIPE) else quote(str(source))
    name = quote(str(path))
    out.done(f"saved to {path} ({size_in_words(path.stat().st_size)})")
    out.say(f"next: hedgerow predict {name} NEW_ROWS.csv")
    out.say(f"or a page to read: hedgerow report {name} {data}")


def fit_and_save(out: Output, model: Any, rows: Training, path: Path) -> Any:
    """Fit, say how long it took, and save."""
    begin, name = perf_counter(), type(model).__name__
    with out.progress(f"fitting {name}"):
        model.fit(rows.X, rows.named_y)
    model.save(path)
    classes = f"{len(model.classes_)} classes, " if rows.task == "classification" else ""
    words = f"{name}: {classes}{len(rows):,} rows, {rows.X.shape[1]} columns"
    out.done(f"{words}, {perf_counter() - begin:.1f} s")
    out.facts(model=name, out=str(path), seconds=perf_counter() - begin)
    return model
