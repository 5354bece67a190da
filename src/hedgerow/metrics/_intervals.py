"""Scores of prediction intervals: of Vasiloudis, De Francisci Morales and Boström (2019), and the interval score.

One tally computes them all; the plain functions are that tally, fed once.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hedgerow.base.settings import check_positive
from hedgerow.metrics._checks import (
    check_confidence,
    check_some_weight,
    checked_interval,
    checked_vector,
    checked_weights,
)
from hedgerow.metrics._tally import Tally, ratio
from hedgerow.numeric.arrays import Floats


class IntervalTally(Tally):
    """All scores of intervals, over a stream, in constant memory.

    An interval with an infinite end covers what it covers, and is counted in `n_infinite`. It has no size: all
    scores but the error rate are over the rows whose interval is finite.

    Parameters
    ----------
    confidence : float, default=0.9
        Nominal confidence of the intervals: 1 - alpha.
    label_range : float, optional
        Range of the targets, to which sizes are relative. Default: that of the targets seen.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.metrics import IntervalTally
    >>> tally = IntervalTally(confidence=0.9)
    >>> tally.update([0.0, 10.0], [[-1.0, 1.0], [-np.inf, np.inf]]).update([5.0], [[6.0, 8.0]])
    <IntervalTally mean_error_rate=0.333333, relative_interval_size=0.2, quantile_loss=0.07, utility=0.031498,
    interval_score=12, n_infinite=1>
    """

    _N_SUMS: ClassVar[int] = 8
    _COUNT = 5

    def __init__(self, confidence: float = 0.9, label_range: float | None = None) -> None:
        super().__init__()
        self.alpha = 1.0 - check_confidence(confidence)
        check_positive("label_range", label_range, or_none=True)
        self.label_range = label_range
        self._sums[6:] = math.inf, -math.inf

    def update(self, *columns: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Add targets and their intervals, arrays of shape (n,) and (n, 2)."""
        y, ends, weights = _checked(*columns, sample_weight=sample_weight)
        finite = np.isfinite(ends[:, 0]) & np.isfinite(ends[:, 1])
        length, gap = sizes_and_gaps(y, np.where(finite[:, None], ends, y[:, None]))
        missed = (y < ends[:, 0]) | (y > ends[:, 1])
        known = np.where(finite, weights, 0.0)
        self._add(weights, weights * missed, known, known * length, known * gap, np.where(finite, 0.0, 1.0))
        self._sums[6:] = y.min(initial=self._sums[6]), y.max(initial=self._sums[7])
        return self

    @property
    def mean_error_rate(self) -> float:
        """See `hedgerow.metrics.mean_error_rate`."""
        return ratio(self._sums[1], self._sums[0])

    @property
    def relative_interval_size(self) -> float:
        """See `hedgerow.metrics.relative_interval_size`."""
        return ratio(self._mean_length, self._range)

    @property
    def quantile_loss(self) -> float:
        """See `hedgerow.metrics.quantile_loss`."""
        return ratio(self.alpha * self._mean_length + self._mean_gap, self._range)

    @property
    def utility(self) -> float:
        """See `hedgerow.metrics.utility`."""
        excess = max(0.0, self.mean_error_rate - self.alpha)
        return (1.0 - min(self.relative_interval_size, 1.0)) * math.exp(-2.0 * math.log(2.0) / self.alpha * excess)

    @property
    def interval_score(self) -> float:
        """See `hedgerow.metrics.interval_score`."""
        return self._mean_length + 2.0 / self.alpha * self._mean_gap

    @property
    def n_infinite(self) -> int:
        """Number of rows whose interval has an infinite end."""
        return int(self._sums[5])

    def scores(self) -> dict[str, float]:
        """Return all scores by name; NaN where no row counts."""
        return {name: getattr(self, name) for name in INTERVAL_SCORES}

    @property
    def _mean_length(self) -> float:
        return ratio(self._sums[3], self._sums[2])

    @property
    def _mean_gap(self) -> float:
        return ratio(self._sums[4], self._sums[2])

    @property
    def _range(self) -> float:
        return float(self._sums[7] - self._sums[6]) if self.label_range is None else float(self.label_range)


INTERVAL_SCORES = (
    "mean_error_rate",
    "relative_interval_size",
    "quantile_loss",
    "utility",
    "interval_score",
    "n_infinite",
)


def sizes_and_gaps(y: Floats, ends: Floats) -> tuple[Floats, Floats]:
    """Length of each interval, and how far outside it the target lies."""
    gap: Floats = np.maximum(0.0, np.maximum(ends[:, 0] - y, y - ends[:, 1]))
    return ends[:, 1] - ends[:, 0], gap


