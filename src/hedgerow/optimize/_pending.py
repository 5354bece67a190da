"""Points that were asked for and have no value yet, and which search had proposed them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hedgerow.files import Stored
from hedgerow.numeric.arrays import Floats
from hedgerow.optimize._descents import NONE, in_unit_cube

MOST_PENDING = 1000
"""Older ones are forgotten: they were abandoned."""


class Proposal(NamedTuple):
    """A place to try, and where it comes from."""

    place: Floats
    search: int = NONE  # the local search that waits for it
    is_step: bool = False  # whether that search expects it to be better


class Pending:
    """Proposals by place, oldest first."""

    def __init__(self, n_parameters: int) -> None:
        self._width = n_parameters
        self._proposals: dict[bytes, Proposal] = {}

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self._proposals)

    @property
    def places(self) -> Floats:
        """Their places, oldest first."""
        rows = [proposal.place for proposal in self._proposals.values()]
        return np.array(rows, dtype=np.float64).reshape(-1, self._width)

    def add(self, proposal: Proposal) -> None:
        """Keep a proposal, and forget the oldest if there are too many."""
        self._proposals[proposal.place.tobytes()] = proposal
        if len(self._proposals) > MOST_PENDING:
            del self._proposals[next(iter(self._proposals))]

    def take(self, place: Floats) -> Proposal:
        """Return what is known of a place that has a value now, and forget it."""
        return self._proposals.pop(place.tobytes(), Proposal(place))

    def __contains__(self, place: Floats) -> bool:
        return place.tobytes() in self._proposals

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        origins = [(proposal.search, proposal.is_step) for proposal in self._proposals.values()]
        return {"places": self.places, "origins": np.array(origins, dtype=np.int64).reshape(-1, 2)}

    def restore(self, stored: Stored, n_searches: int) -> None:
        """Take back what `state` gave; ValueError if it cannot be."""
        places = in_unit_cube(stored, "places", self._width)
        origins = stored.array("origins", (len(places), 2), np.int64)
        if len(places) > MOST_PENDING:
            raise ValueError("its pending evaluations are malformed")
        for place, (search, is_step) in zip(places, origins.tolist(), strict=True):
            if not NONE <= search < n_searches or is_step not in (0, 1):
                raise ValueError("a pending evaluation belongs to a search that is not there")
            self.add(Proposal(place.copy(), search, bool(is_step)))
