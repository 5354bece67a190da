"""Dask collections as partitions that fit together, and whether what is learned from them fits into memory."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
from dask import delayed

from hedgerow.integrations import _dask_tasks as tasks

ROW_BYTES_A_COLUMN, TREE_BYTES, TREE_BYTES_A_COLUMN = 28, 90, 2
"""What a row takes for each column and in each tree, as measured, about; trees on their way to others included."""


def partitions(X: Any, name: str) -> list[Any]:
    """Return the partitions of a collection, whole rows each, still to be computed."""
    if isinstance(X, da.Array):
        whole = X.rechunk({1: -1}) if X.ndim == 2 else X
        return list(whole.to_delayed().ravel())
    if not hasattr(X, "to_delayed") or not hasattr(X, "map_partitions"):
        raise TypeError(
            f"{name} must be a Dask array or dataframe, got {type(X).__name__}; what fits into memory needs no Dask: "
            "use the ordinary model, or dask.array.from_array"
        )
    return list(X.to_delayed())


def checked_blocks(client: Any, X: Any, y: Any, sample_weight: Any) -> tuple[list[Any], tasks.Shape]:
    """Have partitions computed where they are, look whether they fit together, and return those that have rows.

    Returns the shape of all of them together, too.
    """
    given = {"X": X, "y": y} | ({} if sample_weight is None else {"sample_weight": sample_weight})
    parts = {name: partitions(_aligned(name, part, X), name) for name, part in given.items()}
    for name, blocks in parts.items():
        if len(blocks) != len(parts["X"]):
            raise ValueError(f"X has {len(parts['X'])} partitions and {name} {len(blocks)}: divide both alike")
    weights = parts.get("sample_weight", [None] * len(parts["X"]))
    rows = enumerate(zip(parts["X"], parts["y"], weights, strict=True))
    blocks = client.persist([delayed(tasks.hedgerow_rows)(number, *row) for number, row in rows])
    shapes = client.gather(client.compute([delayed(tasks.hedgerow_shape)(block) for block in blocks]))
    _check_alike(shapes)
    filled = [pair for pair in zip(blocks, shapes, strict=True) if pair[1].n_rows]
    whole = filled[0][1]._replace(n_rows=sum(shape.n_rows for _, shape in filled))
    return [block for block, _ in filled], whole


def _aligned(name: str, part: Any, X: Any) -> Any:
    """Return an array divided as X is, where lengths are known."""
    both_arrays = isinstance(part, da.Array) and isinstance(X, da.Array)
    if not both_arrays or np.isnan([*part.chunks[0], *X.chunks[0]]).any():
        return part
    if part.shape[0] != X.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows and {name} {part.shape[0]}")
    return part.rechunk({0: X.chunks[0]})


def _check_alike(shapes: list[Any]) -> None:
    """Raise ValueError unless partitions have the same columns, and some has rows."""
    filled = [(number, shape) for number, shape in enumerate(shapes) if shape.n_rows]
    if not filled:
        raise ValueError("all partitions are empty: there is no row to learn")
    first, expected = filled[0]
    for number, shape in filled:
        if shape.columns != expected.columns:
            raise ValueError(
                f"partitions have different columns: {expected.columns} in partition {first}, {shape.columns} in "
                f"partition {number}"
            )
        if shape.n_targets != 1:
            raise ValueError(
                f"y has {shape.n_targets} columns in partition {number}: on Dask a model has one target; fit one model "
                "for each, or an ordinary model"
            )


def check_room(client: Any, shape: tasks.Shape, model: Any) -> None:
    """Raise MemoryError, before a worker is killed for it, if the model would not fit into the largest."""
    n_columns = shape.columns if isinstance(shape.columns, int) else len(shape.columns)
    rows = shape.n_rows if getattr(model, "window", None) is None else min(shape.n_rows, model.window)
    tree = rows * (TREE_BYTES + TREE_BYTES_A_COLUMN * n_columns)
    needed = shape.n_rows * ROW_BYTES_A_COLUMN * n_columns + model.n_estimators * tree
    limits = client.run_on_scheduler(tasks.memory_limits)
    if limits and all(limits) and needed > max(limits):
        raise MemoryError(
            f"a forest holds its rows: {shape.n_rows} rows of {n_columns} columns and {model.n_estimators} trees need "
            f"about {needed / 1e9:.2g} GB while they are learned, {tree / 1e9:.2g} GB of it for each tree, and the "
            f"largest worker has {max(limits) / 1e9:.2g} GB; start fewer workers with more memory each, ask for fewer "
            "trees, or learn a sample of the rows"
        )
