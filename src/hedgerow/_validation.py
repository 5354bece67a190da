"""What users hand in, turned into what the core takes, or refused with a sentence that helps."""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Mapping
from numbers import Integral, Real
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
NO_WEIGHTS: Floats = np.empty(0)


def check_integer(name: str, value: object, least: int) -> None:
    """Raise ValueError unless ``value`` is an integer of at least ``least``."""
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}")


def check_positive(name: str, value: object, or_none: bool = False, or_infinite: bool = False) -> None:
    """Raise ValueError unless ``value`` is a positive number."""
    if or_none and value is None:
        return
    fits = isinstance(value, Real) and not isinstance(value, bool) and float(value) > 0
    if not fits or not (or_infinite or math.isfinite(float(value))):  # type: ignore[arg-type]
        raise ValueError(f"{name} must be a positive number{' or None' if or_none else ''}, got {value!r}")


def check_within(name: str, value: object, least: float, most: float, words: str) -> None:
    """Raise ValueError unless ``value`` is a finite number from ``least`` to ``most``; ``words`` say so."""
    is_number = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(float(value))
    if not is_number or not least <= float(value) <= most:  # type: ignore[arg-type]
        raise ValueError(f"{name} must be a number {words}, got {value!r}")


def n_threads_of(n_jobs: int | None) -> int:
    """scikit-learn's ``n_jobs`` as a number of threads: None is one, -1 all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None, a number of threads or -1 for all cores, got {n_jobs!r}")
    if n_jobs > 0:
        return int(n_jobs)
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, n_cores + 1 + int(n_jobs))


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
