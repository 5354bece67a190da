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


ALTERNATIVES: dict[str, Callable[[Frames], Frames]] = {"codes and medians": plain_numbers}
"""By name. Each is compared with giving boosting the table as it is."""
