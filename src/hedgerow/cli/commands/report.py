"""``hedgerow report``: a page about a model; tables, pictures and a page about saved runs."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from sklearn.base import is_classifier

from hedgerow.cli._honest import LEFT_OUT, Honest, honest_predictions, predictions_of_new
from hedgerow.cli._models import check_can_predict, read_model
from hedgerow.cli._names import reading_of
from hedgerow.cli._options import Dates, Missing
from hedgerow.cli._output import Output, UsageError, check_destination, size_in_words
from hedgerow.cli._runs import history_rows, names_of, scores_rows
from hedgerow.cli._scores import CONFIDENCE, LEAST_ROWS, beside_baseline, check_confidence
from hedgerow.cli._table import quoted
from hedgerow.cli._text import Reading
from hedgerow.cli._training import Training, further_rows
from hedgerow.cli.report import Subject, alone_page, model_page, runs_page
from hedgerow.stream import Run
from hedgerow.stream._checkpoint import MAGIC, read_checkpoint


def report(
    out: Output,
    files: Annotated[
        list[Path],
        typer.Argument(
            help="A model, and the table that it was fitted to; or runs, written by hedgerow stream --out, or its "
            "checkpoints.",
        ),
    ],
    to: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Page to write; MODEL with .html if not given, and none for runs."),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target", "-t", metavar="COLUMN", help="Column to be predicted, if the model does not know its name."
        ),
    ] = None,
    test: Annotated[
        Path | None, typer.Option(help="Models only: score these new rows instead of those of the table.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="Models only: nominal coverage of the intervals.")] = CONFIDENCE,
    history: Annotated[bool, typer.Option("--history", help="Runs only: print the scores of each window too.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Runs only: picture to write, of any format that matplotlib knows.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Runs only: CSV to write, a line for each run and window.")] = None,
    missing: Missing = None,
    dates: Dates = None,
) -> None:
    """Write a report about a model, as an HTML page; or compare saved runs.

    The page is one self-contained HTML file: data, accuracy beside a baseline, calibration of intervals or
    probabilities, effects of columns, and the least certain predictions. For runs, scores are printed too.
    """
    check_confidence(confidence)
    for path in filter(None, (to, plot, csv)):
        check_destination(path)
    found = [_read(path) for path in files[:1]]
    if not isinstance(found[0], Run):
        if history or plot or csv:
            raise UsageError(f"--history, --plot and --csv are for runs, and {str(files[0])!r} is a model")
        _about_model(out, found[0], files, to, target, test, confidence, reading_of(missing, dates))
        return
    if target or test:
        raise UsageError(f"--target and --test are for models, and {str(files[0])!r} is a run")
    _about_runs(out, [*found, *map(_read, files[1:])], files, to, history, plot, csv)


def _about_model(
    out: Output,
    model: Any,
    files: list[Path],
    to: Path | None,
    target: str | None,
    test: Path | None,
    confidence: float,
    reading: Reading,
) -> None:
    path, data = files[0], files[1] if len(files) > 1 else None
    check_can_predict(model, path)
    if len(files) > 2:
        raise UsageError(f"a report on a model takes one table, got {quoted(files[1:])}; --test takes new rows")
    to = Path(path.name).with_suffix(".html") if to is None else to
    check_destination(to)
    if data is None and test is None:
        content = alone_page(model, path.name)
        name = quote(str(path))
        out.say(
            f"the page is short; with the table that the model was fitted to it says more: hedgerow report {name} DATA"
        )
    else:
        rows, honest = _rows(out, model, path, data, target, test, reading)
        subject = Subject(model, path.name, (test or data or path).name, rows, honest, confidence)
        with out.progress("drawing"):
            content = model_page(subject)
        out.table("scores", beside_baseline(model, honest, confidence), f"Scores, {honest.how}")
        out.facts(scored_by=honest.how, rows=len(rows))
    to.write_text(content, encoding="utf-8")
    out.facts(model=type(model).__name__, out=str(to))
    out.done(f"written to {to} ({size_in_words(len(content.encode()))}); open it in a browser")


def _rows(
    out: Output, model: Any, path: Path, data: Path | None, target: str | None, test: Path | None, reading: Reading
) -> tuple[Training, Honest]:
    """Return the rows that the page is about, and honest predictions of them."""
    if not hasattr(model, "feature_names_in_"):
        raise ValueError(f"the model in {str(path)!r} does not know its columns by name; fit it to a table with names")
    target = target or model.target_name_
    if target is None:
        raise UsageError(f"the model in {str(path)!r} does not know what its target is called: add --target NAME")
    task = "classification" if is_classifier(model) else "regression"
    learned = None if data is None else further_rows(out, data, target, task, model.column_kinds_, reading)
    if test is not None:
        new = further_rows(out, test, target, task, model.column_kinds_, reading)
        known = new.y if learned is None else learned.y
        how = f"on {len(new):,} new rows of {test.name}"
        return new, predictions_of_new(model, new.X, new.y, known, task, how)
    assert learned is not None
    if len(learned) < LEAST_ROWS:
        raise ValueError(f"{len(learned)} rows are too few for a report")
    honest = honest_predictions(out, model, learned)
    predicted = honest.mean if task == "regression" else honest.probabilities
    if honest.how == LEFT_OUT and len(predicted) != len(learned):
        raise ValueError(
            f"the model in {str(path)!r} was fitted to {len(predicted):,} rows and {str(data)!r} has {len(learned):,} "
            f"with a target, so they are not the same; --test {quote(str(data))} takes them for new rows"
        )
    return learned, honest


def _about_runs(
    out: Output,
    runs: list[Any],
    files: list[Path],
    to: Path | None,
    history: bool,
    plot: Path | None,
    csv: Path | None,
) -> None:
    for path, run in zip(files, runs, strict=True):
        if not isinstance(run, Run):
            raise ValueError(
                f"{str(path)!r} holds a {type(run).__name__}, not a run; hedgerow info {quote(str(path))} shows it"
            )
    if plot is not None:
        from hedgerow.plot import RunDisplay

        RunDisplay.from_runs(*runs).figure_.savefig(plot, dpi=150)
    if csv is not None:
        csv.write_text(_as_csv(runs), encoding="utf-8")
    if to is not None:
        to.write_text(runs_page(runs), encoding="utf-8")
    out.table("scores", scores_rows(runs), "Scores")
    for name, run in zip(names_of(runs), runs, strict=True) if history else ():
        out.table(f"history of {name}", history_rows(run), name)
    for path in filter(None, (plot, csv, to)):
        out.done(f"written to {path}")


def _read(path: Path) -> Any:
    with path.open("rb") as file:
        is_checkpoint = file.read(len(MAGIC)) == MAGIC
    return read_checkpoint(path).run if is_checkpoint else read_model(path)


def _as_csv(runs: list[Run]) -> str:
    names = list(dict.fromkeys(name for run in runs for name in run.history))
    lines = [",".join(["run", *names])]
    for run in runs:
        columns = run.history
        name = '"' + run.name.replace('"', '""') + '"'
        for index in range(len(columns["end"])):
            cells = [repr(columns[each][index].item()) if each in columns else "" for each in names]
            lines.append(",".join([name, *cells]))
    return "\n".join(lines) + "\n"
