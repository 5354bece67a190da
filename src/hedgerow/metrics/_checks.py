"""What scores are computed from, checked: targets, intervals, weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.predictive._distribution import confidence_of


def checked_vector(name: str, values: npt.ArrayLike, n_rows: int | None = None, missing: bool = False) -> Floats:
    """Return numbers, one a row; NaN only if `missing` allows rows without one."""
    vector = floats_of(name, values)
    if vector.ndim != 1 or (n_rows is not None and vector.size != n_rows):
        expected = "one number a row" if n_rows is None else f"one number for each of the {n_rows} rows"
        raise ValueError(f"{name} must have {expected}, got an array of shape {vector.shape}")
    refused = np.isinf(vector) if missing else ~np.isfinite(vector)
    if refused.any():
        raise ValueError(f"{name}[{np.flatnonzero(refused)[0]}] is {vector[refused][0]}; every value must be finite")
    return vector


def checked_interval(interval: npt.ArrayLike, n_rows: int) -> Floats:
    """Return intervals of shape (n, 2), lower ends first. Ends may be infinite."""
    ends = floats_of("interval", interval)
    if ends.shape != (n_rows, 2):
        raise ValueError(
            f"interval must have shape ({n_rows}, 2), a lower and an upper end for each row, got {ends.shape}"
        )
    wrong = ~(ends[:, 0] <= ends[:, 1])
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"the interval of row {row} is [{ends[row, 0]}, {ends[row, 1]}]; the lower end must not be above the "
            "upper one, and neither may be NaN"
        )
    return ends


def checked_weights(sample_weight: npt.ArrayLike | None, n_rows: int) -> Floats:
    """Return a weight for each row: 1 if none are given."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = checked_vector("sample_weight", sample_weight, n_rows)
    if (weights < 0).any():
        raise ValueError(f"sample_weight has {int((weights < 0).sum())} negative values; weights must not be negative")
    return weights


def check_confidence(confidence: Any) -> float:
    """Return the confidence as a number strictly between 0 and 1."""
    return confidence_of(confidence)


def check_some_weight(weights: Floats) -> None:
    """Raise ValueError where there is nothing to take a mean of."""
    if not weights.sum() > 0:
        raise ValueError("there is no row to score" if weights.size == 0 else "every sample_weight is zero")


def floats_of(name: str, values: npt.ArrayLike) -> Floats:
    """Return an array of numbers, or raise ValueError."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must hold numbers, got {type(values).__name__}") from None
