"""``python -m faults every "SCENARIO: WAY"...`` strikes at each call, ``python -m faults random N`` kills N times.

``savers N`` and ``runs N`` are contests of two processes. What was found is written to the standard output, as JSON, a
line for each trial. Ways are those of `shim.WAYS`; one that fails is followed by the name of an error, as in "fail once
ENOSPC".
"""

from __future__ import annotations

import copy
import errno
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from faults.shim import KILLS, is_loaded, preloaded
from faults.trials import Outcome, Strike, attempt

TIDY = 0.3
"""Share of random kills after which the work is finished, undisturbed; the others are followed by another."""


def main(command: str, *arguments: str) -> int:
    """Start again with the shim, if it is not there, and then try."""
    if not is_loaded():
        with tempfile.TemporaryDirectory() as folder:
            again = [sys.executable, "-m", "faults", command, *arguments]
            return subprocess.run(again, env=preloaded(Path(folder)), check=False).returncode
    tempfile.tempdir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # `save` waits for the disk
    from faults import contests

    commands = {"every": at_every_call, "random": at_random, "savers": contests.savers, "runs": contests.runs}
    for found in commands[command](*arguments):
        print(json.dumps(found), flush=True)
    return 0


def at_every_call(*wanted: str) -> Iterator[dict[str, Any]]:
    """Do what was asked for, one after another."""
    from faults.scenarios import SCENARIOS

    made: dict[str, Any] = {}
    for one in wanted:
        name, _, how = one.partition(": ")
        way, _, code = how.rpartition(" ") if how.split()[-1].isupper() else (how, "", "")
        made.setdefault(name, SCENARIOS[name]())
        yield from (found | {"scenario": name, "how": how} for found in struck_everywhere(made[name], way, code))


def struck_everywhere(scenario: Any, way: str, code: str) -> Iterator[dict[str, Any]]:
    """Look on first, then strike at the first call, at the second, and so on, each time in a new folder."""
    n_calls, at = 1, 0
    while at <= n_calls:
        with tempfile.TemporaryDirectory() as parent:
            folder = new_folder(scenario, parent)
            strike = Strike(at, way, getattr(errno, code, 0)) if at else Strike(0, "watch")
            outcome = attempt(scenario, folder, strike)
            n_calls = outcome.n_calls if at == 0 else n_calls
            found, left = scenario.found(folder), scenario.leftovers(folder)
            path = scenario.path(folder)
            size = path.stat().st_size if path.exists() else 0
            problems = [*outcome.problems, *scenario.finish(folder)]
            yield described(outcome, found, problems) | {"left": left, "calls": outcome.calls, "size": size}
        at += 1


def at_random(n_kills: str, seed: str = "0") -> Iterator[dict[str, Any]]:
    """Kill at random calls, in all scenarios; what a killed process has left is what the next one finds."""
    from faults.scenarios import SCENARIOS

    rng = random.Random(int(seed))
    whole = {name: new() for name, new in SCENARIOS.items()}
    done = 0
    while done < int(n_kills):
        name = rng.choice(list(whole))
        scenario = copy.copy(whole[name])
        with tempfile.TemporaryDirectory() as parent:
            folder, is_tidy = new_folder(scenario, parent), False
            n_calls = attempt(scenario, new_folder(scenario, f"{parent}/watched"), Strike(0, "watch")).n_calls
            while not is_tidy and done < int(n_kills):
                outcome = attempt(scenario, folder, Strike(rng.randint(1, n_calls), rng.choice(KILLS)))
                if not outcome.killed:  # it had less to do than the first time
                    continue
                done += 1
                found = scenario.found(folder)
                is_tidy = rng.random() < TIDY or done == int(n_kills) or found in ("lost", "torn")
                problems = scenario.finish(folder) if is_tidy else []
                yield described(outcome, found, problems) | {"scenario": name, "ended": is_tidy}
                scenario.go_on(found)


def new_folder(scenario: Any, parent: str) -> Path:
    """Return a folder in which all is as the scenario begins."""
    folder = Path(parent) / "folder"
    folder.mkdir(parents=True)
    scenario.prepare(folder)
    return folder


def described(outcome: Outcome, found: str, problems: list[str]) -> dict[str, Any]:
    """Return what came of a trial."""
    if found in ("lost", "torn"):
        problems = [f"the file is {found}", *problems]
    strike = outcome.strike
    return {
        "at": strike.at,
        "way": strike.way,
        "call": outcome.struck,
        "killed": outcome.killed,
        "error": outcome.error,
        "found": found,
        "problems": problems,
    }


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
