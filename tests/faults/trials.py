"""One trial: a child process does something, a call of it is struck, and what it left is looked at."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faults.shim import arm, disarm


@dataclass(frozen=True)
class Strike:
    """What happens at the n-th call, and the error that a failing one reports."""

    at: int
    way: str
    code: int = 0


@dataclass(frozen=True)
class Outcome:
    """What became of the child."""

    strike: Strike
    killed: bool
    error: str | None
    """Class and words of what it raised."""
    problems: tuple[str, ...]
    """What it found wrong with what it had in memory after an error."""
    calls: tuple[str, ...]
    """Calls that were counted, each with its path or the number of its file."""

    @property
    def n_calls(self) -> int:
        """How many those are."""
        return len(self._counted)

    @property
    def struck(self) -> str:
        """Name of the call that was struck; empty if there were not as many."""
        return self._counted[self.strike.at - 1].split()[0] if 0 < self.strike.at <= self.n_calls else ""

    @property
    def _counted(self) -> list[str]:
        return [call for call in self.calls if not call.startswith("=")]


def attempt(scenario: Any, folder: Path, strike: Strike) -> Outcome:
    """Let a child do what the scenario says, and be struck."""
    said, log = os.memfd_create("said"), os.memfd_create("calls")
    child = os.fork()
    if child == 0:
        _be_struck(scenario, folder, strike, said, log)
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    found = json.loads(_content(said) or "{}")
    if not killed and not found:
        found = {"problems": [f"the child ended with status {status}"]}
    calls = tuple(_content(log).splitlines())
    return Outcome(strike, killed, found.get("error"), tuple(found.get("problems", ())), calls)


def _be_struck(scenario: Any, folder: Path, strike: Strike, said: int, log: int) -> None:
    found: dict[str, Any] = {"error": None, "problems": []}
    try:
        arm(folder, strike.at, strike.way, strike.code, log)
        try:
            scenario.act(folder)
        except OSError as error:
            found["error"] = f"{type(error).__name__}: {error}"
        finally:
            disarm()
        if found["error"] is not None:
            found["problems"] = scenario.in_memory(folder)
    except BaseException as error:
        found["problems"] = [f"raised {error!r}"]
    os.write(said, json.dumps(found).encode())
    os._exit(0)


def _content(handle: int) -> str:
    with os.fdopen(handle, "rb") as file:
        file.seek(0)
        return file.read().decode()
