"""The menu: ``python -m benchmarks [--only fit,predict] [--quick]``; commands classification, accuracy, kernel."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks import (
    accuracy,
    accuracy_report,
    class_report,
    classification,
    fit,
    growth,
    kernel,
    kernel_report,
    memory,
    online,
    predict,
    report,
    threads,
)
from benchmarks.accuracy_models import Score
from benchmarks.class_curves import Curve
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


@app.command("classification")
def classify(
    data: Annotated[Path | None, typer.Option(help="Folder with the data.", envvar="HEDGEROW_DATA")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="scikit-learn's digits only, and no verdicts.")] = False,
) -> None:
    """Measure classification, and print the table. A run that is not quick also writes benchmarks/classification.md."""
    console = Console()
    load = os.getloadavg()[0]
    lines: list[Line] = []
    curves: list[Curve] = []
    with console.status("measuring"):
        try:
            for found in classification.run(data, quick):
                if isinstance(found, Curve):
                    curves.append(found)
                    console.print(f"{found.data}, {found.model}: {found.last('accuracy'):.2%} right", highlight=False)
                else:
                    lines.append(found)
                    console.print(f"{found.section}: {found.what}: {found.cells[3]}", highlight=False)
        except FileNotFoundError as error:
            console.print(str(error), highlight=False, soft_wrap=True)
            raise typer.Exit(1) from None
    lines += classification.verdicts(curves)
    if quick:
        lines = [replace(line, target=None) for line in lines]
    report.show(lines, console)
    console.print(report.machine(), report.warning(load))
    if not quick:
        class_report.write(lines, curves, load)
        console.print(f"written to {class_report.PAGE} and {class_report.PICTURE}")


@app.command("accuracy")
def compare(
    data: Annotated[Path | None, typer.Option(help="Folder with the data.", envvar="HEDGEROW_DATA")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few small sets, and no verdicts.")] = False,
) -> None:
    """Measure accuracy, and print the table. A run that is not quick also writes benchmarks/accuracy.md."""
    console = Console()
    load = os.getloadavg()[0]
    lines: list[Line] = []
    scores: list[Score] = []
    with console.status("measuring"):
        try:
            for found in accuracy.run(data, quick):
                if isinstance(found, Score):
                    scores.append(found)
                    console.print(f"{found.data}, {found.model}: RMSE {found.rmse:.3f}", highlight=False)
                else:
                    lines.append(found)
                    console.print(f"{found.section}: {found.what}: {found.cells[3]}", highlight=False)
        except FileNotFoundError as error:
            console.print(str(error), highlight=False, soft_wrap=True)
            raise typer.Exit(1) from None
    lines = accuracy_report.sorted_by_section([*lines, *accuracy.verdicts(scores)])
    if quick:
        lines = [replace(line, target=None) for line in lines]
    report.show(lines, console)
    console.print(report.machine(), report.warning(load))
    if not quick:
        accuracy_report.write(lines, scores, load)
        console.print(f"written to {accuracy_report.PAGE} and {accuracy_report.PICTURE}")


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
