"""Mean and intervals of a prediction along one feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hedgerow.base.columns.table import NUMBERS
from hedgerow.numeric.arrays import Floats
from hedgerow.plot._features import (
    columns_of,
    feature_index,
    feature_kinds,
    feature_names,
    middle,
    named_like_training,
    present,
)
from hedgerow.plot.style import BLUE, axes_or_new, explain_lines, paler

PALEST = 0.08


class IntervalDisplay:
    """What a model predicts along one feature: the mean, and a band for each confidence.

    Parameters
    ----------
    values : array of shape (n,)
        Values of the feature, rising.
    mean : array of shape (n,)
        Predicted mean at each value.
    bands : dict from float to array of shape (n, 2)
        For each confidence the lower and upper ends of the interval.
    feature_name : str, optional
        Label of the horizontal axis.
    rows : pair of arrays of shape (m,), optional
        Values of the feature and targets of rows to show as points.
    nearness : array of shape (m,), optional
        How near rows are to those that the bands are about, from 0 to 1; points are the paler the further away.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    mean_line_, band_areas_, row_points_
        The artists; `row_points_` is None if there are no rows.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import MondrianForestRegressor
    >>> from hedgerow.plot import IntervalDisplay
    >>> X = np.linspace(0, 1, 50).reshape(-1, 1)
    >>> y = X[:, 0] ** 2
    >>> forest = MondrianForestRegressor(random_state=0).fit(X, y)
    >>> display = IntervalDisplay.from_estimator(forest, X, y)  # doctest: +SKIP
    """

    def __init__(
        self,
        values: Floats,
        mean: Floats,
        bands: dict[float, Floats],
        *,
        feature_name: str | None = None,
        rows: tuple[Floats, Floats] | None = None,
        nearness: Floats | None = None,
    ) -> None:
        self.values = values
        self.mean = mean
        self.bands = bands
        self.feature_name = feature_name
        self.rows = rows
        self.nearness = nearness

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: npt.ArrayLike | None = None,
        *,
        feature: int | str = 0,
        confidence: float | Sequence[float] = (0.5, 0.9),
        grid: int | npt.ArrayLike = 300,
        ax: Any = None,
        **style: Any,
    ) -> Self:
        """Predict along a feature, all others at their median or most frequent category, and draw.

        Parameters
        ----------
        estimator : fitted model with `predict` and `predict_interval`
            What predicts.
        X : array or frame of shape (n_samples, n_features)
            Rows that give the feature's range and the middle of the other features.
        y : array of shape (n_samples,), optional
            Targets; if given, the rows are shown as points, the paler the further their other features are from the
            middle: the bands are not about these rows.
        feature : int or str, default=0
            The feature along which to predict: numbers or dates.
        confidence : float or several, default=(0.5, 0.9)
            A band is drawn for each.
        grid : int or array, default=300
            The values of the feature, or how many to space evenly over the range in X.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **style
            Passed to `plot`.

        Returns
        -------
        display : IntervalDisplay
        """
        columns, index = columns_of(X), feature_index(estimator, feature)
        kinds = list(feature_kinds(estimator).values())
        name = feature_names(estimator)[index]
        if kinds[index] not in (*NUMBERS, "date"):
            raise ValueError(f"intervals are drawn along numbers or dates; {name!r} was taken for a {kinds[index]}")
        at = _grid(columns[index], kinds[index], grid)
        row = [middle(column, kind) for column, kind in zip(columns, kinds, strict=True)]
        query = np.array([row] * at.size, dtype=np.float64 if set(kinds) <= set(NUMBERS) else object)
        query[:, index] = at.tolist()
        named = named_like_training(estimator, query)
        levels = sorted({float(level) for level in np.atleast_1d(np.asarray(confidence, dtype=float))})
        display = cls(
            at,
            estimator.predict(named),
            {level: estimator.predict_interval(named, confidence=level) for level in levels},
            feature_name=name,
            rows=None if y is None else (_vector(columns[index], kinds[index]), np.asarray(y, dtype=float)),
            nearness=None if y is None else _nearness(columns, kinds, row, index),
        )
        return display.plot(ax=ax, **style)

    def plot(self, ax: Any = None, *, color: str = BLUE, legend: bool = True) -> Self:
        """Draw the bands, widest first, then the rows, then the mean.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        color : colour, default blue
            Of the mean and the bands.
        legend : bool, default=True
            Whether to explain line, bands and points.

        Returns
        -------
        self
        """
        is_own, self.ax_ = ax is None, axes_or_new(ax)
        self.figure_ = self.ax_.figure
        self.band_areas_ = []
        for place, (level, band) in enumerate(sorted(self.bands.items(), reverse=True)):
            shade = paler(color, 0.8 * 0.7**place)
            area = self.ax_.fill_between(self.values, *band.T, color=shade, linewidth=0, label=f"{level:.0%} interval")
            self.band_areas_.append(area)
        self.row_points_ = None
        if self.rows is not None:
            is_near = self.nearness is None or bool(np.all(self.nearness == 1))
            label = "rows" if is_near else "rows, pale if far"
            opacity = 1.0 if self.nearness is None else PALEST + (1 - PALEST) * self.nearness
            self.row_points_ = self.ax_.scatter(
                *self.rows, s=7, color="#222222", linewidths=0, zorder=2, label=label, alpha=opacity
            )
        (self.mean_line_,) = self.ax_.plot(self.values, self.mean, color=color, linewidth=1.6, zorder=3, label="mean")
        self.ax_.set(xlabel=self.feature_name, ylabel="prediction")
        if legend:
            explain_lines(self.ax_, is_own)
        return self


def _grid(column: Any, kind: str, grid: Any) -> npt.NDArray[Any]:
    """Values along a column: as given, or evenly spaced over its range."""
    if not isinstance(grid, int):
        return np.sort(_vector(grid, kind))
    ends = _vector(present(column), kind)
    if kind != "date":
        return np.linspace(ends.min(), ends.max(), grid)
    first, last = (end.astype(np.float64) for end in (ends.min(), ends.max()))
    between: Floats = np.linspace(first, last, grid)
    return between.astype("M8[us]")


def _nearness(columns: list[Any], kinds: list[str], row: list[Any], index: int) -> Floats:
    """How near rows are to one in the features but that at a place: 1 if equal, 0 if some value is at an end.

    Numbers and dates are compared by their ranks; categories are equal or not; what is missing is far.
    """
    near = np.ones(len(columns[index]))
    for place, (column, kind) in enumerate(zip(columns, kinds, strict=True)):
        if place == index:
            continue
        if kind in (*NUMBERS, "date"):
            values, middle_of = _vector(column, kind), _vector([row[place]], kind)[0]
            known = np.sort(values[values == values])
            ranks = np.searchsorted(known, values, "left") + np.searchsorted(known, values, "right")
            own = np.searchsorted(known, middle_of, "left") + np.searchsorted(known, middle_of, "right")
            apart = np.where(values == values, np.abs(ranks - own) / known.size, 1.0)
        else:
            apart = np.array([float(value != row[place]) for value in column])
        near = np.minimum(near, 1.0 - np.clip(apart, 0.0, 1.0))
    return near


def _vector(column: Any, kind: str) -> npt.NDArray[Any]:
    """Return a column as matplotlib takes it; of dates, the time on the clock."""
    if kind != "date":
        return np.asarray(column, dtype=np.float64)
    return np.array([value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value for value in column], "M8[us]")
