"""Damage to what a file holds: JSON values, arrays, text and bytes."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from fuzz.values import EXTREME, NO_NUMBERS

DTYPES = (np.float64, np.float32, np.float16, np.int64, np.int32, np.uint32, np.int8, np.uint8, np.bool_, np.uint64)
POWERS = (8, 15, 16, 31, 32, 53, 63, 64)
PLAIN: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 10, 10**6, 10**9, 10**30, 10**400, *(2**power for power in POWERS)),
    *(0.5, 1.5, 1e9, "", "a", "auto", "none", [], {}, [1], [1.0, 2.0], ["a"], [[]], {"a": 1}, {"$tuple": []}),
    *({"$tuple": [1, 2]}, {"$array": "a"}, {"$mapping": []}, {"$random_state": []}, {"$model": {}}, {"$value": []}),
)
INTEGERS = (0, 1, 2, 3, 5, 7, 100, *(2**power - less for power in POWERS for less in (1, 2)))


def change_json(rng: Random, tree: Any) -> Any:
    """Return JSON with one value, or a few, changed, gone, doubled or moved elsewhere."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(tree))
        if not places:
            return tree
        owner, key = rng.choice(places)
        draw = rng.random()
        if draw < 0.1:
            del owner[key]
        elif draw < 0.2:
            other, place = rng.choice(places)
            owner[key] = copy.deepcopy(other[place]) if place in other or isinstance(other, list) else None
        elif draw < 0.3 and isinstance(owner, list):
            owner.insert(key, copy.deepcopy(owner[key]))
        else:
            owner[key] = _other_value(rng, owner[key])
    return tree


def change_array(rng: Random, array: Any) -> Any:
    """Return an array with some numbers changed, or of another type, shape or length."""
    draw = rng.random()
    if draw < 0.75 and array.size:
        array = array.copy()
        flat = array.reshape(-1)
        for _ in range(rng.choice((1, 1, 1, 2, 5))):
            flat[rng.randrange(flat.size)] = _other_number(rng, array.dtype, flat)
        return array
    if draw < 0.82:
        return array.astype(rng.choice(DTYPES), copy=True)
    if draw < 0.9:
        n = rng.choice((0, 1, len(array) - 1 if array.ndim else 1, len(array) // 2 if array.ndim else 0))
        return array[: max(n, 0)] if array.ndim else array.reshape(1)
    if draw < 0.95:
        return np.concatenate([array, array[-1:]]) if array.ndim else array
    return array.reshape(rng.choice(((-1,), (1, *array.shape), (*array.shape, 1), array.shape[::-1])))


def change_bytes(rng: Random, content: bytes) -> bytes:
    """Return bytes cut off, flipped, overwritten, doubled or moved."""
    draw, n = rng.random(), len(content)
    if draw < 0.2 or n < 2:
        return content[: rng.randrange(n + 1)]
    changed = bytearray(content)
    begin = rng.randrange(n) if rng.random() < 0.5 else rng.randrange(min(n, 400))
    if draw < 0.6:
        for _ in range(rng.choice((1, 1, 2, 8, 40))):
            changed[rng.randrange(n) if rng.random() < 0.5 else begin] ^= 1 << rng.randrange(8)
    elif draw < 0.7:
        del changed[begin : begin + rng.choice((1, 2, 8, 100))]
    elif draw < 0.8:
        changed[begin:begin] = changed[begin : begin + rng.choice((1, 2, 8, 100))]
    elif draw < 0.9:
        changed[begin : begin + 8] = rng.choice((b"\0" * 8, b"\xff" * 8, rng.randbytes(8)))
    else:
        changed[begin:begin] = rng.choice((b"\0", b"\n", b'"', b",", b"{", b"\xff", b"\xc3", b"1e999", b"NaN", b"-"))
    return bytes(changed)


def leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of JSON that hold no others, and the ways to them."""
    if not isinstance(tree, dict | list) or not tree:
        yield path, tree
        return
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield from leaves(value, f"{path}/{key}")


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place of a tree where there is a value: what holds it, and its key."""
    for key, value in list(tree.items() if isinstance(tree, dict) else enumerate(tree)):
        yield tree, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _other_value(rng: Random, value: Any) -> Any:
    """Return another value, of the same type most often."""
    if rng.random() < 0.3:
        return copy.deepcopy(rng.choice(PLAIN))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int) and abs(value) < 2**100:
        return rng.choice(
            (value + 1, value - 1, -value, 2 * value, value * 1.0, value + 0.5, 0, 2**31, 2**63, 10**12, 10**6)
        )
    if isinstance(value, float):
        return rng.choice((value * 2, -value, 0.0, 1.0 / (value or 1.0), *_some_extremes(rng)))
    if isinstance(value, str):
        return rng.choice((value[:-1], value + "x", value.upper(), "", "\0", value[::-1]))
    return copy.deepcopy(rng.choice(PLAIN))


def _some_extremes(rng: Random) -> tuple[float, ...]:
    found = rng.choice(EXTREME)
    return found, -found, found, rng.choice(NO_NUMBERS)


def _other_number(rng: Random, dtype: Any, flat: Any) -> Any:
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            value = rng.choice((*_some_extremes(rng), float(flat[rng.randrange(flat.size)]), 0.0, 1.0, -1.0, 0.5))
            return np.float64(value).astype(dtype)
    if dtype.kind == "b":
        return rng.random() < 0.5
    value = rng.choice((*INTEGERS, int(flat[rng.randrange(flat.size)]) + rng.choice((-1, 0, 1)), flat.size))
    return np.array(value % 2**64, dtype=np.uint64).astype(dtype)
