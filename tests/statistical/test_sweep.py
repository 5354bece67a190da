"""A sweep finds the width of the kernel that targets were drawn with."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import Ridge

import hedgerow as hr


def test_the_lifetime_of_a_gaussian_process():
    """Within a factor of three of the true one, as the ridge regression of the library; they see the same targets."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    kernel = np.exp(-6.0 * np.abs(X[:, None] - X).sum(axis=2))
    y = np.linalg.cholesky(kernel + 1e-10 * np.eye(300)) @ rng.normal(size=300) + 0.1 * rng.normal(size=300)
    lifetimes = 6.0 * 2.0 ** np.arange(-5, 6)
    sweep = hr.MondrianFeatures(60, random_state=0).sweep(Ridge(0.01), X, y, lifetimes=lifetimes)
    assert 2.0 < sweep.lifetime < 18.0
    exact = hr.MondrianKernelRidge(60, alpha=0.01, length_scale=1.0, selection="loo", random_state=0).fit(X, y)
    assert 1 / 3 < sweep.lifetime / exact.lifetime_ < 3
    assert sweep.mean_scores[[0, -1]].max() < sweep.score - 0.05
