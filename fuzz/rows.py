"""Rows, targets and weights from sane to hostile, in every container that a user might have."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
from scipy import sparse

import tables
from fuzz.values import anything, integer, number
from models import BY_NAME, Case

Made = tuple[Any, Any]
MANY = 60
"""Rows that there are to choose from."""


def batch(rng: Random, case: Case, n: int, is_table: bool) -> Made:
    """Return sane rows and targets of the kind that the model takes."""
    X, y = drawn(case, MANY, is_table)
    begin = rng.randrange(MANY - n)
    return X[begin : begin + n], y[begin : begin + n]


def drawn(case: Case, n: int, is_table: bool) -> Made:
    """Return the same rows and targets in every case."""
    return _drawn(case.name, n, is_table)


@cache
def _drawn(name: str, n: int, is_table: bool) -> Made:
    if is_table:
        table, y = tables.table_of(BY_NAME[name], n)
        return tables.frame(table), y
    return BY_NAME[name].data(n)


def rows(rng: Random, case: Case, n: int, is_table: bool) -> Any:
    """Return rows: sane ones, or with odd values in them, or in an odd container, or no rows at all."""
    X, _ = batch(rng, case, n, is_table)
    draw = rng.random()
    if draw < 0.3:
        return X
    if draw < 0.5:
        X = _with_odd_cells(rng, X)
    if draw < 0.6:
        X, _ = batch(rng, case, n, not is_table)
    if draw > 0.95:
        return anything(rng)
    try:
        return rng.choice(FRAMES if isinstance(X, pandas.DataFrame) else ARRAYS)(rng, X)
    except (TypeError, ValueError, OverflowError, pyarrow.ArrowException, polars.exceptions.PolarsError):
        return X  # that there cannot be such a container is not our business


def row(rng: Random, case: Case, is_table: bool) -> Any:
    """Return one row, for the methods that take one."""
    X, _ = batch(rng, case, 3, is_table)
    draw = rng.random()
    if draw > 0.9:
        return anything(rng)
    if draw > 0.5:
        X = _with_odd_cells(rng, X)
    if isinstance(X, pandas.DataFrame):
        found = {name: _python(X[name].iloc[1]) for name in X.columns}
    else:
        found = {f"x{place}": value for place, value in enumerate(X[1].tolist())}
    if rng.random() < 0.15:
        found.pop(rng.choice(list(found)))
    if rng.random() < 0.15:
        found[rng.choice(["more", 3, None, *found])] = anything(rng)
    values = list(found.values())
    return rng.choice([found, found, found, values, tuple(values), _as_array(values), np.array(values, dtype=object)])


def targets(rng: Random, case: Case, n: int, is_table: bool) -> Any:
    """Return targets, or labels."""
    _, y = batch(rng, case, max(n, 1), is_table)
    y = y[:n]
    draw = rng.random()
    if draw < 0.5:
        return y
    if draw < 0.7:
        y = np.array(y, dtype=object if case.classes else float)
        flat = y.reshape(-1)
        for _ in range(rng.randint(1, 3)):
            if flat.size:
                flat[rng.randrange(flat.size)] = anything(rng) if case.classes else number(rng, 1.0)
        return y
    return rng.choice(TARGETS)(rng, y) if draw < 0.95 else anything(rng)


def target(rng: Random, case: Case) -> Any:
    """Return one target, or label."""
    if rng.random() < 0.15:
        return anything(rng)
    if case.classes:
        return rng.choice(["blue", "green", "red", "red", "white", 3, 2.0, True, None, ""])
    if case.several:
        return rng.choice([tuple, list, np.array])([number(rng, 0.2) for _ in range(rng.choice([2, 2, 2, 2, 1, 3]))])
    found = abs(number(rng, 0.2))
    return round(found) if found < 1e300 and rng.random() < 0.3 else found


def weights(rng: Random, n: int) -> Any:
    """Return weights of rows, or none."""
    draw = rng.random()
    if draw < 0.5:
        return None
    if draw < 0.65:
        return np.array([rng.choice([0.5, 1.0, 2.0, 3.0]) for _ in range(n)])
    if draw < 0.9:
        return [abs(number(rng, 0.3)) if rng.random() < 0.95 else number(rng) for _ in range(n)]
    return anything(rng)


def _with_odd_cells(rng: Random, X: Any) -> Any:
    """Return the table with some other values: numbers of any size, holes, text, equal columns."""
    if isinstance(X, pandas.DataFrame):
        X = X.astype(object)
        for _ in range(rng.randint(1, 3)):
            X.iat[rng.randrange(len(X)), rng.randrange(X.shape[1])] = _python(_single(rng))
        return X
    X = X.copy()
    for _ in range(rng.randint(1, 4)):
        X[rng.randrange(len(X)), rng.randrange(X.shape[1])] = number(rng, 1.0)
    if rng.random() < 0.2:
        X[:, rng.randrange(X.shape[1])] = number(rng, 0.5)
    if rng.random() < 0.2:
        X[:] = X[0]
    return X


def _single(rng: Random) -> Any:
    """Return a value that fits into one cell."""
    found = anything(rng)
    return None if hasattr(found, "__len__") and not isinstance(found, str | bytes) else found


def _python(value: Any) -> Any:
    return None if value is pandas.NA or value is pandas.NaT else value


def _as_array(values: list[Any]) -> Any:
    try:
        return np.array(values)
    except ValueError:
        return values


def _read_only(rng: Random, X: Any) -> Any:
    X = X.copy()
    X.flags.writeable = False
    return X


def _names(rng: Random, X: Any) -> Any:
    names: list[Any] = list(X.columns)
    names[rng.randrange(len(names))] = rng.choice([names[0], "", None, 3, ("a", "b"), "new"])
    return X.set_axis(names, axis=1)


ARRAYS: tuple[Callable[[Random, Any], Any], ...] = (
    lambda rng, X: X,
    lambda rng, X: X.tolist(),
    lambda rng, X: tuple(map(tuple, X.tolist())),
    lambda rng, X: np.asfortranarray(X),
    lambda rng, X: np.repeat(X, 2, axis=1)[:, ::2],
    lambda rng, X: X[::-1],
    lambda rng, X: X[:, ::-1],
    lambda rng, X: X.astype(">f8"),
    lambda rng, X: np.clip(X, -1e38, 1e38).astype(np.float32),
    lambda rng, X: np.clip(X, -6e4, 6e4).astype(np.float16),
    lambda rng, X: X.astype(np.longdouble),
    lambda rng, X: np.nan_to_num(np.clip(X, -1e18, 1e18)).astype(rng.choice([np.int64, np.int8, np.uint8, np.uint64])),
    lambda rng, X: X > 0.5,
    lambda rng, X: X.astype(object),
    lambda rng, X: X.astype(str),
    lambda rng, X: X + 1j,
    lambda rng, X: np.ma.masked_greater(X, 1.0),
    _read_only,
    lambda rng, X: sparse.csr_matrix(X),
    lambda rng, X: sparse.coo_array(X),
    lambda rng, X: sparse.csr_matrix((rng.choice([3, 1000]), rng.choice([3, 10**6, 2**40]))),
    lambda rng, X: pandas.DataFrame(X),
    lambda rng, X: pandas.DataFrame(X, columns=[f"x{place}" for place in range(X.shape[1])]),
    lambda rng, X: {f"x{place}": column for place, column in enumerate(X.T)},
    lambda rng, X: X[:, :1],
    lambda rng, X: np.hstack([X, X]),
    lambda rng, X: X[:0],
    lambda rng, X: X[:, :0],
    lambda rng, X: X[0],
    lambda rng, X: X[None],
    lambda rng, X: [*X.tolist()[:-1], [1.0]],
    lambda rng, X: [[anything(rng) for _ in range(X.shape[1])] for _ in range(len(X))],
    lambda rng, X: memoryview(np.ascontiguousarray(X)),
    lambda rng, X: iter(X),
)
FRAMES: tuple[Callable[[Random, Any], Any], ...] = (
    lambda rng, X: X,
    lambda rng, X: pyarrow.Table.from_pandas(X),
    lambda rng, X: polars.DataFrame({str(name): X[name].tolist() for name in X.columns}, strict=False),
    lambda rng, X: {name: X[name].tolist() for name in X.columns},
    lambda rng, X: X.to_numpy(dtype=object),
    lambda rng, X: X.to_numpy(dtype=object).tolist(),
    lambda rng, X: X[list(X.columns)[::-1]],
    lambda rng, X: X.drop(columns=rng.choice(list(X.columns))),
    lambda rng, X: X.assign(more=1.0),
    _names,
    lambda rng, X: X.iloc[:0],
    lambda rng, X: X.iloc[:, :0],
    lambda rng, X: X.astype(str),
    lambda rng, X: X.assign(**{rng.choice(list(map(str, X.columns))): _single(rng)}),
    lambda rng, X: X.assign(**{rng.choice(list(map(str, X.columns))): None}),
    lambda rng, X: X.infer_objects(),
    lambda rng, X: X.assign(**{str(X.columns[0]): pandas.Categorical([rng.choice("abc") for _ in range(len(X))])}),
    lambda rng, X: X.assign(**{str(X.columns[0]): pandas.Timestamp(rng.choice(["1700-01-01", "2260-01-01"]))}),
    lambda rng, X: X.assign(**{str(X.columns[0]): pandas.Interval(0, 1)}),
    lambda rng, X: X.assign(**{str(X.columns[0]): integer(rng)}),
    lambda rng, X: X.set_index(X.columns[0]),
    lambda rng, X: pandas.concat([X, X], axis=1),
)
TARGETS: tuple[Callable[[Random, Any], Any], ...] = (
    lambda rng, y: y.tolist(),
    lambda rng, y: y[:-1],
    lambda rng, y: np.concatenate([y, y]),
    lambda rng, y: y.reshape(-1, 1),
    lambda rng, y: np.column_stack([y, y]),
    lambda rng, y: np.column_stack([y, y])[:, :, None],
    lambda rng, y: pandas.Series(y.tolist()),
    lambda rng, y: polars.Series(y.tolist()),
    lambda rng, y: y.astype(object),
    lambda rng, y: y.astype(str),
    lambda rng, y: y[::-1],
    lambda rng, y: y[:0],
    lambda rng, y: np.full(y.shape, y.reshape(-1)[0]) if y.size else y,
    lambda rng, y: np.arange(len(y)),
    lambda rng, y: np.arange(len(y)) * 1.5,
    lambda rng, y: [anything(rng) for _ in y],
    lambda rng, y: None,
)
