"""The menu: ``python -m benchmarks [--only fit,predict] [--quick]``, and further commands."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from benchmarks import (
    accuracy,
    accuracy_report,
    bart,
    bart_report,
    bayesian_trees,
    class_report,
    classification,
    drift,
    fit,
    growth,
    kernel,
    kernel_report,
    losses,
    losses_report,
    memory,
    online,
    online_forests,
    online_report,
    optimize,
    optimize_report,
    predict,
    prequential,
    prequential_report,
    report,
    threads,
    tree_report,
)
from benchmarks.coverage import report as coverage_report
from benchmarks.coverage import run as coverage_run
from benchmarks.report import Line
from benchmarks.timing import Effort

MENU: dict[str, Callable[[Effort], Iterator[Line]]] = {
    "fit": fit.run,
    "predict": predict.run,
    "threads": threads.run,
    "online": online.run,
    "memory": memory.run,
    "growth": growth.run,
}
RESULTS = Path(__file__).parent / "results.md"
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    only: Annotated[str, typer.Option(help="Parts to run, separated by commas.")] = ",".join(MENU),
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the rows, and no verdicts.")] = False,
) -> None:
    """Measure regression, and print the table. A run of everything also writes benchmarks/results.md."""
    if context.invoked_subcommand is not None:
        return
    parts = [part.strip() for part in only.split(",")]
    for part in parts:
        if part not in MENU:
            raise typer.BadParameter(f"there is no part {part!r}; choose from {', '.join(MENU)}")
    console = Console()
    load = os.getloadavg()[0]
    lines: list[Line] = []
    with console.status("measuring"):
        for part in parts:
            for line in MENU[part](Effort(quick)):
                lines.append(replace(line, target=None) if quick else line)
                console.print(f"{part}: {line.what}: {line.cells[3]}", highlight=False)
    report.show(lines, console)
    console.print(report.machine(), report.warning(load))
    if quick:
        console.print("A tenth of the rows that the lines name, so the targets do not apply.")
    if set(parts) == set(MENU) and not quick:
        report.write(lines, RESULTS, load)
        console.print(f"written to {RESULTS}")


Data = Annotated[Path | None, typer.Option(help="Folder with the data.", envvar="HEDGEROW_DATA")]
Quick = Annotated[bool, typer.Option("--quick", help="A few small sets, and no verdicts.")]


@app.command("classification")
def classify(data: Data = None, quick: Quick = False) -> None:
    """Measure classification, and print the table. A run that is not quick also writes benchmarks/classification.md."""
    compare(classification.run(data, quick), classification.verdicts, quick, class_report.PAGE, class_report.write)


@app.command("accuracy")
def be_accurate(data: Data = None, quick: Quick = False) -> None:
    """Measure accuracy, and print the table. A run that is not quick also writes benchmarks/accuracy.md."""
    compare(accuracy.run(data, quick), accuracy.verdicts, quick, accuracy_report.PAGE, accuracy_report.write)


@app.command("losses")
def be_probable(data: Data = None, quick: Quick = False) -> None:
    """Measure class probabilities, and print the table. A run that is not quick also writes benchmarks/losses.md."""
    compare(losses.run(data, quick), losses.verdicts, quick, losses_report.PAGE, losses_report.write)


@app.command("prequential")
def forecast(data: Data = None, quick: Quick = False) -> None:
    """Forecast and learn rows, and print the table. A run that is not quick also writes benchmarks/prequential.md."""
    compare(
        prequential.run(data, quick), prequential.verdicts, quick, prequential_report.PAGE, prequential_report.write
    )


@app.command("online-forests")
def cover(data: Data = None, quick: Quick = False) -> None:
    """Measure online forests with intervals. A run that is not quick also writes benchmarks/online_forests.md."""
    measured = online_forests.run(data, quick)
    compare(measured, online_forests.verdicts, quick, online_report.PAGE, online_report.write)


@app.command("coverage")
def keep_promises(quick: Quick = False) -> None:
    """Count how often intervals cover. A run that is not quick writes benchmarks/coverage/report.md and its picture."""
    console = Console()
    found = []
    with console.status("learning and counting"):
        for one in coverage_run.run(quick):
            found.append(one)
            console.print(f"{one.model}, {one.group}: {one.coverage:.1%}, width {one.width:.3g}", highlight=False)
    if not quick:
        coverage_report.write(found)
        console.print(f"written to {coverage_report.PAGE}")


@app.command("bayesian-trees")
def sample_trees(data: Data = None, quick: Quick = False) -> None:
    """Measure Bayesian trees, and print the table. A run that is not quick also writes benchmarks/bayesian_trees.md."""
    compare(bayesian_trees.run(data, quick), bayesian_trees.verdicts, quick, tree_report.PAGE, tree_report.write)


@app.command("bart")
def sum_trees(data: Data = None, quick: Quick = False) -> None:
    """Measure BART, and print the table. A run that is not quick also writes benchmarks/bart.md."""
    compare(bart.run(data, quick), bart.verdicts, quick, bart_report.PAGE, bart_report.write)


@app.command("optimize")
def search(data: Data = None, quick: Quick = False) -> None:
    """Measure Bayesian optimisation, and print the table. A whole run also writes benchmarks/optimize.md."""
    compare(optimize.run(data, quick), optimize.verdicts, quick, optimize_report.PAGE, optimize_report.write)


def compare(
    measured: Iterator[Any],
    verdicts: Callable[[list[Any]], Iterable[Line]],
    quick: bool,
    page: Path,
    write: Callable[[list[Line], list[Any], float], None],
) -> None:
    """Tell what is measured as it comes, lines and findings; then what these amount to; and write the page."""
    console = Console()
    load = os.getloadavg()[0]
    lines: list[Line] = []
    findings: list[Any] = []
    with console.status("measuring"):
        try:
            for found in measured:
                (lines if isinstance(found, Line) else findings).append(found)
                console.print(str(found), highlight=False)
        except FileNotFoundError as error:
            console.print(str(error), highlight=False, soft_wrap=True)
            raise typer.Exit(1) from None
    lines = report.sorted_by_section([*lines, *verdicts(findings)])
    if quick:
        lines = [replace(line, target=None) for line in lines]
    report.show(lines, console)
    console.print(report.machine(), report.warning(load))
    if not quick:
        write(lines, findings, load)
        console.print(f"written to {page}")


@app.command("drift")
def forget(
    rows: Annotated[int, typer.Option(help="Rows of the stream.", min=1000)] = 1_000_000,
) -> None:
    """Measure how soon a drift is forgotten. A run of a million rows also writes benchmarks/drift.md."""
    console = Console()
    load = os.getloadavg()[0]
    runs = []
    for run in drift.run(rows):
        runs.append(run)
        console.print(repr(run), highlight=False, soft_wrap=True)
    n_speed = min(rows, 5_000)
    speeds = drift.speed(n_speed)
    console.print(drift.table("ours", [drift.Recovery.of(run) for run in runs]), drift.reported(), sep="\n\n")
    console.print(speeds)
    if rows >= 1_000_000:
        drift.write(runs, speeds, n_speed, load)
        console.print(f"written to {drift.PAGE} and {drift.PICTURE}")


@app.command("kernel")
def approximate(
    data: Annotated[Path | None, typer.Option(help="Folder with cpu_act.parquet.", envvar="HEDGEROW_DATA")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rows, made-up ones only, and no verdicts.")] = False,
) -> None:
    """Measure the Mondrian kernel, and print the table. A whole run also writes benchmarks/kernel.md."""
    console = Console()
    load = os.getloadavg()[0]
    lines: list[Line] = []
    figures = kernel.Figures()
    with console.status("measuring"):
        try:
            for line in kernel.run(None if quick else data, quick, figures):
                lines.append(replace(line, target=None) if quick else line)
                console.print(f"{line.section}: {line.what}: {line.cells[3]}", highlight=False)
        except FileNotFoundError as error:
            console.print(str(error), highlight=False, soft_wrap=True)
            raise typer.Exit(1) from None
    report.show(lines, console)
    console.print(report.machine(), report.warning(load))
    if quick or data is None:
        console.print(kernel.HELP, highlight=False, soft_wrap=True)
    else:
        kernel_report.write(lines, figures, load)
        console.print(f"written to {kernel_report.PAGE} and {kernel_report.PICTURE}")


if __name__ == "__main__":
    app()