def mean_error_rate(y: npt.ArrayLike, interval: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """MER: the share of targets outside their interval. Valid intervals miss at most alpha.

    ``mean(1[y < lower or y > upper])``. An infinite interval covers.

    Parameters
    ----------
    y : array of shape (n,)
        Labels.
    interval : array of shape (n, 2)
        Lower and upper ends; they may be infinite.
    sample_weight : array of shape (n,), optional
        Weights of the rows in the mean.

    Returns
    -------
    rate : float

    Examples
    --------
    >>> from hedgerow.metrics import mean_error_rate
    >>> mean_error_rate([1.0, 2.0, 3.0, 4.0], [[0.0, 2.0], [0.0, 2.0], [0.0, 2.0], [3.0, 5.0]])
    0.25
    """
    return _fed(IntervalTally(), y, interval, sample_weight).mean_error_rate


def relative_interval_size(
    y: npt.ArrayLike,
    interval: npt.ArrayLike,
    *,
    label_range: float | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """RIS: the mean length of the intervals, relative to the range of the targets.

    ``mean(upper - lower) / (max(y) - min(y))``, over the finite intervals. NaN if none is finite.

    Parameters
    ----------
    y, interval, sample_weight
        As for `mean_error_rate`.
    label_range : float, optional
        Range to divide by. Default: that of all targets given.

    Returns
    -------
    size : float
    """
    return _fed(IntervalTally(label_range=label_range), y, interval, sample_weight, scaled=True).relative_interval_size


def quantile_loss(
    y: npt.ArrayLike,
    interval: npt.ArrayLike,
    confidence: float = 0.9,
    *,
    label_range: float | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """QL: sizes, and how far outside targets lie, in one number (Vasiloudis, De Francisci Morales and Boström, 2019).

    ``mean(alpha * (upper - lower) + gap) / (max(y) - min(y))`` with ``alpha = 1 - confidence`` and ``gap`` the distance
    of y from its interval, over the finite intervals. Smaller is better.

    Parameters
    ----------
    y, interval, label_range, sample_weight
        As for `relative_interval_size`.
    confidence : float, default=0.9
        Nominal confidence of the intervals.

    Returns
    -------
    loss : float
    """
    return _fed(IntervalTally(confidence, label_range), y, interval, sample_weight, scaled=True).quantile_loss


def utility(
    y: npt.ArrayLike,
    interval: npt.ArrayLike,
    confidence: float = 0.9,
    *,
    label_range: float | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """Utility: narrow intervals are worth more, and worth nothing much if they miss too often.

    ``1 - min(RIS, 1)``, times ``exp(-2 log(2) / alpha * (MER - alpha))`` if MER is above alpha: half is left at
    1.5 alpha.

    From Vasiloudis, De Francisci Morales and Boström (2019), but RIS is capped at 1. Without the cap, intervals
    wider than the range would be worth less than nothing, and the more they miss the better.

    Parameters
    ----------
    y, interval, confidence, label_range, sample_weight
        As for `quantile_loss`.

    Returns
    -------
    utility : float
        Between 0 and 1; larger is better.
    """
    return _fed(IntervalTally(confidence, label_range), y, interval, sample_weight, scaled=True).utility


def interval_score(
    y: npt.ArrayLike,
    interval: npt.ArrayLike,
    confidence: float = 0.9,
    *,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """Interval score, proper for central intervals, in the unit of the targets.

    ``mean(upper - lower + 2 / alpha * gap)``, over the finite intervals; see `quantile_loss`. Smaller is better.

    Parameters
    ----------
    y, interval, confidence, sample_weight
        As for `quantile_loss`.

    Returns
    -------
    score : float
    """
    return _fed(IntervalTally(confidence), y, interval, sample_weight).interval_score


def _checked(
    y: npt.ArrayLike, interval: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None
) -> tuple[Floats, Floats, Floats]:
    targets = checked_vector("y", y)
    return targets, checked_interval(interval, targets.size), checked_weights(sample_weight, targets.size)


def _fed(tally: IntervalTally, y: Any, interval: Any, sample_weight: Any, scaled: bool = False) -> IntervalTally:
    targets, ends, weights = _checked(y, interval, sample_weight=sample_weight)
    check_some_weight(weights)
    tally.update(targets, ends, sample_weight=weights)
    if scaled and tally._range == 0.0:
        raise ValueError("all labels are equal, so sizes relative to their range mean nothing; pass label_range")
    return tally
