"""All rows that a model has learned, kept because it learns anew from them when they have doubled."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hedgerow.base.copies import prints_of
from hedgerow.numeric.arrays import Floats

Places = npt.NDArray[np.intp]


class GrowingArray:
    """An array with room behind it: a row more costs no copy of those before."""

    def __init__(self, values: Floats) -> None:
        self._n, self._values = int(values.shape[0]), values.copy()

    def __len__(self) -> int:
        return self._n

    @property
    def array(self) -> Floats:
        """All rows; what is written to it is kept."""
        return self._values[: self._n]

    def make_room(self, n_more: int) -> None:
        """Let rows more need no memory."""
        n = self._n + n_more
        if n > self._values.shape[0]:
            self._values = np.resize(self._values, (2 * n, *self._values.shape[1:]))

    def append(self, values: Floats) -> None:
        """Rows more."""
        self.make_room(values.shape[0])
        n = self._n + values.shape[0]
        self._values[self._n : n] = values
        self._n = n

    def cut(self, n: int) -> None:
        """Keep the first rows only."""
        self._n = min(self._n, n)


class KeptRows:
    """Features, labels and weights, or none."""

    def __init__(self, X: Floats, y: Floats, weights: Floats) -> None:
        self._is_weighted = weights.size > 0
        self._X, self._y = GrowingArray(X), GrowingArray(y)
        self._weights = GrowingArray(weights if self._is_weighted else np.ones(X.shape[0]))

    def __len__(self) -> int:
        return len(self._X)

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """All rows; no weights at all are an empty array."""
        return self._X.array, self._y.array, self.weights

    @property
    def labels(self) -> Floats:
        """All labels."""
        return self._y.array

    @property
    def weights(self) -> Floats:
        """All weights, or an empty array while every one is 1."""
        return self._weights.array[: None if self._is_weighted else 0]

    def places_of(self, X: Floats, y: Floats, weights: Floats) -> Places:
        """Where rows equal to these stand, each taken once; those before the first that is not here.

        Weights must agree too, unless there are none.
        """
        n, own, given = len(self), np.column_stack(self.arrays[:2]), np.column_stack([X, y])
        if weights.size:
            own, given = np.column_stack([own, self._weights.array]), np.column_stack([given, weights])
        kind = np.unique(prints_of(np.concatenate([own, given])), return_inverse=True)[1]
        of_own, of_given = (part * (n + 1) + _turns(part) for part in np.split(kind, [n]))
        order = np.argsort(of_own)
        places: Places = order[np.searchsorted(of_own[order], of_given).clip(max=n - 1)]
        is_here = (of_own[places] == of_given) & (own[places] == given).all(axis=1)
        return places if is_here.all() else places[: is_here.argmin()]

    def append(self, X: Floats, y: Floats, weights: Floats) -> None:
        """Rows more, whose weights are 1 if there are none; all of them, or none if memory runs out."""
        mark = self.mark
        try:
            self._X.append(X)
            self._y.append(y)
            self._weights.append(weights if weights.size else np.ones(X.shape[0]))
            self._is_weighted = self._is_weighted or weights.size > 0
        except BaseException:
            self.go_back(mark)
            raise

    @property
    def mark(self) -> tuple[int, bool]:
        """How many rows there are, and whether they are weighted."""
        return len(self), self._is_weighted

    def go_back(self, mark: tuple[int, bool]) -> None:
        """Keep only the rows that were here then."""
        n, self._is_weighted = mark
        for part in (self._X, self._y, self._weights):
            part.cut(n)


def _turns(kind: Places) -> Places:
    """How many entries before each are equal to it."""
    order = np.argsort(kind, kind="stable")
    turns = np.empty_like(kind)
    turns[order] = np.arange(kind.size) - np.searchsorted(kind[order], kind[order])
    return turns
