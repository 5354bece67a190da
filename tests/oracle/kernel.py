"""Kernel ridge regression by the book: dense matrices, one solve after another, no updates, no tricks."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits


def kernel_matrix(left, right):
    """Share of trees in which rows have the same cell; left and right are matrices of cell names, a row a row."""
    return (left[:, None, :] == right[None, :, :]).mean(axis=2)


def dense_criteria(kernel, y, weights, alpha):
    """Log marginal likelihood, leave-one-out errors, mean: a row of weight w is written down w times.

    All w are left out together.
    """
    with threadpool_limits(1):  # small matrices gain nothing from threads
        return _dense_criteria(kernel, y, weights, alpha)


def _dense_criteria(kernel, y, weights, alpha):
    copies = np.repeat(np.arange(y.size), weights.astype(int))
    matrix = kernel[np.ix_(copies, copies)] + alpha * np.eye(copies.size)
    labels = y[copies]
    n = copies.size
    signal = labels @ np.linalg.solve(matrix, labels) / n
    _, log_determinant = np.linalg.slogdet(signal * matrix)
    likelihood = -0.5 * (n * np.log(2 * np.pi) + log_determinant + labels @ np.linalg.solve(signal * matrix, labels))
    errors = np.empty(n)
    for i in range(n):
        rest = np.flatnonzero(copies != copies[i])
        inner = matrix[np.ix_(rest, rest)]
        errors[i] = labels[i] - (matrix[i, rest] @ np.linalg.solve(inner, labels[rest]))
    return likelihood, np.sqrt(np.mean(errors**2)), signal


def dense_prediction(cross, kernel, y, weights, alpha):
    """Mean and variance of the function over the signal variance."""
    matrix = kernel + alpha * np.diag(1.0 / weights)
    mean = cross @ np.linalg.solve(matrix, y)
    variance = 1.0 - np.einsum("ij,ji->i", cross, np.linalg.solve(matrix, cross.T))
    return mean, variance
