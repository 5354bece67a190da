"""The one door for rows: what users hand in, turned into what learners take, or refused with a sentence that helps."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import check_array, check_X_y, validate_data

from hedgerow.base.columns import Cells, Columns, Selection, read_cells
from hedgerow.base.columns.table import NUMBERS, is_plain, kind_of_value, read_value
from hedgerow.base.targets import check_are_numbers
from hedgerow.numeric.arrays import Floats as Floats  # noqa: PLC0414 (rows are made of them)

NO_WEIGHTS: Floats = np.empty(0)
LEAST_WEIGHT, LARGEST_WEIGHT = 1e-30, 1e30
"""Weights of rows and of classes lie between; smaller ones are zero. Sums of them fit into single precision."""

MOST_DENSE = 2**30
"""Cells of a sparse matrix that are held densely, at most."""


class Rows(NamedTuple):
    """Rows as learners take them."""

    X: Floats
    y: Floats  # targets, or numbers of classes
    weights: Floats = NO_WEIGHTS  # empty if all are 1

    def part(self, which: slice | npt.NDArray[np.intp]) -> Rows:
        """Return some of them."""
        return Rows(self.X[which], self.y[which], self.weights[which] if self.weights.size else self.weights)

    def without(self, places: npt.NDArray[Any]) -> Rows:
        """Return all but those at some places."""
        return Rows(*(np.delete(part, places, axis=0) if part.size else part for part in self))


class NextRows(NamedTuple):
    """Rows of a stream, checked, as tables hold them: what learners see of them may change on the way."""

    cells: Cells
    y: Floats
    weights: Floats

    def part(self, which: slice) -> NextRows:
        """Return some of them."""
        return NextRows(self.cells.part(which), self.y[which], self.weights[which])


def read(model: Any, X: Any, y: Any = "no_validation", *, reset: bool, **checks: Any) -> tuple[Cells, Any]:
    """Return a table as one number a cell, and what is to be learned of it; scikit-learn's checks, names included.

    With `reset` the model takes number and names of the columns from the table; otherwise they must agree, and so must
    what the columns hold.
    """
    _check_is_table(X)
    if checks.get("y_numeric"):
        check_are_numbers(y)
    try:
        return _read(model, X, y, reset, checks)
    except OverflowError:
        raise ValueError("X or y holds a whole number that is too large for a floating-point number") from None
    except ArithmeticError:
        raise ValueError("X or y holds a signalling NaN: no number can be compared with it") from None


def _read(model: Any, X: Any, y: Any, reset: bool, checks: dict[str, Any]) -> tuple[Cells, Any]:
    chosen, has_y = Selection.of(model.categorical_features), not (isinstance(y, str) and y == "no_validation")
    if isinstance(X, list | tuple):
        X = _as_array(X)
    expected = None if reset else model._columns.words
    if not chosen.columns and is_plain(X) and (expected is None or set(expected) <= set(NUMBERS)):
        checked = validate_data(
            model,
            X,
            y,
            reset=reset,
            dtype=np.float64,
            order="C",
            accept_sparse="csr",
            ensure_all_finite=False,
            **checks,
        )
        values, y = checked if has_y else (checked, None)
        values = _dense(values)
        kinds = ["number"] * values.shape[1]
    else:
        X = X.tocsr() if sparse.issparse(X) else X  # one format is a mapping
        names = _check_columns(model, X, reset)
        X = _dense(X)
        places = chosen.places(len(names), names if hasattr(model, "feature_names_in_") else None)
        kinds, values = read_cells(X, names, places, expected)
        options = {"dtype": np.float64, "order": "C", "ensure_all_finite": False, "estimator": model}
        if has_y:
            values, y = check_X_y(values, y, **options, **checks)
        else:
            values = check_array(values, **options)
    _check_no_infinity(values, model)
    return Cells(kinds, values), y


def _check_is_table(X: Any) -> None:
    """Raise TypeError for what no table can be made of, such as a set, a function or an iterator."""
    if isinstance(X, list | tuple | Mapping | str | bytes) or hasattr(X, "shape") or hasattr(X, "__array__"):
        return
    if np.asarray(X).dtype == object:
        lazy = ", whose rows X.collect() computes" if hasattr(X, "collect") else ""
        raise TypeError(
            f"X must be an array, a frame, a sparse matrix, a list of rows or a dictionary of columns, got "
            f"{type(X).__name__}{lazy}"
        )


def _as_array(X: Any) -> Any:
    """Return rows in lists as an array; numbers among text stay numbers."""
    try:
        found = np.asarray(X)
    except ValueError:  # rows of different lengths, of which scikit-learn complains
        return X
    return np.asarray(X, dtype=object) if found.dtype.kind in "USMm" else found


def _dense(X: Any) -> Any:
    """Return a sparse matrix as an array: trees look at every column of a row."""
    if not sparse.issparse(X):
        return X
    try:
        if X.shape[0] * X.shape[1] > MOST_DENSE:
            raise MemoryError
        return np.ascontiguousarray(X.toarray(), dtype=np.float64)
    except MemoryError:
        raise ValueError(
            f"the sparse matrix has {X.shape[0]} x {X.shape[1]} cells, too many to be held densely, which trees need; "
            "pass the categories themselves instead of their one-hot code, or reduce the columns first"
        ) from None


def _check_columns(model: Any, X: Any, reset: bool) -> list[str]:
    """Let the model take the columns, or check that they are those it knows; return their names, or else numbers."""
    if isinstance(X, Mapping):
        names = [str(name) for name in X]
        if not names:
            raise ValueError("a table must have at least one column")
        if reset:
            model.n_features_in_, model.feature_names_in_ = len(names), np.asarray(names, dtype=object)
        elif names != [str(name) for name in getattr(model, "feature_names_in_", ())]:
            known = getattr(model, "feature_names_in_", None)
            raise ValueError(
                f"the columns are {names}; the model has learned {'no names' if known is None else list(known)}"
            )
        return names
    if not hasattr(X, "shape") or len(X.shape) != 2 or 0 in X.shape:
        check_array(X, dtype=None, ensure_all_finite=False, estimator=model)
    validate_data(model, X, reset=reset, skip_check_array=True)
    return [str(name) for name in getattr(model, "feature_names_in_", range(X.shape[1]))]


def _check_no_infinity(values: Floats, model: Any) -> None:
    if values.size and not math.isfinite(values.sum()) and np.isinf(values).any():
        row, c = np.argwhere(np.isinf(values))[0]
        name = getattr(model, "feature_names_in_", range(values.shape[1]))[c]
        raise ValueError(
            f"Input X contains infinity: feature {name!r} is {values[row, c]} in row {row}; every value must be "
            "finite, or NaN if it is missing"
        )


def drop_weightless(X: Floats, y: Any, sample_weight: npt.ArrayLike | None) -> tuple[Floats, Any, Floats]:
    """Rows of weight zero are as if they had never come; no weights at all come back as an empty array.

    A weight below the least is zero.
    """
    if sample_weight is None:
        return X, y, NO_WEIGHTS
    try:
        if np.asarray(sample_weight).dtype.kind in "mM":
            raise TypeError
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"sample_weight must be numbers, one a row, got {sample_weight!r}") from None
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
    if weights.size and weights.max() > LARGEST_WEIGHT:
        raise ValueError(
            f"sample_weight has a value of {weights.max():g}; weights must not exceed {LARGEST_WEIGHT:g}: divide all "
            "by a constant"
        )
    kept = weights >= LEAST_WEIGHT
    if not kept.all():
        X, y, weights = X[kept], y[kept], weights[kept]
    return np.ascontiguousarray(X), y, np.ascontiguousarray(weights)


class FirstRow(NamedTuple):
    """The very first row of a stream, and what its columns are taken for."""

    names: npt.NDArray[np.object_] | None
    cells: Cells


def first_row(x: object, selection: Selection) -> FirstRow:
    """Return the very first row of a stream; a mapping names the features."""
    names = np.asarray(list(x), dtype=object) if isinstance(x, Mapping) else None
    if names is not None and not all(isinstance(name, str) for name in names):
        raise ValueError(f"the names of features must be strings, got {list(names)!r}; pass a sequence or an array")
    row = _as_sequence(list(x.values()) if isinstance(x, Mapping) else x)
    if len(row) == 0:
        raise ValueError("a row must have at least one feature")
    known = [str(name) for name in (range(len(row)) if names is None else names)]
    chosen = selection.places(len(row), None if names is None else known)
    kinds = ["category" if c in chosen else kind_of_value(row[c], known[c]) for c in range(len(row))]
    return FirstRow(names, RowReader(names, len(row), Columns.of_numbers(len(row)), kinds).cells(x))


class RowReader:
    """Single rows (a mapping, a sequence or a 1-D array) as contiguous float64 vectors of one width."""

    def __init__(
        self, names: npt.NDArray[np.object_] | None, width: int, columns: Columns, kinds: list[str] | None = None
    ) -> None:
        self.names = None if names is None else [str(name) for name in names]
        self.width, self.columns = width, columns
        self._kinds = columns.words if kinds is None else kinds
        self._has_numbers_only = set(self._kinds) <= set(NUMBERS)
        self._values = itemgetter(*self.names) if self.names is not None and width > 1 else None

    def quickly(self, x: object) -> object:
        """Return ``x`` so that the core can take it, if that is quick; the core refuses what it should not take.

        A dictionary that is not in order raises KeyError or TypeError, and reading it with care shows why.
        """
        return array("d", self._values(x)) if type(x) is dict and self._values is not None else x

    def __call__(self, x: object) -> Floats:
        """Return what learners see of ``x``, or raise ValueError with what came and what was expected."""
        row: Floats = self.columns.axes(self.values(x).reshape(1, -1))[0]
        return row

    def values(self, x: object) -> Floats:
        """Return ``x`` as one number a column, NaN where it is missing."""
        row: Floats = self.cells(x).values[0]
        return row

    def cells(self, x: object) -> Cells:
        """Return ``x`` as a table of one row, and what its columns hold."""
        given, kinds = self._given(x), self._kinds
        if len(given) != self.width:
            raise ValueError(f"a row must have {self.width} features, as the rows learned so far; got {len(given)}")
        if self._has_numbers_only and isinstance(given, np.ndarray):
            row = given
        else:
            named = zip(given, kinds, map(self._name, range(self.width)), strict=True)
            read = [read_value(*cell) for cell in named]
            kinds, row = [kind for kind, _ in read], np.array([value for _, value in read], dtype=np.float64)
        if not math.isfinite(row.sum()) and np.isinf(row).any():  # a finite sum is the quick way to know
            bad = int(np.flatnonzero(np.isinf(row))[0])
            raise ValueError(
                f"feature {self._name(bad)} is {row[bad]}; every value must be finite, or NaN if it is missing"
            )
        return Cells(kinds, row.reshape(1, -1))

    def _name(self, index: int) -> str:
        return str(index) if self.names is None else self.names[index]

    def _given(self, x: object) -> Any:
        if isinstance(x, Mapping):
            if self.names is None:
                raise ValueError("this model learned rows without names; pass a sequence or an array, not a mapping")
            try:
                return [x[name] for name in self.names]
            except KeyError as missing:
                raise ValueError(
                    f"the row has no feature {missing}; expected {self.names}. A value that is missing is None or NaN"
                ) from None
        return _as_sequence(x)


def _as_sequence(x: object) -> Any:
    """One row as a list, or as a vector of numbers."""
    row = np.asarray(x)
    if row.ndim != 1:
        raise ValueError(f"a row must be a mapping, a sequence or a 1-D array, got {row.ndim} dimensions")
    if row.dtype.kind in "biuf":
        return np.ascontiguousarray(row, dtype=np.float64)
    return list(x) if isinstance(x, Iterable) else row
