"""A real table: numbers and flags that may be missing, categories few and many, dates. Rows of it, and parts of it."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas

from models import Case, draw_labels

Table = dict[str, list[Any]]


def draw_table(n: int = 100, seed: int = 0) -> tuple[Table, Any]:
    """Return columns of Python values, and targets that depend on all of them.

    The first row is complete. A value of "late" is missing first in the middle, and some of "many" come late.
    """
    rng = np.random.default_rng(seed)
    size, late = rng.uniform(size=n), rng.normal(size=n)
    few, many = rng.integers(0, 3, n), rng.integers(0, 4 + np.arange(n) // 5)
    hours = np.sort(rng.integers(0, 9000, n))
    flag = rng.uniform(size=n) < 0.5
    y = 3.0 * (size > 0.5) + late + few + np.sin(many) + np.cos(hours / 24 * 2 * np.pi) + flag
    gaps = {"size": rng.uniform(size=n) < 0.2, "late": rng.uniform(size=n) < 0.3, "few": rng.uniform(size=n) < 0.1}
    gaps |= {"when": rng.uniform(size=n) < 0.1, "flag": rng.uniform(size=n) < 0.1}
    gaps["late"][: n // 2] = False
    start = datetime.datetime(2024, 1, 1)
    table: Table = {
        "size": size.tolist(),
        "late": late.tolist(),
        "few": [("red", "green", "blue")[k] for k in few],
        "many": [f"level {k}" for k in many],
        "when": [start + datetime.timedelta(hours=int(hour)) for hour in hours],
        "flag": flag.tolist(),
    }
    for name, is_missing in gaps.items():
        is_missing[0] = False
        table[name] = [None if gap else value for value, gap in zip(table[name], is_missing, strict=True)]
    return table, y + rng.normal(scale=0.2, size=n)


def table_of(case: Case, n: int = 100, seed: int = 0) -> tuple[Table, Any]:
    """Return a table and targets, or labels, of the kind that the model takes."""
    table, y = draw_table(n, seed)
    if case.classes:
        return table, draw_labels(np.column_stack([y / 5, 100 * y]), seed)
    if "two targets" in case.name:
        return table, np.column_stack([y, 3.0 - 2.0 * y + np.sin(np.arange(n))])
    return table, np.round(np.abs(y) * 3) + 1 if case.parameters.get("target") in ("positive", "count") else y


def part(table: Table, which: slice) -> Table:
    return {name: values[which] for name, values in table.items()}


def rows(table: Table) -> list[dict[str, Any]]:
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def array(table: Table) -> Any:
    """Return an array of objects, which has no names."""
    return np.array([list(row) for row in zip(*table.values(), strict=True)], dtype=object)


def frame(table: Table) -> pandas.DataFrame:
    """Return a frame with types, such as one read from a file."""
    types = {"size": float, "late": float, "few": "category", "many": "string", "flag": "boolean"}
    return pandas.DataFrame(table).astype({**types, "when": "datetime64[us]"})
