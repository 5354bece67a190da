"""Predictive distributions of counts: a distribution of the whole line, cut into cells."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.predictive._distribution import Distribution, numbers_of

LARGEST = 2.0**53
"""Whole numbers beyond this are not distinct."""

TOO_SMALL = 1e-9
"""A difference of probabilities below this has lost digits: the density is more accurate."""


class Lattice(Protocol):
    """Cells of the line, one for each count."""

    n_summed: int
    """How many counts are added up one by one when a mean is computed; above, cells are narrow."""

    def border(self, k: Floats) -> Floats:
        """Return where the cell of `k` begins, for k of at least 1. The cell of 0 has no lower end."""

    def middle(self, k: Floats) -> Floats:
        """Return a point inside the cell of `k`."""

    def continuous(self, z: Floats) -> Floats:
        """Return k and a fraction: how far points are into the cell of k."""


class Counts(Distribution):
    """One distribution of a count a row: P(Y <= k) is the probability of a hidden value below the cell of k + 1.

    If a probability of zero is given, the hidden value is about the other counts only, and its lowest cell is that of
    1.
    `pdf` and `logpdf` are those of the probability mass, so counts are scored as anything else. Quantiles are the
    smallest counts whose `cdf` is at least the level, and an interval holds at least its confidence, both ends
    included.

    Parameters
    ----------
    latent : distribution
        Of the hidden value, one a row.
    lattice : object with border, middle and continuous
        The cells.
    zero : array of shape (n,), optional
        Probability of 0.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.predictive import Counts, NormalMixture
    >>> from hedgerow.targets import Cells, Straightened
    >>> latent = NormalMixture([0, 1], [1.0], [3.0], [2.0])
    >>> counts = Counts(latent, Cells(Straightened("log", knee=0.5)), zero=np.array([0.5]))
    >>> counts.pmf([[0, 1, 2, 2.5]]).round(2)
    array([[0.5 , 0.16, 0.26, 0.  ]])
    >>> counts.ppf([0.4, 0.6, 0.95])
    array([[0., 1., 3.]])
    """

    def __init__(self, latent: Any, lattice: Lattice, zero: Floats | None = None) -> None:
        self.latent, self.lattice, self.zero = latent, lattice, zero
        self._n_rows = len(latent)

    def mean(self) -> Floats:
        """Mean of each row: the probabilities of at least 1, 2, 3 and so on, added up."""
        return self._sum(lambda k: np.ones_like(k), lambda above, top: above, lambda top: -0.5)

    def std(self) -> Floats:
        """Standard deviation of each row."""
        squares = self._sum(
            lambda k: 2.0 * k - 1.0, lambda above, top: above * (above + 2.0 * top - 1.0), lambda top: 1.0 / 6.0 - top
        )
        return np.sqrt(np.maximum(squares - self.mean() ** 2, 0.0))

    def pmf(self, k: npt.ArrayLike) -> Floats:
        """Probability of exactly ``k``: 0 unless that is a whole number from 0 on."""
        return self.pdf(k)

    def logpmf(self, k: npt.ArrayLike) -> Floats:
        """Logarithm of `pmf`."""
        return self.logpdf(k)

    def logpdf(self, y: npt.ArrayLike) -> Floats:
        """Logarithm of the probability of exactly ``y``."""
        counts = numbers_of(y)
        is_count = (counts >= 0.0) & (counts == np.floor(counts)) & (counts < LARGEST)
        counts = np.where(is_count, counts, 0.0)
        mass = self._below(counts + 1.0) - self._below(counts)
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(mass, 0.0))
        thin = (counts > (0.0 if self.zero is None else 1.0)) & (mass < TOO_SMALL)
        if thin.any():
            filled = np.maximum(counts, 1.0)
            width = self.lattice.border(filled + 1.0) - self.lattice.border(filled)
            density = self.latent.logpdf(self.lattice.middle(counts)) + np.log(width)
            if self.zero is not None:
                with np.errstate(divide="ignore"):
                    density = density + _along(np.log1p(-self.zero), density)
            logs = np.where(thin, density, logs)
        return np.where(is_count, logs, -np.inf)

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y``: a step at each count."""
        return self._below(np.floor(numbers_of(y)) + 1.0)

    def _made_of(self) -> str:
        return f", {self.latent!r}"

    @cached_property
    def _at_least(self) -> Floats:
        """Probability of at least 1, 2 and so on, as far as these are added up."""
        k = np.arange(1.0, self.lattice.n_summed + 1.0)
        found: Floats = 1.0 - self._below(np.broadcast_to(k, (len(self), k.size)))
        return found

    def _below(self, k: Floats) -> Floats:
        """Probability of less than a whole number."""
        found: Floats = self.latent.cdf(self.lattice.border(np.clip(k, 1.0, LARGEST)))
        if self.zero is not None:
            zero = _along(self.zero, found)
            found = np.where(k < 2.0, zero, zero + (1.0 - zero) * found)
        return np.where(k < 1.0, 0.0, np.where(k >= LARGEST, 1.0, found))

    def _sum(
        self,
        weight: Callable[[Floats], Floats],
        rest: Callable[[Floats, float], Floats],
        step: Callable[[float], float],
    ) -> Floats:
        """Add up weight(k) P(Y >= k) to `n_summed`, and the part of hidden values for the counts above.

        There Y is the continuous value less a fraction that is uniform between 0 and 1: `rest` is the part of the sum
        that grows from 0 as that value exceeds `n_summed`, and `step` what is added as soon as it does.
        """
        top = float(self.lattice.n_summed)
        k, at_least = np.arange(1.0, top + 1.0), self._at_least
        above: Floats = self.latent.expect(lambda z, rows: rest(np.maximum(self.lattice.continuous(z) - top, 0.0), top))
        above = above if self.zero is None else (1.0 - self.zero) * above
        found: Floats = (weight(k) * at_least).sum(axis=1) + above + step(top) * at_least[:, -1]
        return found

    def _quantiles(self, levels: Floats) -> Floats:
        """Halve between -1 and a count that is large enough."""
        levels = np.broadcast_to(levels, (len(self), levels.shape[-1]))
        low, high = np.full(levels.shape, -1.0), np.zeros(levels.shape)
        while (is_low := (self._below(high + 1.0) < levels) & (high < LARGEST)).any():
            low, high = np.where(is_low, high, low), np.where(is_low, 2.0 * high + 1.0, high)
        while (high - low > 1.0).any():
            middle = np.floor(0.5 * (low + high))
            is_low = self._below(middle + 1.0) < levels
            low, high = np.where(is_low, middle, low), np.where(is_low, high, np.maximum(middle, low + 1.0))
        return np.where((levels >= 1.0) | (high >= LARGEST), np.inf, high)


def _along(of_rows: Floats, values: Floats) -> Floats:
    """One number a row, in the shape of values that have a row for each row."""
    return of_rows.reshape(-1, *[1] * (values.ndim - 1))
