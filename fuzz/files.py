"""Damaged model files: each is refused, or makes a model that can be asked and goes on learning."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from safetensors import SafetensorError

import hedgerow
from fuzz import rows
from fuzz.answers import complaints
from fuzz.calls import FEW, small
from fuzz.judge import REFUSED, WRONG_NUMBER, Judge
from fuzz.mutations import change_array, change_bytes, change_json, leaves
from hedgerow.files import Saveable
from models import CASES, IN_MEMORY, Case
from stored import Stored

N_ROWS = 12
"""Rows that a model has learned whose file is damaged."""
ON_DISK = 0.02
"""Share of the files that are written and read; the others stay in memory."""
LEARNS = 0.2
"""Share of the models that came out of a damaged file which go on learning."""


def run(seed: int, judge: Judge) -> None:
    """Play one case."""
    rng, case = Random(seed), CASES[seed % len(CASES)]
    is_table = rng.random() < 0.25
    before = whole(case.name, is_table)
    content = damaged(rng, before, whole(rng.choice(CASES).name, is_table))
    judge.say(lambda: f"{case.name}: {'; '.join(_differences(before, content))}")
    model = judge.call("load", lambda: _load(rng, content), (ValueError,))
    if model is not REFUSED:
        ask(judge, model, case, rng)


def ask(judge: Judge, model: Any, case: Case, rng: Random) -> None:
    """Ask a model that a damaged file made, which may not know such rows any more, and let it learn."""
    X, y = rows.batch(Random(1), case, 3, hasattr(model, "feature_names_in_"))
    for name, arguments in (
        ("predict", {"X": X}),
        ("predict_proba", {"X": X}),
        ("transform", {"X": X}),
        ("predict_interval", {"X": X}),
        ("predict_quantiles", {"X": X, "quantiles": [0.1, 0.5, 0.9]}),
        ("log_density", {"X": X, "y": y}),
    ):
        if hasattr(model, name):
            answer = judge.call(name, lambda: getattr(model, name)(**arguments))  # noqa: B023
            if answer is not REFUSED:
                for complaint in complaints(model, name, answer, arguments):
                    judge.fault(WRONG_NUMBER, f"{name}: {complaint}")
    content = judge.call("save again", lambda: model._to_bytes())
    if content is not REFUSED:
        judge.call("load again", lambda: Saveable._from_bytes(content), (ValueError,))
    if rng.random() < LEARNS:
        _learn(judge, model, X, y, rng)


def _learn(judge: Judge, model: Any, X: Any, y: Any, rng: Random) -> None:
    """Let a model learn a row, forget it, and begin anew."""
    for name in ("partial_fit", "predict_then_learn", "unlearn", "loo_predict"):
        if hasattr(model, name):
            judge.call(name, lambda: getattr(model, name)(*(() if name == "loo_predict" else (X[:1], y[:1]))))  # noqa: B023
    few = {name: FEW[name.split("__")[-1]] for name in model.get_params() if name.split("__")[-1] in FEW}
    if rng.random() < 0.2 and judge.call("set_params", lambda: model.set_params(**few)) is not REFUSED:
        judge.call("fit", lambda: model.fit(X, y))


@contextmanager
def folder() -> Iterator[Path]:
    """Return a folder in memory, where there is one."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as name:
        yield Path(name)


def _load(rng: Random, content: bytes) -> Any:
    if rng.random() >= ON_DISK:
        return Saveable._from_bytes(content)
    with folder() as place:
        (place / "model").write_bytes(content)
        return hedgerow.load(place / "model")


def damaged(rng: Random, content: bytes, other: bytes) -> bytes:
    """Return a file with damage to its bytes, its description or its arrays, or with parts of another file."""
    draw = rng.random()
    if draw < 0.15:
        return change_bytes(rng, content)
    stored, header, arrays = _parts(content), _parts(content).header, dict(_parts(content).arrays)
    if draw < 0.5:
        header = change_json(rng, header)
    elif draw < 0.97:
        for _ in range(rng.choice((1, 1, 1, 2))):
            name = rng.choice(sorted(arrays))
            arrays[name] = change_array(rng, arrays[name])
    elif draw < 0.985:
        header = _parts(other).header
    else:
        arrays = {**stored.arrays, **_parts(other).arrays}
    text = None
    if draw < 0.2:
        text = change_bytes(rng, json.dumps(header).encode()).decode("utf-8", errors="replace")
    return Stored(header, arrays).to_bytes(text=text)


def _differences(before: bytes, after: bytes) -> Iterator[str]:
    """Yield what has been done to a file."""
    try:
        parts, others = Stored.parse(before), Stored.parse(after)
    except (ValueError, KeyError, TypeError, AttributeError, SafetensorError) as error:
        yield f"not a file any more, {error!r:.200}"
        return
    values, changed = dict(leaves(parts.header)), dict(leaves(others.header))
    for path in dict.fromkeys([*values, *changed]):
        if values.get(path, "nothing") != changed.get(path, "nothing"):
            yield f"{path} {values.get(path, 'nothing')!r:.80} -> {changed.get(path, 'nothing')!r:.80}"
    for name in dict.fromkeys([*parts.arrays, *others.arrays]):
        one, other = parts.arrays.get(name), others.arrays.get(name)
        if one is None or other is None or one.shape != other.shape or one.dtype != other.dtype:
            yield f"{name} {_type(one)} -> {_type(other)}"
        else:
            one, other = one.reshape(-1), other.reshape(-1)
            for place in np.flatnonzero((one != other) & ((one == one) | (other == other)))[:5]:  # two NaN are equal
                yield f"{name}[{place}] {one[place]!r} -> {other[place]!r}"


def _type(array: Any) -> str:
    return "nothing" if array is None else f"{array.dtype}{array.shape}"


@lru_cache(200)
def _parts(content: bytes) -> Stored:
    return Stored.parse(content)


@cache
def whole(name: str, is_table: bool) -> bytes:
    """Return the file of a small model that has learned in all its ways."""
    case = next(case for case in CASES if case.name == name)
    X, y = rows.drawn(case, N_ROWS, is_table)
    model = small(case).fit(X[:10], y[:10])
    if case.online:
        model.partial_fit(X[10:], y[10:])
    if case.unlearns:
        model.unlearn(X[2:3], y[2:3])
    return bytes(model._to_bytes())
