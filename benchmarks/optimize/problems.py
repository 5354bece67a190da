"""Functions to minimise: Branin and Hartmann's, whole and on grids, and two tables of measured settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

N_GRID = 250_000
HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
WIDTHS = np.array(
    [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
)
CENTRES = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)
DEEPEST = {
    "Branin": ((math.pi + 5) / 15, 2.275 / 15),
    "Hartmann6": (0.20168952, 0.15001069, 0.47687398, 0.27533243, 0.31165162, 0.65730054),
}


@dataclass(frozen=True)
class Problem:
    """A function on the unit cube, or on whole numbers from 0, and the least value that it has."""

    name: str
    function: Callable[[Sequence[float]], float]
    levels: tuple[int | None, ...]
    """For each parameter how many whole numbers it takes, or None for the unit interval."""
    least: float
    nearest: Callable[[Sequence[float]], Iterator[Sequence[float]]] | None = None
    """The places of a grid, nearest first; None where all places may be tried."""
    places: Any = None
    """All places of a grid, in no order."""


def branin(x: Sequence[float]) -> float:
    a, b = 15 * x[0] - 5, 15 * x[1]
    hill = (b - 5.1 / (4 * math.pi**2) * a**2 + 5 / math.pi * a - 6) ** 2
    return hill + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10


def hartmann(x: Sequence[float]) -> float:
    return -float(HEIGHTS @ np.exp(-(WIDTHS * (np.asarray(x) - CENTRES) ** 2).sum(axis=1)))


def continuous() -> list[Problem]:
    """Return the two functions on their whole domain."""
    return [
        Problem("Branin", branin, (None,) * 2, branin(DEEPEST["Branin"])),
        Problem("Hartmann6", hartmann, (None,) * 6, hartmann(DEEPEST["Hartmann6"])),
    ]


def on_grid(problem: Problem, seed: int) -> Problem:
    """Take the function only at 250,000 places: all random, but for the one where it is least."""
    rng = np.random.default_rng(seed)
    places = np.vstack([DEEPEST[problem.name], rng.random((N_GRID - 1, len(problem.levels)))])
    tree = cKDTree(places)

    def nearest(x: Sequence[float]) -> Iterator[Sequence[float]]:
        n_told = 0
        for n in (1, 4, 16, 256):
            found = np.atleast_1d(tree.query(x, k=n)[1])
            yield from places[found[n_told:]]
            n_told = n

    def function(x: Sequence[float]) -> float:
        return problem.function(next(nearest(x)))

    return Problem(f"{problem.name}, grid", function, problem.levels, problem.least, nearest, places)


def tables(folder: Path | None) -> list[Problem]:
    """Return SVM-grid and LDA-grid, if they are there."""
    found = []
    for name, file in (("SVM-grid", "svm_grid.parquet"), ("LDA-grid", "lda_grid.parquet")):
        if folder is not None and (folder / file).exists():
            found.append(_table(name, folder / file))
    return found


def _table(name: str, path: Path) -> Problem:
    import pyarrow.parquet as parquet

    table: Any = parquet.read_table(path)
    names = table.column_names
    settings = names[: names.index("target")]
    columns = [np.unique(table[column].to_numpy(), return_inverse=True) for column in settings]
    target = table["target"].to_numpy()
    places = zip(*(places.tolist() for _, places in columns), strict=True)
    values = dict(zip(places, target.tolist(), strict=True))
    levels = tuple(len(levels) for levels, _ in columns)
    if len(values) != math.prod(levels):
        raise ValueError(f"{path} is no full grid: {len(values)} settings of {levels}")
    return Problem(name, lambda x: values[tuple(int(k) for k in x)], levels, float(target.min()))
