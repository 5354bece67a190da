"""What an optimisation has found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow.mondrian import MondrianForestRegressor
from hedgerow.numeric.arrays import Floats
from hedgerow.optimize._space import Space


@dataclass(frozen=True, repr=False)
class Result:
    """What has been found: the best point, everything that was tried, and the forest that has learned it.

    Attributes
    ----------
    space : Space
        What was varied.
    places : array of shape (n_calls, n_parameters)
        Where was looked, in the unit cube.
    values : array of shape (n_calls,)
        What was found there; NaN where the evaluation failed.
    surrogate : MondrianForestRegressor
        The forest; `predict` uses it for points.
    x : dict, array or list
        The point with the least value; None if no evaluation gave one.
    fun : float
        That value; NaN if there is none.
    n_calls, n_failed : int
        Evaluations, and how many of them failed.

    Examples
    --------
    >>> from hedgerow.optimize import minimize
    >>> result = minimize(lambda x: (x[0] - 2.0) ** 2, [(-5, 5)], n_calls=20, random_state=0)
    >>> result.x.round(2), result.n_calls, len(result.points)
    (array([2.]), 20, 20)
    >>> mean, std = result.predict([[2.0], [4.5]], return_std=True)
    >>> bool(mean[0] < mean[1])
    True
    """

    space: Space
    places: Floats
    values: Floats
    surrogate: MondrianForestRegressor

    def __repr__(self) -> str:
        return f"Result(x={self.x!r}, fun={self.fun!r}, n_calls={self.n_calls}, n_failed={self.n_failed})"

    @property
    def n_calls(self) -> int:
        """How many evaluations there were."""
        return int(self.values.size)

    @property
    def n_failed(self) -> int:
        """How many of them failed."""
        return int(np.isnan(self.values).sum())

    @property
    def x(self) -> Any:
        """The point with the least value."""
        return None if self.n_failed == self.n_calls else self.space.decode(self.places[int(np.nanargmin(self.values))])

    @property
    def fun(self) -> float:
        """The least value."""
        return float("nan") if self.n_failed == self.n_calls else float(np.nanmin(self.values))

    @cached_property
    def points(self) -> list[Any]:
        """All points that were tried, in order."""
        return [self.space.decode(place) for place in self.places]

    @property
    def best_so_far(self) -> Floats:
        """The least value after each evaluation; inf before the first that gave one."""
        least: Floats = np.minimum.accumulate(np.where(np.isnan(self.values), np.inf, self.values))
        return least

    def predict(self, points: Any, return_std: bool = False) -> Any:
        """The forest's mean and, if requested, standard deviation at points, as its own `predict`."""
        places = np.array([self.space.encode(point) for point in points])
        return self.surrogate.predict(self.space.columns(places), return_std=return_std)

    def recommended(self) -> Any:
        """Return the tried point with the least expected value, for functions with noise.

        The least of many noisy values was lucky. Here a Mondrian forest with learned smoothing is fitted to all that
        was found, and shows which of the tried points is best when luck is averaged out. That helps somewhat, not much;
        to be sure, try the best few again. Where there is no noise, `x` is the better answer.
        """
        given = ~np.isnan(self.values)
        if not given.any():
            return None
        columns = self.space.columns(self.places[given])
        seed = self.surrogate.random_state
        forest = MondrianForestRegressor(n_estimators=50, random_state=seed, target="real").fit(
            columns, self.values[given]
        )
        return self.space.decode(self.places[given][int(np.argmin(forest.predict(columns)))])
