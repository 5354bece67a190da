"""The range of numbers that targets may have, and targets that are numbers, checked in one place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hedgerow.base.columns.table import is_missing
from hedgerow.numeric.arrays import Floats

LEAST_TARGET, LARGEST_TARGET = 1e-100, 1e100
"""Targets are 0 or lie between, whatever their sign; smaller ones are 0. Their squares, weighed and added up over all
rows, and quotients of these, are normal numbers."""


def read_targets(y: Any) -> Floats:
    """Return targets as a vector of numbers, or raise ValueError."""
    check_are_numbers(y)
    try:
        targets = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"a target must be a number within 1e100 of zero, got {y!r}") from None
    sizes = np.abs(targets)
    if not (sizes <= LARGEST_TARGET).all():
        bad = targets[~(sizes <= LARGEST_TARGET)]
        raise ValueError(
            f"targets must be finite and within 1e100 of zero, and {bad.size} of {targets.size} are not (the first is "
            f"{bad.flat[0]:g}); divide y by a constant"
        )
    small = sizes < LEAST_TARGET
    return np.where(small, 0.0, targets) if small.any() else targets


def check_are_numbers(y: Any) -> None:
    """Raise ValueError if some of these are missing, text, or dates, which NumPy would take for whole numbers.

    What is wrong in another way is left to others.
    """
    if getattr(getattr(y, "dtype", None), "kind", "f") in "mM":
        raise ValueError(
            f"targets must be numbers, got {y.dtype}; count from a date, such as (y - y.min()) / np.timedelta64(1, 'D')"
        )
    try:
        given = np.asarray(y)
    except ValueError:  # lists of different lengths
        return
    if given.size == 0 or given.ndim == 0 or given.dtype.kind not in "fOUS":
        return
    rows = given.reshape(len(given), -1)
    if given.dtype.kind == "f":
        lacking = np.flatnonzero(np.isnan(rows).any(axis=1))
    else:
        lacking = np.flatnonzero(
            [any(_is_missing(value, row) for value in rows[row].tolist()) for row in range(len(rows))]
        )
    if lacking.size:
        raise ValueError(
            f"Input y contains NaN: the targets of {lacking.size} of {len(rows)} rows are missing, the first in row "
            f"{lacking[0]}; leave these rows out"
        )


def _is_missing(value: Any, row: int) -> bool:
    """Whether there is no target; raises ValueError if there is one that is no number."""
    try:
        return is_missing(value) or math.isnan(float(value))
    except (TypeError, ValueError):
        raise ValueError(
            f"targets must be numbers, got {value!r} in row {row}; classes are learned by a classifier"
        ) from None
    except OverflowError:  # too large, which is refused later
        return False


def read_target(y: Any) -> float:
    """Return one target as a number, or raise ValueError."""
    try:
        target = float(y)
    except (TypeError, ValueError, OverflowError):
        target = np.nan
    if not abs(target) <= LARGEST_TARGET:
        raise ValueError(f"a target must be a finite number within 1e100 of zero, got {y!r}")
    return target if abs(target) >= LEAST_TARGET else 0.0
