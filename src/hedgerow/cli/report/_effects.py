"""What one column, or two, do to predictions: partial dependence (Friedman, 2001) with the model's own intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

N_ROWS = 60
"""Rows of the table whose column is set to each value, drawn at random."""
N_PLACES = 18
N_PLACES_OF_PAIR = 9
N_CATEGORIES = 8
N_TRIED = 4
"""The pair is looked for among so many of the strongest columns."""

ORDERED = ("number", "date", "duration")


@dataclass(frozen=True)
class Effect:
    """Predictions when a column has each of some values, in the mean over rows.

    `low` and `high` are the means of interval ends for numbers; for classes they are the probabilities that a tenth of
    the rows is below, and above.
    """

    column: str
    kind: str
    values: list[Any]
    middle: Any
    low: Any
    high: Any

    @property
    def is_ordered(self) -> bool:
        """Whether values can be laid along an axis."""
        return self.kind in ORDERED


@dataclass(frozen=True)
class PairEffect:
    """The same for two columns: the mean prediction, and the width of intervals (None for classes)."""

    first: Effect
    second: Effect
    middle: Any
    width: Any


class Effects:
    """Effects of columns on predictions.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : pandas frame
        Rows like those that will be predicted.
    kinds : mapping
        What each column was taken for.
    label : object
        The class whose probability is looked at; None for numbers.
    confidence : float
        Of intervals.
    """

    def __init__(self, model: Any, X: Any, kinds: Any, label: Any, confidence: float) -> None:
        rng = np.random.default_rng(0)
        self._model, self._X, self._kinds, self._confidence = model, X, kinds, confidence
        self._rows = X.iloc[np.sort(rng.permutation(len(X))[:N_ROWS])]
        self._label = None if label is None else int(np.flatnonzero(model.classes_ == label)[0])

    def of(self, column: str) -> Effect:
        """Return the effect of one column."""
        values = self._values(column, N_PLACES)
        if self._label is not None:
            predicted = self._probabilities({column: values})
            low, high = np.quantile(predicted, [0.1, 0.9], axis=1)
            return Effect(column, self._kinds[column], values, predicted.mean(axis=1), low, high)
        mean, low, high = self._numbers({column: values})
        return Effect(column, self._kinds[column], values, mean, low, high)

    def of_pair(self, first: str, second: str) -> PairEffect:
        """Return the effect of two columns together; what has no order is the second."""
        if self._kinds[second] in ORDERED and self._kinds[first] not in ORDERED:
            first, second = second, first
        values = {name: self._values(name, N_PLACES_OF_PAIR) for name in (first, second)}
        shape = tuple(len(each) for each in values.values())
        if self._label is not None:
            middle, width = self._probabilities(values).mean(axis=1).reshape(shape), None
        else:
            mean, low, high = self._numbers(values)
            middle, width = mean.reshape(shape), (high - low).reshape(shape)
        a, b = (Effect(name, self._kinds[name], values[name], None, None, None) for name in (first, second))
        return PairEffect(a, b, middle, width)

    def strongest_pair(self, columns: Sequence[str]) -> PairEffect | None:
        """Return the pair whose effect is least the sum of the two (Friedman and Popescu, 2008)."""
        pairs = [self.of_pair(*pair) for pair in combinations(list(columns)[:N_TRIED], 2)]
        return max(pairs, key=_interaction, default=None)

    def narrowest_column(self, row: Any) -> tuple[str, Any, float] | None:
        """Return which column makes an interval wide: its name, a usual value, and how much narrower it is with that.

        For classes it is how much surer the most probable class becomes.
        """
        usual = {name: usual_value(self._X[name], self._kinds[name]) for name in self._kinds}
        tried = self._X.loc[[row]].iloc[[0] * (len(usual) + 1)].reset_index(drop=True)
        for place, (name, value) in enumerate(usual.items(), 1):
            tried[name] = _with_value(tried[name], place, value)
        uncertainty = self._uncertainties(tried)
        best = int(np.argmin(uncertainty[1:]))
        gain = 1.0 - float(uncertainty[1 + best] / uncertainty[0]) if uncertainty[0] > 0 else 0.0
        name = list(usual)[best]
        return (name, usual[name], gain) if gain > 0 else None

    def _uncertainties(self, rows: Any) -> Any:
        if self._label is not None:
            return 1.0 - self._model.predict_proba(rows).max(axis=1)
        ends = self._model.predict_interval(rows, self._confidence)
        return ends[:, 1] - ends[:, 0]

    def _numbers(self, values: dict[str, list[Any]]) -> Any:
        rows, n = self._set(values)
        mean, ends = self._model.predict(rows), self._model.predict_interval(rows, self._confidence)
        return [part.reshape(n, -1).mean(axis=1) for part in (mean, ends[:, 0], ends[:, 1])]

    def _probabilities(self, values: dict[str, list[Any]]) -> Any:
        rows, n = self._set(values)
        return self._model.predict_proba(rows)[:, self._label].reshape(n, -1)

    def _set(self, values: dict[str, list[Any]]) -> tuple[Any, int]:
        """Rows with each combination of values, the last of the columns turning fastest, and how many there are."""
        sizes = [len(each) for each in values.values()]
        n, k = int(np.prod(sizes)), len(self._rows)
        rows = self._rows.iloc[np.tile(np.arange(k), n)].reset_index(drop=True)
        for name, places in zip(values, np.unravel_index(np.repeat(np.arange(n), k), sizes), strict=True):
            chosen = [values[name][place] for place in places]
            rows[name] = type(rows[name])(chosen, dtype=_dtype_for(rows[name], chosen))
        return rows, n

    def _values(self, column: str, most: int) -> list[Any]:
        """Return values of a column to look at: the commonest, or evenly from the lowest to the highest hundredth."""
        values, kind = self._X[column].dropna(), self._kinds[column]
        if not len(values):
            return [None]
        if kind in ("category", "boolean"):
            return list(values.value_counts().index[:N_CATEGORIES])
        distinct = sorted(values.unique())
        if kind == "time" or len(distinct) <= most:
            places = np.unique(np.linspace(0, len(distinct) - 1, most).round().astype(int))
            return [distinct[place] for place in places]
        low, high = values.quantile(0.01), values.quantile(0.99)
        return [low + (high - low) * share for share in np.linspace(0, 1, most)]


def usual_value(column: Any, kind: str) -> Any:
    """Return the median of what is ordered, the commonest of the rest."""
    values = column.dropna()
    if not len(values):
        return None
    if kind in ORDERED:
        return values.quantile(0.5, interpolation="lower")
    return sorted(values)[len(values) // 2] if kind == "time" else values.value_counts().index[0]


def _interaction(pair: PairEffect) -> float:
    """Return how much of a pair's effect is not the sum of two."""
    middle = pair.middle
    rest = middle - middle.mean(axis=0) - middle.mean(axis=1)[:, None] + middle.mean()
    return float(np.mean(rest**2))


def _with_value(column: Any, place: int, value: Any) -> Any:
    values = column.to_list()
    values[place] = value
    return type(column)(values, dtype=_dtype_for(column, values))


def _dtype_for(column: Any, values: list[Any]) -> Any:
    """Return the type of a column, where it can hold values between its own."""
    if column.dtype.kind in "iu":
        return float
    return object if column.dtype.kind == "b" and None in values else column.dtype
