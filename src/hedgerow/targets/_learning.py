"""Which kind of target there is, and which map, learned from leave-one-out densities of small forests.

A forest on some of the rows shows how likely each target is when its row is left out, for each map that there might
be. Densities are compared on the scale of the targets. Where these are whole numbers, the probability of a number is
compared: a continuous distribution gives it what lies within half a step of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hedgerow.base.copies import Copies, find_copies
from hedgerow.numeric.arrays import Floats
from hedgerow.predictive import Counts
from hedgerow.targets._cells import Cells
from hedgerow.targets._maps import Functions, Straightened, is_functions
from hedgerow.targets._targets import FAINT, Continuous, Count, Target, Untransformed
from hedgerow.targets._zeros import FEWEST as FEWEST_ZEROS
from hedgerow.targets._zeros import learn_zeros

FEWEST_ROWS = 40
"""With fewer rows, copies counted once, nothing is learned."""

MOST_ROWS = 1000
"""Rows that are looked at, at most."""

LEAST_GAIN, LEAST_ERRORS = 0.02, 2.0
"""In log density a row, and in standard errors of it: a map that gains less over a straighter one is not taken."""

LOST = (0.01, 0.02)
"""Nor may the squared leave-one-out error grow by more than its standard error, which counts as no less than the first
of these shares of it, and no more than the second."""

WORST, MOST_SPILLED = 0.005, 0.005
"""Whole numbers are counts, and positive numbers positive if intervals would lie below 0 in more than the second share
of rows, as soon as no more than the first is lost in log density."""

KNEES = (0.05, 0.5, 1.0)
"""Levels of the targets at which a logarithm may become straight."""

LEAST_RATIO = 1.5
"""Of the largest to the smallest target: if it is less, a logarithm is all but straight."""

MOST_SPREAD = 1000.0
"""Whole numbers whose quartiles are further apart may count as continuous."""

MOST_OF_LARGEST = 0.05
"""Of rows: if so many have the largest of a few values, the values are grades, not counts."""

MOST_BORDERS, FEWEST_BESIDE, N_STEPS = 16, 5, 8
"""Borders of cells that are moved at most, rows on either side of one at least, and points where each is tried."""


class Tried(NamedTuple):
    """A kind of target, and its leave-one-out score."""

    target: Any
    latent: Any  # the distribution of each label without its row
    logs: Floats  # log density of each target
    squares: Floats  # squared error of the mean


def learn_target(requested: Any, X: Floats, y: Floats, weights: Floats, grow: Any) -> Target:
    """Return the kind of target that is requested, as the rows have it; ValueError if targets are not of this kind.

    `requested` is a model's parameter, `grow` learns a small forest of real labels from rows, labels and weights, whose
    `left_out` is the distribution of each label without its row. An empty array stands for no weights.
    """
    plain = first_target(requested, y)
    candidates = [] if is_functions(requested) or requested == "real" else _candidates(requested, y, weights)
    if not candidates or y.min() == y.max():
        return plain
    copies = find_copies(X, y)
    if copies.n_units < FEWEST_ROWS:
        return plain
    some = np.sort(np.random.default_rng(0).choice(y.size, min(y.size, MOST_ROWS), replace=False))
    X, y, weights = X[some], y[some], weights[some] if weights.size else np.ones(some.size)
    shares = weights / weights.sum()
    in_steps = any(isinstance(target, Count) for target in candidates)
    n_effective = _n_effective(shares, copies.of(some))
    tries = [plain, *candidates] if requested == "auto" else candidates
    first = found = _try(tries[0], X, y, shares, grow, in_steps)
    for target in tries[1:]:
        tried = _try(target, X, y, shares, grow, in_steps)
        leaves_real = isinstance(found.target, Untransformed)
        is_enough = leaves_real and (isinstance(target, Count) or _spills(found, shares))
        if _is_better(tried, found, first, shares, n_effective, -WORST if is_enough else None):
            found = tried
    if isinstance(found.target, Count):
        found = _with_zeros(found, X, y, shares, n_effective, grow)
    chosen: Target = found.target
    return chosen


def _n_effective(shares: Floats, copies: Copies) -> float:
    """Rows of equal weight that would be as informative as these; copies are one row (Kish 1965)."""
    if not copies.groups.size:
        return 1.0 / float(shares @ shares)
    of_units = np.bincount(np.unique(copies.groups, return_inverse=True)[1], shares)
    return 1.0 / float(of_units @ of_units)


def _spills(real: Tried, shares: Floats) -> bool:
    """Whether lower ends of 90 % intervals lie below 0, where no target is, in more than a few rows."""
    below = real.latent.cdf(np.zeros(shares.size)) > 0.05
    return float(shares @ below) > MOST_SPILLED


def _is_better(
    one: Tried, other: Tried, first: Tried, shares: Floats, n_effective: float, least_gain: float | None = None
) -> bool:
    """Whether targets are clearly likelier, or by so much, than under another map, and means as near as at first."""
    gain, error = _mean_and_error(one.logs - other.logs, shares, n_effective)
    least = max(LEAST_GAIN, LEAST_ERRORS * error) if least_gain is None else least_gain
    lost, error_of_lost = _mean_and_error(one.squares - first.squares, shares, n_effective)
    low, high = (share * float(shares @ first.squares) for share in LOST)
    return gain > least and lost <= min(max(error_of_lost, low), high)


def _mean_and_error(values: Floats, shares: Floats, n_effective: float) -> tuple[float, float]:
    """Weighted mean, and its standard error."""
    mean = float(shares @ values)
    return mean, float(np.sqrt(shares @ (values - mean) ** 2 / n_effective))


def first_target(requested: Any, y: Floats) -> Target:
    """Return the kind requested as it is before anything is learned; ValueError if targets are not of this kind."""
    if is_functions(requested):
        by = Functions(*requested)
        by.check(y)
        return Continuous(by)
    if requested in ("auto", "real"):
        return Untransformed()
    largest = float(y.max())
    if requested == "positive":
        found: Target = Continuous(Straightened("log", largest if largest > 0.0 else 1.0))
    else:
        found = Count(Cells(Straightened("sqrt", max(largest, 0.0) + 1.0)))
    found.check(y)
    return found


def is_due(n_rows: int) -> bool:
    """Whether a stream of so many rows looks again at what targets are: at every second doubling, while rows are few.

    As long as nothing is learned, at every doubling.
    """
    return n_rows < FEWEST_ROWS or (n_rows.bit_length() % 2 == 1 and n_rows < 4 * MOST_ROWS)


def _candidates(requested: str, y: Floats, weights: Floats) -> list[Target]:
    """Return the maps that are worth trying, the straightest first."""
    lowest, highest = float(y.min()), float(y.max())
    found: list[Target] = []
    if requested == "count" or (requested == "auto" and _looks_like_counts(y)):
        of_counts = [("log", 0.5), ("sqrt", highest + 1.0), ("log", highest + 1.0)]
        found += [Count(Cells(Straightened(*numbers))) for numbers in of_counts]
    if lowest > 0.0 and (requested == "positive" or (requested == "auto" and highest > LEAST_RATIO * lowest)):
        knees = _quantiles(y, weights if weights.size else np.ones(y.size))
        maps = [Continuous(Straightened("log", float(knee))) for knee in knees]
        found += [target for target in maps if target.reaches(np.array([highest])).all()]
    return found


def _quantiles(y: Floats, weights: Floats) -> Floats:
    """Return the targets that lie at `KNEES`, each once."""
    order = np.argsort(y)
    up_to = np.cumsum(weights[order])
    places = np.searchsorted(up_to, up_to[-1] * np.array(KNEES), side="right").clip(max=y.size - 1)
    found: Floats = np.unique(y[order[places]])
    return found


def _looks_like_counts(y: Floats) -> bool:
    if not Count.are_counts(y).all():
        return False
    values, rows = np.unique(y, return_counts=True)
    if values.size <= 2 or (values.size <= 10 and (values[0] > 0.0 or rows[-1] > MOST_OF_LARGEST * y.size)):
        return False
    return bool(np.subtract(*np.quantile(y, [0.75, 0.25])) <= MOST_SPREAD)


def _try(target: Target, X: Floats, y: Floats, shares: Floats, grow: Any, in_steps: bool) -> Tried:
    latent = grow(X, target.encode(y), shares * y.size).left_out()
    if isinstance(target, Count):
        target = Count(target.cells.moved(_borders(target.cells, latent, y, shares, 0.0)))
    dist = target.distribution(latent, X)
    logs = dist.logpdf(y)
    if in_steps and not isinstance(target, Count):
        mass = dist.cdf(y + 0.5) - dist.cdf(y - 0.5)
        logs = np.where(mass > 1e-9, np.log(np.maximum(mass, 1e-300)), logs)
    return Tried(target, latent, logs, (y - dist.mean()) ** 2)


def _with_zeros(tried: Tried, X: Floats, y: Floats, shares: Floats, n_effective: float, grow: Any) -> Tried:
    """Return the same with a forest of its zeros, if that pays."""
    if min((y == 0.0).sum(), (y > 0.0).sum()) < FEWEST_ZEROS or y[y > 0.0].max() == 1.0:
        return tried
    cells = Cells(tried.target.cells.by)
    faint = np.where(y == 0.0, FAINT, 1.0) * shares * y.size
    latent = grow(X, cells.middle(y), faint).left_out()
    cells = cells.moved(_borders(cells, latent, y, shares, 1.0))
    hidden = latent.cdf(np.full(y.size, cells.border(np.ones(1))[0]))
    zeros, probability = learn_zeros(X, y == 0.0, shares, hidden, grow)
    dist = Counts(latent, cells, probability)
    found = Tried(Count(cells, zeros), latent, dist.logpmf(y), (y - dist.mean()) ** 2)
    return found if _is_better(found, tried, tried, shares, n_effective) else tried


def _borders(cells: Cells, latent: Any, y: Floats, shares: Floats, least: float) -> Floats:
    """Borders of the first cells: as much probability lies below them, on average, as rows do, of counts from `least`.

    Those of smaller counts stay.
    """
    latent, y, shares = latent.of_rows(y >= least), y[y >= least], shares[y >= least] / shares[y >= least].sum()
    values, rows = np.unique(y, return_counts=True)
    below = np.cumsum(rows)
    has_beside = (below >= FEWEST_BESIDE) & (y.size - below >= FEWEST_BESIDE)
    first = np.arange(1.0, 1.0 + min(MOST_BORDERS, float(values[has_beside].max(initial=-1.0)) + 1.0))
    if not first.size:
        return first
    middles = cells.middle(np.arange(first.size + 1.0))
    grid = middles[:-1, None] + np.diff(middles)[:, None] * np.linspace(0.0, 1.0, N_STEPS)
    probability = shares @ latent.cdf(np.broadcast_to(grid.ravel(), (y.size, grid.size)))
    wanted = (shares[:, None] * (y[:, None] < first)).sum(axis=0)
    each = zip(wanted, probability.reshape(grid.shape), grid, strict=True)
    moved = np.array([np.interp(*numbers) for numbers in each])
    return np.where(first > least, moved, cells.border(first))
