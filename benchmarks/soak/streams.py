"""Streams that go on for ever, each awkward in its own way; a chunk is a function of its number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Chunk = tuple[Any, np.ndarray]
ROWS = 1_000
"""In a chunk."""
STUCK = 5
"""Chunks for which a sensor lives, and then for which it is stuck."""


def random_rows(number: int) -> Chunk:
    """Uniform rows, and targets with noise."""
    rng = np.random.default_rng(number)
    X = rng.uniform(size=(ROWS, 4))
    return X, targets(X, rng)


def drifting_rows(number: int) -> Chunk:
    """Columns wander off without end, and every 50 chunks another column matters."""
    X, _ = random_rows(number)
    return X + 1e-3 * number, targets(np.roll(X, number // 50, axis=1), np.random.default_rng(number))


def stuck_rows(number: int) -> Chunk:
    """Random rows for a while, then one and the same row for as long."""
    X, y = random_rows(number)
    if number // STUCK % 2:
        X[:], y[:] = (part[0] for part in random_rows(number // STUCK))
    return X, y


def new_categories(number: int) -> Chunk:
    """Numbers, and names each of which comes three times and then never again."""
    X, y = random_rows(number)
    names = np.arange(number * ROWS, (number + 1) * ROWS) // 3
    return {"name": [f"customer {name}" for name in names], "a": X[:, 0], "b": X[:, 1]}, y + names % 2


def targets(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return 5.0 * (X[:, 0] > 0.5) + 2.0 * X[:, 1] + rng.normal(scale=0.2, size=len(X))


STREAMS: dict[str, Callable[[int], Chunk]] = {
    "random": random_rows,
    "drifting": drifting_rows,
    "stuck sensor": stuck_rows,
    "new categories": new_categories,
}
