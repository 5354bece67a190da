"""A page for readers: what was measured, in tables and pictures, and when, where and by which command."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.shared.pictures import save

Amount = TypeVar("Amount")
TOLERATED_LOAD = 0.5


@dataclass(frozen=True)
class Options:
    """Where data are, and how much work a run may cost."""

    data: Path | None = None
    quick: bool = False
    full: bool = False
    size: int | None = None
    """Rows, or kills, of topics that take any number of them."""

    def pick(self, quick: Amount, usual: Amount, full: Amount | None = None) -> Amount:
        """Return the amount for this run; a full run is like a usual one unless said."""
        if self.quick:
            return quick
        return full if self.full and full is not None else usual


class Page:
    """Sections in the order in which they are added. Each is printed as it comes."""

    def __init__(self, topic: str, options: Options, folder: Path) -> None:
        self.topic, self.options, self.folder = topic, options, folder
        self._title, self._introduction = topic, ""
        self._parts: list[str] = []
        self._libraries: dict[str, str | None] = {}
        self._load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        self._began, self._processor_began = time.perf_counter(), processor_seconds()
        self._hedgerow = hedgerow()  # as it is now: sources may change while the page is made

    def begin(self, title: str, introduction: str, *libraries: str) -> None:
        """Say what the page is about, and which libraries it needs besides hedgerow."""
        self._title, self._introduction = title, introduction
        for library in libraries:
            self.has(library)

    def has(self, library: str) -> bool:
        """Return whether a peer is installed; its version, or that it is not, goes on the page."""
        if library not in self._libraries:
            try:
                self._libraries[library] = version(library)
            except PackageNotFoundError:
                self._libraries[library] = None
                print(f"{library}: not installed")
        return self._libraries[library] is not None

    def tell(self, progress: object) -> None:
        """Print a line that does not go on the page."""
        print(f"[{time.perf_counter() - self._began:4.0f} s] {progress}", flush=True)

    def text(self, words: str) -> None:
        """Add a paragraph."""
        self._parts.append(words)
        self.tell(words)

    def skipped(self, wanted: Iterable[str], found: Iterable[str]) -> None:
        """Say which data sets were not there, if a folder was named."""
        missing = sorted(set(wanted) - set(found))
        if self.options.data is not None and missing and not self.options.quick:
            self.text(f"Skipped, for the folder does not have them: {', '.join(missing)}.")

    def table(self, title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], words: str = "") -> None:
        """Add a table, as a section of its own if it has a title."""
        lines = [headings, ("---",) * len(headings), *rows]
        shown = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        self.text("\n\n".join(filter(None, [title and f"## {title}", words, shown])))

    def picture(self, figure: Any, name: str, words: str) -> None:
        """Save a figure of Matplotlib next to the page, and show it there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        save(figure, self.folder / name)
        self.text(f"![{words}]({name})")

    def write(self) -> Path:
        """Write the page, and return where it is."""
        path = self.folder / "report.md"
        self.folder.mkdir(parents=True, exist_ok=True)
        parts = [f"# {self._title}", *filter(None, [self._introduction]), self._origin(), *self._parts]
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        return path

    def _origin(self) -> str:
        given = {"DATA=folder": self.options.data, "QUICK=1": self.options.quick, "FULL=1": self.options.full}
        given[f"SIZE={self.options.size}"] = self.options.size is not None
        command = " ".join([f"make bench-{self.topic.replace('_', '-')}", *(name for name in given if given[name])])
        minutes = max(1, round((time.perf_counter() - self._began) / 60))
        busy = max(1, round((processor_seconds() - self._processor_began) / 60))
        libraries = [f"{name} {found or 'not installed'}" for name, found in self._libraries.items()]
        load = f", load {self._load:.1f} before it began" if self._load >= TOLERATED_LOAD else ""
        return (
            f"Made on {date.today()} by `{command}` in {minutes} min, {busy} min of processor time, on {processor()}, "
            f"{os.cpu_count()} cores{load}, {platform.system()}, Python {platform.python_version()}, "
            f"{', '.join([self._hedgerow, *libraries])}."
        )


def processor_seconds() -> float:
    """Return the processor time of this process and of those it started that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def hedgerow() -> str:
    """Return this library's version and, where git says, the commit and whether its sources have changed since."""
    root = Path(__file__).parents[2]

    def git(*arguments: str) -> str:
        found = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
        return found.stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", "src", "cpp", "bindings")
        commit = f" ({git('rev-parse', '--short', 'HEAD')}{', changed since' if changed else ''})"
    except (OSError, subprocess.CalledProcessError):
        commit = ""
    return f"hedgerow {version('hedgerow')}{commit}"


def processor() -> str:
    """Return the processor's name, as far as the system tells."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def ratio(value: float) -> str:
    """Return how many times one number is another, in words for a cell."""
    return f"{value:.0f}x" if value >= 100 else f"{value:.3g}x"
