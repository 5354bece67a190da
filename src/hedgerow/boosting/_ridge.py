"""A ridge regression whose leave-one-out residuals come with it, as the prior mean of a boosting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.base.copies import NO_GROUPS, Numbers
from hedgerow.base.rows import Rows
from hedgerow.base.settings import Query
from hedgerow.boosting._stage_data import Honest
from hedgerow.files import Stored
from hedgerow.numeric.arrays import Floats

PENALTIES = 10.0 ** np.arange(-4, 5)
"""Penalties tried, in units of a row's share of the sum of squares."""

LEAST_REST = 1e-9
"""One minus the leverage of a row, at least: below it is rounding; a larger bound would flatter what interpolates."""


@dataclass(frozen=True)
class Ridge:
    """A linear function of standardised columns. Outside the range of the rows it keeps the value at the border.

    Its values are numbers or vectors; slopes then have a column for each component.
    """

    centre: Floats
    scale: Floats
    lower: Floats
    upper: Floats
    slopes: Floats
    intercept: Floats
    penalty: float

    kind = "linear"
    n_trees = 0

    @classmethod
    def fitted(cls, rows: Rows, groups: Numbers, blocks: Numbers, n_blocks: int) -> tuple[Ridge, Honest]:
        """Return a stage that has learned, and what it predicts for each row without it, and without its block."""
        weights = rows.weights if rows.weights.size else np.ones(rows.X.shape[0])
        ridge, residuals = fit_ridge(rows.X, rows.y, weights, groups)
        without = without_blocks(ridge, rows.X, rows.y, weights, blocks, n_blocks) if n_blocks else None
        return ridge, Honest(rows.y - residuals, None, without)

    @property
    def label_shape(self) -> tuple[int, ...]:
        """Shape of its values."""
        return self.slopes.shape[1:]

    def explained(self, total_weight: float) -> Floats:
        """How much of the labels' squares each column explains."""
        squares: Floats = total_weight * (self.slopes.reshape(self.slopes.shape[0], -1) ** 2).sum(axis=1)
        return squares

    def moments(self, X: Floats, query: Query) -> tuple[Floats, None]:
        """Values at rows, without variances."""
        return self(X), None

    def moments_then_learn(self, rows: Rows, query: Query) -> tuple[Floats, None]:
        """The same: nothing is learned before everything is learned anew."""
        return self(rows.X), None

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return dict(vars(self))

    def __call__(self, X: Floats) -> Floats:
        """Values at rows."""
        inside = np.clip(X, self.lower, self.upper)
        standardised = (inside - self.centre) / self.scale
        # Not a product of matrices: its last bits depend on how many rows there are.
        slopes = self.slopes.reshape(X.shape[1], -1).T
        values = np.column_stack([(standardised * column).sum(axis=1) for column in slopes])
        total: Floats = self.intercept + values.reshape(X.shape[0], *self.slopes.shape[1:])
        return total

    @classmethod
    def from_state(cls, stored: Stored, width: int, shape: tuple[int, ...]) -> Ridge:
        """Take back its parts; `shape` is that of its values."""
        centre, scale, lower, upper = (stored.array(name, (width,)) for name in ("centre", "scale", "lower", "upper"))
        if (scale <= 0).any():
            raise ValueError("the scale of its linear part is not positive")
        slopes, intercept = stored.array("slopes", (width, *shape)), np.asarray(stored.any("intercept"))
        if intercept.shape != shape or intercept.dtype != np.float64 or not np.isfinite(intercept).all():
            raise ValueError("the intercept of its linear part is not finite, or has another shape")
        return cls(centre, scale, lower, upper, slopes, intercept, stored.number("penalty", least=0.0))


