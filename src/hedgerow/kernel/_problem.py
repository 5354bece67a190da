"""What is to be learned, in the units of the core, and what the criteria make of a solution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats

Columns = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class Problem:
    """Rows to learn from and, behind them, rows to be predicted only: those of a validation set. None has copies.

    Targets are centred and scaled; `scale` is what one unit of theirs is to the user.
    """

    points: Floats
    targets: Floats
    weights: Floats
    n_unseen: int
    n_trees: int
    seed: int
    n_threads: int
    scale: float = 1.0

    @property
    def n(self) -> int:
        """Rows to learn from."""
        return self.targets.size - self.n_unseen

    @property
    def roots(self) -> Floats:
        """Square roots of weights: the diagonal of S."""
        return np.sqrt(self.weights[: self.n])

    @property
    def scaled(self) -> Floats:
        """Targets S y."""
        return self.roots * self.targets[: self.n]

    @property
    def total_weight(self) -> float:
        """Rows, counted with their weights."""
        return float(self.weights[: self.n].sum())

    @property
    def unseen(self) -> tuple[Floats, Floats]:
        """Targets and weights of the rows behind."""
        return self.targets[self.n :], self.weights[self.n :]


class Criteria(NamedTuple):
    """How good solutions are, each an array; with `alpha` they are all that the choice looks at.

    `fit` is y' S B^-1 S y and `log_determinant` that of B = S K S + alpha I; `leave_one_out` and `validation` are
    weighted sums of squared errors.
    """

    fit: Floats
    log_determinant: Floats
    leave_one_out: Floats
    validation: Floats

    def log_likelihood(self, alpha: Floats | float, n: int, total_weight: float) -> Floats:
        """Log marginal likelihood at the signal variance that maximises it.

        Weights add up to the number of rows, copies counted once. Each copy more is a
        factor alpha of the determinant. Half the sum of the logarithms of weights is left out: nothing is chosen by it.
        """
        determinant = self.log_determinant + (total_weight - n) * np.log(alpha)
        variance = signal_variance(self.fit, total_weight)
        value: Floats = -0.5 * (total_weight * (np.log(2.0 * math.pi * variance) + 1.0) + determinant)
        return value


def signal_variance(fit: npt.ArrayLike, total_weight: float) -> Floats:
    """Most likely variance of the function; above zero for targets that are all equal."""
    return np.maximum(np.asarray(fit) / total_weight, 1e-24)


def left_out(
    solution: Floats, diagonal: Floats, weights: Floats, together: Floats, alpha: float
) -> tuple[Floats, Floats]:
    """Errors of the mean at each row had it not been learned, times S, and variances of the function there.

    Row n of B^-1 gives the prediction by the others: it misses its target by (B^-1 S y)_n / (B^-1)_nn, in units of
    S, and 1 / (B^-1)_nn is the variance of the scaled target. Copies of a row are left out with it, `together` is
    the weight of all: one that stays would take from the error and the variance what it explains of them.
    """
    variances, others = np.maximum(1.0 / diagonal - alpha, 0.0) / weights, np.maximum(together - weights, 0.0)
    grown = alpha / np.maximum(alpha - others * variances, alpha**2 / (alpha + others))
    return solution / diagonal * grown, variances * grown


def n_used(columns: Columns, n_columns: int) -> int:
    """How many cells have one of these rows in them."""
    return int(np.count_nonzero(np.bincount(columns.ravel(), minlength=n_columns)))
