"""The process in which cases are played, one after another, so that one that kills it can be named."""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import signal
import sys
import warnings
from typing import Any

from fuzz.judge import Judge

SECONDS = 10.0
"""Processor time that a call may take. A worker that takes more is ended by the system, in the middle of the core too."""
SECONDS_TO_PREPARE = 120.0
"""The same for a case before its first call: models to begin with are fitted then."""


def play_all(attack: str, first: int, step: int) -> None:
    """Play cases until somebody ends the process; write a line after each."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what cases print is not for the one who reads the lines
    faulthandler.register(signal.SIGPROF, all_threads=False, chain=True)
    seed = first
    while True:
        judge = play(attack, seed)
        out.write(json.dumps([seed, judge.calls, judge.refused, judge.faults]) + "\n")
        seed += step


def play(attack: str, seed: int, log: Any = None) -> Judge:
    """Play one case."""
    judge = Judge(log=log, alarm=lambda: signal.setitimer(signal.ITIMER_PROF, SECONDS))
    signal.setitimer(signal.ITIMER_PROF, SECONDS_TO_PREPARE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            importlib.import_module(f"fuzz.{attack}").run(seed, judge)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.stdout.flush()
    return judge
