"""Formulas on the page about the Mondrian kernel, evaluated as they stand."""

from __future__ import annotations

import numpy as np
import pytest

RNG = np.random.default_rng(0)
N, M, ALPHA = 12, 5, 0.3
CELLS = RNG.integers(0, 3, size=(N, M))
ROOTS = np.diag(np.sqrt(RNG.integers(1, 4, size=N).astype(float)))
Y = RNG.normal(size=N)


def features(cells):
    columns = [(cells[:, m] == c).astype(float) for m in range(M) for c in np.unique(cells[:, m])]
    return np.array(columns).T / np.sqrt(M)


def system(cells):
    phi = features(cells)
    return ROOTS @ phi @ phi.T @ ROOTS + ALPHA * np.eye(N)


def test_an_event_is_a_change_of_rank_two():
    members = np.flatnonzero(CELLS[:, 2] == 1)
    left, right = members[: members.size // 2], members[members.size // 2 :]
    after = CELLS.copy()
    after[right, 2] = 7
    old, new = np.linalg.inv(system(CELLS)), np.linalg.inv(system(after))
    one = np.zeros((N, 2))
    one[left, 0] = one[right, 1] = 1.0
    scaled = ROOTS @ one
    p, q = (old @ scaled).T
    lp, lq, rq = scaled[:, 0] @ p, scaled[:, 0] @ q, scaled[:, 1] @ q
    matrix = np.array([[-lp, M - lq], [M - lq, -rq]])
    both = np.array([p, q]).T
    np.testing.assert_allclose(old + both @ np.linalg.inv(matrix) @ both.T, new, atol=1e-12)
    ratio = np.linalg.det(system(after)) / np.linalg.det(system(CELLS))
    assert ratio == pytest.approx(-np.linalg.det(matrix) / M**2)


def test_both_spaces_give_one_inverse():
    phi = features(CELLS)
    small = phi.T @ ROOTS**2 @ phi + ALPHA * np.eye(phi.shape[1])
    through_cells = (np.eye(N) - ROOTS @ phi @ np.linalg.inv(small) @ phi.T @ ROOTS) / ALPHA
    np.testing.assert_allclose(through_cells, np.linalg.inv(system(CELLS)), atol=1e-12)


def test_marginal_likelihood_with_weights():
    weights = np.diag(ROOTS) ** 2
    copies = np.repeat(np.arange(N), weights.round().astype(int))
    phi = features(CELLS)[copies]
    covariance = phi @ phi.T + ALPHA * np.eye(copies.size)
    labels, total = Y[copies], copies.size
    signal = Y @ ROOTS @ np.linalg.solve(system(CELLS), ROOTS @ Y) / total
    assert signal == pytest.approx(labels @ np.linalg.solve(covariance, labels) / total)
    _, log_det = np.linalg.slogdet(system(CELLS))
    page = -0.5 * (total * np.log(2 * np.pi * signal) + total + log_det + (total - N) * np.log(ALPHA))
    _, log_whole = np.linalg.slogdet(signal * covariance)
    quadratic = labels @ np.linalg.solve(signal * covariance, labels)
    assert page == pytest.approx(-0.5 * (total * np.log(2 * np.pi) + log_whole + quadratic))
