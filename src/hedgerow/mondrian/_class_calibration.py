"""The power that calibrates class probabilities, learned by cross-validation: blocks of rows are unlearned."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hedgerow.base.copies import Numbers
from hedgerow.mondrian._learning import Sample
from hedgerow.numeric.simplex import Point, around, minimise

FEWEST_ROWS = 30
"""With fewer rows, copies counted once, the power is 1."""

MOST_PROBABILITIES = 400_000
"""Rows that are left out, times classes, at most."""

N_BLOCKS = 10
"""Blocks that rows are left out in; if only some rows are, fewer, so that a block stays a tenth of all rows."""

POWERS = 1 / 8, 16.0
"""The least and the largest power."""

SPREAD = 0.7
"""Standard deviation of the logarithm of the power before any row is asked, around 0: few rows move it little."""

N_STEPS = 16
"""Steps of the search, after a coarse grid."""

NO_BLOCK = 2**32 - 1


def learn_power(core: Any, sample: Sample, rule: Any, most_rows: int, n_threads: int) -> float:
    """Return the power under which rows are predicted best, in log loss, by the forest without them and their block.

    Blocks are unlearned, which is exact, so no forest is grown. At most so many rows are left out, copies counted once.
    """
    n_units = sample.copies.n_units
    if n_units < FEWEST_ROWS or (sample.labels == sample.labels[0]).all():
        return 1.0
    most_asked = MOST_PROBABILITIES // (int(sample.labels.max()) + 1)  # of classes that have come, not of those known
    n_asked = min(n_units, most_rows, max(FEWEST_ROWS, most_asked))
    n_blocks = math.ceil(N_BLOCKS * n_asked / n_units)
    problem = core.power_problem(rule, _blocks(sample, n_asked, n_blocks, core.seed), n_blocks, n_threads)

    def power(point: Point) -> float:
        return min(max(math.exp(point[0]), POWERS[0]), POWERS[1])

    def loss(point: Point) -> float:
        prior: float = 0.5 * (math.log(power(point)) / SPREAD) ** 2
        return float(problem.log_loss(power(point))) + prior / n_asked

    start = min(((math.log(first),) for first in (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)), key=loss)
    return power(minimise(loss, around(start, (math.log(2.0) / 2,)), N_STEPS)[0])


def _blocks(sample: Sample, n_asked: int, n_blocks: int, seed: int) -> Numbers:
    """Return the block of each row, or none: so many units drawn at random, in blocks of one size, copies together."""
    units, groups = sample.units[0], sample.copies.groups
    drawn = units[np.random.default_rng(seed).permutation(units.size)[:n_asked]]
    groups = groups if groups.size else np.arange(sample.labels.size, dtype=np.uint32)
    of_groups = np.full(int(groups.max()) + 1, NO_BLOCK, dtype=np.uint32)
    of_groups[groups[drawn]] = np.arange(n_asked) % n_blocks
    blocks: Numbers = of_groups[groups]
    return blocks
