"""How the command line speaks: one console for results, one for errors, and errors in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

console = Console()
_errors = Console(stderr=True)


@contextmanager
def errors_in_words() -> Iterator[None]:
    """Turn what a user can cause into one sentence and exit code 1; a bug keeps its traceback."""
    try:
        yield
    except FileNotFoundError as error:
        _leave(f"there is no file or folder {str(error.filename)!r}")
    except OSError as error:
        _leave(f"{error.strerror or error}: {str(error.filename)!r}" if error.filename else str(error))
    except (ValueError, ImportError) as error:
        _leave(str(error))


def check_destination(path: Path) -> None:
    """Refuse a file that cannot be written before any work is done for it."""
    if not path.absolute().parent.is_dir():
        raise ValueError(f"there is no folder {str(path.absolute().parent)!r} to write to")
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder; give the name of a file")


def _leave(sentence: str) -> None:
    _errors.print(f"[bold red]error:[/] {escape(sentence)}", highlight=False, soft_wrap=True)
    raise typer.Exit(1)


def progress_bar(*extra: str) -> Progress:
    """Return a progress bar; `extra` are fields that each task fills with text."""
    return Progress(
        TextColumn("{task.description:<22}"),
        BarColumn(bar_width=12),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        *(TextColumn(f"[cyan]{{task.fields[{name}]}}") for name in extra),
        console=console,
    )
