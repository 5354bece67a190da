"""Monotone maps from the values that a target can have to the whole line."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hedgerow.base.targets import LARGEST_TARGET, LEAST_TARGET
from hedgerow.numeric.arrays import Floats

CURVES = ("log", "sqrt")


def is_functions(requested: Any) -> bool:
    """Whether a parameter is a map of the user's own."""
    return isinstance(requested, tuple | list) and len(requested) == 3 and all(map(callable, requested))


class Straightened:
    """A logarithm or a root up to a knee, and its tangent from there on.

    Near zero it is the curve, so what comes back is never below zero. Above the knee it is a straight line, so the mean
    and the standard deviation of what comes back are finite whenever those on the line are. With a logarithm, errors
    are in proportion to the target below the knee, and of one size above it.

    Parameters
    ----------
    curve : {"log", "sqrt"}
        log(y), or 2 sqrt(y), of which only whole numbers can come back: what is below zero on the line is 0.
    knee : float
        Where it becomes straight.
    """

    def __init__(self, curve: str, knee: float) -> None:
        if curve not in CURVES or not 0.0 < knee < math.inf:
            raise ValueError(f"a map is a 'log' or a 'sqrt' with a positive knee, got {curve!r} and {knee!r}")
        self.curve, self.knee = curve, float(knee)
        self._top = math.log(knee) if curve == "log" else 2.0 * math.sqrt(knee)
        self._rise = self.knee if curve == "log" else math.sqrt(knee)  # of y, for each unit on the line above the knee

    def __repr__(self) -> str:
        return f"Straightened({self.curve!r}, knee={self.knee:g})"

    def forward(self, y: Floats) -> Floats:
        """Return values on the line; -inf for targets that are not positive."""
        bent = np.clip(y, 0.0, self.knee)
        with np.errstate(divide="ignore"):
            below = np.log(bent) if self.curve == "log" else np.where(bent > 0.0, 2.0 * np.sqrt(bent), -np.inf)
        found: Floats = below + np.maximum(y - self.knee, 0.0) / self._rise
        return found

    def inverse(self, z: Floats) -> Floats:
        """Return targets."""
        bent = np.minimum(z, self._top)
        below = np.exp(bent) if self.curve == "log" else np.square(0.5 * np.maximum(bent, 0.0))
        found: Floats = below + self._rise * np.maximum(z - self._top, 0.0)
        return found

    def log_derivative(self, y: Floats) -> Floats:
        """Return the logarithm of the slope."""
        found: Floats = (-1.0 if self.curve == "log" else -0.5) * np.log(np.minimum(y, self.knee))
        return found

    def numbers(self) -> list[Any]:
        """Return what it is made from, for a file."""
        return [self.curve, self.knee]

    @classmethod
    def from_numbers(cls, numbers: Any) -> Straightened:
        """Take back what `numbers` gave, or ValueError."""
        curve, knee = numbers
        return cls(curve, float(knee))


class Functions:
    """A map given by a user: three functions of arrays.

    Parameters
    ----------
    forward, inverse, log_derivative : callable
        The map, which rises; its inverse; and the logarithm of its slope. Outside the support the map returns NaN or an
        infinite number.
    """

    def __init__(self, forward: Callable[..., Any], inverse: Callable[..., Any], log_derivative: Callable[..., Any]):
        self._functions = forward, inverse, log_derivative

    def __repr__(self) -> str:
        return f"Functions({', '.join(getattr(function, '__name__', repr(function)) for function in self._functions)})"

    def forward(self, y: Floats) -> Floats:
        """Return values on the line; -inf where the map has none."""
        z = self._call(0, y)
        return np.where(np.isnan(z), -np.inf, z)

    def inverse(self, z: Floats) -> Floats:
        """Return targets."""
        return self._call(1, z)

    def log_derivative(self, y: Floats) -> Floats:
        """Return the logarithm of the slope."""
        return self._call(2, y)

    def check(self, y: Floats) -> None:
        """Raise ValueError unless the three belong together at these targets."""
        y = np.unique(y)
        z = self.forward(y)
        if not np.isfinite(z).all():
            bad = y[~np.isfinite(z)]
            raise ValueError(
                f"the map given as target has no finite value at {bad.size} of {y.size} different targets (the first "
                f"is {bad[0]:g}); give a map whose support has all targets, or target='real'"
            )
        if np.abs(z).max() > LARGEST_TARGET or 0.0 < z[-1] - z[0] < LEAST_TARGET:
            raise ValueError(
                f"the map given as target takes targets to numbers from {z[0]:g} to {z[-1]:g}; they must lie within "
                "1e100 of zero, and spread over 1e-100 or more: multiply the map by a constant"
            )
        if not (np.diff(z) > 0.0).all():
            raise ValueError("the map given as target does not rise: larger targets must have larger values")
        back, slopes = self.inverse(z), self.log_derivative(y)
        if not np.allclose(back, y, rtol=1e-6, atol=1e-9 * float(np.abs(y).max())):
            worst = int(np.argmax(np.abs(back - y)))
            raise ValueError(
                f"the inverse given with target does not undo the map: {y[worst]:g} goes to {z[worst]:g} and comes "
                f"back as {back[worst]:g}"
            )
        span = max(float(z[-1] - z[0]), 1.0)
        beyond = self.inverse(np.linspace(z[0] - span, z[-1] + span, 50))
        if np.isnan(beyond).any() or not (beyond[1:] >= beyond[:-1]).all():
            raise ValueError(
                "the inverse given with target does not rise from one end of the line to the other: predictions may "
                "lie anywhere on it, so the map must reach all of it, as a logarithm or a logit does"
            )
        step = 1e-5 * np.maximum(np.abs(z), 1e-3)
        ends = self.inverse(z - step), self.inverse(z + step)
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = np.log(2.0 * step / (ends[1] - ends[0]))
        if not np.isfinite(slopes).all() or not np.median(np.abs(slopes - expected)) < 0.01:
            raise ValueError(
                "the third function given with target is not the logarithm of the map's derivative: at "
                f"{y[y.size // 2]:g} it is {slopes[y.size // 2]:g}, and should be {expected[y.size // 2]:g}"
            )

    def numbers(self) -> Any:
        """Return the functions. A pickle holds them; a file, where there is no code, does not."""
        return self._functions

    @classmethod
    def from_numbers(cls, numbers: Any) -> Functions:
        """Take back what `numbers` gave, or ValueError."""
        if not is_functions(numbers):
            raise ValueError("the map of its targets is not made of three functions")
        return cls(*numbers)

    def _call(self, which: int, values: Floats) -> Floats:
        values = np.asarray(values, dtype=np.float64)
        with np.errstate(all="ignore"):
            found = np.asarray(self._functions[which](values), dtype=np.float64)
        if found.shape != values.shape:
            raise ValueError(
                f"the functions given as target must work on arrays: {self._functions[which]!r} returned an array of "
                f"shape {found.shape} for one of shape {values.shape}"
            )
        return found
