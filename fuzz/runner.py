"""Divides the work among processes, and notes what kills them."""

from __future__ import annotations

import json
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from fuzz.judge import CRASH, HANG

SHARES = {"calls": 0.4, "files": 0.3, "optimize": 0.1, "readers": 0.1, "command_line": 0.1}
"""Of the time, by attack."""
SILENCE = 10.0
"""Seconds without a finished case after which it is looked whether a worker waits for something that never comes."""
LOOKS = 20
"""How often that is looked, a tenth of a second apart: none of its threads may have work in any of them."""
TOLD = 4000
"""Characters of what a process said before it died that are kept."""


@dataclass
class Tally:
    """What an attack did."""

    attack: str
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str, str]] = field(default_factory=list)  # the fault, the case, words
    seconds: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, seed: int, calls: int, refused: int, faults: list[tuple[str, str]]) -> None:
        """Count a case."""
        with self.lock:
            self.counts.update({"cases": 1, "calls": calls, "refused": refused})
            for fault, words in faults:
                self.counts[fault] += 1
                self.failures.append((fault, f"{self.attack}:{seed}", words))
                print(f"{fault}, {self.attack}:{seed}: {words}", file=sys.stderr, flush=True)


@dataclass
class Goal:
    """When an attack ends: at a time, or when so many of something have been counted."""

    until: float = float("inf")
    counted: str = "cases"
    most: float = float("inf")

    def is_reached(self, tally: Tally) -> bool:
        """Whether it is time to stop; not before the first case, on however slow a machine."""
        n = tally.counts[self.counted]
        return n >= self.most or (n > 0 and time.monotonic() >= self.until)

    def end(self, *_: Any) -> None:
        """Let it be time to stop now: what Ctrl-C does."""
        self.until = 0.0

    @property
    def patience(self) -> float:
        """Seconds to wait for the next case before one looks at what the worker does."""
        left = self.until - time.monotonic()
        return min(SILENCE, left) if left > 0 else SILENCE


def attack(name: str, goal: Goal, n_workers: int, first: int) -> Tally:
    """Play cases of one attack in several processes until the goal is reached."""
    tally, begin = Tally(name), time.monotonic()
    threads = [
        threading.Thread(target=_drive, args=(tally, goal, first + worker, n_workers)) for worker in range(n_workers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tally.seconds = time.monotonic() - begin
    return tally


def _drive(tally: Tally, goal: Goal, seed: int, step: int) -> None:
    """Keep one process at work; when it dies, note it and go on with the next case in another."""
    while not goal.is_reached(tally):
        with tempfile.TemporaryFile() as said:
            process = _worker(tally.attack, seed, step, said)
            seed, has_died = _follow(process, tally, goal, seed, step)
            if has_died:
                fault = HANG if process.returncode in (-signal.SIGPROF, -signal.SIGKILL) else CRASH
                tally.add(seed, 0, 0, [(fault, f"exit code {process.returncode}\n{_last_words(said)}")])
                seed += step


def _worker(name: str, seed: int, step: int, said: IO[bytes]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "fuzz", "--worker", f"{name}:{seed}:{step}"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": said, "stdin": subprocess.DEVNULL}
    return subprocess.Popen(command, **pipes, bufsize=0, start_new_session=True)  # Ctrl-C is not for workers


def _follow(process: subprocess.Popen[bytes], tally: Tally, goal: Goal, seed: int, step: int) -> tuple[int, bool]:
    """Read what a worker writes; return the case that it was at in the end, and whether that has killed it."""
    out: Any = process.stdout
    has_died = False
    with process:
        while not has_died and not goal.is_reached(tally):
            if select.select([out], [], [], goal.patience)[0]:
                line = out.readline()
                has_died = not line.endswith(b"\n")
                if not has_died:
                    tally.add(*json.loads(line))
                    seed += step
            else:
                has_died = _is_stuck(process.pid)
        if not has_died or _is_stuck(process.pid):
            process.kill()
    return seed, has_died


def _is_stuck(pid: int) -> bool:
    """Whether all threads of a process sleep. One that has no processor because others are busy does not sleep."""
    for _ in range(LOOKS):
        states = [
            stat.rpartition(") ")[2][:1]
            for path in Path(f"/proc/{pid}/task").glob("*/stat")
            if (stat := _read(path)) is not None
        ]
        if not states or set(states) != {"S"}:
            return False
        time.sleep(0.1)
    return True


def _read(path: Path) -> str | None:
    try:
        return path.read_text()
    except OSError:  # it has ended
        return None


def _last_words(said: IO[bytes]) -> str:
    """Return what a process said when it died: from the sanitizer's complaint on, if there is one."""
    said.seek(0)
    text = said.read().decode(errors="replace")
    complaint = re.search(r".*(runtime error|ERROR: \w+Sanitizer|Fatal Python error|CHECK failed)", text)
    return text[complaint.start() :][:TOLD] if complaint else text[-TOLD:]
