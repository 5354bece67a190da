"""What holds for all rows: order, chunks, threads, files and copies change nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow import MondrianFeatures, MondrianKernelRidge
from models import bits

RNG = np.random.default_rng(0)
X = RNG.normal(size=(70, 3))
Y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=70)
FAR = np.array([[1e300, -1e300, 0.0], [1e9, 0.0, 0.0], [0.0, 0.0, 0.0], [3.0, -40.0, 8.0]])
QUERIES = np.concatenate([RNG.normal(size=(40, 3)), FAR])

RIDGES = {
    "default": {},
    "loo": {"selection": "loo"},
    "validation": {"selection": "validation"},
    "iterative": {"solver": "iterative"},
    "independent": {"leaf_fit": "independent"},
    "fixed": {"lifetime": 1.5, "alpha": 0.1},
    "few cells": {"lifetime": 0.3, "n_estimators": 3},
}


def ridge(name, **parameters):
    return MondrianKernelRidge(**{"n_estimators": 12, "random_state": 0, **RIDGES[name], **parameters})


def answers(model):
    return np.array([*model.predict(QUERIES, return_std=True), *model.predict_interval(QUERIES).T])


def same(left, right):
    return left.shape == right.shape and (left != right).nnz == 0


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(20)), n_learned=st.integers(1, 20))
def test_cells_depend_on_nothing_but_the_seed(order, n_learned):
    """Rows learned in another order, or not at all, lie in the same cells."""
    units = {"n_estimators": 8, "lifetime": 1.5, "random_state": 1}
    base = MondrianFeatures(**units).fit(X)
    other = MondrianFeatures(**units).fit(X)
    other._learner.cells = hedgerow._core.CellFeatures(width=3, n_trees=8, lifetime=1.0, seed=base._learner.cells.seed)
    other.partial_fit(X[list(order)[:n_learned]])
    np.testing.assert_array_equal(base.kernel(QUERIES), other.kernel(QUERIES))
    np.testing.assert_array_equal(base.kernel(X, QUERIES), other.kernel(X, QUERIES))


def test_fit_and_a_stream_agree_bit_for_bit_only_around_the_same_centre():
    """Decision 28: `fit` takes the middle of the ranges for a centre, a stream its first row."""
    parameters = {"n_estimators": 50, "lifetime": 1.5, "random_state": 1}
    batch, stream = MondrianFeatures(**parameters).fit(X), MondrianFeatures(**parameters).partial_fit(X)
    middle = 0.5 * X.min(axis=0) + 0.5 * X.max(axis=0)
    np.testing.assert_array_equal(batch._learner.units.centre, middle)
    np.testing.assert_array_equal(stream._learner.units.centre, X[0])
    assert not np.array_equal(batch.kernel(QUERIES), stream.kernel(QUERIES))
    later = MondrianFeatures(**parameters).fit(X[:30]).partial_fit(X[30:])
    assert not np.array_equal(batch.kernel(QUERIES), later.kernel(QUERIES))
    rows = np.concatenate([[middle], X])
    batch, stream = MondrianFeatures(**parameters).fit(rows), MondrianFeatures(**parameters).partial_fit(rows)
    np.testing.assert_array_equal(batch.kernel(QUERIES), stream.kernel(QUERIES))
    assert same(batch.transform(QUERIES), stream.transform(QUERIES))


def test_points_beyond_the_box_are_alike_in_that_column():
    """The kernel is zero between them, its estimate is not; from points within they are infinitely far."""
    features = MondrianFeatures(50, 1.0, random_state=0).fit(X)
    beyond = np.array([[1e300, 0.0, 0.0], [1e12, 0.0, 0.0], [2.0**32 / 2, 0.0, 0.0], [0.0, 0.0, 0.0]])
    shares = features.kernel(beyond)
    assert shares[0, 1] == 1.0
    assert (shares[:2, 2:] == 0.0).all()
    assert shares[2, 3] == 0.0


def test_cells_without_a_column_share_spare_ones_by_chance():
    """Two new rows, each alone in its cell, meet in a spare column with probability 1 / n_spare.

    Pairs are pairwise independent; five standard deviations, so one false alarm in a million.
    """
    features = MondrianFeatures(200, 1.0, n_spare=16, random_state=0).fit(X)
    apart = np.zeros((100, 3))
    apart[:, 0] = 1e3 * (1 + np.arange(100))
    assert (features.kernel(apart) == np.eye(100)).all()
    embedded = features.transform(apart)
    assert embedded.indices.max() < 200 * 16
    products = (embedded @ embedded.T).toarray()[np.triu_indices(100, k=1)]
    pairs = products.size * 200
    assert abs(products.mean() - 1 / 16) < 5 * np.sqrt(1 / 16 * 15 / 16 / pairs)
    assert (features.transform(X).indices >= 200 * 16).all()  # no learned row has an entry there


@pytest.mark.parametrize("name", RIDGES)
def test_ridge_has_the_bits_of_fit_at_doublings(name):
    """And in between the centre, the units, lifetime and ridge of the last one."""
    stream = ridge(name)
    for begin, end in ((0, 16), (16, 32), (32, 64)):
        stream.partial_fit(X[begin:end], Y[begin:end])
        np.testing.assert_array_equal(answers(stream), answers(ridge(name).fit(X[:end], Y[:end])))
    centre = stream._learner.found.units.centre
    stream.partial_fit(10 * X[64:], Y[64:])
    np.testing.assert_array_equal(stream._learner.found.units.centre, centre)
    rows = np.concatenate([X[:64], 10 * X[64:]])
    assert not np.array_equal(answers(stream), answers(ridge(name).fit(rows, Y)))


def test_columns_keep_their_numbers():
    features = MondrianFeatures(10, 2.0, random_state=0).fit(X[:30])
    before, names = features.transform(X[:30]), features.get_feature_names_out()
    features.partial_fit(X)
    after = features.transform(X[:30])
    assert after.shape[1] > before.shape[1]
    assert same(before, after[:, : before.shape[1]])
    assert features.get_feature_names_out()[: names.size].tolist() == names.tolist()


def test_every_row_has_one_entry_a_tree():
    features = MondrianFeatures(10, 5.0, random_state=0).fit(X)
    for rows in (X, QUERIES):
        embedded = features.transform(rows)
        assert (embedded.getnnz(axis=1) == 10).all()
        np.testing.assert_allclose(embedded.multiply(embedded).sum(axis=1), 1.0)
    np.testing.assert_allclose((features.transform(X) @ features.transform(X).T).toarray(), features.kernel(X))
    names = features.get_feature_names_out()
    assert len(set(names)) == features.n_features_out_ == embedded.shape[1]
    used = names[features.transform(X).indices].reshape(70, 10)
    assert all(name.startswith(f"tree{m}_cell") for m in range(10) for name in used[:, m])


@pytest.mark.parametrize("name", ["default", "loo", "validation", "independent", "fixed"])
def test_a_weight_is_a_number_of_copies(name):
    weights = np.random.default_rng(1).integers(0, 4, size=70)
    copies = np.repeat(np.arange(70), weights)
    weighted, copied = ridge(name).fit(X, Y, weights), ridge(name).fit(X[copies], Y[copies])
    assert weighted.lifetime_ == pytest.approx(copied.lifetime_, rel=1e-12)
    assert weighted.alpha_ == pytest.approx(copied.alpha_, rel=1e-6)
    np.testing.assert_allclose(answers(weighted), answers(copied), rtol=1e-5, atol=1e-6)
    assert weighted.log_marginal_likelihood_ == pytest.approx(copied.log_marginal_likelihood_, rel=1e-6)
    assert weighted.loo_error_ == pytest.approx(copied.loo_error_, rel=1e-4)


@pytest.mark.parametrize("name", ["default", "loo", "validation", "independent", "fixed"])
def test_rows_twice_and_weights_times_a_constant_change_nothing(name):
    """Copies are not rows that happen to agree: taken for these, the ridge would go to zero."""
    model = ridge(name).fit(X, Y)

    def heavier(factor):  # a ridge that is given weighs against the rows
        return ridge(name).set_params(**({"alpha": factor * model.alpha_} if name == "fixed" else {}))

    twice, times = heavier(2.0).fit(np.tile(X, (2, 1)), np.tile(Y, 2)), heavier(3.0).fit(X, Y, np.full(70, 3.0))
    assert times.path_.alpha == times.alpha_ == pytest.approx(3.0 * model.alpha_, rel=1e-9)
    for other in (twice, times):
        np.testing.assert_allclose(answers(other), answers(model), rtol=1e-5, atol=1e-6)
        assert other.loo_error_ == pytest.approx(model.loo_error_, rel=1e-4)
    np.testing.assert_allclose(twice.loo_predict().mean[:70], model.loo_predict().mean, rtol=1e-4, atol=1e-4)


def test_units_of_labels_and_of_columns():
    """Labels in other units give the same answer in those; so do columns, measured by their range."""
    base = ridge("default").fit(X, Y)
    other = ridge("default").fit(X * [8.0, 0.25, 1.0], 1024.0 * Y + 512.0)
    scaled = QUERIES[:40] * [8.0, 0.25, 1.0]
    np.testing.assert_allclose(other.predict(scaled), 1024.0 * base.predict(QUERIES[:40]) + 512.0, rtol=1e-6, atol=1e-6)
    assert other.loo_error_ == pytest.approx(1024.0 * base.loo_error_, rel=1e-6)
    assert other.log_marginal_likelihood_ == pytest.approx(base.log_marginal_likelihood_ - 70 * np.log(1024), rel=1e-6)


def test_leaving_out_is_never_learning():
    """At fixed units: a row's leave-one-out prediction is that of a model that has not seen it."""
    for leaf_fit in ("joint", "independent"):
        model = MondrianKernelRidge(8, lifetime=0.7, alpha=0.2, length_scale=1.0, leaf_fit=leaf_fit, random_state=0)
        model.fit(X, Y)
        left, fit = model.loo_predict(), model._learner.found
        columns, rows = fit.solution.rows.cells, fit.solution.rows
        from hedgerow.kernel._independent import IndependentSolution
        from hedgerow.kernel._solutions import LearnedRows, exact_solution

        for i in (0, 17, 69):
            rest = np.delete(np.arange(70), i)
            kept = LearnedRows(columns[rest], rows.targets[rest], rows.weights[rest])
            problem = fit.solution._problem()
            problem = type(problem)(problem.points, kept.targets, kept.weights, 0, 8, 0, 1)
            if leaf_fit == "joint":
                without = exact_solution(problem, kept, 0.2, model.n_cells_)
            else:
                without = IndependentSolution(kept, 0.2, model.n_cells_, 1)
            mean = fit.origin + fit.scale * without.means(columns[[i]])[0]
            assert left.mean[i] == pytest.approx(mean, abs=1e-9)


def test_rows_that_cannot_be_learned_by_an_update_change_nothing():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(50, 2))
    model = MondrianKernelRidge(10, random_state=0).fit(X[:30], X[:30, 0]).partial_fit(X[30:], X[30:, 0])
    before = bits(model)
    equal = np.repeat(X[:1], 5, axis=0)
    with pytest.raises(ValueError, match="nothing was changed"):
        model.partial_fit(equal, np.arange(5.0), sample_weight=np.full(5, 1e25))
    assert bits(model) == before
    again = MondrianKernelRidge(10, random_state=0).fit(X[:30], X[:30, 0]).partial_fit(X[30:], X[30:, 0])
    for each in (model, again):
        each.partial_fit(X[:8], X[:8, 0])
    assert bits(model) == bits(again)
