"""``python -m faults every SCENARIO WAY [ERROR]`` strikes at each call, ``python -m faults random N`` kills N times.

What was found is written to the standard output, as JSON, a line for each trial. Ways are those of `shim.WAYS`, errors
have their names, such as ENOSPC.
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

from faults.scenarios import SCENARIOS
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
    for found in {"every": at_every_call, "random": at_random}[command](*arguments):
        print(json.dumps(found), flush=True)
    return 0


def at_every_call(name: str, way: str, code: str = "") -> Iterator[dict[str, Any]]:
    """Strike at the first call, at the second, and so on, each time in a new folder."""
    scenario, n_calls, at = SCENARIOS[name](), 1, 0
    while at < n_calls:
        with tempfile.TemporaryDirectory() as parent:
            folder = new_folder(scenario, parent)
            strike = Strike(at, way, getattr(errno, code, 0)) if at else Strike(0, "watch")
            outcome = attempt(scenario, folder, strike)
            n_calls = outcome.n_calls if at == 0 else n_calls
            found, left = scenario.found(folder), scenario.leftovers(folder)
            problems = [*outcome.problems, *scenario.finish(folder)]
            yield described(name, outcome, found, problems) | {"left": left, "calls": outcome.calls}
        at += 1


def at_random(n_kills: str, seed: str = "0") -> Iterator[dict[str, Any]]:
    """Kill at random calls, in all scenarios; what a killed process has left is what the next one finds."""
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
                yield described(name, outcome, found, scenario.finish(folder) if is_tidy else [])
                scenario.go_on(found)


def new_folder(scenario: Any, parent: str) -> Path:
    """Return a folder in which all is as the scenario begins."""
    folder = Path(parent) / "folder"
    folder.mkdir(parents=True)
    scenario.prepare(folder)
    return folder


def described(name: str, outcome: Outcome, found: str, problems: list[str]) -> dict[str, Any]:
    """Return what came of a trial."""
    if found in ("lost", "torn"):
        problems = [f"the file is {found}", *problems]
    strike = outcome.strike
    return {
        "scenario": name,
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
