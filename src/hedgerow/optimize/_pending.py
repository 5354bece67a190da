"""What was asked for and has not been told yet, and who had proposed it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow._persistence import Arrays
from hedgerow.optimize._descents import NONE

Floats = npt.NDArray[np.float64]

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
        """Return what is known of a place that has been told, and forget it."""
        return self._proposals.pop(place.tobytes(), Proposal(place))

    def __contains__(self, place: Floats) -> bool:
        return place.tobytes() in self._proposals

    def arrays(self) -> Arrays:
        """Return the state as arrays."""
        origins = [(proposal.search, proposal.is_step) for proposal in self._proposals.values()]
        return {
            "pending.places": self.places.ravel(),
            "pending.origins": np.array(origins, dtype=np.int64).ravel(),
        }

    def restore(self, arrays: Arrays, n_searches: int) -> None:
        """Take back what `arrays` gave; ValueError if it cannot be."""
        places, origins = arrays["pending.places"], arrays["pending.origins"]
        if places.dtype != np.float64 or not ((places >= 0) & (places <= 1)).all():
            raise ValueError("a pending place is not in the unit cube")
        places = places.reshape(-1, self._width)
        if origins.dtype != np.int64 or origins.shape != (2 * len(places),) or len(places) > MOST_PENDING:
            raise ValueError("its pending evaluations are malformed")
        for place, (search, is_step) in zip(places, origins.reshape(-1, 2).tolist(), strict=True):
            if not NONE <= search < n_searches or is_step not in (0, 1):
                raise ValueError("a pending evaluation belongs to a search that is not there")
            self.add(Proposal(place.copy(), search, bool(is_step)))
