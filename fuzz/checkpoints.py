"""Damaged and forged checkpoints of an evaluation."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from fuzz.files import damaged, folder
from fuzz.judge import REFUSED, WRONG_NUMBER, Judge
from fuzz.mutations import change_bytes
from hedgerow.stream import evaluate
from hedgerow.stream._checkpoint import MAGIC
from models import BY_NAME
from stored import Stored

N_ROWS = 40
MODELS = ("conformal", "online forest", "class forest", "forest, window")


def resume(rng: Random, judge: Judge, place: Path) -> None:
    """Go on from a damaged checkpoint.

    The run is refused, or is what it would have been without an interruption, unless somebody did the damage who then
    wrote the checksum anew.
    """
    name, is_forged = rng.choice(MODELS), rng.random() < 0.6
    newest, before, expected = checkpoints(name)
    if is_forged:
        newest = _forged(rng, newest)
    elif rng.random() < 0.8:
        newest = change_bytes(rng, newest)
    path = place / "checkpoint"
    path.write_bytes(newest)
    if rng.random() < 0.8:
        (place / "checkpoint.previous").write_bytes(change_bytes(rng, before) if rng.random() < 0.5 else before)
    run = judge.call(f"evaluate({name!r}, checkpoint=...)", lambda: _evaluated(name, path), (ValueError, OSError))
    if run is not REFUSED and run != expected and not is_forged:
        judge.fault(WRONG_NUMBER, f"the run differs from one without an interruption: {run} instead of {expected}")


def _forged(rng: Random, content: bytes) -> bytes:
    """Return a damaged checkpoint whose checksum is right."""
    body = content[len(MAGIC) + 65 :]
    stored = Stored.parse(body)
    if rng.random() < 0.3:
        body = damaged(rng, body, body)
    else:
        name = rng.choice(("run", "model"))
        inner = damaged(rng, stored.arrays[name].tobytes(), stored.arrays["run"].tobytes())
        body = stored.with_array(name, np.frombuffer(inner, np.uint8)).to_bytes()
    return b"".join((MAGIC, hashlib.sha256(body).hexdigest().encode(), b"\n", body))


@cache
def checkpoints(name: str) -> tuple[bytes, bytes, Any]:
    """Return a checkpoint in the middle of a run, the one before it, and the run to its end."""
    with folder() as place:
        path = place / "checkpoint"
        for n in (20, 30):
            _evaluated(name, path, n)
        contents = path.read_bytes(), (place / "checkpoint.previous").read_bytes()
        return *contents, _evaluated(name, place / "other")


def _evaluated(name: str, path: Path, n: int = N_ROWS) -> Any:
    case = BY_NAME[name]
    X, y = case.data(N_ROWS)
    parameters = {"n_estimators": 2} if "n_estimators" in case.parameters else {"base__n_estimators": 2}
    model = case.new().set_params(**parameters)
    return evaluate(model, (X[:n], y[:n]), window=10, checkpoint=path, progress=False)
