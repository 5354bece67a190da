"""What a predictive distribution can be asked, whatever it is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt
from scipy import special
from sklearn.utils import check_random_state

from hedgerow.numeric.arrays import Floats

LEAST_LEVEL, GREATEST_LEVEL = 1e-300, 1.0 - 2.0**-53
"""Levels whose normal quantiles are finite."""


class Distribution(ABC):
    """One distribution of a number a row: what every model's `predict_dist` returns.

    All results have a row of the query as their first axis. Functions of a value take a scalar, an array of shape
    ``(n,)`` with a value for each row, or one of shape ``(n, k)`` or ``(1, k)`` for ``k`` values a row.
    """

    _n_rows: int

    def __len__(self) -> int:
        return self._n_rows

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} rows{self._made_of()}>"

    @abstractmethod
    def mean(self) -> Floats:
        """Mean of each row."""

    @abstractmethod
    def std(self) -> Floats:
        """Standard deviation of each row."""

    @abstractmethod
    def logpdf(self, y: npt.ArrayLike) -> Floats:
        """Logarithm of the density at ``y``."""

    @abstractmethod
    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y``."""

    @abstractmethod
    def _quantiles(self, levels: Floats) -> Floats:
        """Return quantiles of each row at some levels: shape (n, n_levels).

        Unless a distribution has `_draws` of its own, levels may also be a matrix with a row for each row.
        """

    def pdf(self, y: npt.ArrayLike) -> Floats:
        """Density at ``y``."""
        density: Floats = np.exp(self.logpdf(y))
        return density

    def ppf(self, q: npt.ArrayLike) -> Floats:
        """Quantiles of each row: shape ``(n,)`` for a scalar ``q``, ``(n, k)`` for ``k`` of them."""
        levels = np.asarray(q, dtype=np.float64)
        if levels.ndim > 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"quantiles must be a number or a 1-D list of numbers between 0 and 1, got {q!r}")
        found = self._quantiles(np.atleast_1d(levels))
        return found if levels.ndim else found[:, 0]

    def interval(self, confidence: float = 0.9) -> Floats:
        """Central interval of each row: lower and upper ends, shape ``(n, 2)``."""
        return self.ppf(ends_of(confidence))

    def rvs(self, size: int | None = None, random_state: object = None) -> Floats:
        """Random draws: shape ``(n,)``, or ``(n, size)`` if a size is given."""
        draws = self._draws(n_draws_of(size), check_random_state(random_state))
        return draws[:, 0] if size is None else draws

    def normal_scores(self, y: npt.ArrayLike) -> Floats:
        """Where ``y`` would be if a row's distribution were the standard normal one: finite, whatever ``y`` is."""
        scores: Floats = special.ndtri(np.clip(self.cdf(y), LEAST_LEVEL, GREATEST_LEVEL))
        return scores

    # Below: private.

    def _draws(self, n_draws: int, rng: np.random.RandomState) -> Floats:
        """Draw for each row: shape (n, n_draws)."""
        return self._quantiles(rng.uniform(size=(len(self), n_draws)))

    def _made_of(self) -> str:
        """What else there is to say of it, for its `repr`."""
        return ""

    def _per_row(self, y: npt.ArrayLike) -> tuple[Floats, tuple[int, ...]]:
        """``y`` as a matrix with a row for each row of the query, and the shape of the answer."""
        values = np.asarray(y, dtype=np.float64)
        n = len(self)
        if values.ndim == 0 or values.shape == (n,):
            return np.ascontiguousarray(np.broadcast_to(values, (n,))).reshape(n, 1), (n,)
        if values.ndim == 2 and values.shape[0] in (1, n):
            return np.ascontiguousarray(np.broadcast_to(values, (n, values.shape[1]))), (n, values.shape[1])
        raise ValueError(f"y must be a number or have shape ({n},), (1, k) or ({n}, k), got shape {values.shape}")


def ends_of(confidence: float) -> list[float]:
    """Levels of the ends of a central interval; ValueError unless there is one of that confidence."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    return [(1 - confidence) / 2, (1 + confidence) / 2]


def n_draws_of(size: int | None) -> int:
    """How many draws of a row are asked for: one if no size is given; ValueError unless that is a number of draws."""
    n_draws = 1 if size is None else int(size)
    if n_draws < 0:
        raise ValueError(f"size must not be negative, got {size!r}")
    return n_draws
