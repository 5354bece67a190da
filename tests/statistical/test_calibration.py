"""Simulation-based calibration and Geweke's joint distribution test of all samplers of trees.

What is drawn and compared is in `calibration`. Ranks must lie within bands that uniform ranks leave with probability
1e-6, means must agree at that level of Welch's t-test: 7e-4 for all 680 comparisons of this file together if the seeds
were drawn anew. By default all filters and a few chains have a short joint test, and a few samplers are calibrated; the
thorough run does both for all, and `make bench-calibration` writes a page.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from calibration import sums, trees
from calibration.uniformity import bands, p_value
from thorough import THOROUGH

pytestmark = pytest.mark.statistical

ALARM = 1e-6
N_DRAWS = 19
QUICK = {"auto", "pg", "cgm", "varying noise, cgm", "two classes, cgm", "three classes, grow_prune"}
QUICK_TREES = {"smc, prior", "smc, optimal", "smc, empirical, classes", "smc, prior, five islands", "cgm, classes"}


def named(cases):
    return pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in cases])


def assert_uniform(ranks):
    found = {name: p_value(of_name, N_DRAWS) for name, of_name in ranks.items()}
    assert min(found.values()) > ALARM, found


def assert_same_means(differences):
    assert min(p for _, p in differences.values()) > ALARM, differences


@named(case for case in sums.CASES if THOROUGH or case.name in QUICK)
def test_sums_of_trees_are_calibrated(case):
    assert_uniform(sums.ranks(case, 1_000 if THOROUGH else 60, N_DRAWS))


@named(case for case in trees.CASES if THOROUGH or case.name in QUICK_TREES)
def test_single_trees_are_calibrated(case):
    assert_uniform(trees.ranks(case, 1_000 if THOROUGH else 100, N_DRAWS))


@named(case for case in sums.CASES if THOROUGH or case.name in QUICK)
def test_chains_of_sums_keep_to_the_joint_distribution(case):
    assert_same_means(sums.joint(case, 400 if THOROUGH else 40))


@named(case for case in trees.CASES if case.is_filter)
def test_filters_keep_to_the_joint_distribution(case):
    assert_same_means(trees.joint(case, 4_000 if THOROUGH else 150))


def test_ranks_that_are_not_uniform_are_seen():
    """The bands are exact for five ranks of 0 to 2, of which all 243 can be listed."""
    listed = [p_value(np.array(ranks), 2) for ranks in product(range(3), repeat=5)]
    for p in sorted(set(listed)):
        assert p == pytest.approx(np.mean(np.array(listed) <= p + 1e-12))
    rng = np.random.default_rng(0)
    assert p_value(rng.integers(0, 10, 200), 9) > 0.01
    assert p_value(rng.binomial(9, 0.53, 200), 9) < 1e-6
    lower, upper = bands(200, 9, 0.01)
    counts = np.sort(rng.integers(0, 10, (4000, 200)), axis=1)
    cumulative = np.stack([(counts <= k).sum(axis=1) for k in range(9)], axis=1)
    left = ((cumulative < lower) | (cumulative > upper)).any(axis=1).mean()
    assert 0.002 < left <= 0.02
