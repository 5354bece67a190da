"""How far a blend is trusted along a stream.

Kernels and greedy trees are learned at doublings and stand still in between; the first chain learns every row. Where
rows move on, as in the order of time, what stands still falls behind, and leave-one-out, which knows no order, does not
show it. Forecasts do, each made before its label was known (Dawid 1984): what the other chains add to the first is
multiplied by a share, the slope of a regression through zero over the last rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from hedgerow.files import Stored
from hedgerow.mondrian._growing import mean_square
from hedgerow.numeric.arrays import Floats

N_ROWS = 100
"""Rows that count of those seen before: the weight of a row falls by a factor e over so many."""

N_BEFOREHAND = 100
"""The blend is trusted beforehand as after so many rows for which it was right."""

KEPT = 1.0 - 1.0 / N_ROWS

MOST_KNOWN = 1.0 - 1e-6
"""Of what is known after a doubling, the share that rows seen before it may have."""

LARGEST = 1e290
"""Sums are smaller: labels are at most 1e100, and weights of two rows differ by less than the rest."""


class Trust(NamedTuple):
    """Sums over recent rows, and over as many that count beforehand."""

    product: float  # of what the other chains add and what the first leaves over
    square: float  # of what the other chains add
    beforehand: float  # the same, as honest predictions have it
    unit: float  # the mean weight of a row

    @classmethod
    def at_first(cls, added: Floats, weights: Floats) -> Trust:
        """Trust a blend whose other chains add this to honest predictions of the first."""
        unit = float(weights.mean()) if weights.size else 1.0
        return cls(0.0, 0.0, N_BEFOREHAND * mean_square(added, weights), unit)

    def carried_to(self, new: Trust) -> Trust:
        """Return as much trust in a blend that was learned anew."""
        if not (self.beforehand > 0.0 and new.beforehand > 0.0):
            return new
        known = self.beforehand + self.square
        kept = min(self.square / known, MOST_KNOWN)  # share of what is known that comes from rows seen
        square = new.beforehand * kept / (1.0 - kept)
        return new._replace(product=self.share * (new.beforehand + square) - new.beforehand, square=square)

    @property
    def share(self) -> float:
        """By which what the other chains add is multiplied."""
        return float(self._shares(self.product, self.square))

    def after(self, added: Floats, left: Floats, weights: Floats) -> tuple[Trust, Floats]:
        """Return the trust after these rows were seen, in order, and the share when each of them came."""
        n = added.shape[0]
        weights = weights if weights.size else np.ones(n)
        products, squares = (
            _recent(start, weights / self.unit * (added * other).reshape(n, -1).sum(axis=1))
            for start, other in ((self.product, left), (self.square, added))
        )
        now = self._replace(product=float(products[-1]), square=float(squares[-1]))
        return now, self._shares(products[:-1], squares[:-1])

    def _shares(self, product: Any, square: Any) -> Floats:
        known = self.beforehand + square
        shares: Floats = np.clip((self.beforehand + product) / np.where(known > 0.0, known, 1.0), 0.0, 1.0)
        return np.where(known > 0.0, shares, 1.0)

    @classmethod
    def from_state(cls, stored: Stored) -> Trust:
        """Take back what `_asdict` gave, or ValueError."""
        product, square = stored.number("product", -LARGEST, LARGEST), stored.number("square", 0.0, LARGEST)
        return cls(product, square, stored.number("beforehand", 0.0, LARGEST), stored.number("unit", 1e-40, 1e40))


def _recent(start: float, values: Iterable[float]) -> Floats:
    """Return sums before each value and after the last, of which older ones count less and less."""
    return np.array(list(accumulate(map(float, values), lambda total, value: KEPT * total + value, initial=start)))
