"""What calibrates class probabilities, learned by cross-validation: blocks of rows are unlearned."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hedgerow.base.copies import Numbers
from hedgerow.mondrian._learning import Sample
from hedgerow.numeric.simplex import Point, around, minimise

FEWEST_ROWS = 30
"""With fewer rows, copies counted once, nothing is learned."""

MOST_PROBABILITIES = 400_000
"""Rows that are left out, times classes, at most."""

N_BLOCKS = 10
"""Blocks that rows are left out in; if only some rows are, fewer, so that a block stays a tenth of all rows."""

POWERS = 1 / 8, 16.0
"""The least and the largest power."""

FIRST_POWERS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Where the search may begin."""

SPREAD = 0.7
"""Standard deviation of the logarithm of the power before any row is predicted, around 0: few rows move it little."""

FIRST_ODDS, SPREAD_OF_ODDS = math.log(0.1), 1.5  # see UNLEARNED
"""Mean and standard deviation of the logarithm of the odds of the leaf discount before any row is predicted."""

FURTHER_ODDS = -4.0, 0.0, 2.0
"""Where the search may begin as well."""

MOST_ODDS = 10.0
"""These logarithms lie between this and its negative."""

N_STEPS = 40
"""Steps of the search, after a coarse grid."""

NO_BLOCK = 2**32 - 1


class ClassCalibration(NamedTuple):
    """What is learned from rows that are left out."""

    leaf_discount: float = 0.0  # how little the classes of rows predict of further rows at the same place
    power: float = 1.0  # of the odds of all trees together


NO_CALIBRATION = ClassCalibration()
UNLEARNED = ClassCalibration(leaf_discount=0.1 / 1.1)
"""Of a model that learns, as long as it has too few rows: where the prior is centred."""


def learn_calibration(core: Any, sample: Sample, rule: Any, most_rows: int, n_threads: int) -> ClassCalibration:
    """Return that under which rows are predicted best, in log loss, by the forest without them and their block.

    Blocks are unlearned, which is exact, so no forest is grown. At most so many rows are left out, copies counted once.
    """
    n_units = sample.copies.n_units
    if n_units < FEWEST_ROWS or (sample.labels == sample.labels[0]).all():
        return UNLEARNED
    most_drawn = MOST_PROBABILITIES // (int(sample.labels.max()) + 1)  # of classes that have come, not of those known
    n_drawn = min(n_units, most_rows, max(FEWEST_ROWS, most_drawn))
    n_blocks = math.ceil(N_BLOCKS * n_drawn / n_units)
    problem = core.calibration_problem(rule, _blocks(sample, n_drawn, n_blocks, core.seed), n_blocks, n_threads)

    def at(point: Point) -> ClassCalibration:
        odds = math.exp(min(max(point[0], -MOST_ODDS), MOST_ODDS))
        return ClassCalibration(odds / (1.0 + odds), min(max(math.exp(point[1]), POWERS[0]), POWERS[1]))

    def loss(point: Point) -> float:
        discount, power = at(point)
        prior = ((point[0] - FIRST_ODDS) / SPREAD_OF_ODDS) ** 2 + (math.log(power) / SPREAD) ** 2
        return float(problem.log_loss(power, discount)) + 0.5 * prior / n_drawn

    start = min(((FIRST_ODDS, math.log(power)) for power in FIRST_POWERS), key=loss)
    start = min((start, *((odds, start[1]) for odds in FURTHER_ODDS)), key=loss)
    return at(minimise(loss, around(start, (1.0, math.log(2.0) / 2)), N_STEPS)[0])


def _blocks(sample: Sample, n_drawn: int, n_blocks: int, seed: int) -> Numbers:
    """Return the block of each row, or none: so many units drawn at random, in blocks of one size, copies together."""
    units, groups = sample.units[0], sample.copies.groups
    drawn = units[np.random.default_rng(seed).permutation(units.size)[:n_drawn]]
    groups = groups if groups.size else np.arange(sample.labels.size, dtype=np.uint32)
    of_groups = np.full(int(groups.max()) + 1, NO_BLOCK, dtype=np.uint32)
    of_groups[groups[drawn]] = np.arange(n_drawn) % n_blocks
    blocks: Numbers = of_groups[groups]
    return blocks