def fit_ridge(X: Floats, y: Floats, weights: Floats, groups: Numbers = NO_GROUPS) -> tuple[Ridge, Floats]:
    """Return the ridge regression whose leave-one-out error is smallest, and its leave-one-out residuals.

    With the singular values of the standardised columns every penalty costs little, and leaving row i out costs
    nothing: its residual is the plain one over 1 - h_i, h the diagonal of the hat matrix. A row is left out whole,
    whatever its weight, and its copies with it, rows of one group: the h_i of a group are added up.
    """
    share = weights / weights.sum()
    lower, upper = X.min(axis=0), X.max(axis=0)
    centre, scale, gaps = standardised(X, share)
    targets = y.reshape(y.shape[0], -1)
    mean = share @ targets
    root = np.sqrt(weights)[:, None]
    U, singular, V = _decomposed(root * gaps)
    projected = U.T @ (root * (targets - mean))
    best = np.inf, np.zeros((X.shape[1], mean.size)), targets - mean, np.inf
    for penalty in PENALTIES * weights.sum() / 100.0:
        kept = singular**2 / (singular**2 + penalty)
        fitted = (U * kept) @ projected / root
        leverage = (U**2) @ kept + share
        if groups.size:
            leverage = np.bincount(groups, weights=leverage)[groups]
        residuals = (targets - mean - fitted) / np.maximum(1.0 - leverage, LEAST_REST)[:, None]
        error = float((share @ residuals**2).sum())
        if error < best[0]:
            best = error, V @ ((kept / singular)[:, None] * projected), residuals, penalty
    shape = y.shape[1:]
    slopes, intercept, penalty = best[1].reshape(X.shape[1], *shape), mean.reshape(shape), float(best[3])
    ridge = Ridge(centre, scale, lower, upper, slopes, intercept, min(penalty, np.finfo(np.float64).max))
    return ridge, best[2].reshape(y.shape)


def without_blocks(ridge: Ridge, X: Floats, y: Floats, weights: Floats, blocks: Numbers, n_blocks: int) -> Floats:
    """The same ridge's predictions for the rows of each block, learned from all others; zeros for rows in no block."""
    columns = (np.clip(X, ridge.lower, ridge.upper) - ridge.centre) / ridge.scale
    targets = y.reshape(y.shape[0], -1)
    found = np.zeros_like(targets)
    for block in range(n_blocks):
        out = blocks == block
        kept = np.where(out, 0.0, weights)
        total = kept.sum()
        if not total > 0.0:
            continue
        centre, mean = kept @ columns / total, kept @ targets / total
        gaps = columns - centre
        scaled = gaps * kept[:, None]
        square = scaled.T @ gaps
        square[np.diag_indices_from(square)] += ridge.penalty
        slopes = np.linalg.lstsq(square, scaled.T @ (targets - mean), rcond=None)[0]
        inside = np.clip(columns[out], columns[kept > 0.0].min(axis=0), columns[kept > 0.0].max(axis=0))
        found[out] = mean + (inside - centre) @ slopes
    return found.reshape(y.shape)


def standardised(X: Floats, share: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean and standard deviation of each column, and the columns in these units.

    A column that does not vary, or so much that no number measures it, is all zeros, about 0 and in units of 1.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        centre = share @ X
        widest = np.abs(X - centre).max(axis=0)
    varies = (widest > 0.0) & np.isfinite(widest)
    centre, widest = np.where(varies, centre, 0.0), np.where(varies, widest, 1.0)
    gaps = np.where(varies, (X - centre) / widest, 0.0)
    spread = np.sqrt(share @ gaps**2)  # in units of the widest gap, so that its square is a number
    varies &= spread > 0.0
    spread = np.where(varies, spread, 1.0)
    return centre, widest * spread, np.where(varies, gaps / spread, 0.0)


def _decomposed(A: Floats) -> tuple[Floats, Floats, Floats]:
    """U, s and V with A = U diag(s) V', from the smaller of the two products of A with itself, which is cheap.

    Singular values below a ten-millionth of the largest are left out.
    """
    is_tall = A.shape[0] >= A.shape[1]
    squares, vectors = np.linalg.eigh(A.T @ A if is_tall else A @ A.T)
    kept = squares > 1e-14 * squares[-1]
    singular, vectors = np.sqrt(squares[kept]), vectors[:, kept]
    others = (A @ vectors if is_tall else A.T @ vectors) / singular
    return (others, singular, vectors) if is_tall else (vectors, singular, others)
