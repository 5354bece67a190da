"""A vectorised distribution made of targets: those that the leaves of a quantile forest have seen."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.predictive._mixture import Mixture
from hedgerow.predictive._normal_mixture import NormalMixture
from hedgerow.predictive._shapes import Expected

SLACK = 1e-9
"""Shares of the weight that differ by less are equal."""


class LabelMixture(Mixture):
    """One distribution a row: weighted targets.

    Mean, spread and quantiles are those of the targets. The density is that of the targets, each blurred by a narrow
    Gaussian (Silverman's width), and so is the distribution function.

    Parameters
    ----------
    first : array of shape (n + 1,)
        Where each row's targets begin.
    weights, labels : arrays
        Targets. The weights of a row need not add up to one.
    radii : callable, optional
        If quantiles are calibrated: how far from 1/2 the levels lie that bound central intervals of some confidences.
    spreads : array of shape (n,), optional
        How far quantiles move for each unit of a calibrated level below 0 or above 1.
    """

    def __init__(
        self,
        first: npt.ArrayLike,
        weights: npt.ArrayLike,
        labels: npt.ArrayLike,
        radii: Callable[[Floats], Floats] | None = None,
        spreads: Floats | None = None,
    ) -> None:
        given, self.labels = self._take(first, weights, labels)
        self.sizes = np.diff(self.first)
        self.weights = given / np.repeat(self._sum(given), self.sizes)
        self._radii = radii
        self._spreads = np.zeros(len(self)) if spreads is None else spreads

    def mean(self) -> Floats:
        """Mean of each row."""
        return self._sum(self.weights * self.labels)

    def std(self) -> Floats:
        """Standard deviation of each row."""
        gaps = self.labels - np.repeat(self.mean(), self.sizes)
        least = (1e-9 * np.maximum(np.abs(self.mean()), 1e-9)) ** 2  # where all targets are equal
        return np.sqrt(np.maximum(self._sum(self.weights * gaps**2), least))

    def logpdf(self, y: npt.ArrayLike) -> Floats:
        """Logarithm of the density at ``y``."""
        return self._blurred.logpdf(y)

    def cdf(self, y: npt.ArrayLike) -> Floats:
        """Probability of at most ``y``."""
        return self._blurred.cdf(y)

    def expect(self, function: Expected) -> Floats:
        """Mean of a function of each row's value. It takes values, and the rows that they belong to."""
        values = function(self.labels, np.repeat(np.arange(len(self)), self.sizes))
        return self._sum(self.weights * values)

    def _quantiles(self, levels: Floats) -> Floats:
        if self._radii is None:
            return self._reached(levels - SLACK, "left")
        at, whole_line = calibrated(levels, self._radii)
        spread = self._spreads[:, None]
        lower = self._reached(at - SLACK, "left") + np.minimum(at, 0.0) * spread
        upper = self._reached(at + SLACK, "right") + np.maximum(at - 1.0, 0.0) * spread
        return np.where(np.isinf(whole_line), whole_line, np.where(at <= 0.5, lower, upper))

    def _reached(self, shares: Floats, side: Literal["left", "right"]) -> Floats:
        """The smallest target of each row with a share of the weight up to it ("left"), or with more ("right")."""
        row = np.arange(len(self))[:, None]
        order = self._in_order
        places = np.searchsorted(np.cumsum(self.weights[order]), row + shares, side=side)
        found: Floats = self.labels[order[np.clip(places, self.first[:-1, None], self.first[1:, None] - 1)]]
        return found

    def _draws(self, n_draws: int, rng: np.random.RandomState) -> Floats:
        draws: Floats = self.labels[self._chosen(n_draws, rng)]
        return draws

    @cached_property
    def _in_order(self) -> npt.NDArray[np.intp]:
        return np.lexsort([self.labels, np.repeat(np.arange(len(self)), self.sizes)])

    @cached_property
    def _blurred(self) -> NormalMixture:
        effective = 1.0 / self._sum(self.weights**2)
        variances = np.repeat((0.9 * self.std() * effective**-0.2) ** 2, self.sizes)
        return NormalMixture(self.first, self.weights, self.labels, variances)


def calibrated(levels: Floats, radii: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Return the levels to use instead; and, where no level will do, the end of the whole line, or else 0."""
    confidences: Floats = np.abs(2.0 * levels - 1.0).round(12)
    reach, signs = radii(confidences), np.where(levels <= 0.5, -1.0, 1.0)
    is_finite = np.isfinite(reach)
    return np.where(is_finite, 0.5 + signs * reach, 0.5), np.where(is_finite, 0.0, signs * np.inf)
