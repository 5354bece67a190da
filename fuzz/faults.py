"""Cases that do what no case must, so that a test can see that it is noticed. Not one of the attacks."""

from __future__ import annotations

import os
import signal
import threading

from fuzz.judge import Judge


def run(seed: int, judge: Judge) -> None:
    """Do as the number says: nothing, die, compute for ever, wait for ever, or raise the wrong error."""
    (_nothing, _die, _compute, _wait, _fail)[seed % 5](judge)


def _nothing(judge: Judge) -> None:
    judge.call("nothing", lambda: None)


def _die(judge: Judge) -> None:
    os.abort()


def _compute(judge: Judge) -> None:
    signal.setitimer(signal.ITIMER_PROF, 0.1)  # as `Judge.call` does, only sooner
    while True:
        pass


def _wait(judge: Judge) -> None:
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def _fail(judge: Judge) -> None:
    judge.call("a key that is not there", lambda: {}["a"])
