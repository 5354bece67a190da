"""Tables with values taken out: at random, or where they are large."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.tables.data import Frames

SHARE = 0.2


def at_random(data: Frames, seed: int) -> Frames:
    """Take out a fifth of all values, whatever they are."""
    rng = np.random.default_rng([seed, 1])
    X, X_test = (_without(rows, rng.uniform(size=rows.shape) < SHARE) for rows in (data.X, data.X_test))
    return replace(data, X=X, X_test=X_test)


def where_large(data: Frames, seed: int) -> Frames:
    """Take out every second value among the largest two fifths of each column of numbers: a fifth of these too."""
    rng = np.random.default_rng([seed, 2])
    numbers = [pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind) for kind in data.X.dtypes]
    borders = data.X.loc[:, numbers].quantile(1.0 - 2.0 * SHARE)

    def thinned(X: pd.DataFrame) -> pd.DataFrame:
        out = np.zeros(X.shape, dtype=bool)
        out[:, numbers] = X.loc[:, numbers].to_numpy(np.float64, na_value=np.nan) > borders.to_numpy(np.float64)
        return _without(X, out & (rng.uniform(size=X.shape) < 0.5))

    return replace(data, X=thinned(data.X), X_test=thinned(data.X_test))


def _without(X: pd.DataFrame, out: np.ndarray) -> pd.DataFrame:
    """Return the rows with these values missing; types that have no missing value become ones that do."""
    able = {np.dtype(bool): "boolean", np.dtype(np.int64): "float64"}
    return X.astype({name: able[kind] for name, kind in X.dtypes.items() if kind in able}).mask(out)


DAMAGES: dict[str, Callable[[Frames, int], Frames]] = {"at random": at_random, "where large": where_large}
