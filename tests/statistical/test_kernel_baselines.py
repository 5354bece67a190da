"""The two older random features that the Mondrian kernel is compared with approximate the same kernel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.statistical


@pytest.mark.parametrize("name", ["RandomFourier", "RandomBinning"])
def test_baseline_approximates_the_laplace_kernel(name, monkeypatch):
    """The largest of 45 errors of means over 20,000 features, each with a spread below 0.008: 0.045 is six of them."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    from experiments.mondrian_kernel import baselines

    rng = np.random.default_rng(0)
    X = rng.uniform(size=(10, 3))
    features = getattr(baselines, name)(20_000, 2.0, 3, rng)
    true = np.exp(-2.0 * np.abs(X[:, None] - X[None]).sum(axis=2))
    assert np.abs(features.kernel(X) - true).max() < 0.045
