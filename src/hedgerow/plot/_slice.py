"""What the forest of an optimisation predicts along one parameter, or across two: mean and standard deviation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hedgerow.numeric.arrays import Floats
from hedgerow.plot.style import BLUE, GREY, ORANGE, paler, pyplot

if TYPE_CHECKING:
    from hedgerow.optimize import Result


class SliceDisplay:
    """A slice through the best point: along one parameter a line with a band, across two maps of mean and deviation.

    The other parameters are those of the best point. Evaluations are drawn where they fall in the slice's plane, paler
    the further they are from it.

    Parameters
    ----------
    result : Result
        What an optimisation found.
    parameters : sequence of one or two str or int
        Names or numbers of the parameters to vary, ordered ones.
    resolution : int, default=200
        Points of the grid in each direction.

    Attributes
    ----------
    axes_, figure_
        Where it was drawn: one axes for a line, two for maps.
    grids : list of arrays
        Values of each parameter.
    mean, std : arrays
        Predictions of the forest: ``(resolution,)``, or ``(resolution, resolution)`` with the first parameter across.

    Examples
    --------
    >>> from hedgerow.optimize import minimize
    >>> from hedgerow.plot import SliceDisplay
    >>> result = minimize(lambda x: x["a"] ** 2 + x["b"], {"a": (-1, 1), "b": (0, 1)}, n_calls=30, random_state=0)
    >>> SliceDisplay(result, ["a"]).mean.shape
    (200,)
    >>> display = SliceDisplay.from_result(result, ["a", "b"])  # doctest: +SKIP
    """

    def __init__(self, result: Result, parameters: Any, resolution: int = 200) -> None:
        space = result.space
        if isinstance(parameters, str | int) or len(parameters) not in (1, 2):
            raise ValueError(f"parameters must be a list of one or two, got {parameters!r}")
        self.places = [_place(space, parameter) for parameter in parameters]
        if result.x is None:
            raise ValueError("no evaluation has given a value, so there is no best point to slice through")
        self.result = result
        self.names = [space.names[place] for place in self.places]
        self._best = space.encode(result.x)
        units = [_units(space.parameters[place], resolution) for place in self.places]
        self.grids = [
            np.array([space.parameters[place].from_unit(unit) for unit in along], dtype=np.float64)
            for place, along in zip(self.places, units, strict=True)
        ]
        grid = np.meshgrid(*units)
        rows = np.repeat(self._best[None], grid[0].size, axis=0)
        for place, values in zip(self.places, grid, strict=True):
            rows[:, place] = values.ravel()
        mean, std = result.surrogate.predict(space.columns(rows), return_std=True)
        self.mean, self.std = mean.reshape(grid[0].shape), std.reshape(grid[0].shape)

    @classmethod
    def from_result(
        cls, result: Result, parameters: Any, *, resolution: int = 200, axes: Any = None, **style: Any
    ) -> Self:
        """Draw a slice.

        Parameters
        ----------
        result, parameters, resolution
            As for the class.
        axes : matplotlib axes or pair of them, optional
            Where to draw: one for a line, two for maps. By default a new figure.
        **style
            Passed to `plot`.

        Returns
        -------
        display : SliceDisplay
        """
        return cls(result, parameters, resolution).plot(axes=axes, **style)

    def plot(self, axes: Any = None, *, cmap: str = "viridis") -> Self:
        """Draw.

        Parameters
        ----------
        axes : matplotlib axes or pair of them, optional
            Where to draw.
        cmap : str, default="viridis"
            Colours of maps.

        Returns
        -------
        self
        """
        n_axes = len(self.places)
        if axes is None:
            self.figure_, axes = pyplot().subplots(
                1, n_axes, figsize=(6.4 if n_axes == 1 else 10, 4), squeeze=False, layout="constrained"
            )
        self.axes_ = list(np.ravel(axes))
        if len(self.axes_) != n_axes:
            raise ValueError(f"this slice needs {n_axes} axes, got {len(self.axes_)}")
        self.figure_ = self.axes_[0].figure
        if n_axes == 1:
            self._draw_line(self.axes_[0])
        else:
            self._draw_map(self.axes_[0], self.mean, "mean", cmap)
            self._draw_map(self.axes_[1], self.std, "standard deviation", cmap)
        for axes_ in self.axes_:
            self._label(axes_)
        return self

    def _draw_line(self, ax: Any) -> None:
        (along,) = self.grids
        ax.fill_between(along, self.mean - self.std, self.mean + self.std, color=paler(BLUE, 0.7), linewidth=0)
        ax.plot(along, self.mean, color=BLUE)
        given, nearness = self._evaluations()
        for row in np.flatnonzero(~np.isnan(self.result.values)):
            ax.plot(given[row, 0], self.result.values[row], ".", color=paler(GREY, 0.85 * (1 - nearness[row])))
        best = int(np.nanargmin(self.result.values))
        ax.plot(given[best, 0], self.result.values[best], "*", color=ORANGE, markersize=12)
        ax.set_ylabel("value")

    def _draw_map(self, ax: Any, values: Floats, name: str, cmap: str) -> None:
        image = ax.pcolormesh(*self.grids, values, cmap=cmap, rasterized=True, shading="nearest")
        ax.figure.colorbar(image, ax=ax, label=name)
        given, nearness = self._evaluations()
        ax.scatter(*given.T, s=12, color="white", alpha=0.2 + 0.8 * nearness, edgecolor=GREY, linewidth=0.4)
        best = int(np.nanargmin(self.result.values))
        ax.plot(*given[best], "*", color=ORANGE, markersize=14, markeredgecolor="white")
        ax.set(xlim=self.grids[0][[0, -1]], ylim=self.grids[1][[0, -1]], ylabel=self.names[1])

    def _label(self, ax: Any) -> None:
        ax.set_xlabel(self.names[0])
        for place, axis, set_scale in zip(self.places, "xy", (ax.set_xscale, ax.set_yscale), strict=False):
            if getattr(self.result.space.parameters[place], "log", False) and (axis == "x" or len(self.places) == 2):
                set_scale("log")

    def _evaluations(self) -> tuple[Floats, Floats]:
        """Where evaluations fall in the slice, and how near they are: 1 in it, 0 at the other end of the space."""
        parameters = [self.result.space.parameters[place] for place in self.places]
        given = np.array(
            [
                [parameter.from_unit(row[place]) for place, parameter in zip(self.places, parameters, strict=True)]
                for row in self.result.places
            ],
            dtype=np.float64,
        )
        others = np.delete(self.result.places - self._best, self.places, axis=1)
        return given, 1.0 - np.abs(others).max(axis=1, initial=0.0)


def _place(space: Any, parameter: str | int) -> int:
    if isinstance(parameter, str) and parameter not in space.names:
        raise ValueError(f"there is no parameter {parameter!r}; there are {list(space.names)}")
    place = space.names.index(parameter) if isinstance(parameter, str) else int(parameter)
    if not 0 <= place < space.n_parameters:
        raise ValueError(f"there is no parameter {parameter!r}; there are {space.n_parameters}")
    if not space.is_ordered[place]:
        raise ValueError(f"{space.names[place]!r} is a choice; a slice goes along numbers")
    return place


def _units(parameter: Any, resolution: int) -> Floats:
    """Places along a parameter: evenly, or one for each whole number if these are few."""
    units: Floats = np.linspace(0.0, 1.0, resolution)
    return units if parameter.n_values > resolution else np.unique(parameter.settled(units))
