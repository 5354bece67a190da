"""Which rows are taken for copies of each other."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.base.copies import find_copies, warn_if_ambiguous

RNG = np.random.default_rng(0)
X = RNG.normal(size=(500, 3))
Y = RNG.normal(size=500)
COARSE = RNG.integers(0, 4, size=(500, 3)).astype(float)


def test_rows_that_all_differ():
    copies = find_copies(X, Y)
    assert copies.groups.size == 0
    assert copies.n_units == 500
    assert not copies.is_ambiguous


def test_a_bootstrap_sample():
    drawn = RNG.integers(0, 500, 500)
    copies = find_copies(X[drawn], Y[drawn])
    assert copies.n_units == np.unique(drawn).size
    for group in np.unique(copies.groups):
        assert np.unique(drawn[copies.groups == group]).size == 1


@pytest.mark.parametrize("times", [2, 5])
def test_every_row_several_times(times):
    copies = find_copies(np.tile(X, (times, 1)), np.tile(Y, times))
    assert copies.n_units == 500
    np.testing.assert_array_equal(copies.groups, np.tile(copies.groups[:500], times))
    part = copies.of(np.r_[0:10, 500:505])
    assert part.n_units == 10


def test_zeros_of_either_sign_are_equal():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 1.0]])
    assert find_copies(X, np.array([0.0, -0.0, 0.0])).n_units == 2


REPLICATES = {
    "noise": COARSE[:, 0] + RNG.normal(size=500),
    "ratings": RNG.integers(1, 6, size=500).astype(float),
    "two classes": (RNG.uniform(size=500) < COARSE[:, 0] / 4).astype(float),
    "a rare class": (RNG.uniform(size=500) < 0.05).astype(float),
}


@pytest.mark.parametrize("y", REPLICATES.values(), ids=REPLICATES)
def test_rows_that_meet_on_coarse_features_are_no_copies(y):
    assert find_copies(COARSE, y).groups.size == 0


def test_places_to_which_rows_come_back_are_no_copies():
    """A function of few values, without noise: new rows will meet old ones, and leave-one-out may too."""
    places = RNG.integers(0, 3, size=(500, 2)).astype(float)
    assert find_copies(places, places.sum(axis=1)).n_units == 500


def test_where_nobody_knows_there_is_a_warning():
    """Rows that came twice, next to rows of two classes that meet on coarse features."""
    drawn = np.r_[0:150, 0:150]
    places = np.repeat(np.arange(30.0), 2)
    points, y = np.r_[X[drawn], np.tile(places[:, None], 3)], np.r_[np.round(Y[drawn]), np.arange(60) % 2]
    copies = find_copies(points, y)
    assert copies.is_ambiguous
    with pytest.warns(UserWarning, match="sample_weight"):
        warn_if_ambiguous(copies)
