"""Shapes of predictive distributions: what is left when a row's mean and scale are taken away."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.simplex import Point, minimise
from hedgerow.predictive._distribution import GREATEST_LEVEL, LEAST_LEVEL

_HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)


N_NODES, CROWDING = 48, 4
"""Of the rule by which a shape's moments between two levels are found."""


N_TAIL_NODES, N_TAIL_PIECES, LEAST_MISSING = 6, 7, 1e-4
"""Of the rule by which the mean of any function is found; a variance that lacks less than the last is complete."""

Expected = Callable[[Floats, npt.NDArray[np.intp]], Floats]
"""A function of values and of the rows that they belong to."""


FAR = 1e100
"""Squares of larger numbers may overflow; next to them, 1 is nothing."""


class Shape(ABC):
    """A distribution of one number, centred near zero; `std` is its standard deviation."""

    std: float

    @abstractmethod
    def logpdf(self, z: Floats) -> Floats:
        """Logarithm of the density."""

    @abstractmethod
    def cdf(self, z: Floats) -> Floats:
        """Probability of at most z."""

    @abstractmethod
    def ppf(self, level: Floats) -> Floats:
        """Quantiles."""

    def normal_scores(self, z: Floats) -> Floats:
        """Where z would be if the shape were the standard normal distribution."""
        scores: Floats = special.ndtri(np.clip(self.cdf(z), LEAST_LEVEL, GREATEST_LEVEL))
        return scores

    def moments_between(self, knots: Floats) -> tuple[Floats, Floats]:
        """Mean and mean square of z between each two levels; the first is 0, the last is 1.

        Gauss and Legendre's rule. Towards the ends, where quantiles run away, nodes crowd: the level is a power of what
        is summed over. What is still missing of the variance belongs to the first piece and the last.
        """
        nodes, node_weights = np.polynomial.legendre.leggauss(N_NODES)
        nodes, node_weights = 0.5 * (nodes + 1.0), 0.5 * node_weights
        inner = knots[1:-2, None] + np.diff(knots[1:-1])[:, None] * nodes
        crowded, density = nodes**CROWDING, CROWDING * nodes ** (CROWDING - 1)
        levels = np.vstack([knots[1] * crowded, inner, 1.0 - (1.0 - knots[-2]) * crowded])
        weights = np.vstack([density * node_weights, *[node_weights] * len(inner), density * node_weights])
        z = self.ppf(levels)
        means, squares = (weights * z).sum(axis=1), (weights * z**2).sum(axis=1)
        missing = self.std**2 - np.diff(knots) @ squares
        squares[[0, -1]] += missing / (knots[1] + 1.0 - knots[-2])
        return means, np.maximum(squares, means**2)

    def quadrature(self, knots: Floats) -> tuple[Floats, Floats, npt.NDArray[np.intp]]:
        """Values, their probabilities, and the piece between two knots that each is in; the knots are levels.

        Gauss and Legendre's rule, in pieces that get smaller by a factor towards the ends. The last of the tails is one
        value on either side, where it makes the variance what it is.
        """
        nodes, shares = np.polynomial.legendre.leggauss(N_TAIL_NODES)
        nodes, shares = 0.5 * (nodes + 1.0), 0.5 * shares
        width = np.diff(knots)[1:-1]
        levels = [(knots[1:-2, None] + width[:, None] * nodes).ravel()]
        weights, pieces = [np.outer(width, shares).ravel()], [np.repeat(np.arange(width.size) + 1, nodes.size)]
        borders = 10.0 ** -np.arange(N_TAIL_PIECES + 1.0)
        tail = borders[1:] * 10.0 ** nodes[:, None]  # in logarithms of the level
        of_tail = tail * math.log(10.0) * shares[:, None]
        of_tail *= (1.0 - borders[-1]) / of_tail.sum()
        for end, piece in ((knots[1], 0), (1.0 - knots[-2], width.size + 1)):
            levels.append(np.concatenate([end * tail.ravel(), [0.5 * end * borders[-1]]]))
            weights.append(np.concatenate([end * of_tail.ravel(), [end * borders[-1]]]))
            pieces.append(np.full(tail.size + 1, piece))
        levels[-1] = 1.0 - levels[-1]
        z, probabilities = self.ppf(np.concatenate(levels)), np.concatenate(weights)
        last = np.cumsum([part.size for part in levels])[1:] - 1
        kept = np.delete(np.arange(z.size), last)
        missing = self.std**2 - float(probabilities[kept] @ z[kept] ** 2)
        if LEAST_MISSING * self.std**2 < missing < math.inf:
            reach = math.sqrt(missing / float(probabilities[last].sum()))
            z[last[0]], z[last[1]] = min(z[last[0]], -reach), max(z[last[1]], reach)
        return z, probabilities, np.concatenate(pieces)

    def numbers(self) -> list[float]:
        """Return what the shape is made from, for a file."""
        return []


