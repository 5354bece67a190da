"""Forecasts that were made piece by piece, put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.predictive._distribution import Distribution
from hedgerow.predictive._normal_mixture import NormalMixture


def joined_forecasts(parts: Iterable[Any]) -> Any:
    """Return the distributions of all parts, one after another: one mixture if all are, or else `Forecasts`."""
    parts = list(parts)
    return NormalMixture.joined(parts) if all(type(part) is NormalMixture for part in parts) else Forecasts(parts)


class Forecasts(Distribution):
    """Predictive distributions of rows, made one after another; what is computed from it is computed from each part.

    Parameters
    ----------
    parts : sequence
        Distributions, each of some rows, such as `LocationScale`.
    """

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = list(parts)
        ends = np.cumsum([0, *(len(part) for part in self.parts)]).tolist()
        self._rows = [slice(*pair) for pair in pairwise(ends)]
        self._n_rows = int(ends[-1])

    def mean(self) -> Floats:
        """Mean of each row."""
        return self._each(lambda part, rows: part.mean())

    def std(self) -> Floats:
        """Standard deviation of each row."""
        return self._each(lambda part, rows: part.std())

    def logpdf(self, y: npt.ArrayLike) -> Floats:
        """Logarithm of the density at ``y``."""
        values, shape = self._per_row(y)
        return self._each(lambda part, rows: part.logpdf(values[rows]), values.shape[1]).reshape(shape)

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y``."""
        values, shape = self._per_row(y)
        return self._each(lambda part, rows: part.cdf(values[rows]), values.shape[1]).reshape(shape)

    def normal_scores(self, y: npt.ArrayLike) -> Floats:
        """Where ``y`` would be if a row's distribution were the standard normal one."""
        values, shape = self._per_row(y)
        return self._each(lambda part, rows: part.normal_scores(values[rows]), values.shape[1]).reshape(shape)

    def _quantiles(self, levels: Floats) -> Floats:
        if levels.ndim == 2:
            return self._each(lambda part, rows: part._quantiles(levels[rows]), levels.shape[1])
        return self._each(lambda part, rows: part.ppf(levels), levels.size)

    def _draws(self, n_draws: int, rng: np.random.RandomState) -> Floats:
        return self._each(lambda part, rows: part.rvs(n_draws, rng), n_draws)

    def _made_of(self) -> str:
        return f", in {len(self.parts)} parts"

    def _each(self, compute: Callable[[Any, slice], Floats], *width: int) -> Floats:
        found = [compute(part, rows) for part, rows in zip(self.parts, self._rows, strict=True)]
        return np.concatenate([np.empty((0, *width)), *found])
