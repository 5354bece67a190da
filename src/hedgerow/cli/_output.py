"""How the command line writes: results on the standard output, words and progress on the standard error."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.prompt import Prompt
from rich.table import Table
from rich.text import Text

from hedgerow.base.progress import reporting_to
from hedgerow.numeric.words import number_in_words

Rows = Sequence[Mapping[str, Any]]
"""A table: a mapping from headings to values for each row; what a row lacks is not known."""

MOST_SHOWN = 40
"""Rows of a table on a terminal; pipes and JSON have all."""


MOST_UNBROKEN = 26
"""Characters of a cell that is not broken into lines."""


class UsageError(ValueError):
    """An option has a value that it cannot have, or one is needed: exit code 2 instead of 1."""


class Output:
    """What a command writes.

    Tables are its result. They are drawn on a terminal, written as tab-separated lines anywhere else, and gathered into
    one object with `--json`. Sentences, questions and progress bars go to the standard error.

    Parameters
    ----------
    as_json : bool
        Whether the result is one JSON object, written by `close`.
    quiet : bool
        Whether nothing is written but errors, and a JSON object if one was requested.
    """

    def __init__(self, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json, self.quiet = as_json, quiet
        self.results, self.words = Console(), Console(stderr=True)
        self._gathered: dict[str, Any] = {}
        self._has_tables = False

    def say(self, sentence: str, mark: str = "") -> None:
        """Say a sentence, on the standard error."""
        if not self.quiet:
            self.words.print(mark + escape(sentence), highlight=False, soft_wrap=True)

    def done(self, sentence: str) -> None:
        """Say that something was done."""
        self.say(sentence, "[green]✓[/] ")

    def facts(self, **facts: Any) -> None:
        """Add values to the JSON object."""
        self._gathered |= facts

    def table(self, name: str, rows: Rows, title: str = "", emphasis: Mapping[str, int] | None = None) -> None:
        """Show a table; `name` is its key in JSON, `emphasis` the row of a column that is drawn bold."""
        headings = dict.fromkeys(heading for row in rows for heading in row)
        rows = [{heading: row.get(heading) for heading in headings} for row in rows]
        self._gathered[name] = rows
        if self.as_json or self.quiet or not rows:
            return
        if self.results.is_terminal:
            self.results.print(drawn(rows, title, emphasis or {}, self.results.width))
            return
        lines = [list(headings), *([plain(value) for value in row.values()] for row in rows)]
        self._write("\n" * self._has_tables + "".join("\t".join(cells) + "\n" for cells in lines))
        self._has_tables = True

    def close(self) -> None:
        """Write the JSON object, if one was requested."""
        if self.as_json:
            self._write(json.dumps(as_plain_values(self._gathered), indent=2, ensure_ascii=False) + "\n")

    @contextmanager
    def progress(self, what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
        """Show a bar on a terminal, elsewhere nothing; yields what moves it on. Without a total it only shows how long.

        A bar is gone when the work is done.
        """
        with progress_bar(self, transient=True) as bar:
            task = bar.add_task(what, total=total)

            def report(now: str, done: int | None, of: int | None) -> None:
                """Show what a model does, where the command itself counts nothing."""
                if total is None:
                    bar.update(task, description=f"{what}: {now}", completed=done or 0, total=of)

            with reporting_to(report):
                yield lambda steps: bar.advance(task, steps)

    def can_ask(self) -> bool:
        """Whether somebody is there to answer."""
        return not self.quiet and not self.as_json and sys.stdin.isatty() and self.words.is_terminal

    def ask(self, question: str, choices: list[str], default: str) -> str:
        """Ask, on a terminal; return nothing if the input ends (Ctrl-D) before there is an answer."""
        try:
            return Prompt.ask(escape(question), choices=choices, default=default, console=self.words)
        except EOFError:
            self.words.print()
            return ""

    def fail(self, sentence: str, code: int) -> None:
        """Say what went wrong, and leave."""
        self.words.print(f"[bold red]error:[/] {escape(sentence)}", highlight=False, soft_wrap=True)
        raise typer.Exit(code)

    def _write(self, text: str) -> None:
        sys.stdout.write(text)


def progress_bar(out: Output, *extra: str, transient: bool = False) -> Progress:
    """Return a progress bar; `extra` are fields that each task fills with text."""
    return Progress(
        TextColumn("{task.description:<22}"),
        BarColumn(bar_width=12),
        *([TaskProgressColumn(), *(TextColumn(f"[cyan]{{task.fields[{name}]}}") for name in extra)] if extra else []),
        TimeElapsedColumn(),
        console=out.words,
        transient=transient,
        disable=out.quiet or not out.words.is_terminal,
    )


def check_destination(path: Path) -> None:
    """Refuse a file that cannot be written before any work is done for it."""
    if not path.absolute().parent.is_dir():
        raise ValueError(f"there is no folder {str(path.absolute().parent)!r} to write to")
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder; give the name of a file")


def drawn(rows: Rows, title: str = "", emphasis: Mapping[str, int] | None = None, width: int = 80) -> Group:
    """Return a table for a terminal of a width."""
    found = Table(header_style="bold", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    widest = {heading: max(len(shown(row[heading])) for row in rows) for heading in rows[0]}
    words = {heading: max(map(len, heading.split()), default=0) for heading in rows[0]}
    # Headings of several words are broken before values are, and words and values only if there is no room for them.
    needed = {heading: max(min(n, MOST_UNBROKEN), words[heading]) for heading, n in widest.items()}
    has_room = sum(needed.values()) + 2 * len(needed) <= width
    for place, heading in enumerate(rows[0]):
        is_number = any(isinstance(row[heading], int | float | np.number) for row in rows)
        found.add_column(
            heading,
            style="" if place else "cyan",
            justify="right" if is_number else "left",
            overflow="fold",
            min_width=needed[heading] if has_room else None,
        )
    for place, row in enumerate(rows[:MOST_SHOWN]):
        cells = {heading: escape(shown(value)) for heading, value in row.items()}
        bold = {heading for heading, best in (emphasis or {}).items() if best == place}
        found.add_row(*(f"[bold]{cell}[/]" if heading in bold else cell for heading, cell in cells.items()))
    if len(rows) > MOST_SHOWN:
        found.caption = f"and {len(rows) - MOST_SHOWN:,} more; --json lists all"
    return Group(*([Text(title, style="bold")] if title else []), found)


def shown(value: Any) -> str:
    """Return a value as it is read: numbers in four digits, nothing for what is not known."""
    if value is None or (isinstance(value, float | np.floating) and math.isnan(value)):
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return str(value)
    number = float(value)
    return f"{number:.4f}" if 0.001 <= abs(number) < 1 else number_in_words(number)


def size_in_words(n_bytes: int) -> str:
    """Return the size of a file."""
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e5 else f"{max(1, round(n_bytes / 1e3))} kB"


def plain(value: Any) -> str:
    """Return a value as programs read it, on one line and without tabs; nothing for what is not known."""
    if value is None or value != value:
        return ""
    return f"{value:.9g}" if isinstance(value, float | np.floating) else " ".join(str(value).split())


def as_plain_values(value: Any) -> Any:
    """Return what JSON can hold: not a number, and what has no end, become null."""
    if isinstance(value, Mapping):
        return {str(key): as_plain_values(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [as_plain_values(inner) for inner in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value != value:  # a date that is missing
        return None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
