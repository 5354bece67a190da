"""The library of `shim.c`: built with the system's compiler, loaded before all others, and told when to strike."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

WAYS = ("watch", "kill before", "kill after", "kill midway", "fail once", "fail from then on", "short write")
"""What can happen at a call, numbered as in `shim.c`."""
KILLS = WAYS[1:4]
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
IS_THERE = sys.platform == "linux" and COMPILER is not None


def preloaded(folder: Path) -> dict[str, str]:
    """Build the library in a folder; return the environment of a process that has it."""
    library = folder / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run([str(COMPILER), "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return {**os.environ, "LD_PRELOAD": str(library)}


def faults(*arguments: object) -> list[dict[str, Any]]:
    """Return what `python -m faults` tells."""
    command = [sys.executable, "-m", "faults", *map(str, arguments)]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def is_loaded() -> bool:
    """Whether this process has it."""
    return hasattr(ctypes.CDLL(None), "faults_arm")


def arm(folder: Path, at: int, way: str, code: int, log: int) -> None:
    """Strike at that call of this process on a path in the folder."""
    ctypes.CDLL(None).faults_arm(os.fsencode(folder), ctypes.c_long(at), WAYS.index(way), code, log)


def disarm() -> None:
    """Let all calls be as they are."""
    ctypes.CDLL(None).faults_disarm()
