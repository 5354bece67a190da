"""What was measured, what was aimed at, as one table on the screen and one in markdown."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

HEADINGS = ("what", "hedgerow", "peer", "reached", "target", "met")
TOLERATED_LOAD = 0.5
LIBRARIES = ("hedgerow", "scikit-learn", "river", "numpy")


@dataclass(frozen=True)
class Line:
    """One measurement."""

    section: str
    what: str
    hedgerow: str
    peer: str
    reached: float
    """Not a number where there is nothing to compare with."""
    target: float | None = None
    """None where nothing is promised."""
    at_most: bool = False
    """Whether the target is an upper bound, not a lower one."""
    unit: str = "x"

    def __str__(self) -> str:
        return f"{self.section}: {self.what}: {self.cells[3]}"

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.reached <= self.target if self.at_most else self.reached >= self.target

    @property
    def cells(self) -> tuple[str, ...]:
        target = "" if self.target is None else f"{'≤' if self.at_most else '≥'} {self._number(self.target)}"
        verdict = {True: "yes", False: "no", None: ""}[self.met]
        return self.what, self.hedgerow, self.peer, self._number(self.reached), target, verdict

    def _number(self, value: float) -> str:
        if math.isnan(value):
            return ""
        return f"{value:.0f}{self.unit}" if value >= 100 else f"{value:.3g}{self.unit}"


def sorted_by_section(lines: Sequence[Line]) -> list[Line]:
    """Bring lines of a section together, sections in the order in which they began."""
    sections = list(dict.fromkeys(line.section for line in lines))
    return sorted(lines, key=lambda line: sections.index(line.section))


def show(lines: Iterable[Line], console: Console) -> None:
    """Print the lines as one table, a part for each section."""
    table = Table(*HEADINGS, title="hedgerow and its peers, one run")
    for section, members in groupby(lines, key=lambda line: line.section):
        table.add_section()
        table.add_row(Text(section, style="bold"))
        for line in members:
            style = {True: "green", False: "red", None: ""}[line.met]
            table.add_row(*line.cells[:-1], Text(line.cells[-1], style=style))
    console.print(table)


def write(lines: Sequence[Line], path: Path, load: float) -> None:
    """Write the lines as markdown, a table for each section."""
    parts = ["# Benchmark results", machine(), HOW_TO_READ, *filter(None, [warning(load)])]
    for section, members in groupby(lines, key=lambda line: line.section):
        rows = [HEADINGS, ("---",) * len(HEADINGS), *(line.cells for line in members)]
        parts.append(f"## {section}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows))
    parts.append("![Cost per learned row against the number of rows](growth.png)")
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


HOW_TO_READ = """\
Made by `make bench`. Contestants took turns within each round; the best turn of each counts, and the
percentage in brackets says how much longer the median turn took. Times are processor time on one thread,
except where two threads are compared, which is by the wall clock. All forests have 10 trees unless said.
*Reached* is the peer's time over hedgerow's, unless the section says otherwise."""


def machine(*peers: str) -> str:
    """Return what the numbers depend on besides the code: processor, Python, libraries, and peers if installed."""
    libraries = ", ".join(f"{name} {version(name)}" for name in (*LIBRARIES, *filter(is_installed, peers)))
    cores = f"{os.cpu_count()} cores"
    return f"{processor()}, {cores}, {platform.system()}, Python {platform.python_version()}, {libraries}"


def is_installed(library: str) -> bool:
    """Return whether its version can be told."""
    try:
        version(library)
    except PackageNotFoundError:
        return False
    return True


def warning(load: float) -> str:
    """Return what to make of the numbers if `load` other processes were running when the run began."""
    if load < TOLERATED_LOAD:
        return ""
    return (
        f"When this run began, {load:.1f} other processes were busy on these {os.cpu_count()} cores. "
        "They slow all contestants, and they make the lines on two threads too low."
    )


def processor() -> str:
    """Return the processor's name, as far as the system tells."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
