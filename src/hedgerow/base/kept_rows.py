"""All rows that a model has learned, kept because it learns anew from them when they have doubled."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hedgerow.base.copies import prints_of
from hedgerow.numeric.arrays import Floats

Places = npt.NDArray[np.intp]


class KeptRows:
    """Features, labels and weights, or none, with room behind them: a row more costs no copy of those before."""

    def __init__(self, X: Floats, y: Floats, weights: Floats) -> None:
        self._n, self._is_weighted = y.size, weights.size > 0
        self._X, self._y = X.copy(), y.copy()
        self._weights = weights.copy() if self._is_weighted else np.ones(y.size)

    def __len__(self) -> int:
        return self._n

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """All rows; no weights at all are an empty array."""
        return self._X[: self._n], self._y[: self._n], self.weights

    @property
    def labels(self) -> Floats:
        """All labels."""
        return self._y[: self._n]

    @property
    def weights(self) -> Floats:
        """All weights, or an empty array while every one is 1."""
        return self._weights[: self._n if self._is_weighted else 0]

    def places_of(self, X: Floats, y: Floats, weights: Floats) -> Places:
        """Where rows equal to these stand, each taken once; those before the first that is not here.

        Weights must agree too, unless there are none.
        """
        own, asked = np.column_stack(self.arrays[:2]), np.column_stack([X, y])
        if weights.size:
            own, asked = np.column_stack([own, self._weights[: self._n]]), np.column_stack([asked, weights])
        kind = np.unique(prints_of(np.concatenate([own, asked])), return_inverse=True)[1]
        of_own, of_asked = (part * (self._n + 1) + _turns(part) for part in np.split(kind, [self._n]))
        order = np.argsort(of_own)
        places: Places = order[np.searchsorted(of_own[order], of_asked).clip(max=self._n - 1)]
        is_here = (of_own[places] == of_asked) & (own[places] == asked).all(axis=1)
        return places if is_here.all() else places[: is_here.argmin()]

    def append(self, X: Floats, y: Floats, weights: Floats) -> None:
        """Rows more, whose weights are 1 if there are none."""
        n = self._n + y.size
        if n > self._y.size:
            room = 2 * n
            self._X = np.resize(self._X, (room, self._X.shape[1]))
            self._y, self._weights = np.resize(self._y, room), np.resize(self._weights, room)
        self._X[self._n : n], self._y[self._n : n] = X, y
        self._weights[self._n : n] = weights if weights.size else 1.0
        self._n, self._is_weighted = n, self._is_weighted or weights.size > 0


def _turns(kind: Places) -> Places:
    """How many entries before each are equal to it."""
    order = np.argsort(kind, kind="stable")
    turns = np.empty_like(kind)
    turns[order] = np.arange(kind.size) - np.searchsorted(kind[order], kind[order])
    return turns
