"""Scores of a stream in constant memory: sums over rows, taken one row after another.

Sums are taken in the order of the rows, never pairwise, so they have the same bits however rows are split into batches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hedgerow.base.settings import check_integer
from hedgerow.metrics._checks import floats_of
from hedgerow.numeric.arrays import Floats


class Tally:
    """What is kept of all rows so far: a few sums. A subclass defines which, and the scores that follow."""

    _N_SUMS: ClassVar[int]
    _COUNT: ClassVar[int | None] = None
    """Which of the sums is a number of rows."""

    def __init__(self) -> None:
        self._sums = np.zeros(self._N_SUMS)

    def update(self, *columns: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Add rows."""
        raise NotImplementedError

    def scores(self) -> dict[str, float]:
        """Return all scores by name; NaN where no row counts."""
        raise NotImplementedError

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value:.6g}" for name, value in self.scores().items())
        return f"<{type(self).__name__} {shown}>"

    @property
    def state(self) -> Floats:
        """All that is kept, as a vector; `restore` takes it back."""
        return self._sums.copy()

    def restore(self, state: npt.ArrayLike) -> Self:
        """Take back what `state` gave."""
        given = floats_of("state", state).copy()
        if given.shape != self._sums.shape or np.isnan(given).any():
            raise ValueError(f"a {type(self).__name__} keeps {self._sums.size} numbers, got shape {given.shape}")
        if self._COUNT is not None and not (given[self._COUNT] >= 0.0 and given[self._COUNT].is_integer()):
            raise ValueError(f"a {type(self).__name__} counts rows, got {given[self._COUNT]}")
        self._sums = given
        return self

    def _add(self, *columns: Floats) -> None:
        """Add columns to the sums, row after row: accumulate does not reorder."""
        table = np.column_stack(columns)
        self._sums[: table.shape[1]] = np.add.accumulate(np.vstack([self._sums[: table.shape[1]], table]), axis=0)[-1]


class Windowed:
    """A tally of the whole stream, and one of each window of rows, one after another without overlap.

    Parameters
    ----------
    new : callable
        Makes an empty tally.
    window : int
        Rows in a window.

    Attributes
    ----------
    total : Tally
        All rows.
    current : Tally
        Rows since the last full window; `n_current` of them.
    history : list of dict
        Scores of each full window.

    Examples
    --------
    >>> from hedgerow.metrics import ErrorTally, Windowed
    >>> errors = Windowed(ErrorTally, window=2).update([1.0, 2.0, 3.0], [1.0, 2.5, 3.0])
    >>> [scores["mean_absolute_error"] for scores in errors.history], errors.n_current
    ([0.25], 1)
    """

    def __init__(self, new: Callable[[], Tally], window: int) -> None:
        check_integer("window", window, least=1)
        if not callable(new):
            raise TypeError(f"new must make an empty tally, as ErrorTally does; got {type(new).__name__}")
        self._new = new
        self.window = int(window)
        self.total, self.current, self.n_current = new(), new(), 0
        self.history: list[dict[str, float]] = []

    def update(self, *columns: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Add rows, closing windows as they fill."""
        arrays = [np.asarray(column) for column in columns]
        weights = None if sample_weight is None else np.asarray(sample_weight)
        self.total.update(*arrays, sample_weight=weights)  # refuses what is wrong before anything is split
        begin, n_rows = 0, arrays[0].shape[0]
        while begin < n_rows:
            end = min(n_rows, begin + self.window - self.n_current)
            part = None if weights is None else weights[begin:end]
            self.current.update(*(array[begin:end] for array in arrays), sample_weight=part)
            self.n_current += end - begin
            begin = end
            if self.n_current == self.window:
                self.history.append(self.current.scores())
                self.current, self.n_current = self._new(), 0
        return self


def ratio(above: float, below: float) -> float:
    """Return the quotient; NaN where there is nothing to divide by."""
    return float(above / below) if below > 0 else float("nan")
