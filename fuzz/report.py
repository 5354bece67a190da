"""What was found: a line, a table, the failures, and the table of a page."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from fuzz.judge import FAULTS
from fuzz.runner import Tally

COLUMNS = ("cases", "calls", "refused", *FAULTS)
BEGIN, END = "<!-- begin: written by python -m fuzz --page -->", "<!-- end -->"


def is_bad(tallies: Sequence[Tally]) -> bool:
    """Whether anything was found that must not be."""
    return any(tally.failures for tally in tallies)


def line(tally: Tally) -> str:
    """Return what an attack did, in a line."""
    found = ", ".join(f"{tally.counts[fault]} {fault}" for fault in FAULTS if tally.counts[fault]) or "nothing wrong"
    speed = tally.counts["cases"] / max(tally.seconds, 1e-9)
    return (
        f"{tally.attack}: {tally.counts['cases']:,} cases, {tally.counts['calls']:,} calls in {tally.seconds:.0f} s "
        f"({speed:.0f} cases a second): {found}"
    )


def table(tallies: Sequence[Tally]) -> str:
    """Return a table, as in the pages."""
    return "\n".join([*_head(), *(_row(tally) for tally in tallies)])


def failures(tallies: Sequence[Tally], most: int = 40) -> str:
    """Return what failed, like with like: how often, an example in full, and how to see it again."""
    groups: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for tally in tallies:
        for fault, case, words in tally.failures:
            groups[fault, _gist(words)].append((case, words))
    by_size = sorted(groups.items(), key=lambda item: -len(item[1]))
    parts = []
    for (fault, _), found in by_size[:most]:
        case, words = min(found, key=lambda each: len(each[1]))
        parts.append(f"{fault}, {len(found)} times; python -m fuzz --case {case}\n{words}\n")
    if len(by_size) > most:
        parts.append(f"and {len(by_size) - most} other kinds of failures\n")
    return "\n".join(parts)


def rewrite(page: Path, tally: Tally) -> None:
    """Put an attack's row into the table of a page, in the place of an older one, with the time and the commit."""
    before, _, rest = page.read_text().partition(BEGIN)
    inside, _, after = rest.partition(END)
    if not after:
        raise ValueError(f"{str(page)!r} has no place for the table, between {BEGIN!r} and {END!r}")
    head, rule, *rows = inside.strip().splitlines() or _head("minutes", "commit")
    own = _row(tally, f"{tally.seconds / 60:.0f}", _commit())
    kept = [row for row in rows if row.split("|")[1] != own.split("|")[1]]
    page.write_text("\n".join([before + BEGIN, head, rule, *kept, own, END]) + after)


def _commit() -> str:
    """Return the commit or, in sources without git, the version."""
    try:
        found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return version("hedgerow")
    return found.stdout.strip()


def _head(*more: str) -> list[str]:
    names = ("what", *COLUMNS, *more)
    return [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]


def _row(tally: Tally, *more: str) -> str:
    numbers = (f"{tally.counts[column]:,}" for column in COLUMNS)
    return f"| {' | '.join([tally.attack.replace('_', ' '), *numbers, *more])} |"


def _gist(words: str) -> str:
    """Return what two failures of one kind have in common: where they happened, and what was said, without numbers."""
    places = re.findall(r'File "[^"]*?([^/"]+)", line (\d+)', words) or re.findall(r"(#[012] .*)", words)
    last = words.strip().splitlines()[-1] if not places else ""
    return f"{places[-1] if places else ''} {re.sub(r'[-+.0-9e]+', '0', last)[:80]}"
