"""Dask collections as partitions that fit together, and whether what is learned from them fits into memory."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
from dask import delayed
from sklearn.base import is_classifier

from hedgerow.base.room import PROCESS, bytes_a_row, read_amount, rows_within, tree_bytes_a_row
from hedgerow.integrations import _dask_tasks as tasks


def partitions(X: Any, name: str) -> list[Any]:
    """Return the partitions of a collection, whole rows each, still to be computed."""
    if name == "X" and getattr(X, "ndim", 2) != 2:
        raise ValueError(f"X must have two dimensions, rows and columns, got {X.ndim}")
    if isinstance(X, da.Array):
        whole = X.rechunk({1: -1}) if X.ndim == 2 else X
        return list(whole.to_delayed().ravel())
    if not hasattr(X, "to_delayed") or not hasattr(X, "map_partitions"):
        convert = "dask.dataframe.from_pandas" if hasattr(X, "iloc") else "dask.array.from_array"
        raise TypeError(
            f"{name} must be a Dask array or dataframe, got {type(X).__name__}; {convert} makes one, or, if all fits "
            "into memory, use the ordinary model"
        )
    return list(X.to_delayed())


def blocks_of(X: Any, y: Any, sample_weight: Any) -> list[Any]:
    """Put partitions of rows, targets and weights together; they are still to be computed."""
    given = {"X": X, "y": y} | ({} if sample_weight is None else {"sample_weight": sample_weight})
    parts = {name: partitions(_aligned(name, part, X), name) for name, part in given.items()}
    for name, blocks in parts.items():
        if len(blocks) != len(parts["X"]):
            raise ValueError(f"X has {len(parts['X'])} partitions and {name} {len(blocks)}: divide both alike")
    weights = parts.get("sample_weight", [None] * len(parts["X"]))
    rows = enumerate(zip(parts["X"], parts["y"], weights, strict=True))
    return [delayed(tasks.hedgerow_rows)(number, *row) for number, row in rows]


def held(client: Any, blocks: list[Any]) -> tuple[list[Any], int]:
    """Have partitions computed where they are, look whether they fit together, and return those that have rows.

    Returns how many rows they have together, too.
    """
    blocks = client.persist(blocks)
    shapes = client.gather(client.compute([delayed(tasks.hedgerow_shape)(block) for block in blocks]))
    tasks.check_alike(dict(enumerate(shapes)))
    filled = [block for block, shape in zip(blocks, shapes, strict=True) if shape.n_rows]
    return filled, sum(shape.n_rows for shape in shapes)


def length_of(X: Any) -> int | None:
    """Return how many rows there are, if that is known before they are computed."""
    return None if not isinstance(X, da.Array) or np.isnan(X.shape[0]) else int(X.shape[0])


def _aligned(name: str, part: Any, X: Any) -> Any:
    """Return an array divided as X is, where lengths are known."""
    both_arrays = isinstance(part, da.Array) and isinstance(X, da.Array)
    if not both_arrays or np.isnan([*part.chunks[0], *X.chunks[0]]).any():
        return part
    if part.shape[0] != X.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows and {name} {part.shape[0]}")
    return part.rechunk({0: X.chunks[0]})


class Room:
    """What a model needs of the memory of a worker while it learns."""

    def __init__(self, word: str, model: Any, X: Any) -> None:
        """Take a "forest" or "boosting", and the rows to be learned, of which only the number of columns counts."""
        task = "classification" if is_classifier(model) else "regression"
        self.n_columns = int(X.shape[1])
        self.n_trees, self.window = int(model.n_estimators), getattr(model, "window", None)
        self.bytes_a_row = bytes_a_row(word, task, 0, self.n_columns)
        self.tree_bytes_a_row = tree_bytes_a_row(word, task, self.n_columns)

    def rows_within(self, max_memory: Any) -> int:
        """Return how many rows fit into so much."""
        if self.window is not None:
            raise ValueError("max_memory is for a sample of the rows, and window for the last ones: set one of them")
        try:
            return rows_within(read_amount(max_memory), self.bytes_a_row + self.n_trees * self.tree_bytes_a_row)
        except ValueError as error:
            raise ValueError(f"max_memory={max_memory!r}: {error}") from None

    def check(self, client: Any, n_rows: int) -> None:
        """Raise MemoryError, before a worker is killed for it, if the model would not fit into the largest."""
        tree = min(n_rows, self.window or n_rows) * self.tree_bytes_a_row
        needed = PROCESS + n_rows * self.bytes_a_row + self.n_trees * tree
        limits = client.run_on_scheduler(tasks.memory_limits)
        if limits and all(limits) and needed > max(limits):
            raise MemoryError(
                f"a forest holds its rows: {n_rows} rows of {self.n_columns} columns and {self.n_trees} trees need "
                f"about {needed / 1e9:.2g} GB while they are learned, {tree / 1e9:.2g} GB of it for each tree, and the "
                f"largest worker has {max(limits) / 1e9:.2g} GB; max_memory={max(limits)} learns a random sample of as "
                "many rows as fit; or start fewer workers with more memory each, or ask for fewer trees"
            )
