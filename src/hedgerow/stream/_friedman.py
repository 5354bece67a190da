"""Friedman's function with a drift: three streams go by that name.

All randomness of row i is a function of the seed and of i, so that a stream can begin anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from hedgerow.base.seed import draw_seed
from hedgerow.base.settings import MOST, check_integer
from hedgerow.numeric.arrays import Floats
from hedgerow.stream._chunks import CHUNK, Chunk, Stream

N_FEATURES = 10
_NUMBERS_A_ROW = 12
"""Ten features, the noise, and one to spare: three steps of a counter that gives four numbers a step."""

_SWAPPED = (3, 4, 1, 0, 2, 5, 6, 7, 8, 9)
"""(x1, ..., x5) -> (x4, x5, x2, x1, x3), counted from 0."""


class _Kind(NamedTuple):
    changed: tuple[int, ...]
    """Which feature takes each place in the formula while the function is changed."""
    change_points: tuple[float, float]
    """When the function changes and when it changes back, as a part of the stream."""
    square: Callable[[Floats], Floats]
    """The term of the third feature."""
    noise: Callable[[Floats], Floats]
    """Noise from a uniform number."""


def _twenty_squares(x: Floats) -> Floats:
    return 20.0 * (x - 0.5) ** 2


KINDS = {
    "report": _Kind(_SWAPPED, (0.25, 0.75), _twenty_squares, lambda uniform: uniform),
    # The reproduction's code moves the columns instead of the places in the formula: the inverse of the above.
    "reproduction": _Kind(tuple(np.argsort(_SWAPPED).tolist()), (0.25, 0.75), _twenty_squares, ndtri),
    # The JMLR authors' code squares the 20 as well, and changes at one half.
    "jmlr": _Kind(_SWAPPED, (0.5, 0.75), lambda x: (20.0 * (x - 0.5)) ** 2, ndtri),
}


class FriedmanDrift(Stream):
    """Rows of Friedman's function; made by `friedman_drift`."""

    def __init__(self, kind: str, n_rows: int, seed: int) -> None:
        self.kind, self.seed, self._n_rows = kind, seed, n_rows
        self.change_points = tuple(int(part * n_rows) for part in KINDS[kind].change_points)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._n_rows

    def __repr__(self) -> str:
        return f"<friedman_drift of kind {self.kind!r}, {self.n_rows:,} rows, changes at {list(self.change_points)}>"

    def arrays(self) -> tuple[Floats, Floats]:
        """Return all rows at once: X of shape (n_rows, 10) and y of shape (n_rows,)."""
        return self._rows(0, self.n_rows)

    def chunks(self, start: int = 0, size: int = CHUNK) -> Iterator[Chunk]:
        """Yield the rows from `start` on."""
        for begin in range(start, self.n_rows, size):
            yield Chunk(*self._rows(begin, min(begin + size, self.n_rows)))

    def _rows(self, begin: int, end: int) -> tuple[Floats, Floats]:
        kind = KINDS[self.kind]
        generator = np.random.Generator(np.random.Philox(key=self.seed, counter=begin * _NUMBERS_A_ROW // 4))
        uniform = generator.random((end - begin, _NUMBERS_A_ROW))
        X = np.ascontiguousarray(uniform[:, :N_FEATURES])
        row = np.arange(begin, end)
        is_changed = (row >= self.change_points[0]) & (row < self.change_points[1])
        x1, x2, x3, x4, x5 = np.where(is_changed[:, None], X[:, kind.changed], X).T[:5]
        y = 10.0 * np.sin(np.pi * x1 * x2) + kind.square(x3) + 10.0 * x4 + 5.0 * x5
        # 1 - u is never 0, whose quantile is infinite.
        return X, y + kind.noise(1.0 - uniform[:, N_FEATURES])


def friedman_drift(kind: str = "report", n_rows: int = 1_000_000, random_state: Any = None) -> FriedmanDrift:
    """Friedman's function, of which five of ten features change places at one row, and change back at another.

    ``y = 10 sin(pi x1 x2) + 20 (x3 - 0.5)^2 + 10 x4 + 5 x5 + noise`` with ten features uniform on [0, 1]. While
    it is changed, x4, x5, x2, x1, x3 stand where x1, ..., x5 stood.

    Parameters
    ----------
    kind : {"report", "reproduction", "jmlr"}, default="report"
        Three streams go by this name. "report" is that of Burns's report on Vasiloudis, De Francisci Morales
        and Boström (2019): uniform noise on [0, 1], changed from 25 % to 75 % of the rows. "reproduction" is what its
        code does: standard normal noise, and the inverse change of places.
        "jmlr" is what the code of the JMLR paper does: ``(20 (x3 - 0.5))^2``, standard normal noise, changed from
        50 % to 75 %.
    n_rows : int, default=1_000_000
        Number of rows.
    random_state : int, RandomState or None
        Random seed.

    Returns
    -------
    stream : FriedmanDrift
        Going through it gives rows ``(x, y)``; `chunks` gives many at a time, from any row on; `arrays` gives all.
        ``change_points`` are the two rows where the function changes.

    Examples
    --------
    >>> from hedgerow.stream import friedman_drift
    >>> stream = friedman_drift("report", n_rows=1000, random_state=0)
    >>> stream.change_points
    (250, 750)
    >>> X, y = stream.arrays()
    >>> X.shape, y.shape
    ((1000, 10), (1000,))
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(map(repr, KINDS))}, got {kind!r}")
    check_integer("n_rows", n_rows, least=1, most=MOST)
    return FriedmanDrift(kind, int(n_rows), draw_seed(random_state))
