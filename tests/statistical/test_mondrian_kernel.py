"""The law of the Mondrian kernel. Each test raises a false alarm less than once in a million seeds; seeds are fixed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from hedgerow import MondrianFeatures, _core
from thorough import THOROUGH

pytestmark = pytest.mark.statistical

N_TREES = 40_000 if THOROUGH else 4_000
FALSE_ALARMS = 1e-6


def laplace(X, Y, lifetime):
    return np.exp(-lifetime * np.abs(X[:, None] - Y[None]).sum(axis=2))


@pytest.mark.parametrize("learned", ["all", "none of the pair", "one of the pair", "online"])
def test_kernel_is_unbiased(learned):
    """How many trees put two rows into one cell is binomial with the Laplace kernel; ten pairs, each its own seed."""
    rng = np.random.default_rng(7)
    for seed in range(10):
        pair = rng.uniform(-1.0, 1.0, size=(2, 3))
        pair[1] = pair[0] + 0.3 * rng.normal(size=3)
        if seed % 2:
            pair += 5.0  # outside the range of what else is learned
        others = rng.uniform(size=(5, 3))
        features = MondrianFeatures(N_TREES, 1.3, random_state=seed)
        if learned == "all":
            features.fit(np.concatenate([others, pair]))
        elif learned == "none of the pair":
            features.fit(others)
        elif learned == "one of the pair":
            features.fit(np.concatenate([others, pair[:1]]))
        else:
            for row in np.concatenate([others, pair]):
                features.partial_fit(row.reshape(1, -1))
        expected = laplace(pair, pair, 1.3)[0, 1]
        shared = round(features.kernel(pair)[0, 1] * N_TREES)
        assert stats.binomtest(shared, N_TREES, expected).pvalue > FALSE_ALARMS / 10


def test_length_scales():
    X = np.array([[0.0, 0.0], [2.0, 30.0]])
    features = MondrianFeatures(N_TREES, 0.5, length_scale=[4.0, 100.0], random_state=0).fit(X)
    shared = round(features.kernel(X)[0, 1] * N_TREES)
    expected = np.exp(-0.5 * (2 / 4 + 30 / 100))
    assert stats.binomtest(shared, N_TREES, expected).pvalue > FALSE_ALARMS


def test_error_falls_like_one_over_the_root_of_the_trees():
    """Figure 5's setting. The slope of five mean errors over a factor of 256 has a spread of about 0.03."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(100, 2))
    true = laplace(X, X, 10.0)
    sizes = np.array([8, 32, 128, 512, 2048])
    errors = [
        np.mean([np.abs(MondrianFeatures(m, 10.0, random_state=s).fit(X).kernel(X) - true).max() for s in range(5)])
        for m in sizes
    ]
    slope = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    assert -0.65 < slope < -0.35


def plain_partition(points, lifetime, rng):
    """The partition of some points, drawn as Balog and others (2016), section 2.2, says, on the box around them."""
    blocks, done = [(0.0, list(range(len(points))))], []
    while blocks:
        time, rows = blocks.pop()
        lower, upper = points[rows].min(axis=0), points[rows].max(axis=0)
        sides = upper - lower
        total = sides.sum()
        time = time + rng.exponential() / total if total > 0 else np.inf
        if time > lifetime:
            done.append(tuple(rows))
            continue
        d = rng.choice(sides.size, p=sides / total)
        location = rng.uniform(lower[d], upper[d])
        blocks.append((time, [row for row in rows if points[row, d] <= location]))
        blocks.append((time, [row for row in rows if points[row, d] > location]))
    return tuple(sorted(done))


@pytest.mark.parametrize("learned", [4, 2, 0])
def test_joint_law_of_four_rows(learned):
    """All 15 partitions of four rows, some of them never learned, as often as in plain samples."""
    rng = np.random.default_rng(3)
    points = rng.uniform(size=(4, 2))
    lifetime = 1.5
    plain = Counter(plain_partition(points, lifetime, rng) for _ in range(N_TREES))
    features = MondrianFeatures(N_TREES, lifetime, random_state=11).fit(
        points[:learned] if learned else points[:1] + 9.0
    )
    names = features._learner.cells.names(features._learner.units.points(points), 1)
    ours = Counter()
    for m in range(N_TREES):
        blocks = {}
        for row in range(4):
            blocks.setdefault(names[row, m], []).append(row)
        ours[tuple(sorted(tuple(rows) for rows in blocks.values()))] += 1
    kinds = [kind for kind in plain.keys() | ours.keys() if plain[kind] + ours[kind] >= 20]
    assert len(kinds) >= 8
    table = np.array([[counts[kind] for kind in kinds] for counts in (plain, ours)])
    assert stats.chi2_contingency(table).pvalue > FALSE_ALARMS


def test_first_event_of_a_sweep_is_exponential():
    """With the linear dimension of the rows' box as its rate."""
    points = np.array([[0.0, 0.0, 0.0], [0.7, 1.1, 0.2]])
    times = []
    for seed in range(40):
        sweep = _core.Sweep(n_rows=points.shape[0], n_trees=50, seed=seed)
        sweep.grow(points, 0, 50, 1)
        times.append(sweep.times())
    found = np.concatenate(times)
    n_all = 40 * 50
    assert stats.binomtest(found.size, n_all, -np.expm1(-2.0)).pvalue > FALSE_ALARMS
    within = -np.expm1(-2.0 * found) / -np.expm1(-2.0)
    assert stats.kstest(within, "uniform").pvalue > FALSE_ALARMS
