"""Many rows and many cells: products with the kernel matrix only, which cost a sum over cells and one over trees.

Lanczos' recurrence with S K S, begun from the targets and from seven random vectors at once, gives the criteria for all
ridges at a lifetime: a quadratic form of (S K S + alpha I)^-1 from the targets' own tridiagonal matrix, traces of its
logarithm and of its inverse as means over the random ones. The solution itself is then refined by conjugate gradients.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import linalg

from hedgerow import _core
from hedgerow.base.targets import LARGEST_TARGET
from hedgerow.files import Stored
from hedgerow.kernel._path import LifetimePath
from hedgerow.kernel._problem import Columns, Criteria, Problem
from hedgerow.kernel._selection import ALPHAS, Rule, path_at
from hedgerow.kernel._solutions import LearnedRows, Solution
from hedgerow.numeric.arrays import Floats

N_LANES = 8
"""Vectors that the core multiplies at once."""

N_STEPS = 48
"""Of Lanczos' recurrence at each lifetime."""

N_TIMES = 24
"""Lifetimes of the grid of which some are looked at."""

UNFINISHED = 0.02
"""A ridge is not judged where the last steps have changed the fit by a larger share, or log det B / n by more."""

TOLERANCE, MOST_STEPS = 1e-10, 1000
"""Of conjugate gradients: the residual over the targets, and when to give up."""

ROUNDING = 1e-12
"""Eigenvalues of what a Krylov space sees that are a smaller share of the largest are not to be trusted."""

N_BLOCKS = 12
"""Krylov blocks that variances are projected on."""


class Operator:
    """S K S of a partition, as something that multiplies."""

    def __init__(self, columns: Columns, n_columns: int, roots: Floats, n_threads: int) -> None:
        self.columns, self.n_columns, self.n_threads = columns, n_columns, n_threads
        self.roots = roots[:, None]

    def __call__(self, vectors: Floats) -> Floats:
        """Multiply one vector or eight, given as columns."""
        product: Floats = self._shared.product(np.ascontiguousarray(self.roots * vectors), self.n_threads)
        product *= self.roots
        return product

    def cross(self, others: Columns, vectors: Floats) -> Floats:
        """The same for rows of another partition: K S vectors."""
        scaled = np.ascontiguousarray(self.roots * vectors)
        product: Floats = _core.kernel_product(self.columns, scaled, others, self.n_columns, self.n_threads)
        return product

    @cached_property
    def _shared(self) -> _core.SharedCells:
        return _core.SharedCells(self.columns, self.n_columns, self.n_threads)


def starting_block(scaled: Floats, seed: int, is_alone: bool = False) -> Floats:
    """The targets and, unless they are to be alone, random signs."""
    if is_alone:
        return scaled[:, None].copy()
    coins = np.random.default_rng([seed, scaled.size]).integers(0, 2, size=(scaled.size, N_LANES))
    signs = np.where(coins == 1, 1.0, -1.0)
    signs[:, 0] = scaled
    return signs


