"""Killed while it writes: whether anything that was saved is lost, at random calls of save and of checkpoints."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.shared.page import Options, Page

TESTS = Path(__file__).parents[2] / "tests"
INTRODUCTION = """\
A process that saves a model, or evaluates a stream with checkpoints, is killed (signal 9) at a random one of the \
system calls by which it changes files: before the call, after it, or, of a write, after half of its bytes. The next \
process finds what the killed one has left, and is killed too, seven times of ten; otherwise it ends undisturbed. \
After each kill the file must hold the whole old or the whole new model, and load, or, of a checkpoint, the latest \
state; a run that ends must have the scores and the model of an uninterrupted one, bit for bit; and no temporary \
file or lock may be left then.

The calls are counted and struck by a library that is loaded before the C library, `tests/faults/shim.c`. `make \
test` strikes at every call in turn, and has calls fail with errors too."""


def run(page: Page, options: Options) -> None:
    """Kill, and count what was found."""
    n_kills = options.size or options.pick(50, 500, 5_000)
    page.begin("Killed while writing", INTRODUCTION)
    trials = list(faults("random", n_kills))
    scenarios = sorted({trial["scenario"] for trial in trials})
    headings = (
        "",
        "kills",
        "before a call",
        "after it",
        "midway",
        "what was found",
        "runs ended afterwards",
        "lost or torn",
    )
    page.table("Kills", headings, [(name, *cells([t for t in trials if t["scenario"] == name])) for name in scenarios])
    calls = Counter(trial["call"] for trial in trials)
    page.text("Calls at which it was killed: " + ", ".join(f"{call} {n}" for call, n in calls.most_common()) + ".")
    wrong = [trial for trial in trials if trial["problems"]]
    page.text(f"{len(trials)} kills, {len(wrong)} with something wrong afterwards.")
    contests(page, options.pick(200, 5_000), options.pick(2, 50))
    if wrong:
        page.text("\n".join(f"- {trial}" for trial in wrong))
        page.write()
        raise SystemExit(1)


def contests(page: Page, n_saves: int, n_rounds: int) -> None:
    """Two processes at one file."""
    (found,) = faults("savers", n_saves)
    seen = found["seen"]
    rounds = list(faults("runs", n_rounds))
    failed = sum(any(each["codes"]) for each in rounds)
    page.table(
        "Two processes at one file",
        ("", "done", "whole reads", "torn", "failed"),
        [
            ("two that save, one that reads", f"{2 * n_saves:,} saves", f"{seen['1'] + seen['2']:,}", f"{seen['torn']}",
             f"{sum(map(bool, found['codes']))}"),
            ("two runs on one checkpoint", f"{n_rounds} times, {sum(each['refusals'] for each in rounds):,} refusals",
             "", "", f"{failed}"),
        ],
        "A run that finds the checkpoint in use is refused, and tries again here.",
    )  # fmt: skip


def faults(*arguments: object) -> Iterator[dict[str, Any]]:
    """Yield what `python -m faults` tells."""
    command = [sys.executable, "-m", "faults", *map(str, arguments)]
    done = subprocess.run(command, cwd=TESTS, stdout=subprocess.PIPE, text=True, check=True)
    return (json.loads(line) for line in done.stdout.splitlines())


def cells(trials: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return what the table says of a scenario."""
    ways, found = (Counter(trial[what] for trial in trials) for what in ("way", "found"))
    return (
        f"{len(trials)}",
        *(f"{ways[f'kill {when}']}" for when in ("before", "after", "midway")),
        ", ".join(f"{what} {found[what]}" for what in sorted(found)),
        f"{sum(trial['ended'] for trial in trials)}",
        f"{found['lost'] + found['torn']}",
    )
