"""``hedgerow report``: tables and pictures of saved runs."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

import hedgerow
from hedgerow.cli._output import Output, check_destination
from hedgerow.cli._runs import history_rows, names_of, scores_rows
from hedgerow.stream import Run
from hedgerow.stream._checkpoint import MAGIC, read_checkpoint


def report(
    out: Output,
    runs: Annotated[list[Path], typer.Argument(help="Files written by hedgerow stream --out, or its checkpoints.")],
    history: Annotated[bool, typer.Option("--history", help="Print the scores of each window too.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Picture to write, of any format that matplotlib knows.")] = None,
    csv: Annotated[Path | None, typer.Option(help="CSV file to write, a line for each run and window.")] = None,
) -> None:
    """Compare saved runs: scores over all and by window, and a picture of them over time."""
    for path in filter(None, (plot, csv)):
        check_destination(path)
    found = [_read(path) for path in runs]
    if plot is not None:
        from hedgerow.plot import RunDisplay

        RunDisplay.from_runs(*found).figure_.savefig(plot, dpi=150)
    if csv is not None:
        csv.write_text(_as_csv(found), encoding="utf-8")
    out.table("scores", scores_rows(found), "Scores")
    for name, run in zip(names_of(found), found, strict=True) if history else ():
        out.table(f"history of {name}", history_rows(run), name)
    for path in filter(None, (plot, csv)):
        out.done(f"written to {path}")


def _read(path: Path) -> Run:
    with path.open("rb") as file:
        is_checkpoint = file.read(len(MAGIC)) == MAGIC
    run = read_checkpoint(path).run if is_checkpoint else hedgerow.load(path)
    if not isinstance(run, Run):
        raise ValueError(
            f"{str(path)!r} holds a {type(run).__name__}, not a run; hedgerow info {quote(str(path))} shows it"
        )
    return run


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