class Quadrature:
    """Lanczos' tridiagonal matrices of the eight vectors, for Gauss' quadrature: nodes are their eigenvalues."""

    def __init__(self, operator: Operator, block: Floats, n_steps: int) -> None:
        self.norms = np.linalg.norm(block, axis=0)
        n_steps, n_lanes = min(n_steps, block.shape[0]), block.shape[1]
        self.diagonal, self.off = np.zeros((n_steps, n_lanes)), np.zeros((n_steps, n_lanes))
        now = np.divide(block, self.norms, out=np.zeros_like(block), where=self.norms > 0)
        before, self.basis = np.zeros_like(now), np.zeros((n_steps, block.shape[0]))
        for step in range(n_steps):
            self.basis[step] = now[:, 0]
            new = operator(now)
            if step > 0:
                new -= self.off[step - 1] * before
            self.diagonal[step] = np.einsum("nk,nk->k", now, new)
            new -= self.diagonal[step] * now
            sizes = np.sqrt(np.einsum("nk,nk->k", new, new))
            is_alive = sizes > 1e-10 * (1.0 + np.abs(self.diagonal[0]))
            self.off[step] = np.where(is_alive, sizes, 0.0)
            if not is_alive.any():
                break
            before, now = now, np.divide(new, sizes, out=np.zeros_like(new), where=is_alive)

    def criteria(self, problem: Problem, operator: Operator, behind: Columns, alphas: Floats) -> Criteria:
        """For each alpha; NaN where the last third of the steps has still changed something.

        Leave-one-out is generalised cross-validation: each row's diagonal entry is their mean.
        """
        n_steps = self.diagonal.shape[0]
        fit, log_determinant, inverses, squares = self._sums(n_steps, alphas)
        rough_fit, rough_determinant, _, _ = self._sums(-(-2 * n_steps // 3), alphas)
        is_sure = np.abs(fit - rough_fit) <= UNFINISHED * fit
        is_sure &= ~(np.abs(log_determinant - rough_determinant) > UNFINISHED)  # without random vectors there is none
        sure = np.where(is_sure, 1.0, np.nan)
        return Criteria(
            sure * fit,
            problem.n * log_determinant,
            sure * squares / inverses**2,
            sure * self._validation(problem, operator, behind, alphas),
        )

    def _sums(self, n_steps: int, alphas: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return y' S B^-1 S y, a row's share of log det B and of trace B^-1, and |B^-1 S y|^2, by so many steps."""
        lanes = [self._rule(n_steps, lane) for lane in range(self.norms.size)]
        shifted = [nodes[:, None] + alphas for nodes, _ in lanes]
        targets = self.norms[0] ** 2 * lanes[0][1][0] ** 2
        n_random = len(lanes) - 1 or np.nan
        logs = sum(vectors[0] ** 2 @ np.log(at) for (_, vectors), at in zip(lanes[1:], shifted[1:], strict=True))
        inverses = sum(vectors[0] ** 2 @ (1.0 / at) for (_, vectors), at in zip(lanes[1:], shifted[1:], strict=True))
        sums = targets @ (1.0 / shifted[0]), logs / n_random, inverses / n_random, targets @ (1.0 / shifted[0] ** 2)
        return tuple(np.broadcast_to(one, alphas.shape) for one in sums)  # type: ignore[return-value]

    def _rule(self, n_steps: int, lane: int) -> tuple[Floats, Floats]:
        """Eigenvalues and -vectors of a lane's matrix after so many steps."""
        diagonal, off = self.diagonal[:n_steps, lane], self.off[: n_steps - 1, lane]
        nodes, vectors = linalg.eigh_tridiagonal(diagonal, off, check_finite=False, lapack_driver="stev")
        return nodes.clip(min=0.0), vectors

    def solutions(self, alphas: Floats) -> Floats:
        """B^-1 S y for each alpha, a column each."""
        nodes, vectors = self._rule(self.diagonal.shape[0], 0)
        found: Floats = self.norms[0] * (self.basis.T @ (vectors @ (vectors[0, :, None] / (nodes[:, None] + alphas))))
        return found

    def _validation(self, problem: Problem, operator: Operator, behind: Columns, alphas: Floats) -> Floats:
        targets, weights = problem.unseen
        if targets.size == 0:
            return np.zeros(alphas.size)
        solutions = self.solutions(alphas)
        padded = np.zeros((problem.n, -(-solutions.shape[1] // N_LANES) * N_LANES))
        padded[:, : solutions.shape[1]] = solutions
        parts = [
            operator.cross(behind, np.ascontiguousarray(padded[:, begin : begin + N_LANES]))
            for begin in range(0, padded.shape[1], N_LANES)
        ]
        errors = np.concatenate(parts, axis=1)[:, : solutions.shape[1]] - targets[:, None]
        sums: Floats = weights @ errors**2
        return sums


def iterative_path(
    problem: Problem, sweep: _core.Sweep, rule: Rule, alpha: float | None, times: Floats, largest: float
) -> LifetimePath:
    """The curves at some lifetimes, at the ridge that is best if none is given."""
    alphas = ALPHAS if alpha is None else np.array([alpha])
    block = starting_block(problem.scaled, problem.seed, is_alone=rule.selection == "validation")

    def criteria(columns: Columns, n_columns: int) -> Criteria:
        own, behind = (np.ascontiguousarray(part) for part in (columns[:, : problem.n], columns[:, problem.n :]))
        operator = Operator(own, n_columns, problem.roots, problem.n_threads)
        return Quadrature(operator, block, N_STEPS).criteria(problem, operator, behind, alphas)

    return path_at(problem, sweep, rule, alphas, times, largest, criteria)


def conjugate_gradients(operator: Operator, alpha: float, right: Floats, start: Floats) -> Floats:
    """Solve (S K S + alpha I) x = right, from a start.

    Balog et al. (2016), section 4.2.2, with steps that do not forget.
    """
    solution = start.copy()
    residual = right - operator(solution[:, None])[:, 0] - alpha * solution
    direction, square = residual.copy(), float(residual @ residual)
    goal = TOLERANCE**2 * max(float(right @ right), np.finfo(np.float64).tiny)
    for _ in range(MOST_STEPS):
        if square <= goal:
            break
        along = operator(direction[:, None])[:, 0] + alpha * direction
        step = square / float(direction @ along)
        solution += step * direction
        residual -= step * along
        before, square = square, float(residual @ residual)
        direction = residual + (square / before) * direction
    return solution


class IterativeSolution(Solution):
    """The solution by conjugate gradients, and variances by projection on a Krylov space: never below the true ones."""

    def __init__(
        self, rows: LearnedRows, alpha: float, n_columns: int, n_threads: int, start: Floats, projection: Floats
    ) -> None:
        super().__init__(rows, alpha, n_columns, n_threads)
        self._start, self._projection = start, projection
        self._solved: Floats | None = start if start.size == rows.n else None

    @classmethod
    def of(cls, problem: Problem, rows: LearnedRows, alpha: float, n_columns: int) -> IterativeSolution:
        """From scratch."""
        operator = Operator(rows.columns, n_columns, rows.roots, problem.n_threads)
        solution = conjugate_gradients(operator, alpha, rows.scaled, np.zeros(rows.n))
        projection = _projection(operator, starting_block(rows.scaled, problem.seed), alpha)
        return cls(rows, alpha, n_columns, problem.n_threads, solution, projection)

    def _learn(self, columns: Columns, target: float, weight: float, n_columns: int) -> None:
        self._solved = None

    def _operator(self) -> Operator:
        return Operator(self.rows.columns, self.n_columns, self.rows.roots, self.n_threads)

    def _solution(self) -> Floats:
        """Begun where the last review ended, with nothing for rows since: the same whatever batches rows came in."""
        if self._solved is None:
            start = np.zeros(self.rows.n)
            start[: self._start.size] = self._start
            self._solved = conjugate_gradients(self._operator(), self.alpha, self.rows.scaled, start)
        return self._solved

    def cell_weights(self) -> Floats:
        repeated = np.repeat(self.rows.roots * self._solution(), self.n_trees)
        summed = np.bincount(self.rows.cells.ravel(), repeated, self.n_columns)
        return summed / self.n_trees

    def variances(self, columns: Columns) -> Floats:
        n_known = self._projection.shape[0]
        own = np.ascontiguousarray(self.rows.columns[:, :n_known])
        operator = Operator(own, self.n_columns, self.rows.roots[:n_known], self.n_threads)
        others = np.ascontiguousarray(columns.T)
        explained = np.zeros(columns.shape[0])
        for begin in range(0, self._projection.shape[1], N_LANES):
            part = np.zeros((n_known, N_LANES))
            lanes = self._projection[:, begin : begin + N_LANES]
            part[:, : lanes.shape[1]] = lanes
            explained += (operator.cross(others, part) ** 2).sum(axis=1)
        return (1.0 - explained).clip(0.0, 1.0)

    def criteria(self, together: Floats | None = None) -> Criteria:
        """Estimated, as along an iterative path; how targets fit, from the solution if the recurrence was too short."""
        operator = self._operator()
        problem = self._problem()
        quadrature = Quadrature(operator, starting_block(self.rows.scaled, 0), 2 * N_STEPS)
        behind = np.empty((self.n_trees, 0), dtype=np.uint32)
        criteria = quadrature.criteria(problem, operator, behind, np.array([self.alpha]))
        found = Criteria(*(np.asarray(part[0]) for part in criteria))
        if np.isfinite(found.fit):
            return found
        return found._replace(fit=np.asarray(self.rows.scaled @ self._solution()))

    def state(self) -> dict[str, Any]:
        return {"start": self._start, "projection": self._projection}

    @classmethod
    def from_state(cls, stored: Stored, rows: LearnedRows, alpha: float, n_columns: int) -> Self:
        start = stored.array("start")
        if not 1 <= start.size <= rows.n:
            raise ValueError("its solution has the wrong size")
        if np.abs(start).max() > LARGEST_TARGET:
            raise ValueError("its solution is larger than it can be")
        return cls(rows, alpha, n_columns, 1, start, stored.array("projection", (start.size, None)))


def _projection(operator: Operator, block: Floats, alpha: float) -> Floats:
    """R with R R' below (S K S + alpha I)^-1: V T^-1 V', where V spans a Krylov space and T is what it sees of B."""
    n = block.shape[0]
    basis = np.empty((n, 0))
    images = np.empty((n, 0))
    now = block
    for _ in range(min(N_BLOCKS, -(-n // N_LANES))):
        for _ in range(2):  # once more, for what rounding has left
            now = now - basis @ (basis.T @ now)
        now, sizes = np.linalg.qr(now)
        now = np.ascontiguousarray(now[:, : min(N_LANES, n - basis.shape[1])])
        if now.shape[1] < N_LANES or np.abs(np.diag(sizes)).min() < 1e-9:
            break
        image = operator(now) + alpha * now
        basis, images = np.concatenate([basis, now], axis=1), np.concatenate([images, image], axis=1)
        now = image
    if basis.shape[1] == 0:
        return np.zeros((n, 0))
    seen = basis.T @ images
    seen = 0.5 * (seen + seen.T)
    try:
        factor = linalg.cholesky(seen, lower=True)
    except linalg.LinAlgError:  # weights so far apart that rounding decides: leave out the directions that it made up
        values, vectors = linalg.eigh(seen)
        sure = values > ROUNDING * values[-1]
        return np.ascontiguousarray(basis @ (vectors[:, sure] / np.sqrt(values[sure])))
    projection: Floats = linalg.solve_triangular(factor, basis.T, lower=True).T
    return np.ascontiguousarray(projection)
