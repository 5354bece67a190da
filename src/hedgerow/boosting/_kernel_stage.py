"""A stage that is a ridge regression on the kernels of rows at some of them, in learned units.

The kernel of two rows falls with the distance between them, added up over the columns in units that a Mondrian forest
has learned: with the exponential of the distance (the Laplace kernel, which is that of Mondrian trees of a fixed
lifetime: Balog et al. 2016), or with 1 / (1 + distance), which a sum of many Mondrian hierarchies tends to. Rows are
projected onto the kernels at landmarks (Williams and Seeger 2001). What is predicted of a row without its own label
comes from its leverage, as for any ridge regression.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist

from hedgerow import _core
from hedgerow.base.copies import NO_GROUPS, Numbers
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.boosting._ridge import LEAST_REST
from hedgerow.boosting._stage_data import Honest
from hedgerow.files import Stored
from hedgerow.mondrian._scaling import ColumnScaling, half_scaling
from hedgerow.numeric.blas import one_blas_thread

N_LANDMARKS = 700
MOST_ROWS = 10_000
"""Rows that the regression is learned from; the others are predicted by it."""

MOST_COLUMNS = 1000

N_TRIED_ROWS, N_TRIED_LANDMARKS = 800, 200
"""Rows and landmarks with which units, width and kernel are chosen."""

POWERS = (0.5, 1.0, 1.5)
WIDTHS = (0.25, 1.0, 4.0, 16.0)
PENALTIES = 10.0 ** np.arange(-4.0, 3.5, 0.5)
LEAST_RATE = 1e-3

JITTER = 1e-8
"""Added to the kernel of each landmark with itself, as a share of the largest sum of a row (a bound of eigenvalues)."""

PREDICTED_TOGETHER = 4096

KERNELS = ("laplace", "rational")


class Shape(NamedTuple):
    """What is chosen: the power of the learned rates, the distance over which the kernel falls, and which it is."""

    power: float = 1.0
    width: float = 4.0
    kernel: str = "laplace"


@dataclass(frozen=True)
class KernelStage:
    """Kernels at landmarks, in units in which distances are added up, and their coefficients."""

    scaling: ColumnScaling
    kernel: str
    landmarks: Floats  # in these units
    slopes: Floats  # of the kernel at each landmark, for each component of the labels
    intercept: Floats
    label_squares: float

    kind = "kernel"
    n_trees = 0

    @classmethod
    def fitted(
        cls, rows: Rows, blocks: Numbers, n_blocks: int, rates: Floats, seed: int, n_landmarks: int = N_LANDMARKS
    ) -> tuple[KernelStage, Honest]:
        """Return a stage that has learned, and what it predicts for each row without it, and without its block."""
        rng = np.random.default_rng([seed, 5])
        n = rows.X.shape[0]
        learned = np.sort(rng.choice(n, min(n, MOST_ROWS), replace=False))
        some = rows.part(learned)
        with one_blas_thread():
            plain = half_scaling(some.X, some.weights)
            shape = _choose(plain, some, rates, rng)
            scaling = _at_power(plain, rates, shape)
            drawn = rng.permutation(learned.size)[:n_landmarks]
            fit = _Regression(scaling, shape.kernel, some, drawn, blocks[learned], n_blocks)
            stage_of, left_out = fit.solved()
            without = fit.without_blocks()
        squares = float(((fit.root * fit.labels) ** 2).sum())
        stage = cls(scaling, shape.kernel, fit.landmarks, *stage_of, squares)
        mean = np.empty_like(rows.y)
        others = np.setdiff1d(np.arange(n), learned)
        mean[learned] = left_out
        mean[others] = stage.means(rows.X[others])
        without_block = mean.copy()
        without_block[learned] = without
        return stage, Honest(mean, None, without_block)

    @property
    def label_shape(self) -> tuple[int, ...]:
        """Shape of the mean at a row."""
        return self.slopes.shape[1:]

    @property
    def importances(self) -> Floats:
        """Share of each column: the square of its length in the learned units."""
        squares: Floats = self.scaling.rates**2
        shares: Floats = squares / squares.sum()
        return shares

    def means(self, X: Floats, n_threads: int = 1) -> Floats:
        """Means at rows."""
        found = np.empty((X.shape[0], *self.label_shape))
        slopes = np.ascontiguousarray(self.slopes.reshape(self.slopes.shape[0], -1))
        for begin in range(0, X.shape[0], PREDICTED_TOGETHER):
            part = slice(begin, begin + PREDICTED_TOGETHER)
            sums = _core.kernel_sums(_units(self.scaling, X[part]), self.landmarks, slopes, self.kernel, n_threads)
            found[part] = self.intercept + sums.reshape(-1, *self.label_shape)
        return found

    def secants(self, X: Floats, steps: Floats) -> Floats:
        """Return by how much the mean rises across each of the first columns, a step down to a step up, at rows.

        One row for each row and component of the labels. Only one column's part of the distances changes at a time.
        """
        slopes = self.slopes.reshape(self.slopes.shape[0], -1)
        units = _units(self.scaling, X)
        distances = cdist(units, self.landmarks, "cityblock")
        found = np.empty((X.shape[0], slopes.shape[1], steps.size))
        for column, step in enumerate(steps):
            own = self.landmarks[:, column]
            others = distances - np.abs(units[:, column, None] - own)
            with np.errstate(over="ignore"):
                ends = [self.scaling.inside(column, X[:, column] + sign * step) for sign in (1.0, -1.0)]
            moved = (np.maximum(others + np.abs(end[:, None] - own), 0.0) for end in ends)
            up, down = (_core.kernel_at_distances(gaps, self.kernel) @ slopes for gaps in moved)
            found[:, :, column] = up - down
        return found.reshape(-1, steps.size)

    def explained(self, total_weight: float) -> Floats:
        """How much of the labels' squares each column explains."""
        return self.importances * self.label_squares

    def moments(self, X: Floats, query: Query) -> tuple[Floats, None]:
        """Means at rows, without variances."""
        return self.means(X, query.n_threads), None

    def moments_then_learn(self, rows: Rows, query: Query) -> tuple[Floats, None]:
        """The same: nothing is learned before everything is learned anew."""
        return self.means(rows.X, query.n_threads), None

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        scaling = dict(zip(("first_knot", "values", "images", "slopes"), self.scaling.arrays, strict=True))
        own = {name: getattr(self, name) for name in ("kernel", "landmarks", "slopes", "label_squares")}
        return {**own, "intercept": self.intercept.reshape(-1), "scaling": {**scaling, "rates": self.scaling.rates}}

    @classmethod
    def from_state(cls, stored: Stored, width: int, shape: tuple[int, ...]) -> KernelStage:
        """Take back what `state` gave, for rows of so many columns."""
        part = stored.part("scaling")
        first = part.array("first_knot", (width + 1,), np.uint64)
        values, images = part.array("values"), part.array("images")
        is_rising = np.diff(values, prepend=-np.inf) > 0.0
        is_rising[first[:-1][first[:-1] < values.size].astype(np.intp)] = True
        if first[0] != 0 or not (np.diff(first.astype(np.int64)) > 0).all() or first[-1] != values.size:
            raise ValueError("the knots of a kernel's units are not those of its columns")
        if images.size != values.size or not is_rising.all():
            raise ValueError("the units of a kernel do not rise")
        scaling = ColumnScaling(first, values, images, part.array("slopes", (width,)), part.array("rates", (width,)))
        if not (scaling.rates > 0.0).all():
            raise ValueError("the rates of a kernel are not positive")
        landmarks = stored.array("landmarks", (None, width))
        slopes = stored.array("slopes", (landmarks.shape[0], *shape))
        intercept = stored.array("intercept", (math.prod(shape),)).reshape(shape)
        kernel = stored.word("kernel", *KERNELS)
        return cls(scaling, kernel, landmarks, slopes, intercept, stored.number("label_squares", 0.0))


