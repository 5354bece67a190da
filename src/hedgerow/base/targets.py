"""The range of numbers that targets may have, and targets that are numbers, checked in one place."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.numeric.arrays import Floats

LEAST_TARGET, LARGEST_TARGET = 1e-100, 1e100
"""Targets are 0 or lie between, whatever their sign; smaller ones are 0. Their squares, weighed and added up over all
rows, and quotients of these, are normal numbers."""


def read_targets(y: Any) -> Floats:
    """Return targets as a vector of numbers, or raise ValueError."""
    check_are_no_dates(y)
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


def check_are_no_dates(y: Any) -> None:
    """Raise ValueError if these are dates, times or spans of time, which NumPy would take for whole numbers."""
    if getattr(getattr(y, "dtype", None), "kind", "f") in "mM":
        raise ValueError(
            f"targets must be numbers, got {y.dtype}; count from a date, such as (y - y.min()) / np.timedelta64(1, 'D')"
        )


def read_target(y: Any) -> float:
    """Return one target as a number, or raise ValueError."""
    try:
        target = float(y)
    except (TypeError, ValueError, OverflowError):
        target = np.nan
    if not abs(target) <= LARGEST_TARGET:
        raise ValueError(f"a target must be a finite number within 1e100 of zero, got {y!r}")
    return target if abs(target) >= LEAST_TARGET else 0.0
