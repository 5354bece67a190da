"""Laws of a Mondrian tree that are known in closed form, for trees grown in batch, online and backwards.

With min_samples_split=2 and an endless lifetime, two rows are separated after an exponential time whose rate
is their L1 distance. On a line, the cuts between neighbours come independently of each other.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import expon, uniform

from statistical.comparison import LawTest, TreeStatistics, forest

pytestmark = pytest.mark.statistical

POINTS = np.array([[0.0, 0.3], [0.5, 0.0], [0.7, 1.1], [0.2, 0.9], [1.0, 0.6]])
GUEST_POINTS = np.array([[0.4, 0.2], [1.6, 0.8], [-0.5, 0.5], [0.6, 0.6]])


def in_batch(points, seed, **parameters):
    return forest(seed, **parameters).fit(points, np.arange(len(points), dtype=float))


def online(points, seed, **parameters):
    """In an order that is neither that of the points nor its reverse."""
    order = np.random.default_rng(seed).permutation(len(points))
    return forest(seed, **parameters).partial_fit(points[order], order.astype(float))


def unlearned(points, seed, **parameters):
    """With guests that come among the rows and leave again."""
    guests = GUEST_POINTS[:, : points.shape[1]]
    guest_labels = 100.0 + np.arange(len(guests))
    model = forest(seed, **parameters).partial_fit(guests[:2], guest_labels[:2])
    model.partial_fit(points, np.arange(len(points), dtype=float))
    model.partial_fit(guests[2:], guest_labels[2:])
    return model.unlearn(guests[[3, 0, 2, 1]], guest_labels[[3, 0, 2, 1]])


MAKERS = pytest.mark.parametrize("make", [in_batch, online, unlearned])


@MAKERS
def test_first_cut(make):
    """Time exponential with the total side length as its rate, feature in proportion, location uniform."""
    trees = TreeStatistics(make(POINTS, 1))
    lower, upper = POINTS.min(axis=0), POINTS.max(axis=0)
    sides = upper - lower
    with LawTest() as laws:
        laws.has_law("time", trees.root_time, expon(scale=1 / sides.sum()).cdf)
        laws.has_probabilities("feature", trees.root_feature, sides / sides.sum())
        for d in range(2):
            chosen = trees.root_feature == d
            located = trees.root_location[chosen]
            laws.has_law(f"location in column {d}", located, uniform(lower[d], sides[d]).cdf)
            laws.independent(f"time and location in column {d}", trees.root_time[chosen], located)
        laws.same_numbers("time given the feature", *(trees.root_time[trees.root_feature == d] for d in range(2)))


@MAKERS
def test_separation_times(make):
    trees = TreeStatistics(make(POINTS, 2))
    with LawTest() as laws:
        for i in range(len(POINTS)):
            for j in range(i):
                distance = np.abs(POINTS[i] - POINTS[j]).sum()
                laws.has_law(f"rows {i} and {j}", trees.separation_times(i, j), expon(scale=1 / distance).cdf)


@MAKERS
def test_separation_times_with_an_end(make):
    """A lifetime only hides what would have come after it."""
    trees = TreeStatistics(make(POINTS, 3, lifetime=1.0))
    with LawTest() as laws:
        for i in range(len(POINTS)):
            for j in range(i):
                law = expon(scale=1 / np.abs(POINTS[i] - POINTS[j]).sum())
                times = trees.separation_times(i, j)
                parted = times < 1.0
                laws.has_probabilities(f"rows {i} and {j} part", parted.astype(int), [law.sf(1.0), law.cdf(1.0)])
                laws.has_law(f"rows {i} and {j}", law.cdf(times[parted]) / law.cdf(1.0), uniform.cdf)


@MAKERS
def test_cuts_on_a_line_are_independent(make):
    line = np.array([[0.0], [0.1], [0.5], [1.2], [1.4]])
    trees = TreeStatistics(make(line, 4))
    times = [trees.separation_times(i, i + 1) for i in range(4)]
    with LawTest() as laws:
        for i, gap in enumerate(np.diff(line[:, 0])):
            laws.has_law(f"gap {i}", times[i], expon(scale=1 / gap).cdf)
            for j in range(i):
                laws.independent(f"gaps {i} and {j}", times[i], times[j])


def gap_probabilities(points):
    """P(first cut falls between neighbours k and k + 1 in column d), in the order of (d, k)."""
    gaps = np.concatenate([np.diff(np.sort(points[:, d])) for d in range(points.shape[1])])
    return gaps / gaps.sum()


def first_gap(points, trees):
    n = len(points)
    found = np.empty(trees.n_trees, dtype=int)
    for d in range(points.shape[1]):
        chosen = trees.root_feature == d
        found[chosen] = d * (n - 1) + np.searchsorted(np.sort(points[:, d]), trees.root_location[chosen]) - 1
    return found


def test_first_gap_of_three_points_in_every_order():
    """Feature and gap of the first cut, for all six orders of arrival and for batch."""
    points = np.array([[0.0, 0.4], [0.3, 0.0], [1.0, 0.5]])
    with LawTest() as laws:
        for order in permutations(range(3)):
            arranged = points[list(order)]
            model = forest(5).partial_fit(arranged, np.array(order, dtype=float))
            found = first_gap(points, TreeStatistics(model))
            laws.has_probabilities(f"online {order}", found, gap_probabilities(points))
        found = first_gap(points, TreeStatistics(in_batch(points, 5)))
        laws.has_probabilities("batch", found, gap_probabilities(points))


@pytest.mark.parametrize("width", [9, 40])
@MAKERS
def test_many_columns(make, width):
    """Wide rows take other paths through the core."""
    rng = np.random.default_rng(6)
    points = rng.uniform(size=(4, width)) * rng.uniform(0.1, 2.0, size=width)
    if make is unlearned:
        points = np.column_stack([POINTS[:4], points])
        guests = np.column_stack([GUEST_POINTS, rng.uniform(size=(4, width))])
        model = forest(6).partial_fit(guests, 100.0 + np.arange(4)).partial_fit(points, np.arange(4.0))
        model.unlearn(guests, 100.0 + np.arange(4))
    else:
        model = make(points, 6)
    trees = TreeStatistics(model)
    sides = np.ptp(points, axis=0)
    with LawTest() as laws:
        laws.has_law("root time", trees.root_time, expon(scale=1 / sides.sum()).cdf)
        laws.has_probabilities("root feature", trees.root_feature, sides / sides.sum())
        for i, j in [(0, 1), (1, 2), (0, 3)]:
            distance = np.abs(points[i] - points[j]).sum()
            laws.has_law(f"rows {i} and {j}", trees.separation_times(i, j), expon(scale=1 / distance).cdf)


def test_large_batches_are_thinned_rightly():
    """Enough rows that growth starts from columns and copies blocks out: the first cut and one pair."""
    rng = np.random.default_rng(7)
    points = rng.exponential(size=(9000, 8)) * [0.1, 0.2, 0.3, 0.1, 0.1, 0.1, 0.05, 0.05]
    points[:, 2] = np.round(points[:, 2], 1)
    model = forest(7, lifetime=0.3).set_params(n_estimators=300).fit(points, np.arange(9000.0))
    trees = TreeStatistics(model)
    sides = np.ptp(points, axis=0)
    law = expon(scale=1 / sides.sum())
    with LawTest() as laws:
        cut = trees.root_feature >= 0
        laws.has_law("time", law.cdf(trees.root_time[cut]) / law.cdf(0.3), uniform.cdf)
        laws.has_probabilities("feature", trees.root_feature[cut], sides / sides.sum())
        for i, j in [(0, 1), (10, 2000), (5000, 8000), (77, 78)]:
            together = np.exp(-0.3 * np.abs(points[i] - points[j]).sum())
            parted = trees.separation_times(i, j) < 0.3
            laws.has_probabilities(f"rows {i} and {j}", parted.astype(int), [together, 1 - together])
