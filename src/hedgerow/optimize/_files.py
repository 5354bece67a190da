"""Optimisations and files: what has been asked and told, and the forest, which is written as the file that it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.base.guard import Guarded
from hedgerow.files import Saveable, Stored
from hedgerow.mondrian import MondrianForestRegressor
from hedgerow.optimize._descents import Descents, in_unit_cube
from hedgerow.optimize._evaluations import Evaluations
from hedgerow.optimize._pending import Pending
from hedgerow.optimize._space import Space

PARAMETERS = ("acquisition", "exploration", "n_initial", "n_candidates", "local_search", "surrogate", "random_state")


class OptimizerFiles(Guarded, Saveable):
    """The part of an optimiser that reads and writes it."""

    space: Space
    surrogate_: MondrianForestRegressor
    _evaluations: Evaluations
    _descents: Descents
    _pending: Pending
    _seed: int
    _n_asked: int

    def get_params(self, deep: bool = False) -> dict[str, Any]:
        """Return the parameters, by name."""
        return {"bounds": self.space} | {name: getattr(self, name) for name in PARAMETERS}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.space!r}, n_told={self._evaluations.n})"

    def _state(self) -> dict[str, Any]:
        return {
            "seed": self._seed,
            "n_asked": self._n_asked,
            "places": self._evaluations.places,
            "values": self._evaluations.values,
            "descents": self._descents.state(),
            "pending": self._pending.state(),
            "surrogate": self.surrogate_._state(),
        }

    def _restore(self, stored: Stored) -> None:
        self._seed, self._n_asked = stored.integer("seed", 0, 2**64 - 1), stored.integer("n_asked", 0, 2**63 - 1)
        self._plan = self._initial_places()
        self._evaluations = Evaluations(self.space.n_parameters)
        values = stored.any("values")  # NaN where an evaluation failed
        places = in_unit_cube(stored, "places", self.space.n_parameters)
        if values.dtype != np.float64 or values.shape != (len(places),) or np.isinf(values).any():
            raise ValueError("its values are not one number a place")
        for place, value in zip(places, values.tolist(), strict=True):
            self._evaluations.add(place, value)
        self._descents = Descents(self.space, self._evaluations)
        self._descents.restore(stored.part("descents"))
        self._pending = Pending(self.space.n_parameters)
        self._pending.restore(stored.part("pending"), len(self._descents.searches))
        self.surrogate_ = self._new_surrogate()
        if "surrogate" in stored:
            self.surrogate_._restore(stored.part("surrogate"))
        n_columns = self.space.columns(self._plan).shape[1]
        if self._evaluations.n_succeeded and getattr(self.surrogate_, "n_features_in_", 0) != n_columns:
            raise ValueError("its forest has another number of columns than its space")

    def _new_surrogate(self) -> MondrianForestRegressor:
        raise NotImplementedError

    def _initial_places(self) -> Any:
        raise NotImplementedError
