"""One local search: steps to where a quadratic through nearby evaluations is least, in a box that grows and shrinks.

The box is as in other trust-region methods: a step that finds less moves its centre and, if it went to the edge,
doubles it; a step that does not halves it. Where the quadratic would go to a place that is known already, a random
place in the box is tried instead, so that the next quadratic knows more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.optimize._evaluations import LARGEST_VALUE, Evaluations
from hedgerow.optimize._quadratic import fit_quadratic, n_coefficients
from hedgerow.optimize._space import Space

FIRST_RADIUS, LARGEST_RADIUS, LEAST_RADIUS = 0.2, 0.4, 1e-3
"""Half the width of the box, as a share of the space."""

SAME = 0.02
"""A place nearer than this share of the radius to one that is known would teach nothing."""

ROWS_PER_COEFFICIENT = 1.5


@dataclass
class Descent:
    """Where a local search stands."""

    centre: Floats
    value: float
    radius: float = FIRST_RADIUS
    gain: float = math.inf  # what the last quadratic promised
    is_done: bool = False

    def propose(
        self, space: Space, evaluations: Evaluations, pending: Floats, rng: np.random.Generator
    ) -> tuple[Floats, bool] | None:
        """Return a place to try, and whether it is a step or only there to learn from; None if all nearby are known."""
        free = space.is_ordered & space.presence(self.centre[None])[0]
        if not free.any():
            return None
        radii = np.maximum(self.radius, space.steps[free])
        offsets, values = self._neighbours(space, evaluations, free, radii)
        lower = np.maximum(-1.0, -self.centre[free] / radii)
        upper = np.minimum(1.0, (1.0 - self.centre[free]) / radii)
        weights = 1.0 / (1.0 + (np.abs(offsets).max(axis=1) / 2.0) ** 4)
        quadratic = fit_quadratic(offsets, values, weights)
        step = quadratic.least_in_box(lower, upper, rng)
        self.gain = max(0.0, -float(quadratic(step[None])[0]))
        known = np.concatenate([offsets, (pending[:, free] - self.centre[free]) / radii])
        for attempt in range(8):
            place = self.centre.copy()
            place[free] += radii * (step if attempt == 0 else rng.uniform(lower, upper))
            place = space.settled(place[None])[0]
            gap = np.abs(known - (place[free] - self.centre[free]) / radii).max(axis=1).min()
            if gap >= SAME:
                return place, attempt == 0
        return None

    def record(self, place: Floats, value: float, is_step: bool, space: Space) -> bool:
        """Take the value of a place that was proposed; return whether the centre has moved there."""
        moves = value < self.value
        if moves:
            radii = np.maximum(self.radius, space.steps)[space.is_ordered]
            if is_step and (np.abs(place - self.centre)[space.is_ordered] / radii).max() > 0.9:
                self.radius = min(2.0 * self.radius, LARGEST_RADIUS)
            self.centre, self.value = place, value
        elif is_step:
            self.shrink(space)
        return moves

    def shrink(self, space: Space) -> None:
        """Halve the box; a box in which nothing is left to be found ends the search."""
        self.radius /= 2.0
        finest = 0.5 * float(space.steps[space.is_ordered].min(initial=1.0))
        self.is_done = self.radius < max(LEAST_RADIUS, finest)

    def _neighbours(
        self, space: Space, evaluations: Evaluations, free: npt.NDArray[np.bool_], radii: Floats
    ) -> tuple[Floats, Floats]:
        """Evaluations nearest to the centre, from it and in units of the radius, with the same choices made."""
        alike = ~np.isnan(evaluations.values)
        if not space.is_ordered.all():
            alike &= (evaluations.places == self.centre)[:, ~space.is_ordered].all(axis=1)
        rows = np.flatnonzero(alike)
        most = int(ROWS_PER_COEFFICIENT * n_coefficients(radii.size)) + 1
        if most < rows.size:
            stretch = np.zeros(space.n_parameters)
            stretch[free] = 1.0 / radii
            rows = rows[np.argpartition(evaluations.distances(self.centre, stretch)[rows], most - 1)[:most]]
        values = np.clip(evaluations.values[rows], -LARGEST_VALUE, LARGEST_VALUE)
        return (evaluations.places[rows][:, free] - self.centre[free]) / radii, values
