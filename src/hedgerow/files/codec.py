"""Trees of plain values and arrays as JSON text and named arrays, and back.

A tree is made of dictionaries, lists, tuples, numbers, strings, booleans, None and arrays. What JSON does not have is
written as a dictionary with one key that begins with "$". Functions cannot be written: a file holds no code.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

N_WORDS = 624
"""Of the state of a Mersenne Twister."""

MOST_ALIKE = 100
"""Keys with the same hash; of numbers below 2**64 there are at most 17, and of tuples hardly ever two by chance."""

Arrays = dict[str, npt.NDArray[Any]]

TO_JSON: dict[type, tuple[str, Callable[[Any], Any]]] = {}
"""How objects of other classes are written: a key, and a function that turns one into a tree."""

FROM_JSON: dict[str, Callable[[Any], Any]] = {}
"""How they are read: by the key, a function from the tree."""


def encode(value: Any, arrays: Arrays, path: str) -> Any:
    """Return a tree as JSON, and put its arrays among `arrays`; TypeError, naming the path, if that cannot be."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        arrays[path] = np.asarray(value, order="C")
        return {"$array": path}
    if isinstance(value, list | tuple):
        parts = [encode(part, arrays, f"{path}/{place}") for place, part in enumerate(value)]
        return {"$tuple": parts} if isinstance(value, tuple) else parts
    if isinstance(value, Mapping):
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {key: encode(part, arrays, f"{path}/{key}") for key, part in value.items()}
        pairs = value.items()
        return {"$mapping": [[encode(key, arrays, path), encode(part, arrays, path)] for key, part in pairs]}
    for kind, (key, described) in TO_JSON.items():
        if isinstance(value, kind):
            return {key: encode(described(value), arrays, path)}
    name = [part for part in path.split("/") if not part.isdigit()][-1]
    if callable(value):
        raise TypeError(
            f"cannot save {name}={value!r}: a file holds no code, so it cannot hold functions; pickle the model "
            "instead, or give a parameter that is not a function"
        )
    raise TypeError(
        f"cannot save {name}={value!r}: a file holds numbers, strings, booleans, and lists, tuples and mappings of "
        "them; use pickle, or another value"
    )


def decode(value: Any, arrays: Arrays) -> Any:
    """Take back what `encode` gave, or ValueError."""
    if isinstance(value, list):
        return [decode(part, arrays) for part in value]
    if not isinstance(value, dict):
        return value
    if len(value) != 1 or not next(iter(value)).startswith("$"):
        return {key: decode(part, arrays) for key, part in value.items()}
    ((key, part),) = value.items()
    try:
        if key == "$array":
            return arrays[part]
        part = decode(part, arrays)
        if key == "$tuple":
            return tuple(part)
        if key == "$mapping":
            check_hashes(name for name, _ in part)
            return dict(part)
        return FROM_JSON[key](part)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ValueError(f"a part of it, {key[1:]!r}, is malformed ({error!r})") from None


def check_hashes(keys: Iterable[Any]) -> None:
    """Raise ValueError if many keys have one hash: a dictionary of them takes the square of their number to make.

    Such numbers and tuples are easily found; hashes of strings are secret.
    """
    most = max(Counter(map(hash, keys)).values(), default=0)
    if most > MOST_ALIKE:
        raise ValueError(f"{most:,} keys have the same hash")


def _random_state(described: Any) -> np.random.RandomState:
    """Take back a generator. NumPy believes its position, and would read past the end of the words."""
    kind, words, position, has_gauss, gauss = described
    if kind != "MT19937":
        raise ValueError(f"random numbers of kind {kind!r} are not known, only 'MT19937'")
    if not isinstance(words, list) or len(words) != N_WORDS or not all(_is_integer(word, 2**32 - 1) for word in words):
        raise ValueError(f"the state of a generator is {N_WORDS} integers from 0 to 2**32 - 1")
    if not _is_integer(position, N_WORDS) or not _is_integer(has_gauss, 1):
        raise ValueError("the position of a generator is out of range")
    if type(gauss) not in (int, float) or not math.isfinite(gauss):
        raise ValueError("the number that a generator has in store is not finite")
    state = np.random.RandomState()
    state.set_state((kind, np.array(words, dtype=np.uint32), position, has_gauss, float(gauss)))
    return state


def _is_integer(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def _described_random_state(state: np.random.RandomState) -> list[Any]:
    kind, keys, *rest = state.get_state(legacy=True)
    return [kind, np.asarray(keys).tolist(), *rest]


TO_JSON[np.random.RandomState] = ("$random_state", _described_random_state)
FROM_JSON["$random_state"] = _random_state
