"""The kernel stage against a dense solve: means, leave-one-out and blocks left out, by leaving rows out."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import _core
from hedgerow.base.rows import NO_WEIGHTS, Rows
from hedgerow.boosting._kernel_stage import KERNELS, KernelStage, _Regression
from hedgerow.files import Stored
from hedgerow.mondrian._scaling import half_scaling

RNG = np.random.default_rng(5)
N = 60
X = RNG.normal(size=(N, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * RNG.normal(size=N)
VECTORS = np.column_stack([Y, Y**2])
WEIGHTS = RNG.uniform(0.3, 3.0, size=N)
BLOCKS = RNG.integers(0, 4, size=N).astype(np.uint32)


def regression(labels, weights, drawn):
    scaling = half_scaling(X, NO_WEIGHTS).at_rates(np.array([1.0, 0.5, 0.01]))
    fit = _Regression(scaling, "laplace", Rows(X, labels, weights), drawn, BLOCKS, 3)  # the rest is in none
    return fit, fit.solved()


def dense(fit, labels, kept):
    """Solve for the same features and penalty from the rows kept alone; return what is said of all rows."""
    weights = np.where(kept, fit.root[:, 0] ** 2, 0.0)
    features, labels = fit.features / fit.root, labels.reshape(N, -1)
    centre, mean = np.average(features, axis=0, weights=weights), np.average(labels, axis=0, weights=weights)
    gaps = features - centre
    matrix = (weights[:, None] * gaps).T @ gaps + fit.penalty * np.eye(features.shape[1])
    return mean + gaps @ np.linalg.solve(matrix, (weights[:, None] * gaps).T @ (labels - mean))


@pytest.mark.parametrize("drawn", [np.arange(N), np.arange(0, N, 3)], ids=["all rows", "some rows"])
@pytest.mark.parametrize("weights", [NO_WEIGHTS, WEIGHTS], ids=["plain", "weights"])
@pytest.mark.parametrize("labels", [Y, VECTORS], ids=["numbers", "vectors"])
def test_left_out_as_if_never_seen(labels, weights, drawn):
    fit, (_, left_out) = regression(labels, weights, drawn)
    for i in range(0, N, 7):
        said = dense(fit, labels, np.arange(N) != i)[i]
        np.testing.assert_allclose(left_out.reshape(N, -1)[i], said, rtol=1e-6, atol=1e-8)
    without = fit.without_blocks().reshape(N, -1)
    for block in range(3):
        out = block == BLOCKS
        np.testing.assert_allclose(without[out], dense(fit, labels, ~out)[out], rtol=1e-6, atol=1e-8)


def test_rows_that_are_interpolated_are_left_out_all_the_same():
    """With a landmark at every row and next to no penalty, leverages are nearly one: a bound on them would flatter."""
    noise = np.random.default_rng(0).normal(size=N)
    _, (_, left_out) = regression(noise, NO_WEIGHTS, np.arange(N))
    assert np.mean((noise - left_out) ** 2) > 0.9 * noise.var()


@pytest.mark.parametrize("kernel", KERNELS)
def test_means_are_kernels_at_landmarks(kernel):
    scaling = half_scaling(X, NO_WEIGHTS)
    fit = _Regression(scaling, kernel, Rows(X, Y), np.arange(0, N, 2))
    (slopes, intercept), _ = fit.solved()
    stage = KernelStage(scaling, kernel, fit.landmarks, slopes, intercept, 1.0)
    np.testing.assert_allclose(stage.means(X), dense(fit, Y, np.ones(N, dtype=bool))[:, 0], rtol=1e-6, atol=1e-8)
    one_by_one = np.array([stage.means(X[i : i + 1])[0] for i in range(N)])
    np.testing.assert_array_equal(stage.means(X), one_by_one)
    far = np.array([[1e300, -1e300, 0.0]])
    np.testing.assert_array_equal(stage.means(far), stage.means(np.clip(far, X.min(axis=0), X.max(axis=0))))


def test_a_stage_is_read_as_it_was_written():
    stage, honest = KernelStage.fitted(Rows(X, VECTORS, WEIGHTS), BLOCKS, 4, np.array([1.0, 0.3, 0.1]), 7)
    again = KernelStage.from_state(Stored(stage.state()), 3, (2,))
    np.testing.assert_array_equal(again.means(X), stage.means(X))
    assert honest.mean.shape == honest.without_block.shape == (N, 2)
    for name in ("landmarks", "slopes", "intercept"):
        broken = {**stage.state(), name: stage.state()[name][:-1]}
        with pytest.raises(ValueError, match="its"):
            KernelStage.from_state(Stored(broken), 3, (2,))


def test_units_are_those_of_interp():
    scaling = half_scaling(X, NO_WEIGHTS).at_rates(np.array([1.0, 0.5, 0.01]))
    asked = np.concatenate([X, RNG.normal(size=(500, 3)) * 2.0, np.full((1, 3), 1e300), np.full((1, 3), -1e300)])
    found = _core.between_knots(asked, *scaling.arrays[:3])
    expected = np.column_stack([scaling.inside(d, asked[:, d]) for d in range(3)])
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("first_knot", [[0, 1], [1, 1, 2], [0, 0, 2], [0, 2, 1], [0, 1, 3]])
def test_knots_that_do_not_fit_are_refused(first_knot):
    with pytest.raises(ValueError, match="knots"):
        _core.between_knots(np.zeros((4, 2)), np.array(first_knot, dtype=np.uint64), np.arange(2.0), np.arange(2.0))
