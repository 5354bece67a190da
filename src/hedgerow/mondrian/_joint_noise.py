"""Noise of several targets that varies: one forest learns where errors are large, for all whose errors follow it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.files import Stored
from hedgerow.mondrian._noise import LEAST_GAIN, MOST_SURPRISING, Noise
from hedgerow.numeric.arrays import Floats

LearnNoise = Callable[[Floats], tuple[Noise | None, Floats]]
"""From squared errors of rows, in units of the variance that they were given, to noise and the factor of each row."""


class JointNoise(NamedTuple):
    """Variances of some targets are multiplied by a factor that depends on the row; its mean over the rows is one."""

    noise: Noise
    applies: npt.NDArray[np.bool_]  # to which targets

    def factors(self, X: Floats, are_left_out: bool = False) -> Floats:
        """By how much variances differ: shape (n, k); of rows learned, if they are left out, without them."""
        factors = self.noise.left_out_factors(X) if are_left_out else self.noise.factors(X)
        return np.where(self.applies, factors[:, None], 1.0)

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"noise": self.noise.state(), "applies": self.applies.tolist()}

    @classmethod
    def from_state(cls, stored: Stored, n_targets: int, width: int) -> JointNoise:
        """Take back what `state` gave, or ValueError."""
        applies = stored.sequence("applies")
        if len(applies) != n_targets or not all(type(each) is bool for each in applies):
            raise ValueError("its noise is that of another number of targets")
        return cls(Noise.from_state(stored.part("noise"), width), np.array(applies))


def learn_joint_noise(squares: Floats, weights: Floats, learn: LearnNoise) -> tuple[JointNoise | None, Floats]:
    """Learn from squared errors of shape (n, k). Returns None if that does not pay; and the factors of the rows."""
    nothing = None, np.ones_like(squares)
    if not squares.any():
        return nothing
    noise, factors = learn(squares[:, squares.any(axis=0)].mean(axis=1))
    if noise is None:
        return nothing
    share = weights / weights.sum() if weights.size else np.full(factors.size, 1.0 / factors.size)
    typical = float(share @ factors)
    noise, factors = noise._replace(offset=noise.offset - math.log(typical)), factors / typical
    capped = np.minimum(squares, MOST_SURPRISING)
    loss = [0.5 * float(share @ (np.log(factors) + column / factors)) for column in capped.T]
    plain = [0.5 * math.log(max(float(share @ column), 1e-300)) + 0.5 for column in capped.T]
    applies = np.array(loss) < np.array(plain) - LEAST_GAIN
    if not applies.any():
        return nothing
    return JointNoise(noise, applies), np.where(applies, factors[:, None], 1.0)
