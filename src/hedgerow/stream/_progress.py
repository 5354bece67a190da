"""The progress bar of an evaluation: rows, rows a second, time left, and how the latest window did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hedgerow.stream._chunks import Stream
from hedgerow.stream._run import Run

SHOWN = {
    "mean_error_rate": "misses",
    "relative_interval_size": "size",
    "mean_absolute_error": "MAE",
    "accuracy": "right",
    "log_loss": "log loss",
}
"""Scores worth a glance while a run is under way, and what they are called."""


def with_progress(steps: Iterator[Run], stream: Stream, name: str, console: Any = None) -> Iterator[Run]:
    """Show a bar while the steps are taken. Where there is no terminal, show nothing."""
    # Imported here: nobody who only wants a model should wait for it.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True) if console is None else console
    if not (console.is_terminal or console.is_jupyter):
        yield from steps
        return
    columns = (
        "{task.description}",
        "{task.completed:,} rows",
        "[cyan]{task.fields[speed]}",
        "[dim]{task.fields[latest]}",
    )
    what, n_rows, speed, latest = map(TextColumn, columns)
    with Progress(what, BarColumn(bar_width=20), n_rows, speed, TimeRemainingColumn(), latest, console=console) as bar:
        task = bar.add_task(name, total=stream.n_rows, speed="", latest="")
        for run in steps:
            bar.update(
                task,
                completed=run.n_rows,
                total=expected_rows(stream, run),
                speed=f"{run.n_rows / max(run.seconds, 1e-9):,.0f} rows/s",
                latest=latest_scores(run),
            )
            yield run


def expected_rows(stream: Stream, run: Run) -> int | None:
    """Return how many rows the stream has: known, or guessed from how much of its file has been read."""
    fraction: Any = getattr(stream, "fraction_read", None)
    return stream.n_rows if stream.n_rows is not None or not fraction else max(run.n_rows, int(run.n_rows / fraction))


def latest_scores(run: Run) -> str:
    """Return a few scores of the latest full window."""
    recent = run.windows(last=2)
    full = [index for index, end in enumerate(recent["end"]) if end % run.window == 0]
    if not full:
        return ""
    return "  ".join(f"{word} {recent[name][full[-1]]:.3g}" for name, word in SHOWN.items() if name in recent)
