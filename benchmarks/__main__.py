"""The menu: ``python -m benchmarks [--only fit,predict] [--quick]``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks import fit, growth, memory, online, predict, report, threads
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


def main(
    only: Annotated[str, typer.Option(help="Parts to run, separated by commas.")] = ",".join(MENU),
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the rows, and no verdicts.")] = False,
) -> None:
    """Measure, and print the table. A run of everything also writes benchmarks/results.md."""
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


if __name__ == "__main__":
    typer.run(main)