class NormalShape(Shape):
    """The standard normal distribution."""

    std = 1.0

    def logpdf(self, z: Floats) -> Floats:
        """Logarithm of the density."""
        return -0.5 * z**2 - _HALF_LOG_TWO_PI

    def cdf(self, z: Floats) -> Floats:
        """Probability of at most z."""
        found: Floats = special.ndtr(z)
        return found

    def ppf(self, level: Floats) -> Floats:
        """Quantiles."""
        found: Floats = special.ndtri(level)
        return found

    def normal_scores(self, z: Floats) -> Floats:
        """Return z itself."""
        return z

    @classmethod
    def fitted(cls, residuals: Floats, weights: Floats) -> NormalShape:
        """Return the shape; residuals have been scaled already."""
        return cls()


class StudentShape(Shape):
    """Student's t with a scale of its own."""

    def __init__(self, degrees: float, scale: float) -> None:
        self.degrees, self.scale = degrees, scale
        self.std = scale * math.sqrt(degrees / (degrees - 2.0)) if degrees > 2.0 else math.inf
        self._log_norm = float(
            special.gammaln(0.5 * (degrees + 1)) - special.gammaln(0.5 * degrees) - 0.5 * math.log(degrees * math.pi)
        ) - math.log(scale)

    def logpdf(self, z: Floats) -> Floats:
        """Logarithm of the density."""
        found: Floats = self._log_norm - 0.5 * (self.degrees + 1) * log_one_plus_square(z / self.scale, self.degrees)
        return found

    def cdf(self, z: Floats) -> Floats:
        """Probability of at most z."""
        found: Floats = special.stdtr(self.degrees, z / self.scale)
        return found

    def ppf(self, level: Floats) -> Floats:
        """Quantiles."""
        level = np.asarray(level)
        found: Floats = self.scale * special.stdtrit(self.degrees, level)
        return np.select([level <= 0.0, level == 1.0], [-np.inf, np.inf], found)  # where SciPy 1.15 knows none

    def normal_scores(self, z: Floats) -> Floats:
        """Where z would be if the shape were the standard normal distribution; both tails keep their digits."""
        scores: Floats = -np.sign(z) * special.ndtri(np.maximum(self.cdf(-np.abs(z)), LEAST_LEVEL))
        return scores

    def numbers(self) -> list[float]:
        """Return degrees of freedom and scale."""
        return [self.degrees, self.scale]

    @classmethod
    def fitted(cls, residuals: Floats, weights: Floats) -> StudentShape:
        """Return the shape under which the residuals are most likely; at least 2.1 degrees, for a finite variance."""
        share = weights / weights.sum()

        def shape(logs: Point) -> StudentShape:
            return cls(2.1 + math.exp(min(max(logs[0], -4.0), 7.0)), math.exp(min(max(logs[1], -9.0), 9.0)))

        def loss(logs: Point) -> float:
            return -float(share @ shape(logs).logpdf(residuals))

        return shape(minimise(loss, [(1.0, -0.2), (3.0, -0.2), (1.0, 0.2)], 60)[0])


