"""All local searches: one goes on from the best, another from the best that lies elsewhere and may yet overtake it.

Where searches have been is a zone, a box around each place that they passed; a new search begins at the least
value outside all zones. When there is no such place left, zones shrink.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.files import Stored
from hedgerow.numeric.arrays import Floats
from hedgerow.optimize._descent import FIRST_RADIUS, Descent
from hedgerow.optimize._evaluations import Evaluations
from hedgerow.optimize._space import Space

NONE = -1
"""In place of the number of a search."""

ZONE_SHARE = 0.02
"""The share of the space that lies in one zone at first."""

LEAST_ZONE = 1e-3
"""Half the width of the smallest zones."""

COARSE, PATIENCE = 0.02, 10.0
"""A challenger whose box is that small gives up, unless so many gains like its last would make it the best."""


class Descents:
    """Local searches, which of them lead, and where they have been."""

    def __init__(self, space: Space, evaluations: Evaluations) -> None:
        self._space, self._evaluations = space, evaluations
        # Places of different choices are far apart, whatever else they have in common.
        self._stretch = 10.0 / np.where(space.is_ordered, 10.0, space.steps)
        self.searches: list[Descent] = []
        self.leader = self.challenger = NONE
        self.zone = 0.5 * ZONE_SHARE ** (1.0 / max(1, int(space.is_ordered.sum())))
        self._zones = np.empty((0, space.n_parameters))
        self._owners = np.empty(0, dtype=np.int64)  # the search that passed each zone
        self._is_outside = np.empty(0, dtype=bool)  # of each evaluation

    def pick(self, leads: bool) -> int:
        """Return the search whose turn it is: the leader, or the challenger. NONE if there is nothing to do."""
        if not self._space.is_ordered.any():
            return NONE
        if self.leader == NONE:
            self.leader = self._begin()
        if leads and self.leader != NONE and not self.searches[self.leader].is_done:
            return self.leader
        if self.challenger == NONE:
            self.challenger = self._begin()
            self._rank(self.challenger)
        return self.challenger

    def best_places(self, n: int) -> Floats:
        """Return where the best searches stand, best first, at most so many."""
        best = heapq.nsmallest(n, self.searches, key=lambda search: search.value)
        return np.array([search.centre for search in best]).reshape(-1, self._space.n_parameters)

    def record(self, search: int = NONE, is_step: bool = False) -> None:
        """Take the latest evaluation: from the search that had proposed it, or found otherwise."""
        place, value = self._evaluations.places[-1].copy(), float(self._evaluations.values[-1])
        failed = np.isnan(value)
        is_outside = not failed and (not self._owners.size or self._distances(place).min() > self.zone)
        self._is_outside = np.append(self._is_outside, is_outside)
        if search != NONE:
            if self.searches[search].record(place, value, is_step, self._space):
                self._mark(search, place)
            self._rank(search)
        elif not failed and not is_outside:
            self._improve_zone(place, value)

    def stuck(self, search: int) -> None:
        """Take note that a search found nothing new to try in its box."""
        self.searches[search].shrink(self._space)
        self._rank(search)

    # Files.

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        width = self._space.n_parameters
        numbers = [(each.value, each.radius, each.gain, each.is_done) for each in self.searches]
        return {
            "centres": np.array([each.centre for each in self.searches], dtype=np.float64).reshape(-1, width),
            "numbers": np.array(numbers, dtype=np.float64).reshape(-1, 4),
            "zones": self._zones,
            "owners": self._owners,
            "is_outside": self._is_outside.astype(np.uint8),
            "leader": self.leader,
            "challenger": self.challenger,
            "zone": self.zone,
        }

    def restore(self, stored: Stored) -> None:
        """Take back what `state` gave; ValueError if it cannot be."""
        width = self._space.n_parameters
        centres, zones = in_unit_cube(stored, "centres", width), in_unit_cube(stored, "zones", width)
        n, numbers = len(centres), stored.any("numbers")  # a gain may be infinite
        if numbers.dtype != np.float64 or numbers.shape != (n, 4):
            raise ValueError("its local searches are malformed")
        if np.isnan(numbers).any() or not np.isfinite(numbers[:, :2]).all():
            raise ValueError("its local searches are not finite")
        if (numbers[:, 1:] < 0).any() or (numbers[:, 1] > 1).any():
            raise ValueError("a local search has a radius or a gain out of range")
        owners = stored.array("owners", (len(zones),), np.int64)
        if not ((owners >= 0) & (owners < n)).all():
            raise ValueError("its zones are malformed")
        is_outside = stored.array("is_outside", (self._evaluations.n,), np.uint8)
        zone = stored.number("zone", 1e-300, 0.5)
        self.leader, self.challenger = (stored.integer(name, NONE, n - 1) for name in ("leader", "challenger"))
        self.searches = [
            Descent(centre, value, radius, gain, bool(is_done))
            for centre, (value, radius, gain, is_done) in zip(centres, numbers.tolist(), strict=True)
        ]
        self._zones, self._owners, self._is_outside, self.zone = zones, owners, is_outside.astype(bool), zone

    # Below: private.

    def _distances(self, place: Floats) -> Floats:
        """Of the zones' middles from a place, in the direction in which they are farthest."""
        distances: Floats = (np.abs(self._zones - place) * self._stretch).max(axis=1)
        return distances

    def _begin(self) -> int:
        """Begin a search at the least value outside all zones, which shrink if there is none."""
        if not self._is_outside.any():
            self._shrink_zones()
        if not self._is_outside.any():
            return NONE
        values = self._evaluations.values
        row = int(np.where(self._is_outside, values, np.inf).argmin())
        self.searches.append(Descent(self._evaluations.places[row].copy(), float(values[row])))
        self._mark(len(self.searches) - 1, self.searches[-1].centre)
        return len(self.searches) - 1

    def _mark(self, search: int, place: Floats) -> None:
        """Put a zone around a place that a search has come to, unless it has one close by."""
        if self._owners.size and self._distances(place).min() < self.zone / 4:
            return
        self._zones = np.concatenate([self._zones, place[None]])
        self._owners = np.append(self._owners, search)
        self._is_outside &= self._far_from(place)

    def _far_from(self, place: Floats) -> npt.NDArray[np.bool_]:
        far: npt.NDArray[np.bool_] = self._evaluations.distances(place, self._stretch) > self.zone
        return far

    def _shrink_zones(self) -> None:
        """Halve the zones, and leave only those where searches stand: what lies between may be begun from again."""
        if self.zone < LEAST_ZONE:
            return
        self.zone /= 2.0
        self._zones = np.array([search.centre for search in self.searches])
        self._owners = np.arange(len(self.searches))
        self._is_outside = ~np.isnan(self._evaluations.values)
        for place in self._zones:
            self._is_outside &= self._far_from(place)

    def _improve_zone(self, place: Floats, value: float) -> None:
        """A place in a zone was found otherwise: if it is better than the search there, the search goes on from it."""
        search = int(self._owners[self._distances(place).argmin()])
        descent = self.searches[search]
        if not value < descent.value:
            return
        if descent.is_done and value < min(each.value for each in self.searches):
            descent.is_done, descent.radius = False, FIRST_RADIUS / 4
        descent.centre, descent.value = place, value
        self._mark(search, place)
        self._rank(search)

    def _rank(self, search: int) -> None:
        """See whether a search has overtaken the leader, and whether the challenger should give up."""
        if self.leader == NONE or search == NONE:
            return
        best = self.searches[self.leader]
        if search != self.leader and self.searches[search].value < best.value:
            if not best.is_done:
                self.challenger = self.leader
            elif search == self.challenger:
                self.challenger = NONE
            self.leader, best = search, self.searches[search]
        if self.challenger == NONE:
            return
        second = self.searches[self.challenger]
        if second.radius < COARSE and second.value - PATIENCE * second.gain > best.value:
            second.is_done = True
        if second.is_done:
            self.challenger = NONE


def in_unit_cube(stored: Stored, name: str, width: int) -> Floats:
    """Return places that a file holds, or raise ValueError."""
    places: Floats = stored.array(name, (None, width))
    if not ((places >= 0) & (places <= 1)).all():
        raise ValueError(f"one of its {name} is not in the unit cube")
    return places
