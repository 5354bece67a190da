"""Every criterion along the sweep, and after rows were learned online, against dense matrices from scratch."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianFeatures, MondrianKernelRidge, _core
from hedgerow.kernel import _selection
from hedgerow.kernel._dense import Spectrum, criteria_at
from hedgerow.kernel._problem import Problem
from hedgerow.kernel._review import _sweep as grown_sweep
from oracle.kernel import dense_criteria, dense_prediction, kernel_matrix

TOLERANCE = 1e-8


def problem_of(n=60, n_unseen=0, n_trees=7, lifetime=20.0, seed=0, weights=None):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 2))
    X[5] = X[6]  # rows that never part
    y = np.sin(5 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)
    weights = np.ones(n) if weights is None else weights
    return Problem(np.ascontiguousarray(lifetime * (X - 0.5)), y - y.mean(), weights, n_unseen, n_trees, 3, 1)


def cells_at(problem, time):
    """Names of cells, from the process itself rather than from the sweep."""
    features = _core.CellFeatures(
        width=problem.points.shape[1], n_trees=problem.n_trees, lifetime=float(time), seed=problem.seed
    )
    return features.names(problem.points, 1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [1e-4, 0.03, 3.0])
def test_path_at_events(alpha, weighted):
    weights = np.random.default_rng(1).integers(1, 4, size=60).astype(float) if weighted else None
    problem = problem_of(weights=weights)
    sweep = grown_sweep(problem)
    table = _selection.follow_events(problem, sweep, alpha)
    path = _selection.as_path(problem, _selection.Rule("loo"), table, alpha, 20.0, True)
    assert len(path) == sweep.times().size + 1 > 300
    for place in np.linspace(0, len(path) - 1, 5).astype(int):
        names = cells_at(problem, path.time[place])
        likelihood, loo, _ = dense_criteria(kernel_matrix(names, names), problem.targets, problem.weights, alpha)
        assert path.n_features[place] == sum(np.unique(tree).size for tree in names.T)
        assert path.log_marginal_likelihood[place] == pytest.approx(likelihood, rel=TOLERANCE)
        assert path.loo_error[place] == pytest.approx(loo, rel=TOLERANCE)
        assert path.criterion[place] == path.loo_error[place]


@pytest.mark.parametrize("alpha", [1e-3, 0.3])
def test_validation_error_at_events(alpha):
    problem = problem_of(n=80, n_unseen=20)
    sweep = grown_sweep(problem)
    table = _selection.follow_events(problem, sweep, alpha)
    path = _selection.as_path(problem, _selection.Rule("validation"), table, alpha, 1.0, True)
    for place in np.linspace(0, len(path) - 1, 5).astype(int):
        names = cells_at(problem, path.time[place])
        kernel = kernel_matrix(names, names)
        mean, _ = dense_prediction(kernel[60:, :60], kernel[:60, :60], problem.targets[:60], np.ones(60), alpha)
        error = np.sqrt(np.mean((problem.targets[60:] - mean) ** 2))
        assert path.validation_error[place] == pytest.approx(error, rel=TOLERANCE)
        assert path.n_features[place] == sum(np.unique(tree).size for tree in names[:60].T)


@pytest.mark.parametrize("time", [0.0, 0.02, 0.2, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_both_spaces_from_scratch(time, weighted):
    """Few cells are solved in the space of cells, many in that of rows; by spectrum and by Cholesky."""
    weights = np.random.default_rng(1).integers(1, 4, size=60).astype(float) if weighted else None
    problem = problem_of(weights=weights)
    sweep = grown_sweep(problem)
    ((_, columns, n_columns),) = _selection.partitions_at(sweep, np.array([time]))
    assert (n_columns < 60) == (time < 0.1)
    names = cells_at(problem, time)
    alphas = np.array([1e-3, 0.1])
    spectrum = Spectrum.at(problem, columns, n_columns).criteria(alphas)
    for place, alpha in enumerate(alphas):
        likelihood, loo, _ = dense_criteria(kernel_matrix(names, names), problem.targets, problem.weights, alpha)
        for criteria in (spectrum, criteria_at(problem, columns, n_columns, alpha)):
            at = min(place, criteria.fit.size - 1)
            found = criteria.log_likelihood(alpha, problem.n, problem.total_weight)[at]
            assert found == pytest.approx(likelihood, rel=TOLERANCE)
            error = np.sqrt(criteria.leave_one_out[at] / problem.total_weight)
            assert error == pytest.approx(loo, rel=TOLERANCE)


def test_drift_is_watched(monkeypatch):
    """A tiny ridge and thousands of events: afresh when the residual has grown, and far off if nobody looks."""
    problem = problem_of(n=150, n_trees=20, lifetime=60.0)
    sweep = grown_sweep(problem)
    assert sweep.times().size > 2500
    n_refreshed = []
    refreshed = _selection._refreshed
    monkeypatch.setattr(_selection, "_refreshed", lambda *args: n_refreshed.append(1) or refreshed(*args))
    watched = _selection.follow_events(problem, sweep, 1e-7)
    assert len(n_refreshed) > 1
    monkeypatch.setattr(_selection, "TOLERATED_GROWTH", np.inf)
    drifted = _selection.follow_events(problem, sweep, 1e-7)
    partitions = list(_selection.partitions_at(sweep, np.array([0.1, 0.3, 1.0])))
    errors, drifts = [], []
    for time, columns, n_columns in partitions:
        place = sweep.n_until(time)
        true = Spectrum.at(problem, columns, n_columns).criteria(np.array([1e-7])).fit[0]
        errors.append(abs(watched[place, 2] / true - 1))
        drifts.append(abs(drifted[place, 2] / true - 1))
    assert max(errors) < 1e-7
    assert max(drifts) > 3 * max(errors)


@pytest.mark.parametrize("lifetime", [1.0, 30.0], ids=["cells", "rows"])
def test_after_partial_fit(lifetime):
    """The posterior after exact updates is that of a dense solve, with units and ridge as they were."""
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(90, 2))
    y = X[:, 0] ** 2 + 0.1 * rng.normal(size=90)
    weights = rng.integers(1, 4, size=90).astype(float)
    model = MondrianKernelRidge(6, lifetime=lifetime, alpha=0.05, random_state=0).fit(X[:50], y[:50], weights[:50])
    kind = type(model._learner.found.solution).__name__
    assert kind == ("CellSolution" if lifetime == 1.0 else "RowSolution")
    model.partial_fit(X[50:], y[50:], weights[50:])
    assert type(model._learner.found.solution).__name__ == kind
    queries = rng.uniform(-0.2, 1.2, size=(40, 2))
    names = model._learner.found.cells.names(model._learner.found.units.points(np.concatenate([X, queries])), 1)
    kernel, cross = kernel_matrix(names[:90], names[:90]), kernel_matrix(names[90:], names[:90])
    centre = np.average(y[:50], weights=weights[:50])
    assert model.loo_error_ == pytest.approx(dense_criteria(kernel, y - centre, weights, 0.05)[1], rel=TOLERANCE)
    unit = weights[:50].mean()
    total, of_weights, alpha = (weights / unit).sum(), np.log(weights / unit).sum(), 0.05 / unit
    matrix = kernel + np.diag(0.05 / weights)
    signal = (y - centre) @ np.linalg.solve(matrix, y - centre) / total
    determinant = np.linalg.slogdet(matrix)[1] + of_weights + (total - 90) * np.log(alpha)
    likelihood = -0.5 * (total * (np.log(2 * np.pi * signal) + 1) + determinant)
    assert model.log_marginal_likelihood_ == pytest.approx(likelihood, rel=TOLERANCE)
    mean, variance = dense_prediction(cross, kernel, y - centre, weights, 0.05)
    predicted, std = model.predict(queries, return_std=True)
    np.testing.assert_allclose(predicted, centre + mean, atol=TOLERANCE)
    np.testing.assert_allclose(std, np.sqrt(signal * (variance + alpha)), rtol=TOLERANCE)


def test_kept_inverse_is_computed_afresh(monkeypatch):
    """Spoil the inverse: the next look at the drift must notice."""
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(40, 1)), rng.normal(size=40)
    for lifetime in (0.5, 40.0):
        model = MondrianKernelRidge(4, lifetime=lifetime, alpha=0.1, random_state=0).fit(X[:30], y[:30])
        model._learner.found.solution.inverse[:] *= 1.001
        model.partial_fit(X[30:], y[30:])
        fresh = MondrianKernelRidge(4, lifetime=lifetime, alpha=0.1, random_state=0).fit(X[:30], y[:30])
        fresh.partial_fit(X[30:], y[30:])
        np.testing.assert_allclose(model.predict(X), fresh.predict(X), rtol=1e-9)


def test_features_are_the_kernel_of_the_ridge():
    """Ridge regression in the features of `MondrianFeatures` is the same model."""
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(0)
    X = rng.uniform(size=(80, 2))
    y = np.sin(4 * X[:, 0]) + 0.1 * rng.normal(size=80)
    model = MondrianKernelRidge(20, lifetime=3.0, alpha=0.1, length_scale=1.0, random_state=5).fit(X, y)
    features = MondrianFeatures(20, 3.0, random_state=5).fit(X)
    ridge = Ridge(alpha=0.1, fit_intercept=False, tol=1e-12).fit(features.transform(X), y - y.mean())
    queries = rng.uniform(size=(30, 2))
    expected = y.mean() + ridge.predict(features.transform(queries))
    np.testing.assert_allclose(model.predict(queries), expected, atol=1e-5)