class EmpiricalShape(Shape):
    """A sample of residuals, each a narrow Gaussian: no family is assumed."""

    MOST = 256

    def __init__(self, centres: Floats, width: float) -> None:
        self.centres, self.width = centres, width
        self.std = math.sqrt(float(np.var(centres)) + width**2)
        steps = np.array([-9, -6, -4, -2, -1, 0, 1, 2, 4, 6, 9])
        self._grid = np.unique(centres[:, None] + steps * width)
        self._levels = self.cdf(self._grid)

    def logpdf(self, z: Floats) -> Floats:
        """Logarithm of the density."""
        flat = np.asarray(z, dtype=np.float64).ravel()
        found = np.empty(flat.size)
        for begin in range(0, flat.size, 4096):
            part = (flat[begin : begin + 4096, None] - self.centres) / self.width
            found[begin : begin + 4096] = special.logsumexp(-0.5 * part**2, axis=1)
        return found.reshape(np.shape(z)) - math.log(self.centres.size * self.width) - _HALF_LOG_TWO_PI

    def cdf(self, z: Floats) -> Floats:
        """Probability of at most z."""
        flat = np.asarray(z, dtype=np.float64).ravel()
        found = np.empty(flat.size)
        for begin in range(0, flat.size, 4096):
            part = (flat[begin : begin + 4096, None] - self.centres) / self.width
            found[begin : begin + 4096] = special.ndtr(part).mean(axis=1)
        return found.reshape(np.shape(z))

    def ppf(self, level: Floats) -> Floats:
        """Quantiles: Newton's steps between two points of a grid, halving where they lead outside."""
        wanted = np.asarray(level, dtype=np.float64).ravel()
        right = np.searchsorted(self._levels, wanted).clip(1, self._grid.size - 1)
        low, high = self._grid[right - 1], self._grid[right]
        found: Floats = np.interp(wanted, self._levels, self._grid)
        left = np.arange(wanted.size)  # those that are not found yet
        for _ in range(40):
            above = self.cdf(found[left]) - wanted[left]
            is_left = np.abs(above) >= 1e-12
            left, above = left[is_left], above[is_left]
            if not left.size:
                break
            at = found[left]
            low[left], high[left] = np.where(above <= 0.0, at, low[left]), np.where(above >= 0.0, at, high[left])
            step = at - above * np.exp(np.minimum(-self.logpdf(at), 700.0))
            is_inside = (step > low[left]) & (step < high[left])
            found[left] = np.where(is_inside, step, 0.5 * (low[left] + high[left]))
        found = np.where(wanted <= 0.0, -np.inf, np.where(wanted >= 1.0, np.inf, found))
        return found.reshape(np.shape(level))

    def numbers(self) -> list[float]:
        """Return the width and the residuals."""
        return [self.width, *self.centres.tolist()]

    @classmethod
    def fitted(cls, residuals: Floats, weights: Floats) -> EmpiricalShape:
        """Return quantiles of the residuals, at most `MOST`, and Silverman's width."""
        order = np.argsort(residuals)
        levels = (np.cumsum(weights[order]) - 0.5 * weights[order]) / weights.sum()
        n = min(cls.MOST, residuals.size)
        centres = np.interp((np.arange(n) + 0.5) / n, levels, residuals[order])
        centres -= centres.mean()  # the mean is predicted elsewhere
        middle = float(np.interp(0.75, levels, residuals[order]) - np.interp(0.25, levels, residuals[order])) / 1.349
        spread = middle if middle > 0 else float(np.std(residuals))
        return cls(centres, max(0.9 * spread * residuals.size**-0.2, 1e-9))


SHAPES: dict[str, Any] = {"normal": NormalShape, "student": StudentShape, "empirical": EmpiricalShape}


def shape_from_numbers(name: str, numbers: list[float]) -> Shape:
    """Take back what `numbers` gave; ValueError if it is no shape."""
    if not all(isinstance(number, float | int) and math.isfinite(number) for number in numbers):
        raise ValueError("its shape is not finite")
    if name == "student" and len(numbers) == 2 and numbers[0] > 2.0 and numbers[1] > 0.0:
        return StudentShape(*numbers)
    if name == "empirical" and len(numbers) >= 2 and numbers[0] > 0.0:
        return EmpiricalShape(np.sort(np.array(numbers[1:], dtype=np.float64)), numbers[0])
    if name == "normal" and not numbers:
        return NormalShape()
    raise ValueError("its shape is not one of ours")


def log_one_plus_square(z: Floats, degrees: Floats | float) -> Floats:
    """Return log(1 + z^2 / degrees), also where the square is no number."""
    size = np.abs(z)
    with np.errstate(divide="ignore"):
        far = 2.0 * np.log(size) - np.log(degrees)
    near = np.log1p(np.minimum(size, FAR) ** 2 / degrees)
    return np.where(size > FAR, far, near)