class _Sums(NamedTuple):
    """Products of features, labels and ones, each times the square root of a row's weight, over some rows."""

    square: Floats
    product: Floats
    features: Floats
    labels: Floats
    weight: float

    def plus(self, others: _Sums, sign: float = 1.0) -> _Sums:
        """Return those of all these rows; with sign -1, of these without the others."""
        pairs: Any = zip(self, others, strict=True)
        return _Sums(*(own + sign * other for own, other in pairs))


class _Regression:
    """Rows as features: their kernels at landmarks, made orthogonal, about their mean. Sums are kept of each block."""

    def __init__(
        self,
        scaling: ColumnScaling,
        kernel: str,
        rows: Rows,
        drawn: Any,
        blocks: Numbers = NO_GROUPS,
        n_blocks: int = 0,
    ) -> None:
        X, y, weights = rows
        self.shape, n = y.shape, y.shape[0]
        weights = weights * (n / weights.sum()) if weights.size else np.ones(n)
        self.mean: Floats = np.average(y.reshape(n, -1), axis=0, weights=weights)
        self.labels: Floats = y.reshape(n, -1) - self.mean
        units = _units(scaling, X)
        self.landmarks: Floats = np.unique(units[drawn], axis=0)
        between = _kernels(self.landmarks, self.landmarks, kernel)
        between[np.diag_indices_from(between)] += JITTER * between.sum(axis=0).max()
        self.factor: Floats = linalg.cholesky(between, lower=True, check_finite=False)
        kernels = _kernels(units, self.landmarks, kernel)
        self.features: Floats = linalg.solve_triangular(
            self.factor, kernels.T, lower=True, overwrite_b=True, check_finite=False
        ).T
        self.centre: Floats = np.average(self.features, axis=0, weights=weights)
        self.root = np.sqrt(weights)[:, None]
        self.features = self.root * (self.features - self.centre)
        self.blocks = [blocks == block for block in range(n_blocks)]
        self.of_blocks = [self._sums(block) for block in self.blocks]
        rest = self._sums(blocks >= n_blocks if n_blocks else slice(None))
        self.sums = reduce(_Sums.plus, self.of_blocks, rest)
        self.penalty = 1.0

    def solved(self) -> tuple[tuple[Floats, Floats], Floats]:
        """Return slopes and intercept with the penalty that is best by leave-one-out, and the means left out."""
        squares, vectors = np.linalg.eigh(self.sums.square)
        turned = self.features @ vectors
        projected = vectors.T @ self.sums.product
        share = self.root[:, 0] ** 2 / self.sums.weight
        kept = 1.0 / (np.maximum(squares, 0.0)[:, None] + PENALTIES)
        rest = np.maximum(1.0 - (turned**2) @ kept - share[:, None], LEAST_REST)
        errors = np.zeros(PENALTIES.size)
        for labels, product in zip(self.labels.T, projected.T, strict=True):
            errors += share @ ((labels[:, None] - turned @ (kept * product[:, None]) / self.root) / rest) ** 2
        best = int(errors.argmin())
        self.error, self.penalty = float(errors[best]), float(PENALTIES[best])
        coefficients = kept[:, best, None] * projected
        left = (self.labels - turned @ coefficients / self.root) / rest[:, best, None]
        means = (self.mean + self.labels - left).reshape(self.shape)
        return self._slopes(vectors @ coefficients, self.mean), means

    def without_blocks(self) -> Floats:
        """Predictions of the same regression for the rows of each block, learned from all rows outside it."""
        means = np.tile(self.mean, (self.labels.shape[0], 1))
        for out, own in zip(self.blocks, self.of_blocks, strict=True):
            square, product, features, labels, weight = self.sums.plus(own, -1.0)
            if not (own.weight > 0.0 and weight > 0.0):
                continue
            centre, mean = features / weight, labels / weight
            matrix = square - weight * np.outer(centre, centre)
            matrix[np.diag_indices_from(matrix)] += self.penalty
            slopes = np.linalg.solve(matrix, product - weight * np.outer(centre, mean))
            means[out] = self.mean + mean + (self.features[out] / self.root[out] - centre) @ slopes
        return means.reshape(self.shape)

    def _sums(self, rows: Any) -> _Sums:
        features, root = self.features[rows], self.root[rows]
        labels, ones = root * self.labels[rows], root[:, 0]
        return _Sums(features.T @ features, features.T @ labels, features.T @ ones, labels.T @ ones, float(ones @ ones))

    def _slopes(self, coefficients: Floats, mean: Floats) -> tuple[Floats, Floats]:
        shape = self.shape[1:]
        slopes = linalg.solve_triangular(self.factor, coefficients, lower=True, trans="T", check_finite=False)
        slopes = slopes.reshape(-1, *shape)
        return slopes, np.asarray((mean - self.centre @ coefficients).reshape(shape))


