"""Optimisations and files: what has been asked and told, and the forest, which is written as the file that it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow._persistence import Arrays, Saveable
from hedgerow.mondrian import MondrianForestRegressor
from hedgerow.optimize._descents import Descents
from hedgerow.optimize._evaluations import Evaluations
from hedgerow.optimize._pending import Pending
from hedgerow.optimize._space import Space

PARAMETERS = ("acquisition", "exploration", "n_initial", "n_candidates", "local_search", "surrogate", "random_state")


class OptimizerFiles(Saveable):
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

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays]:
        arrays: Arrays = {
            "places": self._evaluations.places.ravel(),
            "values": self._evaluations.values,
            "surrogate": np.frombuffer(self.surrogate_._to_bytes(), dtype=np.uint8),
            **self._descents.arrays(),
            **self._pending.arrays(),
        }
        return {"seed": self._seed, "n_asked": self._n_asked}, arrays

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        self._seed, self._n_asked = int(numbers["seed"]), int(numbers["n_asked"])
        if not 0 <= self._seed < 2**64 or not 0 <= self._n_asked < 2**63:
            raise ValueError("its seed or its number of asks is out of range")
        self._plan = self._initial_places()
        self._restore_evaluations(arrays)
        self._descents = Descents(self.space, self._evaluations)
        self._descents.restore(arrays)
        self._pending = Pending(self.space.n_parameters)
        self._pending.restore(arrays, len(self._descents.searches))
        self.surrogate_ = MondrianForestRegressor._from_bytes(arrays["surrogate"].tobytes())
        n_columns = self.space.columns(self._plan).shape[1]
        if self._evaluations.n_succeeded and getattr(self.surrogate_, "n_features_in_", 0) != n_columns:
            raise ValueError("its forest has another number of columns than its space")

    def _restore_evaluations(self, arrays: Arrays) -> None:
        places, values = arrays["places"], arrays["values"]
        if places.dtype != np.float64 or values.dtype != np.float64 or not ((places >= 0) & (places <= 1)).all():
            raise ValueError("an evaluated place is not in the unit cube")
        places = places.reshape(-1, self.space.n_parameters)
        if values.shape != (len(places),) or np.isinf(values).any():
            raise ValueError("its values are not one number a place")
        self._evaluations = Evaluations(self.space.n_parameters)
        for place, value in zip(places, values.tolist(), strict=True):
            self._evaluations.add(place, value)

    def _initial_places(self) -> Any:
        raise NotImplementedError
