"""Which route kernel ridge regression takes, and what it finds where it does not look at everything."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianKernelRidge
from hedgerow.kernel import _selection
from hedgerow.kernel._cost import Size
from hedgerow.kernel._dense import Spectrum
from hedgerow.kernel._iterative import N_STEPS, Operator, Quadrature, starting_block
from hedgerow.kernel._problem import Problem
from hedgerow.kernel._review import _sweep
from hedgerow.numeric.blas import one_blas_thread


def smooth(n, seed=0, noise=0.0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 2))
    return X, np.sin(8 * X[:, 0]) * X[:, 1] + noise * rng.normal(size=n)


def problem_of(n, lifetime, **how):
    X, y = smooth(n, **how)
    return Problem(np.ascontiguousarray(lifetime * (X - 0.5)), (y - y.mean()) / y.std(), np.ones(n), 0, 50, 3, 1)


@pytest.mark.parametrize(
    ("size", "path", "solution"),
    [
        (Size(300, 300, 20_000, 100), True, True),
        (Size(600, 600, 40_000, 100), True, True),
        (Size(2400, 2400, 200_000, 100), False, True),  # spectra of this size take half a minute
        (Size(5000, 5000, 300_000, 100), False, False),
        (Size(5000, 30, 400, 100), False, True),  # few cells, however many rows
        (Size(100_000, 100_000, 2000, 100), False, False),
    ],
)
def test_route_by_predicted_cost(size, path, solution):
    assert size.has_exact_path(is_ridge_given=False) is path
    assert size.has_exact_solution is solution


def test_cost_rises_with_the_problem():
    """Whatever is too much for some rows is too much for more of them; a ridge that is given makes it cheaper."""
    for n_columns in (200, 2000, 200_000):
        are_exact = [Size(n, n, n_columns, 100).has_exact_path(is_ridge_given=False) for n in range(50, 6000, 50)]
        assert sorted(are_exact, reverse=True) == are_exact
    n_exact = [
        sum(Size(n, n, 200_000, 100).has_exact_path(is_given) for n in range(50, 2000, 50)) for is_given in (0, 1)
    ]
    assert n_exact[0] < n_exact[1]


def test_route_is_taken(monkeypatch):
    """Without exact curves there may be an exact solution, by which rows are left out exactly."""
    X, y = smooth(120, noise=0.1)
    exact = MondrianKernelRidge(20, random_state=0).fit(X, y)
    monkeypatch.setattr("hedgerow.kernel._cost.MOST_FOR_PATH", 0.0)
    quick = MondrianKernelRidge(20, random_state=0).fit(X, y)
    assert len(quick.path_) < len(exact.path_)
    assert quick.loo_predict().mean.shape == (120,)
    monkeypatch.setattr("hedgerow.kernel._cost.MOST_FOR_SOLUTION", 0.0)
    with pytest.raises(ValueError, match="solver='exact'"):
        MondrianKernelRidge(20, random_state=0).fit(X, y).loo_predict()
    asked = MondrianKernelRidge(20, random_state=0, solver="exact").fit(X, y)
    np.testing.assert_array_equal(asked.predict(X), exact.predict(X))


@pytest.mark.parametrize("n_times", [1, 2, 5, 13, 25, 65])
def test_look_finds_the_largest_score_that_rises_and_falls_once(n_times):
    problem = problem_of(60, 20.0)
    sweep = _sweep(problem)
    times = np.linspace(0.0, 1.0, n_times)
    for peak in np.linspace(0.0, 1.0, 41):
        seen = _selection.look(sweep, times, lambda time, *_, peak=peak: (-abs(time - peak), time))
        assert seen == sorted(set(seen))
        assert min(abs(time - peak) for time in seen) == np.abs(times - peak).min()
        assert n_times < 20 or len(seen) < 0.6 * n_times


def test_partitions_are_judged_once():
    """Of lifetimes between which nothing happens there is one."""
    sweep = _sweep(problem_of(5, 0.2))
    assert sweep.times().size < 30
    times = _selection.time_grid(sweep, 64)
    counts = [sweep.n_until(float(time)) for time in times]
    assert counts == sorted(set(counts))


@pytest.mark.parametrize("noise", [0.0, 0.3])
@one_blas_thread()
def test_quadrature_judges_what_it_knows(noise):
    """Ridges that it judges have nearly their exact likelihood, also small ones; others have none."""
    problem = problem_of(250, 5.0, noise=noise)
    sweep = _sweep(problem)
    rule = _selection.Rule("marginal_likelihood")
    for _, columns, n_columns in _selection.partitions_at(sweep, np.array([0.2, 0.5, 1.0])):
        exact = rule.score(
            problem, Spectrum.at(problem, columns, n_columns).criteria(_selection.ALPHAS), _selection.ALPHAS
        )
        operator = Operator(columns, n_columns, problem.roots, 1)
        quadrature = Quadrature(operator, starting_block(problem.scaled, 0), N_STEPS)
        found = rule.score(
            problem, quadrature.criteria(problem, operator, columns[:, :0], _selection.ALPHAS), _selection.ALPHAS
        )
        judged = np.isfinite(found)
        assert judged.sum() > 10
        assert np.abs(found - exact)[judged].max() < 0.1 * problem.n
        assert exact[judged].max() > exact.max() - 0.1 * problem.n


def test_small_noise_is_found_without_matrices():
    """A function without noise: a ridge that the recurrence cannot solve is no reason for one that is far too large."""
    X, y = smooth(900)
    new, truth = smooth(500, seed=1)
    exact = MondrianKernelRidge(50, solver="exact", random_state=0).fit(X[:450], y[:450])
    quick = MondrianKernelRidge(50, solver="iterative", random_state=0).fit(X[:450], y[:450])
    errors = [np.sqrt(np.mean((model.predict(new) - truth) ** 2)) for model in (exact, quick)]
    assert errors[1] < 1.1 * errors[0]
