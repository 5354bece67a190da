"""Forecasts that were made piece by piece, put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from hedgerow.predictive._normal_mixture import NormalMixture

Floats = npt.NDArray[np.float64]

RETURNS = ("dist", "std", "interval")
"""What `predict_then_learn` may be asked for."""


def check_returns(returns: str, confidence: float) -> None:
    """Raise ValueError unless that can be asked for."""
    if returns not in RETURNS:
        raise ValueError(f"returns must be one of {', '.join(map(repr, RETURNS))}, got {returns!r}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")


def joined(n_arrays: int, pieces: Iterable[Sequence[Floats]]) -> tuple[Floats, ...]:
    """Return mean and standard deviation, or these two and the interval, of the rows of all pieces."""
    nothing = (np.empty(0), np.empty(0), np.empty((0, 2)))[:n_arrays]
    return tuple(np.concatenate(parts) for parts in zip(nothing, *pieces, strict=True))


def joined_forecasts(parts: Iterable[Any]) -> Any:
    """Return the distributions of all parts, one after another: one mixture if all are, or else `Forecasts`."""
    parts = list(parts)
    return NormalMixture.joined(parts) if all(type(part) is NormalMixture for part in parts) else Forecasts(parts)


class Forecasts:
    """Predictive distributions of rows, made one after another; what is asked of it is asked of each part.

    Parameters
    ----------
    parts : sequence
        Distributions, each of some rows, such as `LocationScale`.
    """

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = list(parts)
        ends = np.cumsum([0, *(len(part) for part in self.parts)]).tolist()
        self._rows = [slice(*pair) for pair in pairwise(ends)]
        self._n = ends[-1]

    def __len__(self) -> int:
        return int(self._n)

    def __repr__(self) -> str:
        return f"<Forecasts of {len(self)} rows, in {len(self.parts)} parts>"

    def mean(self) -> Floats:
        """Mean of each row."""
        return self._each(lambda part, rows: part.mean())

    def std(self) -> Floats:
        """Standard deviation of each row."""
        return self._each(lambda part, rows: part.std())

    def logpdf(self, y: npt.ArrayLike) -> Floats:
        """Logarithm of the density at ``y``: a number, or one for each row, or a row of them for each row."""
        values = self._per_row(y)
        return self._each(lambda part, rows: part.logpdf(values[rows]), empty=(0, *values.shape[1:]))

    def pdf(self, y: npt.ArrayLike) -> Floats:
        """Density at ``y``."""
        density: Floats = np.exp(self.logpdf(y))
        return density

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y``."""
        values = self._per_row(y)
        return self._each(lambda part, rows: part.cdf(values[rows]), empty=(0, *values.shape[1:]))

    def ppf(self, q: npt.ArrayLike) -> Floats:
        """Quantiles: shape (n,) for a scalar, (n, k) for k levels."""
        return self._each(lambda part, rows: part.ppf(q), empty=(0, *np.shape(q)))

    def interval(self, confidence: float = 0.9) -> Floats:
        """Central interval of each row: shape (n, 2)."""
        return self._each(lambda part, rows: part.interval(confidence), empty=(0, 2))

    def rvs(self, size: int = 1, random_state: object = None) -> Floats:
        """Draw ``size`` values for each row: shape (n, size)."""
        rng = check_random_state(random_state)
        return self._each(lambda part, rows: part.rvs(size, rng), empty=(0, size))

    def _each(self, ask: Any, empty: tuple[int, ...] = (0,)) -> Floats:
        answers = [ask(part, rows) for part, rows in zip(self.parts, self._rows, strict=True)]
        return np.concatenate([np.empty(empty), *answers])

    def _per_row(self, y: npt.ArrayLike) -> Floats:
        values = np.asarray(y, dtype=np.float64)
        shape = (len(self),) if values.ndim < 2 else (len(self), values.shape[1])
        if values.ndim > 2:
            raise ValueError(f"y must be a number or have shape ({len(self)},) or ({len(self)}, k), got {values.shape}")
        return np.broadcast_to(values, shape)
