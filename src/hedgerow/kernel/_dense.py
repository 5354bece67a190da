"""Ridge regression at one lifetime from scratch, in the space of rows or in that of cells, whichever is smaller.

With Phi the features and S the square roots of weights, let K = S Phi Phi' S and G = Phi' S S Phi. Then
(K + alpha I)^-1 = (I - S Phi (G + alpha I)^-1 Phi' S) / alpha: both spaces give the same solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg, sparse

from hedgerow import _core
from hedgerow.kernel._problem import Columns, Criteria, Problem
from hedgerow.numeric.arrays import Floats


def row_kernel(problem: Problem, columns: Columns) -> Floats:
    """S K S of the rows that are learned from."""
    own = np.ascontiguousarray(columns[:, : problem.n])
    kernel: Floats = _core.shared_cells(own, own, problem.n_threads)
    kernel *= problem.roots
    kernel *= problem.roots[:, None]
    return kernel


def cell_gram(problem: Problem, columns: Columns, n_columns: int) -> Floats:
    """Phi' S S Phi."""
    own = np.ascontiguousarray(columns[:, : problem.n])
    gram: Floats = _core.cell_gram(own, problem.weights[: problem.n], n_columns)
    gram /= problem.n_trees
    return gram


def scaled_features(problem: Problem, columns: Columns, n_columns: int) -> sparse.csr_array:
    """S Phi, sparse."""
    n, n_trees = problem.n, problem.n_trees
    entries = np.repeat(problem.roots / np.sqrt(n_trees), n_trees)
    first = np.arange(0, n * n_trees + 1, n_trees)
    return sparse.csr_array((entries, columns[:, :n].T.ravel().astype(np.int64), first), shape=(n, n_columns))


def inverse_and_log_determinant(matrix: Floats) -> tuple[Floats, float]:
    """Inverse of a symmetric positive definite matrix, which is overwritten, and the log of its determinant."""
    factor, failed = linalg.lapack.dpotrf(matrix.T, lower=1, overwrite_a=1)  # what is above the diagonal becomes 0
    if failed:
        raise ValueError(
            "the kernel matrix is singular to working precision: alpha is too small for rows that share all their "
            "cells; choose a larger alpha"
        )
    log_determinant = 2.0 * float(np.log(np.diag(factor)).sum())
    lower, failed = linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)
    whole: Floats = lower + lower.T
    whole[np.diag_indices_from(whole)] *= 0.5
    return whole, log_determinant


def validation_errors(problem: Problem, columns: Columns, solutions: Floats) -> Floats:
    """Weighted sums of squared errors of the rows behind, for one solution B^-1 S y in each column."""
    targets, weights = problem.unseen
    if targets.size == 0:
        return np.zeros(solutions.shape[1])
    own, behind = (np.ascontiguousarray(part) for part in (columns[:, : problem.n], columns[:, problem.n :]))
    kernel = _core.shared_cells(behind, own, problem.n_threads)
    errors = kernel @ (problem.roots[:, None] * solutions) - targets[:, None]
    sums: Floats = weights @ errors**2
    return sums


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues and -vectors of S K S, from which the solutions for all alpha follow at once.

    Directions that are not among the vectors have eigenvalue 0.
    """

    problem: Problem
    columns: Columns
    values: Floats
    vectors: Floats

    @classmethod
    def at(cls, problem: Problem, columns: Columns, n_columns: int) -> Spectrum:
        """Of a partition."""
        if problem.n <= n_columns:
            values, vectors = linalg.eigh(
                row_kernel(problem, columns), driver="evd", overwrite_a=True, check_finite=False
            )
            return cls(problem, columns, values.clip(min=0.0), vectors)
        gram = cell_gram(problem, columns, n_columns)
        values, own = linalg.eigh(gram, driver="evd", overwrite_a=True, check_finite=False)
        kept = values > 1e-13 * values[-1]
        vectors = scaled_features(problem, columns, n_columns) @ (own[:, kept] / np.sqrt(values[kept]))
        return cls(problem, columns, values[kept], vectors)

    @cached_property
    def _squares(self) -> Floats:
        squares: Floats = self.vectors**2
        return squares

    def criteria(self, alphas: Floats) -> Criteria:
        """For each alpha."""
        scaled = self.problem.scaled
        along = self.vectors.T @ scaled
        rest = scaled - self.vectors @ along
        shrunk = self.values[:, None] + alphas
        solutions = self.vectors @ (along[:, None] / shrunk) + rest[:, None] / alphas
        diagonals = self._squares @ (1.0 / shrunk - 1.0 / alphas) + 1.0 / alphas
        return Criteria(
            (along[:, None] ** 2 / shrunk).sum(axis=0) + (rest @ rest) / alphas,
            np.log(shrunk).sum(axis=0) + (self.problem.n - self.values.size) * np.log(alphas),
            ((solutions / diagonals) ** 2).sum(axis=0),
            validation_errors(self.problem, self.columns, solutions),
        )


def criteria_at(problem: Problem, columns: Columns, n_columns: int, alpha: float) -> Criteria:
    """At one alpha, by a Cholesky factor: a few times as fast as a spectrum."""
    scaled = problem.scaled
    if problem.n <= n_columns:
        kernel = row_kernel(problem, columns)
        kernel[np.diag_indices(problem.n)] += alpha
        inverse, log_determinant = inverse_and_log_determinant(kernel)
        solution, diagonal = inverse @ scaled, np.diag(inverse)
    else:
        gram = cell_gram(problem, columns, n_columns)
        gram[np.diag_indices(n_columns)] += alpha
        inverse, log_determinant = inverse_and_log_determinant(gram)
        features = scaled_features(problem, columns, n_columns)
        solution = (scaled - features @ (inverse @ (features.T @ scaled))) / alpha
        own = np.ascontiguousarray(columns[:, : problem.n])
        forms = _core.quadratic_forms(own, inverse, problem.n_threads) / problem.n_trees
        diagonal = (1.0 - problem.weights[: problem.n] * forms) / alpha
        log_determinant += (problem.n - n_columns) * float(np.log(alpha))
    errors = solution / diagonal
    unseen = validation_errors(problem, columns, solution[:, None])
    parts = scaled @ solution, log_determinant, errors @ errors, unseen[0]
    return Criteria(*(np.array([part]) for part in parts))
