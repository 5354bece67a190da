"""Places worth asking the forest about: anywhere, near the best, between them, and in the cells around them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hedgerow.numeric.arrays import Floats
from hedgerow.optimize._space import Space

SHARES = {"anywhere": 0.2, "cells": 0.2}
"""Of the candidates; all others are the best, changed a little."""

STEPS = (0.01, 0.3)
"""The shortest and the longest step away from one of the best, as a standard deviation."""

CROSSED = 0.25
"""Of the changed ones, the share that also takes some parameters from another of the best."""


def apart(places: Floats) -> Floats:
    """Leave out places that are nearer to an earlier one than the shortest step."""
    is_near = np.abs(places[:, None] - places[None]).max(axis=2) < STEPS[0]
    kept: list[int] = []
    for row, near in enumerate(is_near):
        if not near[kept].any():
            kept.append(row)
    return places[kept]


def draw_candidates(space: Space, best: Floats, forest: Any, n: int, rng: np.random.Generator) -> Floats:
    """Return about so many settled places; `best` are the best known, best first."""
    n_anywhere, n_cells = (int(share * n) for share in SHARES.values())
    drawn = [
        rng.random((n_anywhere, space.n_parameters)),
        changed(space, best, n - n_anywhere - n_cells, rng),
        in_cells(space, best, forest, n_cells, rng),
    ]
    return space.settled(np.concatenate(drawn))


def changed(space: Space, best: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Return some of the best, the better the more often, with one or several parameters changed.

    Ordered ones take a Gaussian step, which reaches the next whole number at least; others are drawn anew.
    """
    base = best[(len(best) * rng.random(n) ** 2).astype(np.intp)]
    lengths = np.exp(rng.uniform(math.log(STEPS[0]), math.log(STEPS[1]), size=(n, 1)))
    steps = lengths * rng.standard_normal(base.shape)
    steps = np.where(steps < 0, np.minimum(steps, -space.steps), np.maximum(steps, space.steps))
    moved = np.where(space.is_ordered, base + steps, rng.random(base.shape))
    how_many = np.where(rng.random((n, 1)) < 0.5, 0.0, rng.random((n, 1)))
    chosen = rng.random(base.shape) < how_many
    chosen[np.arange(n), rng.integers(space.n_parameters, size=n)] = True
    places = np.where(chosen, moved, base)
    other = best[rng.integers(len(best), size=n)]
    taken = (rng.random(base.shape) < 0.5) & (rng.random((n, 1)) < CROSSED)
    crossed: Floats = np.where(taken, other, places)
    return crossed


def in_cells(space: Space, best: Floats, forest: Any, n: int, rng: np.random.Generator) -> Floats:
    """Draw in the forest's own cells around some of the best: as far as the next cut, a long way where little is known.

    Only ordered parameters are drawn; the others are those of the place.
    """
    n_cells = min(len(best), 4)
    base = best[rng.choice(len(best), n_cells, replace=False)]
    if not n or not space.is_ordered.any():
        return np.empty((0, space.n_parameters))
    bounds = np.clip(forest.cells(space.columns(base))[:, :, space.ordered_columns], 0.0, 1.0)
    which, tree = rng.integers(n_cells, size=n), rng.integers(bounds.shape[1], size=n)
    lower, upper = np.moveaxis(bounds[which, tree], -1, 0)
    places = base[which]
    places[:, space.is_ordered] = rng.uniform(lower, np.maximum(lower, upper))
    return places
