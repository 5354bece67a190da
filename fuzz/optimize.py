"""Hostile bounds, points and values for the optimiser, and damaged files of it."""

from __future__ import annotations

import copy
import pickle
from functools import cache
from random import Random
from typing import Any

import numpy as np

from fuzz.calls import bits
from fuzz.files import damaged
from fuzz.judge import CHANGED, REFUSED, WRONG_NUMBER, Judge
from fuzz.values import anything, number
from hedgerow.files import Saveable
from hedgerow.optimize import Categorical, Integer, Optimizer, Real

SPACES: tuple[Any, ...] = (
    {"x": (-5, 10), "y": (0, 15)},
    [(0.0, 1.0), range(1, 5)],
    {"kernel": ["linear", "rbf"], "C": (0.01, 100, "log"), "gamma": Real(1e-3, 10, log=True, when={"kernel": "rbf"})},
    {"n": Integer(1, 1000, log=True), "choice": Categorical(["a", 2, None, True])},
)
OPTIONS = ("acquisition", "exploration", "n_initial", "n_candidates", "local_search", "surrogate", "random_state")
BOUNDS = (
    lambda rng: (number(rng, 0.6), number(rng, 0.6)),
    lambda rng: (number(rng, 0.3), number(rng, 0.3), "log"),
    lambda rng: range(rng.randint(-3, 3), rng.randint(-3, 3)),
    lambda rng: [anything(rng) for _ in range(rng.randint(0, 3))],
    anything,
)


def run(seed: int, judge: Judge) -> None:
    """Play one case."""
    rng = Random(seed)
    place = rng.randrange(len(SPACES))
    optimizer = _from_damage(rng, judge, place) if rng.random() < 0.4 else _begun(rng, judge, place)
    if optimizer is not REFUSED:
        _use(rng, judge, optimizer)


def _begun(rng: Random, judge: Judge, place: int) -> Any:
    """Return an optimiser that has learned something, or one of a hostile description."""
    if rng.random() < 0.6:
        return pickle.loads(_learned(place))
    bounds: Any = copy.deepcopy(SPACES[place])
    options: dict[str, Any] = {"n_candidates": 20, "random_state": 0}
    if rng.random() < 0.6:
        keys = list(bounds) if isinstance(bounds, dict) else range(len(bounds))
        bounds[rng.choice(keys)] = rng.choice(BOUNDS)(rng)
    elif rng.random() < 0.1:
        bounds = anything(rng)
    else:
        options[rng.choice(OPTIONS)] = anything(rng)
    return judge.call(lambda: f"Optimizer({bounds!r:.300}, **{options!r:.300})", lambda: Optimizer(bounds, **options))


def _from_damage(rng: Random, judge: Judge, place: int) -> Any:
    content = pickle.loads(_learned(place))._to_bytes()
    changed = damaged(rng, content, content)
    return judge.call("load", lambda: Saveable._from_bytes(changed), (ValueError,))


def _use(rng: Random, judge: Judge, optimizer: Any) -> None:
    """Ask and tell; a call that fails changes nothing."""
    for _ in range(rng.randint(2, 8)):
        point = judge.call("ask", optimizer.ask)
        if point is REFUSED:
            return
        _check_point(judge, optimizer, point)
        if rng.random() < 0.3:
            _spoil(rng, point)
        value = number(rng, 0.3) if rng.random() < 0.8 else anything(rng)
        before = bits(optimizer._state())
        told = judge.call(lambda: f"tell({point!r:.300}, {value!r:.300})", lambda: optimizer.tell(point, value))  # noqa: B023
        if told is REFUSED and bits(optimizer._state()) != before:
            judge.fault(CHANGED, f"tell({point!r:.300}, {value!r:.300})")
        if judge.faults:
            return
    judge.call("result", lambda: repr(optimizer.result()))
    judge.call("ask(n)", lambda: optimizer.ask(rng.choice((1, 2, 0, -1, 1.5, None, "2", True))))
    content = judge.call("save", optimizer._to_bytes)
    if content is not REFUSED:
        judge.call("load again", lambda: Saveable._from_bytes(content))


def _check_point(judge: Judge, optimizer: Any, point: Any) -> None:
    """Note a point that is not one of the space."""
    encoded = judge.call("encode", lambda: optimizer.space.encode(point))
    if encoded is REFUSED or not ((encoded >= 0) & (encoded <= 1)).all():
        judge.fault(WRONG_NUMBER, f"{point!r:.300} is no point of {optimizer.space!r:.300}")


def _spoil(rng: Random, point: Any) -> None:
    """Put anything into a point."""
    keys = list(point) if isinstance(point, dict) else list(range(len(point)))
    if isinstance(point, np.ndarray):
        point[rng.choice(keys)] = number(rng, 0.7)
    elif keys:
        point[rng.choice(keys)] = anything(rng)


@cache
def _learned(place: int) -> bytes:
    optimizer = Optimizer(copy.deepcopy(SPACES[place]), n_candidates=20, random_state=place)
    for k in range(12):
        optimizer.tell(optimizer.ask(), None if k == 5 else float(k % 4))
    optimizer.ask()
    return pickle.dumps(optimizer)
