"""The shape of conformal predictions: quantiles that are valid, and a density for those who need one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow._core import ScoreWindow
from hedgerow.numeric.arrays import Floats
from hedgerow.predictive._shapes import EmpiricalShape, NormalShape, Shape

FEWEST = 10
"""With fewer scores, the density is a Gaussian."""


class FrozenRadii:
    """How far intervals reach, by a window of scores as it is now; it does not change, and can be copied and pickled.

    Parameters
    ----------
    size, rate
        As for the window.
    scores, levels : arrays
        What its archive holds.
    """

    def __init__(self, size: int, rate: float, scores: Floats, levels: Floats) -> None:
        self._made_of = size, rate, scores, levels
        self._window = ScoreWindow(size, rate)
        self._window.restore(scores, levels)

    def __call__(self, confidences: Floats) -> Floats:
        """For each confidence, how far a central interval reaches to either side."""
        radii: Floats = self._window.radii(confidences)
        return radii

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._made_of


class ConformalShape(Shape):
    """Symmetric about zero, made from scores.

    Quantiles are those of conformal prediction, infinite where there are too few scores. Density and distribution
    function are those of the scores with either sign, smoothed.

    Parameters
    ----------
    scores : array
        In order.
    radii : callable
        For each confidence, how far a central interval reaches to either side.

    Attributes
    ----------
    smooth : Shape
        What density and distribution function are those of.
    """

    def __init__(self, scores: Floats, radii: Callable[[Floats], Floats]) -> None:
        self._radii = radii
        self.smooth: Shape = NormalShape()
        if scores.size >= FEWEST:
            self.smooth = EmpiricalShape.fitted(np.concatenate([-scores[::-1], scores]), np.ones(2 * scores.size))
        self.std = self.smooth.std

    def logpdf(self, z: Floats) -> Floats:
        """Logarithm of the density."""
        return self.smooth.logpdf(z)

    def cdf(self, z: Floats) -> Floats:
        """Probability of at most z."""
        return self.smooth.cdf(z)

    def ppf(self, level: Floats) -> Floats:
        """Quantiles: the ends of the central interval that they bound."""
        levels = np.asarray(level, dtype=np.float64)
        # 0.95 is an end of the interval of 0.9, not of 0.9 + 1e-16.
        confidences = np.round(np.abs(2.0 * levels - 1.0), 12)
        reach = self._radii(np.ascontiguousarray(confidences.ravel())).reshape(levels.shape)
        found: Floats = np.sign(levels - 0.5) * np.where(levels == 0.5, 0.0, reach)
        return found

    def quadrature(self, knots: Floats) -> tuple[Floats, Floats, npt.NDArray[np.intp]]:
        """Of the scores, smoothed: extreme quantiles may be infinite."""
        return self.smooth.quadrature(knots)
