"""Targets that are numbers, checked in one place."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.numeric.arrays import Floats

LARGEST_TARGET = 1e150
"""Targets further than this from zero would overflow when squared."""


def read_targets(y: Any) -> Floats:
    """Return targets as a vector of numbers, or raise ValueError."""
    try:
        targets = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"a target must be a number, got {y!r}") from None
    if targets.size and not np.abs(targets).max() <= LARGEST_TARGET:
        raise ValueError("targets must be finite and within 1e150 of zero; divide y by a constant")
    return targets


def read_target(y: Any) -> float:
    """Return one target as a number, or raise ValueError."""
    try:
        target = float(y)
    except (TypeError, ValueError):
        raise ValueError(f"a target must be a number, got {y!r}") from None
    if not abs(target) <= LARGEST_TARGET:
        raise ValueError(f"a target must be a finite number within 1e150 of zero, got {y!r}")
    return target
