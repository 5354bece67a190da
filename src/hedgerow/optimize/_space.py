"""A space of points: named or numbered parameters, some there only sometimes, as places in a unit cube.

Three views of a point: what users see (an array, a list or a dictionary of values), its place (one coordinate of the
unit cube for each parameter), and its columns (what a forest sees: a choice becomes one column for each value).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds

from hedgerow.files import PlainValue
from hedgerow.numeric.arrays import Floats
from hedgerow.optimize._parameters import Categorical, Parameter, Real, as_parameter, parameter_from_json

Mask = npt.NDArray[np.bool_]

MIDDLE = 0.5
"""The place of a parameter that is absent: amid the others, where it is least informative."""


class Space(PlainValue):
    """All points that may be tried.

    Parameters
    ----------
    bounds : mapping, sequence or scipy.optimize.Bounds
        For each parameter ``(low, high)``, ``(low, high, "log")``, ``range(first, beyond)``, a list of choices, or a
        `Real`, `Integer` or `Categorical`. By name, or in order.

    Examples
    --------
    >>> from hedgerow.optimize import Integer, Real, Space
    >>> space = Space({"kernel": ["linear", "rbf"], "C": (0.01, 100, "log"),
    ...                "gamma": Real(1e-3, 10, log=True, when={"kernel": "rbf"})})
    >>> space.decode([0.25, 0.5, 0.5])
    {'kernel': 'linear', 'C': 1.0}
    >>> Space([(0, 1), range(1, 5)]).decode([0.25, 0.3])
    [0.25, 2]
    """

    def __init__(self, bounds: Any) -> None:
        if isinstance(bounds, Bounds):
            bounds = list(zip(np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub), strict=True))
        self.is_named = isinstance(bounds, Mapping)
        if not self.is_named and (isinstance(bounds, str) or not hasattr(bounds, "__len__")):
            raise ValueError(f"bounds must be a sequence or a mapping, got {bounds!r}")
        if len(bounds) == 0:
            raise ValueError("bounds must have at least one parameter, got none")
        given = dict(bounds) if self.is_named else {f"x{place}": bound for place, bound in enumerate(bounds)}
        if not all(isinstance(name, str) for name in given):
            raise ValueError(f"parameters must be named by strings, got {list(given)!r}")
        self.names = tuple(given)
        self.parameters: tuple[Parameter, ...] = tuple(as_parameter(name, bound) for name, bound in given.items())
        self._allowed = [self._conditions(place) for place in range(len(self.parameters))]
        self.is_ordered: Mask = np.array([parameter.is_ordered for parameter in self.parameters])
        self.steps = np.array([1 / parameter.n_values for parameter in self.parameters])
        self._first_column = np.concatenate([[0], np.cumsum([_n_columns(each) for each in self.parameters])])
        self._is_plain = all(isinstance(parameter, Real) for parameter in self.parameters) and not any(self._allowed)

    @property
    def n_parameters(self) -> int:
        """How many things may be varied."""
        return len(self.parameters)

    @property
    def n_points(self) -> float:
        """How many points there are, those counted apart that differ in what is absent; inf if there is a `Real`."""
        return math.prod(parameter.n_values for parameter in self.parameters)

    @property
    def ordered_columns(self) -> npt.NDArray[np.intp]:
        """Where a forest sees each of the ordered parameters."""
        return self._first_column[:-1][self.is_ordered]

    # Between points and places.

    def decode(self, places: npt.ArrayLike) -> Any:
        """Return the point at one place: a dictionary if parameters are named, else an array or a list."""
        row = np.asarray(places, dtype=np.float64)
        values = [parameter.from_unit(unit) for parameter, unit in zip(self.parameters, row.tolist(), strict=True)]
        if not self.is_named:
            return np.array(values) if self._is_plain else values
        present = self.presence(row[None])[0]
        return {name: value for name, value, is_there in zip(self.names, values, present, strict=True) if is_there}

    def encode(self, point: Any) -> Floats:
        """Return the place of a point; ValueError if it is not one of the space."""
        places = np.full(self.n_parameters, MIDDLE)
        given = self._as_mapping(point)
        for place, (name, parameter) in enumerate(zip(self.names, self.parameters, strict=True)):
            if not self._is_present(place, places, given):
                if name in given:
                    raise ValueError(f"{name!r} is given, but is there only when {parameter.when!r}, got {point!r}")
                continue
            if name not in given:
                raise ValueError(f"{name!r} is missing from the point {point!r}")
            try:
                places[place] = parameter.to_unit(given[name])
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        return places

    def settled(self, places: Floats) -> Floats:
        """Move places to those of the points that they fall on: whole numbers, choices, and what is absent."""
        moved = np.clip(places, 0.0, 1.0)
        for place, parameter in enumerate(self.parameters):
            moved[:, place] = parameter.settled(moved[:, place])
        if any(self._allowed):
            moved[~self.presence(moved)] = MIDDLE
        return moved

    def presence(self, places: Floats) -> Mask:
        """Which parameters are there, for each place."""
        present = np.ones(places.shape, dtype=bool)
        for place, conditions in enumerate(self._allowed):
            for parent, allowed in conditions:
                codes = self.parameters[parent].codes(places[:, parent])
                present[:, place] &= present[:, parent] & np.isin(codes, allowed)
        return present

    def columns(self, places: Floats) -> Floats:
        """Return what a forest sees: numbers as they are, and for a choice one column for each of its values.

        These columns are half as long, so that to leave one choice and enter another is one unit of the cube.
        """
        if self._first_column[-1] == self.n_parameters and self.is_ordered.all():
            return places
        seen = np.empty((len(places), self._first_column[-1]))
        present = self.presence(places)
        for place, (parameter, first) in enumerate(zip(self.parameters, self._first_column[:-1], strict=True)):
            if isinstance(parameter, Categorical):
                n_values = int(parameter.n_values)
                chosen = parameter.codes(places[:, place])[:, None] == np.arange(n_values)
                seen[:, first : first + n_values] = 0.5 * (chosen & present[:, place, None])
            else:
                seen[:, first] = places[:, place]
        return seen

    # Files.

    def _to_json(self) -> dict[str, Any]:
        described = [parameter.to_json() for parameter in self.parameters]
        return {"names": list(self.names) if self.is_named else None, "parameters": described}

    @classmethod
    def _from_json(cls, described: Any) -> Self:
        parameters = [parameter_from_json(each) for each in described["parameters"]]
        names = described["names"]
        return cls(parameters if names is None else dict(zip(names, parameters, strict=True)))

    # Below: private.

    def _as_mapping(self, point: Any) -> Mapping[str, Any]:
        if self.is_named:
            if not isinstance(point, Mapping):
                raise ValueError(f"a point must be a mapping of {list(self.names)}, got {point!r}")
            if unknown := set(point) - set(self.names):
                raise ValueError(f"a point has no {sorted(map(str, unknown))}; there are {list(self.names)}")
            return point
        if isinstance(point, Mapping | str) or not hasattr(point, "__len__") or len(point) != self.n_parameters:
            raise ValueError(f"a point must be a sequence of {self.n_parameters} values, got {point!r}")
        return dict(zip(self.names, point, strict=True))

    def _is_present(self, place: int, places: Floats, given: Mapping[str, Any]) -> bool:
        return all(
            self.names[parent] in given and self.parameters[parent].codes(places[parent]) in allowed
            for parent, allowed in self._allowed[place]
        )

    def _conditions(self, place: int) -> list[tuple[int, list[int]]]:
        """The parameters that this one depends on, and which of their values let it be there."""
        name, when = self.names[place], self.parameters[place].when
        if when and not self.is_named:
            raise ValueError(f"{name} has a condition, which needs names: give bounds as a dictionary")
        conditions = []
        for parent, values in when.items():
            if parent not in self.names[:place]:
                raise ValueError(f"{name!r} depends on {parent!r}, which must be a parameter that comes before it")
            index = self.names.index(parent)
            if isinstance(self.parameters[index], Real):
                raise ValueError(f"{name!r} depends on {parent!r}, which must be an Integer or a Categorical")
            parameter = self.parameters[index]
            try:
                codes = [int(parameter.codes(np.asarray(parameter.to_unit(value)))) for value in values]
            except ValueError as error:
                raise ValueError(f"{name!r} depends on a value that {parent!r} never has: {error}") from None
            conditions.append((index, codes))
        return conditions

    def __repr__(self) -> str:
        parts = [f"{name!r}: {parameter!r}" for name, parameter in zip(self.names, self.parameters, strict=True)]
        return f"Space({{{', '.join(parts)}}})" if self.is_named else f"Space({list(self.parameters)!r})"


def _n_columns(parameter: Parameter) -> int:
    return int(parameter.n_values) if isinstance(parameter, Categorical) else 1
