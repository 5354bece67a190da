"""What a small forest says of rows that may be among those it was learned from."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow._copies import prints_of

Floats = npt.NDArray[np.float64]


def said_of(forest: Any, X: Floats) -> Floats:
    """Means; columns that have come since the forest was learned are not looked at."""
    means: Floats = forest.predict(np.ascontiguousarray(X[:, : forest.n_features_in_]))
    return means


def said_without(forest: Any, X: Floats) -> Floats:
    """Return the same, of rows that the forest has learned as it would be without each.

    Cores keep rows in single precision, so rows are known again by rounded values.
    """
    found, own, width = said_of(forest, X), forest._core.row_values(), forest._core.width
    span = np.maximum(np.ptp(own, axis=0), np.finfo(np.float64).tiny)
    of_own, asked = (prints_of(np.round((rows[:, :width] - own[0]) / span * 2**14)) for rows in (own, X))
    order = np.argsort(of_own, kind="stable")
    at = np.searchsorted(of_own[order], asked).clip(max=of_own.size - 1)
    is_own = of_own[order][at] == asked
    found[is_own] = forest.loo_predict().mean[order[at[is_own]]]
    return found