def _choose(plain: ColumnScaling, rows: Rows, rates: Floats, rng: Any) -> Shape:
    """Choose by the leave-one-out error on some of the rows, one of the three after another, twice."""
    few = np.sort(rng.choice(rows.y.shape[0], min(rows.y.shape[0], N_TRIED_ROWS), replace=False))
    some = rows.part(few)
    drawn = rng.permutation(few.size)[:N_TRIED_LANDMARKS]
    errors: dict[Shape, float] = {}

    def error(shape: Shape) -> float:
        if shape not in errors:
            tried = _Regression(_at_power(plain, rates, shape), shape.kernel, some, drawn)
            tried.solved()
            errors[shape] = tried.error
        return errors[shape]

    best = Shape()
    for _ in range(2):
        best = min((best._replace(width=width) for width in WIDTHS), key=error)
        best = min((best._replace(power=power) for power in POWERS), key=error)
        best = min((best._replace(kernel=kernel) for kernel in KERNELS), key=error)
    return best


def _at_power(plain: ColumnScaling, rates: Floats, shape: Shape) -> ColumnScaling:
    """Return units in which the kernel falls over a distance of one."""
    lengths = np.maximum(rates / rates.max(), LEAST_RATE) if rates.size else np.ones(plain.slopes.size)
    return plain.at_rates(lengths**shape.power / shape.width)


def _kernels(units: Floats, landmarks: Floats, kernel: str) -> Floats:
    """Return the kernel of each row and each landmark."""
    found: Floats = _core.kernel_at_distances(cdist(units, landmarks, "cityblock"), kernel)
    return found


def _units(scaling: ColumnScaling, X: Floats) -> Floats:
    """Return rows in these units; beyond the range of a column, its end."""
    units: Floats = _core.between_knots(np.ascontiguousarray(X), *scaling.arrays[:3])
    return units
