"""How many trees the Mondrian forests of a blend need.

The mean of n trees differs from that of very many by a variance of 1 / n times that between trees. Where trees agree,
or where their chain weighs little, few do: what they add to the squared error is small next to the rest of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

TOLERANCE = 0.125
"""What having few trees may add to the squared error: this share of it, divided by the number of trees requested."""

GROWTH = 1.05
"""Where all trees requested do not get below that, it may become so many times as large."""

FEWEST = 25
"""Trees of a forest at least, if its means have variances: these are learned from how trees differ."""


def trees_needed(alone: Sequence[float], most: int, fewest: int, error: float) -> list[int]:
    """Return how many trees each forest needs, from `fewest` to `most`.

    `alone` is what each forest would add to the squared error if it had one tree. The fewest trees in all, given what
    they add together, are proportional to the square roots of these.
    """
    variances = np.asarray(alone)
    budget = max(TOLERANCE / most * error, GROWTH * float(variances.sum()) / most)
    needed = np.full(variances.size, float(most))
    free = variances > 0.0
    needed[~free] = 0.0
    while budget > 0.0 and free.any():
        left = budget - float((variances[~free] / most).sum())
        roots = np.sqrt(variances[free])
        needed[free] = roots * roots.sum() / left
        if not (needed[free] > most).any():
            break
        free &= needed <= most
        needed = np.where(free | (variances == 0.0), needed, float(most))
    return [int(n) for n in np.clip(np.ceil(needed), min(fewest, most), most)]
