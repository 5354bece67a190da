"""Forests know which categories no row has, whatever has come and gone, and intervals are wider there."""

from __future__ import annotations

import numpy as np
import pytest

import hedgerow
from hedgerow import MondrianForestRegressor
from hedgerow.base.rows import NO_WEIGHTS, Rows

N, K = 400, 8
RNG = np.random.default_rng(0)
LEVEL = RNG.permutation(np.arange(N) % K)
NUMBERS = RNG.uniform(size=(N, 2))
Y = 4.0 * RNG.normal(size=K)[LEVEL] + 3.0 * NUMBERS[:, 0] + 0.3 * RNG.normal(size=N)


def table(which, level=None):
    """Some of the rows; in another level, if one is given."""
    names = [f"level {number}" if level is None else level for number in LEVEL[which]]
    return {"level": names, "x": NUMBERS[which, 0], "z": NUMBERS[which, 1]}


def learned(which=slice(None), y=Y, **given):
    return MondrianForestRegressor(10, random_state=0, **given).fit(table(which), y[which])


def added(model, X):
    """The variance that distances and new categories add to that of rows."""
    return model._learner._moments(model._query_rows(X), model._current.query, 4)[3]


def assert_alike(one, other, X):
    np.testing.assert_array_equal(one.predict_interval(X), other.predict_interval(X))


def next_rows(model, which):
    return Rows(model._query_rows(table(which)), Y[which], NO_WEIGHTS)


ALL = np.arange(N)
OF_LAST = ALL[LEVEL == K - 1]


@pytest.mark.parametrize("given", [{}, {"cuts": "keyed"}, {"window": N}], ids=str)
def test_only_new_categories_are_wider(given):
    model = learned(**given)
    assert (added(model, table(ALL)) == 0.0).all()
    cost = added(model, table(ALL[:50], "new"))
    assert (cost > 1.0).all()
    assert np.ptp(added(model, table(ALL[:20], "new")) - cost[:20]) < 1e-9


@pytest.mark.parametrize("given", [{}, {"cuts": "keyed"}], ids=str)
def test_a_category_that_is_learned_is_new_no_longer(given):
    model = learned(**given)
    row = {"level": "guest", "x": 0.5, "z": 0.5}
    asked = {name: [value] for name, value in row.items()}
    before = added(model, asked)
    assert before > 1.0
    model.learn_one(row, 1.0)
    assert added(model, asked) == 0.0
    model.unlearn_one(row, 1.0)
    assert added(model, asked) == before


@pytest.mark.parametrize("given", [{}, {"cuts": "keyed"}], ids=str)
def test_a_category_that_is_unlearned_is_new_again(given):
    model = learned(**given).unlearn(table(OF_LAST), Y[OF_LAST])
    assert (added(model, table(OF_LAST)) > 1.0).all()
    rest = np.setdiff1d(ALL, OF_LAST)
    assert (added(model, table(rest)) == 0.0).all()
    relearned = learned(**given).unlearn(table(OF_LAST), Y[OF_LAST], relearn=True)
    assert_alike(relearned, learned(rest, **given), table(OF_LAST))


def test_a_category_that_a_window_has_left_behind_is_new_again():
    order = np.concatenate([OF_LAST, np.setdiff1d(ALL, OF_LAST)])
    model = MondrianForestRegressor(10, window=N - OF_LAST.size, random_state=0)
    model.partial_fit(table(order), Y[order])
    assert (added(model, table(OF_LAST)) > 1.0).all()
    assert (added(model, table(order[OF_LAST.size :])) == 0.0).all()


def test_streams_learn_it_at_reviews():
    """However rows are split, and the forecasts of a new category's rows are wide until it has been learned."""
    rest = np.setdiff1d(ALL, OF_LAST)
    one, other = (MondrianForestRegressor(10, random_state=0) for _ in range(2))
    one.partial_fit(table(rest), Y[rest])
    for part in np.array_split(rest, 7):
        other.partial_fit(table(part), Y[part])
    assert_alike(one, other, table(ALL))
    assert (added(one, table(OF_LAST[:1])) > 1.0).all()
    said = other.predict(table(OF_LAST[:1]), return_std=True)
    query = one._current.query
    mean, std = map(
        np.concatenate, zip(*one._learner.moments_then_learn(next_rows(one, OF_LAST[:2]), query), strict=True)
    )
    assert (mean[0], std[0]) == (said[0][0], said[1][0])
    assert std[1] < std[0]


def test_predictions_of_known_categories_do_not_depend_on_it(monkeypatch):
    """They are those of a forest that does not know which columns hold categories."""
    model = learned()
    monkeypatch.setattr(MondrianForestRegressor, "_described", lambda self: {})
    plain = learned()
    assert_alike(model, plain, table(ALL))
    np.testing.assert_array_equal(model.loo_predict().std, plain.loo_predict().std)
    np.testing.assert_array_equal(model.predict(table(ALL, "new")), plain.predict(table(ALL, "new")))


def test_files_and_copies(tmp_path):
    model = learned()
    model.save(tmp_path / "forest.hedgerow")
    read, asked = hedgerow.load(tmp_path / "forest.hedgerow"), table(ALL[:50], "new")
    assert_alike(read, model, asked)
    more = np.tile(ALL, 2)  # enough for a review
    assert_alike(read.partial_fit(table(more), Y[more]), model.partial_fit(table(more), Y[more]), asked)


def test_merged_is_a_fit_to_all_rows():
    parts = [learned(which, cuts="keyed") for which in np.array_split(ALL, 2)]
    merged, asked = hedgerow.merge(parts), table(ALL[:50], "new")
    assert (added(merged, asked) > 1.0).all()
    assert_alike(merged, learned(cuts="keyed"), asked)


def test_several_targets():
    both = np.column_stack([Y, NUMBERS[:, 0] + Y])
    model = learned(y=both)
    asked = table(ALL[:50])
    new = {**asked, "level": ["new"] * 50}
    known_std, new_std = (model.predict(rows, return_std=True)[1] for rows in (asked, new))
    assert (added_jointly(model, asked) == 0.0).all()
    assert (added_jointly(model, new) > 0.05).all()
    assert (new_std.mean(axis=0) > 1.5 * known_std.mean(axis=0)).all()


def added_jointly(model, X):
    return model._learner._moments(model._query_rows(X), model._current.query)[3]


def test_categories_that_tell_nothing_cost_nothing():
    """In four of five samples or more: a mean is above its standard error by chance in one of six."""
    n_free = 0
    for seed in range(12):
        y = 3.0 * NUMBERS[:, 0] + np.random.default_rng(seed).normal(size=N)
        n_free += bool((added(learned(y=y), table(ALL[:5], "new")) == 0.0).all())
    assert n_free >= 6


def test_a_category_a_row_costs_nothing():
    """Leave-one-out has seen what a new category is like."""
    X = {**table(ALL), "level": [f"level {number}" for number in range(N)]}
    model = MondrianForestRegressor(10, random_state=0).fit(X, Y)
    assert (added(model, {**table(ALL[:5]), "level": ["new"] * 5}) < 0.1 * np.var(Y)).all()


def test_axes_of_files_from_strangers():
    from hedgerow.mondrian._new_categories import category_axes_in

    assert category_axes_in([[0, 1], [3]], 4) == ((0, 1), (3,))
    for wrong in ([[0], [0]], [[4]], [[-1]], [[True]], [[]], [3], [[0.0]], ["a"], [["a"]]):
        with pytest.raises(ValueError, match="not axes"):
            category_axes_in(wrong, 4)
