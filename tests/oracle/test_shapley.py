"""Shapley values next to their definition, and to functions whose values are known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hedgerow.explain import all_coalitions, random_orders, shapley_values

RNG = np.random.default_rng(0)
ROWS, BACKGROUND = RNG.normal(size=(7, 4)), RNG.normal(size=(12, 4))


def wild(X):
    """A function of four columns, all of which interact; two numbers a row."""
    first = np.sin(X[:, 0] * X[:, 1]) + X[:, 2] * (X[:, 3] > 0) * X[:, 0]
    return np.column_stack([first, np.abs(X).max(axis=1)])


def by_definition(f, rows, background):
    """Mean over all orders of columns and all background rows of what a column changes."""
    n, width = rows.shape
    total = np.zeros((n, width, f(rows).shape[1]))
    orders = list(itertools.permutations(range(width)))
    for i, b, order in itertools.product(range(n), background, orders):
        mixed = b.copy()
        before = f(mixed[None])[0]
        for column in order:
            mixed[column] = rows[i, column]
            after = f(mixed[None])[0]
            total[i, column] += after - before
            before = after
    return total / (len(orders) * len(background))


def sampled(f, rows, background, seed=0, others=None):
    rng = np.random.default_rng(seed)
    return shapley_values(f, rows, background, random_orders(rows.shape[1], len(background), rng), others)


def test_exact_values_are_those_of_the_definition():
    found = shapley_values(wild, ROWS, BACKGROUND, all_coalitions(4, 12))
    np.testing.assert_allclose(found.values, by_definition(wild, ROWS, BACKGROUND), atol=1e-12)
    np.testing.assert_allclose(found.base, wild(BACKGROUND).mean(axis=0))


@pytest.mark.parametrize("width", [1, 2, 3, 6])
def test_orders_are_orders(width):
    """Each mixture has one column more than the one before; every second order is the one before it backwards."""
    masks, weights = random_orders(width, 5, np.random.default_rng(1))
    assert (masks.sum(axis=2) == np.arange(1, width)).all()
    assert (masks[:, 1:] >= masks[:, :-1]).all()
    np.testing.assert_array_equal(masks[1], ~masks[0][::-1])
    np.testing.assert_array_equal(masks[3], ~masks[2][::-1])
    assert (weights.sum(axis=2) == 0).all()
    np.testing.assert_array_equal(weights.sum(axis=1)[:, -2:], [[-1, 1]] * 5)


def test_two_columns_need_two_orders_only():
    def product(X):
        return (X[:, 0] * X[:, 1])[:, None]

    twice = np.repeat(BACKGROUND[:, :2], 2, axis=0)
    expected = by_definition(product, ROWS[:, :2], BACKGROUND[:, :2])
    np.testing.assert_allclose(sampled(product, ROWS[:, :2], twice).values, expected, atol=1e-12)


@pytest.mark.parametrize("is_exact", [True, False])
def test_values_of_a_sum_of_functions_are_known(is_exact):
    def function(X):
        return (3 * X[:, 0] - np.exp(X[:, 1]) + X[:, 3] ** 2)[:, None]

    parts = [(3 * X[:, 0], -np.exp(X[:, 1]), 0 * X[:, 2], X[:, 3] ** 2) for X in (ROWS, BACKGROUND)]
    coalitions = all_coalitions(4, 12) if is_exact else random_orders(4, 12, np.random.default_rng(0))
    found = shapley_values(function, ROWS, BACKGROUND, coalitions).values[..., 0]
    expected = np.column_stack(parts[0]) - np.mean(parts[1], axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(found[:, 2], 0, atol=0 if not is_exact else 1e-15)


def test_columns_that_do_the_same_have_the_same_value():
    same = ROWS.copy()
    same[:, 1] = same[:, 0]
    background = BACKGROUND.copy()
    background[:, 1] = background[:, 0]

    def function(X):
        return (np.sin(X[:, 0] + X[:, 1]) * X[:, 2])[:, None]

    found = shapley_values(function, same, background, all_coalitions(4, 12)).values
    np.testing.assert_allclose(found[:, 0], found[:, 1], atol=1e-12)


@pytest.mark.parametrize("n_others", [0, 160])
def test_sampled_values_are_as_far_off_as_they_say(n_others):
    """Of 1,000 background rows, 40 are drawn: errors are of the size of the standard errors."""
    rng = np.random.default_rng(3)
    everything = rng.normal(size=(1000, 4))
    expected = shapley_values(wild, ROWS, everything, all_coalitions(4, 1000)).values
    errors, stated = [], []
    for seed in range(40):
        drawn = everything[rng.permutation(1000)[: 40 + n_others]]
        found = sampled(wild, ROWS, drawn[:40], seed, drawn[40:] if n_others else None)
        errors.append(found.values - expected)
        stated.append(found.error)
    assert 0.85 < np.sqrt(np.mean(np.square(errors)) / np.mean(np.square(stated))) < 1.15
    assert np.mean(np.abs(errors) > 2.0 * np.array(stated)) < 0.12


def test_others_take_away_most_of_the_error():
    rng = np.random.default_rng(4)
    everything = rng.normal(size=(1000, 4))

    def function(X):
        return (2 * X[:, 0] + X[:, 1] + 0.3 * X[:, 0] * X[:, 2])[:, None]

    expected = shapley_values(function, ROWS, everything, all_coalitions(4, 1000)).values
    errors = {True: [], False: []}
    for seed in range(40):
        drawn = everything[rng.permutation(1000)[:160]]
        for is_centred, of_kind in errors.items():
            found = sampled(function, ROWS, drawn[:32], seed, drawn[32:] if is_centred else None)
            of_kind.append(found.values - expected)
            said = function(drawn[32:] if is_centred else drawn[:32]).mean()
            np.testing.assert_allclose(found.values.sum(axis=1)[:, 0] + said, function(ROWS)[:, 0])
    assert np.std(errors[True]) < 0.6 * np.std(errors[False])


def test_all_rows_as_others_of_themselves_change_nothing():
    coalitions = all_coalitions(4, 12)
    plain, centred = (shapley_values(wild, ROWS, BACKGROUND, coalitions, others) for others in (None, BACKGROUND))
    np.testing.assert_allclose(plain.values, centred.values, atol=1e-12)
    np.testing.assert_allclose(plain.base, centred.base)


def test_pieces_do_not_matter(monkeypatch):
    from hedgerow.explain import _values

    whole = sampled(wild, ROWS, BACKGROUND, others=BACKGROUND)
    for size in (1, 100, 400):
        monkeypatch.setattr(_values, "NUMBERS_AT_A_TIME", size)
        for found, expected in zip(sampled(wild, ROWS, BACKGROUND, others=BACKGROUND), whole, strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-12)
