"""Columns that stages see besides those that came: projections onto the directions in which labels change most.

Trees cut one column at a time, and kernels that add up distances column by column see rows as trees do. Where labels
follow a sum or a difference of columns, both need many cuts for what is one in the right direction. Such directions are
the leading eigenvectors of the mean outer product of the gradients of a first regression (Trivedi et al. 2014;
Radhakrishnan et al. 2024; for Mondrian forests Baptista, O'Reilly and Xie 2024). That regression is the kernel stage,
and a second one, which sees the projections too, shows by its leave-one-out error whether they pay.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.base.rows import Floats, Rows
from hedgerow.boosting._chains import Making
from hedgerow.boosting._kernel_stage import KernelStage
from hedgerow.boosting._ridge import standardised
from hedgerow.files import Stored
from hedgerow.numeric.blas import one_blas_thread

N_DIRECTIONS = 3
MOST_COLUMNS = 200
"""With more columns no directions are looked for."""

FEWEST_ROWS, MOST_ROWS = 150, 1500
N_LANDMARKS = 400
N_GRADIENTS = 600

STEP = 0.25
"""Slopes are those of secants, so many standard deviations to either side."""

LEAST_GAIN, SURE = 0.06, 2.0
"""Share of the mean square that directions must take away, which is also so many times its standard error.

They have seen the labels, so less may be luck.
"""

FARTHEST = 1e6
"""Standard deviations from the middle at which columns end."""


@dataclass(frozen=True)
class Directions:
    """Unit vectors in the space of the first columns of rows, in units of these columns' standard deviations."""

    centre: Floats
    scale: Floats
    vectors: Floats  # (direction, column); there may be no directions

    @property
    def n(self) -> int:
        """How many there are."""
        return int(self.vectors.shape[0])

    @property
    def n_columns(self) -> int:
        """How many columns are looked at."""
        return int(self.centre.size)

    def beside(self, X: Floats) -> Floats:
        """Return rows with their projections as further columns."""
        if not self.n:
            return X
        with np.errstate(over="ignore"):
            columns = np.clip((X[:, : self.n_columns] - self.centre) / self.scale, -FARTHEST, FARTHEST)
        # Not a product of matrices: its last bits depend on how many rows there are.
        return np.column_stack([X, *((columns * vector).sum(axis=1) for vector in self.vectors)])

    def shared_out(self, explained: Floats) -> Floats:
        """Return what columns explain, given what these and the projections do."""
        if not self.n:
            return explained
        found = explained[: -self.n].copy()
        found[: self.n_columns] += explained[-self.n :] @ self.vectors**2
        return found

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return dict(vars(self))

    @classmethod
    def from_state(cls, stored: Stored, n_columns: int) -> Directions:
        """Take back what `state` gave, for rows with so many columns of numbers."""
        centre, scale = (stored.array(name, (n_columns,)) for name in ("centre", "scale"))
        vectors = stored.array("vectors", (None, n_columns))
        if not (scale > 0.0).all() or vectors.shape[0] > N_DIRECTIONS or (np.abs(vectors) > 1.0 + 1e-9).any():
            raise ValueError("its directions are too many, or not unit vectors")
        return cls(centre, scale, vectors)


def no_directions(n_columns: int) -> Directions:
    """Return what leaves rows with so many columns of numbers as they are."""
    return Directions(np.zeros(n_columns), np.ones(n_columns), np.empty((0, n_columns)))


def learn_directions(rows: Rows, making: Making, n_columns: int) -> Directions:
    """Learn directions in the space of the first columns, which hold numbers; none if these do not pay."""
    if making.copies.n_units < FEWEST_ROWS or not 2 <= n_columns <= MOST_COLUMNS or not rows.y.size:
        return no_directions(n_columns)
    rng = np.random.default_rng([making.seed, 8])
    units = making.units_of(rows)[0]
    some = units.part(np.sort(rng.choice(units.X.shape[0], min(units.X.shape[0], MOST_ROWS), replace=False)))
    n = some.X.shape[0]
    share = some.weights / some.weights.sum() if some.weights.size else np.full(n, 1.0 / n)
    plain, squares = _regression(some, making)
    error = float(share @ squares)
    if not error > 0.0:
        return no_directions(n_columns)
    centre, scale, _ = standardised(some.X[:, :n_columns], share)
    gradients = plain.secants(some.X[rng.permutation(n)[:N_GRADIENTS]], STEP * scale)
    with one_blas_thread():
        vectors = np.linalg.eigh(gradients.T @ gradients)[1].T[::-1][:N_DIRECTIONS]
    found = Directions(centre, scale, np.ascontiguousarray(vectors))
    gains = (squares - _regression(some._replace(X=found.beside(some.X)), making)[1]) / error
    gain = float(share @ gains)
    luck = math.sqrt(float(share**2 @ (gains - gain) ** 2))
    return found if gain > max(LEAST_GAIN, SURE * luck) else no_directions(n_columns)


def _regression(rows: Rows, making: Making) -> tuple[KernelStage, Floats]:
    """Return a kernel regression, and the squares of its leave-one-out residuals."""
    n = rows.X.shape[0]
    no_blocks = np.zeros(n, dtype=np.uint32)
    stage, honest = KernelStage.fitted(rows, no_blocks, 0, making.rates_from(rows), making.seed, N_LANDMARKS)
    return stage, ((rows.y - honest.mean) ** 2).reshape(n, -1).sum(axis=1)
