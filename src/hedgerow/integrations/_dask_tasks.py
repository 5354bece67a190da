"""What workers do for `hedgerow.integrations.dask`: pure functions, by whose names Dask shows progress."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from distributed import get_worker
from scipy import sparse
from sklearn.base import clone

DESCRIBED = ("n_features_in_", "feature_names_in_", "classes_", "n_samples_seen_")
"""Attributes of a model that are known without it."""


LEFT = {"waiting", "no-worker", "queued", "processing"}
"""States of tasks that are still to be done."""


class Block(NamedTuple):
    """A partition: rows, what is to be learned of them, and their weights or None."""

    X: Any
    y: Any
    weights: Any


class Shape(NamedTuple):
    """What must agree between partitions, and how many rows one has."""

    n_rows: int
    columns: tuple[str, ...] | int  # names, or how many
    n_targets: int


def hedgerow_rows(number: int, X: Any, y: Any, weights: Any) -> Block:
    """Put a partition together."""
    X = _dense(X)
    for name, part in (("y", y), ("sample_weight", weights)):
        if part is not None and len(part) != len(X):
            raise ValueError(
                f"partition {number} of X has {len(X)} rows and that of {name} {len(part)}: divide both alike"
            )
    return Block(X, y, weights)


def hedgerow_shape(block: Block) -> Shape:
    """Return what must agree between partitions."""
    X, y = block.X, block.y
    columns = tuple(str(name) for name in X.columns) if hasattr(X, "columns") else int(X.shape[1])
    return Shape(len(X), columns, 1 if y.ndim == 1 else y.shape[1])


def check_alike(shapes: dict[int, Shape]) -> None:
    """Raise ValueError unless partitions, by number, have the same columns and one target, and some has rows."""
    filled = [(number, shape) for number, shape in sorted(shapes.items()) if shape.n_rows]
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


def hedgerow_fit(model: Any, blocks: list[Block]) -> Any:
    """Fit a model to all rows."""
    return clone(model).fit(*joined(blocks))


def hedgerow_learn(model: Any, blocks: list[Block], announced: dict[str, Any]) -> Any:
    """Return a model that has learned partitions online, one after another."""
    learned = deepcopy(model)
    for X, y, weights in blocks:
        learned.partial_fit(X, y, sample_weight=weights, **announced)
    return learned


def hedgerow_units(model: Any, blocks: list[Block]) -> Any:
    """Bring rows together and learn the units of their columns."""
    return model._sown(*joined(blocks))


def hedgerow_first_trees(sown: Any) -> Any:
    """Grow the first trees, and learn smoothing from them."""
    return sown.first_trees()


def hedgerow_trees(sown: Any, number: int, n_shares: int) -> Any:
    """Grow one of so many shares of the others."""
    return sown.share(number, n_shares)


def hedgerow_forest(sown: Any, parts: list[Any]) -> Any:
    """Put trees together, and learn calibration from all of them."""
    return sown.grown(parts, get_worker().state.nthreads)  # all other tasks have been done


def hedgerow_describe(model: Any) -> dict[str, Any]:
    """Return what a model knows of columns and classes."""
    return {name: getattr(model, name) for name in DESCRIBED if hasattr(model, name)}


def hedgerow_predict(
    X: Any, *, model: Any, method: str, names: list[Any] | None, dtype: Any, options: dict[str, Any]
) -> Any:
    """Return predictions for the rows of a partition, as a frame if it is one; names are those of columns."""
    X, tail = _dense(X), () if names is None else (len(names),)
    if len(X):
        predicted = getattr(model, method)(X, **options)
        found = np.column_stack(predicted) if isinstance(predicted, tuple) else np.asarray(predicted)
    else:
        found = np.empty((0, *tail))
    return framed(found.astype(dtype, copy=False).reshape(len(X), *tail), X, names)


def framed(found: Any, X: Any, names: list[Any] | None) -> Any:
    """Return predictions as a series or a frame with the index of X, if X has one."""
    if not hasattr(X, "iloc"):
        return found
    import pandas as pd

    return pd.Series(found, index=X.index) if names is None else pd.DataFrame(found, index=X.index, columns=names)


def names_left(dask_scheduler: Any) -> list[str]:
    """Return the names of hedgerow's tasks that are not done yet."""
    left = (key for key, task in dask_scheduler.tasks.items() if task.state in LEFT)
    names = (str(key[0] if isinstance(key, tuple) else key).rsplit("-", 5)[0] for key in left)
    return [name for name in names if name.startswith("hedgerow_")]


def memory_limits(dask_scheduler: Any) -> list[int]:
    """Return how much memory each worker may use; 0 where there is no limit."""
    return [int(worker.memory_limit or 0) for worker in dask_scheduler.workers.values()]


def _dense(X: Any) -> Any:
    """Return rows as an array if they are a sparse matrix: models hold them densely, too."""
    return X.toarray() if sparse.issparse(X) else X


def joined(blocks: list[Block]) -> Block:
    """Return all rows as one partition."""
    return Block(*(_stacked(list(parts)) for parts in zip(*blocks, strict=True)))


def _stacked(parts: list[Any]) -> Any:
    if len(parts) == 1 or parts[0] is None:
        return parts[0]
    if not hasattr(parts[0], "iloc"):
        return np.concatenate(parts)
    from dask.dataframe.dispatch import concat

    return concat(parts)  # unlike pandas, it unites the levels of categories
