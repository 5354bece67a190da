"""The two older random features that the Mondrian kernel is compared with approximate the same kernel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def kernel(monkeypatch):
    """The folder of the benchmark, which is not installed."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    from benchmarks.kernel import baselines, search

    return baselines, search


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["RandomFourier", "RandomBinning"])
def test_baseline_approximates_the_laplace_kernel(name, kernel):
    """The largest of 45 errors of means over 20,000 features, each with a spread below 0.008: 0.045 is six of them."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(10, 3))
    features = getattr(kernel[0], name)(20_000, 2.0, 3, rng)
    true = np.exp(-2.0 * np.abs(X[:, None] - X[None]).sum(axis=2))
    found = features.kernel(X)
    assert np.abs(found - true).max() < 0.045
    Z = features.transform(X)
    product = Z @ Z.T
    np.testing.assert_allclose(product.toarray() if name == "RandomBinning" else product, found, atol=1e-12)


def test_all_ridges_from_one_krylov_space(kernel):
    """With as many steps as rows the weights are those of a dense solution."""
    rng = np.random.default_rng(1)
    X, y = rng.uniform(size=(20, 2)), rng.normal(size=20)
    Z = kernel[0].RandomBinning(15, 3.0, 2, rng).transform(X)
    found = kernel[1].dual_weights(Z, y)
    for alpha, weights in zip(kernel[1].ALPHAS[8:], found.T[8:], strict=True):
        np.testing.assert_allclose(weights, np.linalg.solve((Z @ Z.T).toarray() + alpha * np.eye(20), y), rtol=1e-6)
