"""What can be computed from a predictive distribution, whatever it is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special
from sklearn.utils import check_random_state

from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.whole import is_whole

LEAST_LEVEL, GREATEST_LEVEL = 1e-300, 1.0 - 2.0**-53
"""Levels whose normal quantiles are finite."""

MOST_DRAWS = 2**31
"""Of a row, at once."""


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
        levels = levels_of(q)
        found = in_order(np.atleast_1d(levels), self._quantiles(np.atleast_1d(levels)))
        return found if levels.ndim else found[:, 0]

    def interval(self, confidence: npt.ArrayLike = 0.9) -> Floats:
        """Central interval of each row: lower and upper ends, shape ``(n, 2)``; ``(n, 2, k)`` for ``k`` confidences."""
        return central_intervals(self.ppf, confidence)

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
        """What its `repr` has besides."""
        return ""

    def _per_row(self, y: npt.ArrayLike) -> tuple[Floats, tuple[int, ...]]:
        """``y`` as a matrix with a row for each row of the query, and the shape of the result."""
        values, n = numbers_of(y), len(self)
        if values.ndim == 0 or values.shape == (n,):
            return np.ascontiguousarray(np.broadcast_to(values, (n,))).reshape(n, 1), (n,)
        if values.ndim == 2 and values.shape[0] in (1, n):
            return np.ascontiguousarray(np.broadcast_to(values, (n, values.shape[1]))), (n, values.shape[1])
        raise ValueError(f"y must be a number or have shape ({n},), (1, k) or ({n}, k), got shape {values.shape}")


def numbers_of(y: npt.ArrayLike) -> Floats:
    """Return the values at which a distribution is evaluated, infinite ones too; ValueError unless they are numbers."""
    try:
        return np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"y must hold numbers, got {y!r}") from None


def confidence_of(confidence: Any) -> float:
    """Return a confidence as a number; ValueError unless it lies strictly between 0 and 1."""
    given: Any = confidence
    if isinstance(given, Real | np.ndarray) and np.ndim(given) == 0 and 0 < given < 1:  # type: ignore[arg-type,operator]
        return float(given)
    raise ValueError(f"confidence must be a number between 0 and 1, got {confidence!r}")


def central_intervals(quantiles: Callable[[Any], Floats], confidence: npt.ArrayLike) -> Floats:
    """Return central intervals by a function that has levels along its last axis: two ends there.

    If `confidence` is a list of k of them, k intervals follow along one more axis: shape (..., 2, k).
    """
    if not is_list(confidence):
        return quantiles(ends_of(confidence))
    ends = np.array([ends_of(each) for each in confidence])  # type: ignore[union-attr]
    found = quantiles(ends.T.ravel())
    return found.reshape(*found.shape[:-1], *ends.T.shape)


def is_list(confidence: Any) -> bool:
    """Whether several confidences are given; ValueError if it is a list of none."""
    several = isinstance(confidence, list | tuple) or (isinstance(confidence, np.ndarray) and confidence.ndim == 1)
    if several and len(confidence) == 0:
        raise ValueError("confidence is an empty list: give a number between 0 and 1, or some of them")
    return several


def ends_of(confidence: Any) -> list[float]:
    """Levels of the ends of a central interval; ValueError unless there is one of that confidence."""
    confidence = confidence_of(confidence)
    return [(1 - confidence) / 2, (1 + confidence) / 2]


def levels_of(quantiles: npt.ArrayLike) -> Floats:
    """Levels of quantiles, a number or a vector; ValueError unless all lie between 0 and 1."""
    try:
        levels = np.asarray(quantiles, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        levels = np.array(np.nan)
    if levels.ndim > 1 or not ((levels >= 0) & (levels <= 1)).all():
        raise ValueError(f"quantiles must be a number or a 1-D list of numbers between 0 and 1, got {quantiles!r}")
    return levels


def in_order(levels: Floats, quantiles: Floats) -> Floats:
    """Return quantiles, one a level along the last axis, of which no higher one is below a lower one.

    Each is exact up to rounding, so where values lie only a few last digits apart two may have changed places.
    """
    if (quantiles[..., 1:] >= quantiles[..., :-1]).all() and (levels[1:] >= levels[:-1]).all():
        return quantiles
    order = np.argsort(levels, kind="stable")
    found = np.empty_like(quantiles)
    found[..., order] = np.maximum.accumulate(quantiles[..., order], axis=-1)
    return found


def n_draws_of(size: int | None) -> int:
    """How many draws of a row are requested: one if no size is given; ValueError unless that is a number of draws."""
    if size is None:
        return 1
    if not is_whole(size) or not 0 <= size < MOST_DRAWS:
        raise ValueError(f"size must be a whole number from 0 to {MOST_DRAWS}, or None, got {size!r}")
    return int(size)
