"""Data on which intervals are checked: rows to learn, rows to ask about, and groups of the latter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
N_COLUMNS = 4


class Situation(NamedTuple):
    """Rows to learn and to ask about, and named groups of the rows asked about, as masks."""

    X: Any  # an array, or a dictionary of columns
    y: Floats
    weights: Floats | None
    X_test: Any
    y_test: Floats
    groups: dict[str, npt.NDArray[np.bool_]]


def surface(X: Floats) -> Floats:
    """A function of which the first column explains most."""
    values: Floats = 4.0 * np.sin(3.0 * X[:, 0]) + 2.0 * X[:, 1] + X[:, 2] * X[:, 3]
    return values


def thirds(values: Floats) -> list[npt.NDArray[np.bool_]]:
    """Masks of the lowest, the middle and the highest third."""
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return [ranks * 3 // values.size == third for third in range(3)]


def _uniform(rng: np.random.Generator, n: int) -> Floats:
    return rng.uniform(size=(n, N_COLUMNS))


def plain(rng: np.random.Generator, n: int, n_test: int) -> Situation:
    """Unit noise; thirds of the strongest column."""
    X, X_test = _uniform(rng, n), _uniform(rng, n_test)
    y, y_test = (surface(part) + rng.normal(size=len(part)) for part in (X, X_test))
    names = ("lowest third of x0", "middle third of x0", "highest third of x0")
    return Situation(X, y, None, X_test, y_test, dict(zip(names, thirds(X_test[:, 0]), strict=True)))


def growing_noise(rng: np.random.Generator, n: int, n_test: int) -> Situation:
    """Noise from 0.2 to 2.2 along a column that does not move the mean."""
    X, X_test = _uniform(rng, n), _uniform(rng, n_test)
    y, y_test = (
        4.0 * np.sin(3.0 * part[:, 0]) + 2.0 * part[:, 1] + (0.2 + 2.0 * part[:, 2]) * rng.normal(size=len(part))
        for part in (X, X_test)
    )
    quiet, _, loud = thirds(X_test[:, 2])
    return Situation(X, y, None, X_test, y_test, {"quietest third": quiet, "noisiest third": loud})


def gap(rng: np.random.Generator, n: int, n_test: int) -> Situation:
    """No rows where the strongest column is between 0.35 and 0.65."""
    X, X_test = _uniform(rng, n), _uniform(rng, n_test)
    X[:, 0] = np.where(X[:, 0] < 0.5, 0.7 * X[:, 0], 0.3 + 0.7 * X[:, 0])
    y, y_test = (surface(part) + rng.normal(size=len(part)) for part in (X, X_test))
    inside = (X_test[:, 0] > 0.35) & (X_test[:, 0] < 0.65)
    return Situation(X, y, None, X_test, y_test, {"in the gap": inside, "where rows are": ~inside})


def beyond(rng: np.random.Generator, n: int, n_test: int) -> Situation:
    """Rows up to 0.7 of the strongest column; asked up to 1."""
    X, X_test = _uniform(rng, n), _uniform(rng, n_test)
    X[:, 0] *= 0.7
    y, y_test = (surface(part) + rng.normal(size=len(part)) for part in (X, X_test))
    outside = X_test[:, 0] > 0.7
    return Situation(X, y, None, X_test, y_test, {"beyond the rows": outside, "where rows are": ~outside})


def shift(rng: np.random.Generator, n: int, n_test: int) -> Situation:
    """The strongest column was mostly small and is now mostly large."""
    X, X_test = _uniform(rng, n), _uniform(rng, n_test)
    X[:, 0], X_test[:, 0] = rng.beta(1, 4, size=n), rng.beta(4, 1, size=n_test)
    y, y_test = (surface(part) + rng.normal(size=len(part)) for part in (X, X_test))
    return Situation(X, y, None, X_test, y_test, {"after a shift": np.ones(n_test, dtype=bool)})


def weights(rng: np.random.Generator, n: int, n_test: int) -> Situation:
    """Weights between 0.5 and 2 that have nothing to do with the rest."""
    found = plain(rng, n, n_test)
    return found._replace(weights=rng.uniform(0.5, 2.0, size=n), groups={"weights 0.5 to 2": np.ones(n_test, bool)})


def copies(rng: np.random.Generator, n: int, n_test: int) -> Situation:
    """A bootstrap sample: about a third of the rows are missing, others come several times."""
    found = plain(rng, n, n_test)
    drawn = rng.integers(0, n, size=n)
    return found._replace(X=found.X[drawn], y=found.y[drawn], groups={"a bootstrap sample": np.ones(n_test, bool)})


def nothing(rng: np.random.Generator, n: int, n_test: int) -> Situation:
    """Columns that explain nothing."""
    X, X_test = _uniform(rng, n), _uniform(rng, n_test)
    y, y_test = rng.standard_exponential(n), rng.standard_exponential(n_test)
    return Situation(X, y, None, X_test, y_test, {"columns explain nothing": np.ones(n_test, bool)})


def ratings(rng: np.random.Generator, n: int, n_test: int) -> Situation:
    """Whole numbers from 1 to 10 on coarse columns."""
    X, X_test = (np.floor(6.0 * _uniform(rng, size)) for size in (n, n_test))
    y, y_test = (
        np.clip(np.round(1.0 + 0.4 * part.sum(axis=1) + 1.5 * rng.normal(size=len(part))), 1.0, 10.0)
        for part in (X, X_test)
    )
    return Situation(X, y, None, X_test, y_test, {"ratings on a grid": np.ones(n_test, bool)})


def missing(rng: np.random.Generator, n: int, n_test: int) -> Situation:
    """A fifth of the strongest column is missing."""
    found = plain(rng, n, n_test)
    for X in (found.X, found.X_test):
        X[rng.uniform(size=len(X)) < 0.2, 0] = np.nan
    return found._replace(groups={"x0 is missing": np.isnan(found.X_test[:, 0])})


def flagged(rng: np.random.Generator, n: int, n_test: int) -> Situation:
    """A column of zeros and ones tells the rows whose noise is five times as large."""
    X, X_test = _uniform(rng, n), _uniform(rng, n_test)
    for part in (X, X_test):
        part[:, 3] = part[:, 3] < 0.15
    y, y_test = (surface(part) + (0.5 + 2.0 * part[:, 3]) * rng.normal(size=len(part)) for part in (X, X_test))
    return Situation(X, y, None, X_test, y_test, {"noise is flagged": X_test[:, 3] == 1.0})


def unmet(rng: np.random.Generator, n: int, n_test: int) -> Situation:
    """Forty categories with effects were learned; half of the rows asked about have others."""
    found, effects = plain(rng, n, n_test), 2.0 * rng.normal(size=240)
    is_new = rng.uniform(size=n_test) < 0.5
    level, known, new = rng.integers(0, 40, n), rng.integers(0, 40, n_test), rng.integers(40, 240, n_test)
    level_test = np.where(is_new, new, known)
    X, X_test = (_table(X, level) for X, level in ((found.X, level), (found.X_test, level_test)))
    y, y_test = found.y + effects[level], found.y_test + effects[level_test]
    return Situation(X, y, None, X_test, y_test, {"a new category": is_new})


def _table(X: Floats, level: npt.NDArray[np.int_]) -> dict[str, npt.NDArray[Any]]:
    columns = {f"x{k}": column for k, column in enumerate(X.T)}
    return columns | {"level": np.array([f"level {number}" for number in level])}


SITUATIONS: dict[str, Callable[[np.random.Generator, int, int], Any]] = {
    function.__name__: function
    for function in (
        plain,
        growing_noise,
        gap,
        beyond,
        shift,
        weights,
        copies,
        nothing,
        ratings,
        missing,
        flagged,
        unmet,
    )
}
