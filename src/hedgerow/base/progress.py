"""Progress: one bar on a terminal or in a notebook, after two seconds of work; nothing anywhere else.

Whoever begins work opens a bar by `progress`; whatever is done within it, however deep, calls `report`.
Work within work has no bar of its own. Users choose by `show_progress` whether they want to see bars, or by
HEDGEROW_PROGRESS=0 in the environment that they want none.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from multiprocessing import parent_process
from threading import Lock, Timer
from typing import Any

SECONDS_BEFORE_A_BAR = 2.0
"""A bar that nobody requested appears only where there is something to wait for."""

Report = Callable[[str, int | None, int | None], None]
"""What is done now, how much of it, and how much there is."""

_reporter: ContextVar[Report | None] = ContextVar("reporter", default=None)
_wish: ContextVar[bool | None] = ContextVar("wish", default=None)
_one_bar = Lock()


@contextmanager
def show_progress(shown: bool | None) -> Iterator[None]:
    """Say whether bars are shown, of any model and of anything else, while the block runs.

    Otherwise a bar appears on a terminal or in a notebook where work takes longer than two seconds. None is shown in a
    pipe, or with ``HEDGEROW_PROGRESS=0`` in the environment. Holds for the thread that runs the block. The parameter
    `progress` of BART comes first.

    Parameters
    ----------
    shown : bool or None
        False for no bars, True for bars that appear at once, None for what is usual.

    Examples
    --------
    >>> from hedgerow import MondrianForestRegressor, show_progress
    >>> with show_progress(False):
    ...     model = MondrianForestRegressor(random_state=0).fit([[0.0], [1.0]], [0.0, 1.0])
    """
    if shown is not None and not isinstance(shown, bool):
        raise ValueError(f"shown must be True, False or None, got {shown!r}")
    token = _wish.set(shown)
    try:
        yield
    finally:
        _wish.reset(token)


def are_bars_off() -> bool:
    """Whether no bars are wanted, by the block that runs or by the environment."""
    return _wish.get() is False or os.environ.get("HEDGEROW_PROGRESS") == "0"


def report(what: str, done: int | None = None, total: int | None = None) -> None:
    """Report what is done now, and how far it is."""
    reporter = _reporter.get()
    if reporter is not None:
        reporter(what, done, total)


@contextmanager
def progress(what: str, wanted: bool | None = None, console: Any = None) -> Iterator[None]:
    """Show a bar while the block runs; `wanted` is whether it is shown at once, never, or as users wish (None)."""
    wanted = _wish.get() if wanted is None else wanted
    if _reporter.get() is not None or not _is_shown(wanted, console) or not _one_bar.acquire(blocking=False):
        with reporting_to(_reporter.get() if wanted is not False else _nobody):
            yield
        return
    bar = _Bar(what, console)
    timer = Timer(SECONDS_BEFORE_A_BAR, bar.show)
    timer.daemon = True
    bar.show() if wanted else timer.start()
    try:
        with reporting_to(bar.report):
            yield
    finally:
        timer.cancel()
        bar.close()
        _one_bar.release()


@contextmanager
def reporting_to(reporter: Report | None) -> Iterator[None]:
    """Send what is reported within the block somewhere else."""
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)


@contextmanager
def silence() -> Iterator[None]:
    """Show nothing of what is done within the block."""
    with reporting_to(_nobody):
        yield


class _Bar:
    """A bar that may never be shown."""

    def __init__(self, what: str, console: Any) -> None:
        self._what, self._console = what, console
        self._latest: tuple[str, int | None, int | None] = ("", None, None)
        self._shown: Any = None
        self._is_closed, self._changing, self._process = False, Lock(), os.getpid()

    def report(self, what: str, done: int | None, total: int | None) -> None:
        if os.getpid() != self._process:  # forked meanwhile: the bar, and whoever holds its lock, are the parent's
            return
        self._latest = (what, done, total)
        with self._changing:
            if self._shown is not None:
                self._update()

    def show(self) -> None:
        # Imported here: nobody who only wants a model should wait for it.
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        with self._changing:
            if self._is_closed:
                return
            console = Console(stderr=True) if self._console is None else self._console
            what, now = TextColumn("{task.description}"), TextColumn("{task.fields[now]}")
            self._shown = Progress(
                what, BarColumn(bar_width=20), TimeElapsedColumn(), now, console=console, transient=True
            )
            self._task = self._shown.add_task(self._what, total=None, now="")
            self._update()
            self._shown.start()

    def close(self) -> None:
        with self._changing:
            self._is_closed = True
            if self._shown is not None:
                self._shown.stop()

    def _update(self) -> None:
        what, done, total = self._latest
        count = "" if done is None or total is None else f", {done:,} of {total:,}"
        self._shown.update(self._task, completed=done or 0, total=total, now=what + count)


def _nobody(what: str, done: int | None, total: int | None) -> None:
    return


def _is_shown(wanted: bool | None, console: Any) -> bool:
    if console is not None:
        return bool(console.is_terminal or console.is_jupyter) and wanted is not False
    if wanted is False or os.environ.get("HEDGEROW_PROGRESS") == "0" or parent_process() is not None:
        return False
    return "ipykernel" in sys.modules or bool(getattr(sys.stderr, "isatty", bool)())
