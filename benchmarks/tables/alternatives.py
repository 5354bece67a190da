"""Other ways to make numbers of a table before a model sees it, each a function of the rows to learn and to ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.tables.data import Frames
from benchmarks.tables.peers import Levels, categories, without_dates


def plain_numbers(data: Frames) -> Frames:
    """Return as many columns of plain numbers: codes in the order of the alphabet, days, medians where missing."""
    X, X_test = (without_dates(rows, ("days",)) for rows in (data.X, data.X_test))
    levels, names = Levels(X), categories(X)

    def coded(rows: pd.DataFrame) -> pd.DataFrame:
        known = levels(rows)
        return rows.assign(**{name: known[name].cat.codes for name in names}).astype(np.float64)

    middle = coded(X).median().fillna(0.0)
    return replace(data, X=coded(X).fillna(middle), X_test=coded(X_test).fillna(middle))


def drawn_values(data: Frames) -> Frames:
    """Return numbers drawn from their column where they are missing, so that a cut sends a hole to a random side."""
    rng = np.random.default_rng(0)

    def filled(rows: pd.DataFrame) -> pd.DataFrame:
        def fill(column: pd.Series) -> pd.Series:
            known, holes = data.X[column.name].dropna().to_numpy(), column.isna().to_numpy()
            values = column.astype(np.float64).to_numpy(copy=True)
            values[holes] = rng.choice(known, holes.sum()) if known.size else 0.0
            return pd.Series(values, index=column.index)

        return rows.assign(**{str(name): fill(rows[name]) for name in _numbers(rows)})

    return replace(data, X=filled(data.X), X_test=filled(data.X_test))


def below_all_values(data: Frames) -> Frames:
    """Return a number below all others of its column where one is missing: holes have a side, and no axis."""
    numbers = _numbers(data.X)
    least, most = data.X[numbers].min(), data.X[numbers].max()
    outside = (least - 0.5 * (most - least)).fillna(0.0).astype(np.float64).to_dict()
    X, X_test = (rows.astype(dict.fromkeys(numbers, np.float64)).fillna(outside) for rows in (data.X, data.X_test))
    return replace(data, X=X, X_test=X_test)


def _numbers(X: pd.DataFrame) -> list[str]:
    return [str(name) for name, column in X.items() if column.dtype.kind in "iuf"]


ALTERNATIVES: dict[str, Callable[[Frames], Frames]] = {
    "codes and medians": plain_numbers,
    "holes drawn to a random side": drawn_values,
    "holes below all values": below_all_values,
}
"""By name. Each is compared with giving boosting the table as it is."""
