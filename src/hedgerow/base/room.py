"""How much memory a model takes that keeps its rows, and how many rows fit into an amount."""

from __future__ import annotations

import math
import re
from typing import Any

from hedgerow.numeric.whole import is_whole

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
PROCESS = 330_000_000
"""Bytes of Python and the libraries, whatever the rows."""
ROW_IN_TREE = 80
CELL_IN_TREE = 3
"""Bytes at the peak of a fit of a Mondrian forest: a row in each tree, and each of its columns."""
CELL = 110
"""Bytes of a value in the table and in its copies, while a model is fitted."""
TIMES = {("boosting", "regression"): 2.5, ("boosting", "classification"): 5.0, ("forest", "classification"): 2.0}
"""What other models take, as multiples of a forest."""
FEWEST = 100
"""Rows below which it is not worth while to learn."""


def read_amount(amount: Any) -> int:
    """Return a number of bytes, or an amount such as "4GB", "500 MB" or "2.5G", in bytes; ValueError if it is none."""
    if is_whole(amount) and amount > 0:
        return int(amount)
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kmgt]?)i?b?\s*", amount.lower()) if isinstance(amount, str) else None
    if not found:
        raise ValueError(f"an amount of memory is such as 4GB or 500MB, got {amount!r}")
    return int(float(found[1]) * UNITS[found[2]])


def bytes_a_row(model: str, task: str, n_trees: int, n_columns: int) -> float:
    """Return what a row takes at the peak of a fit: model is "forest" or "boosting", else only the table counts."""
    return n_columns * CELL + n_trees * tree_bytes_a_row(model, task, n_columns)


def tree_bytes_a_row(model: str, task: str, n_columns: int) -> float:
    """Return what a row takes in one of the trees."""
    return TIMES.get((model, task), 1.0) * (ROW_IN_TREE + CELL_IN_TREE * n_columns)


def rows_within(n_bytes: int, per_row: float) -> int:
    """Return how many rows fit; ValueError if it is not worth while."""
    n = int((n_bytes - PROCESS) / per_row)
    if n < FEWEST:
        least = math.ceil((PROCESS + FEWEST * per_row) / 1e6)
        raise ValueError(f"too small to learn anything: {least} MB are the least for this table")
    return n
