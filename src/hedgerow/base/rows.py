"""The one door for rows: what users hand in, turned into what learners take, or refused with a sentence that helps."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import validate_data

from hedgerow.numeric.arrays import Floats as Floats  # noqa: PLC0414 (rows are made of them)

NO_WEIGHTS: Floats = np.empty(0)


class Rows(NamedTuple):
    """Rows as learners take them."""

    X: Floats
    y: Floats  # targets, or numbers of classes
    weights: Floats = NO_WEIGHTS  # empty if all are 1

    def part(self, which: slice) -> Rows:
        """Return some of them."""
        return Rows(self.X[which], self.y[which], self.weights[which])

    def without(self, places: npt.NDArray[Any]) -> Rows:
        """Return all but those at some places."""
        return Rows(*(np.delete(part, places, axis=0) if part.size else part for part in self))


def read(model: Any, X: Any, y: Any = "no_validation", *, reset: bool, **checks: Any) -> Any:
    """Return a table, and what is to be learned of it, as arrays; scikit-learn's checks, feature names included.

    With `reset` the model takes number and names of the columns from the table; otherwise they must agree.
    """
    return validate_data(model, X, y, reset=reset, dtype=np.float64, order="C", **checks)


def drop_weightless(X: Floats, y: Any, sample_weight: npt.ArrayLike | None) -> tuple[Floats, Any, Floats]:
    """Rows of weight zero are as if they had never come; no weights at all come back as an empty array.

    A weight so small that its reciprocal overflows is zero.
    """
    if sample_weight is None:
        return X, y, NO_WEIGHTS
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(X.shape[0], float(weights))
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got an array of shape {weights.shape}")
    if weights.shape[0] != X.shape[0]:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected ({X.shape[0]},)")
    if not np.isfinite(weights).all():
        raise ValueError("sample_weight contains NaN or infinity; every weight must be a finite number")
    if (weights < 0).any():
        raise ValueError(f"sample_weight has {int((weights < 0).sum())} negative values; weights must not be negative")
    kept = weights >= np.finfo(np.float64).tiny
    if not kept.all():
        X, y, weights = X[kept], y[kept], weights[kept]
    return np.ascontiguousarray(X), y, np.ascontiguousarray(weights)


def first_row(x: object) -> tuple[Floats, npt.NDArray[np.object_] | None]:
    """Return the very first row of a stream, and the names of its features if it is a mapping."""
    names = np.asarray(list(x), dtype=object) if isinstance(x, Mapping) else None
    if names is not None and not all(isinstance(name, str) for name in names):
        raise ValueError(f"the names of features must be strings, got {list(names)!r}; pass a sequence or an array")
    row = as_vector(list(x.values()) if isinstance(x, Mapping) else x)
    if row.size == 0:
        raise ValueError("a row must have at least one feature")
    return RowReader(row.size, names)(row), names


class RowReader:
    """Single rows (a mapping, a sequence or a 1-D array) as contiguous float64 vectors of one width."""

    def __init__(self, width: int, names: npt.NDArray[np.object_] | None) -> None:
        self.width = width
        self.names = None if names is None else [str(name) for name in names]
        self._values = itemgetter(*self.names) if self.names is not None and width > 1 else None

    def quickly(self, x: object) -> object:
        """Return ``x`` so that the core can take it, if that is quick; the core refuses what it should not take.

        A dictionary that is not in order raises KeyError or TypeError, and reading it with care says why.
        """
        return array("d", self._values(x)) if type(x) is dict and self._values is not None else x

    def __call__(self, x: object) -> Floats:
        """Return ``x`` as a vector, or raise ValueError with what came and what was expected."""
        row = self._vector(x)
        if row.shape != (self.width,):
            raise ValueError(f"a row must have {self.width} features, as the rows learned so far; got {row.size}")
        if not math.isfinite(row.sum()) and not np.isfinite(row).all():  # a finite sum is the quick way to know
            bad = int(np.flatnonzero(~np.isfinite(row))[0])
            raise ValueError(f"feature {self._name(bad)} is {row[bad]}; every feature must be a finite number")
        return row

    def _name(self, index: int) -> str:
        return str(index) if self.names is None else repr(self.names[index])

    def _vector(self, x: object) -> Floats:
        if isinstance(x, Mapping):
            if self.names is None:
                raise ValueError("this model learned rows without names; pass a sequence or an array, not a mapping")
            try:
                return np.array([x[name] for name in self.names], dtype=np.float64)
            except KeyError as missing:
                raise ValueError(f"the row has no feature {missing}; expected {self.names}") from None
        return as_vector(x)


def as_vector(x: object) -> Floats:
    """One row as a contiguous vector."""
    row = np.asarray(x)
    if row.dtype.kind in "OUSV":
        try:
            row = row.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"a row must hold numbers only, got {x!r}") from None
    if row.ndim != 1:
        raise ValueError(f"a row must be a mapping, a sequence or a 1-D array, got {row.ndim} dimensions")
    return np.ascontiguousarray(row, dtype=np.float64)
