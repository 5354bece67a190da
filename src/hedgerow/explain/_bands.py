"""How important columns would look if they were not informative (Kursa and Rudnicki 2010)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state

from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.whole import is_whole

MOST_EXPLAINED = 200
"""Rows from which importances are taken where a model has none of its own."""

PERMUTED = " (permuted)"

ROUNDING = 1e-12
"""Of a confidence such as 0.9: nine tenths of ten numbers are nine."""


class ImportanceBands(NamedTuple):
    """Importances of columns, and what they are without a meaning.

    Attributes
    ----------
    feature_names : list of str
        Names of the columns.
    importances : array of shape (n_features,)
        Share of each column, where a permuted copy of every column was there too; mean over the repeats.
    null : array of shape (n_repeats, n_features)
        Shares of the permuted copies.
    upper : float
        What uninformative columns stay below with probability `confidence`, all columns together.
    """

    feature_names: list[str]
    importances: Floats
    null: Floats
    upper: float

    @property
    def stands_out(self) -> npt.NDArray[np.bool_]:
        """Return which columns are more important than uninformative ones."""
        return self.importances > self.upper


def importance_bands(
    model: Any, X: Any, y: Any, *, n_repeats: int = 9, confidence: float = 0.9, random_state: Any = 0
) -> ImportanceBands:
    """Compare the importance of columns with that of uninformative columns.

    The model is fitted to all columns and to a copy of each whose rows were put in a random order. Copies look like the
    columns, but do not inform about targets: a column that is not more important than the largest of them need not
    do so either. Importances are `feature_importances_`, or mean absolute values of `explain` of up to 200 rows
    where a model has none.

    Parameters
    ----------
    model : estimator
        Its parameters are taken, nothing that it has learned.
    X, y
        As for `fit`.
    n_repeats : int, default=9
        How often to permute and to fit.
    confidence : float, default=0.9
        Probability that no column without information stands out, if columns are independent of each other; it takes
        at least ``confidence / (1 - confidence)`` repeats. With fewer, it is ``n_repeats / (n_repeats + 1)``.
    random_state : int, RandomState or None, default=0
        Random seed of permutations.

    Returns
    -------
    bands : ImportanceBands

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import MondrianForestRegressor
    >>> from hedgerow.explain import importance_bands
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> importance_bands(MondrianForestRegressor(10, random_state=0), X, 2 * X[:, 0] + X[:, 2]).stands_out.tolist()
    [True, False, True]
    """
    if not is_whole(n_repeats) or n_repeats < 1:
        raise ValueError(f"n_repeats must be a whole number from 1 on, got {n_repeats!r}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be a number between 0 and 1, got {confidence!r}")
    chosen = getattr(model, "categorical_features", None)
    if chosen is not None and not (isinstance(chosen, str) and chosen == "from_dtype"):
        raise ValueError(
            "columns are copied, so categories must be told by their type: set categorical_features='from_dtype', and "
            f"make the columns of categories text; got {chosen!r}"
        )
    rng, found = check_random_state(random_state), []
    for _ in range(n_repeats):
        doubled, names = _doubled(X, rng)
        found.append(_importances(clone(model).fit(doubled, y), doubled))
    shares = np.array(found).reshape(int(n_repeats), 2, -1)
    null = shares[:, 1]
    return ImportanceBands(names, shares[:, 0].mean(axis=0), null, _bound(null.max(axis=1), confidence))


def _bound(largest: Floats, confidence: float) -> float:
    """Return what one more such number would be above with probability 1 - confidence at most, or else the largest."""
    rank = math.ceil(confidence * (largest.size + 1) * (1.0 - ROUNDING))
    return float(np.sort(largest)[min(rank, largest.size) - 1])


def _doubled(X: Any, rng: np.random.RandomState) -> tuple[Any, list[str]]:
    """Return a table and, beside it, all its columns with their rows in one random order; and the names of columns."""
    columns = _columns(X)
    if columns is not None:
        names = list(columns)
        order = rng.permutation(len(columns[names[0]]))
        copies = {f"{name}{PERMUTED}": columns[name][order] for name in names}
        return {name: _native(column) for name, column in (columns | copies).items()}, names
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
    if dense.ndim != 2:
        raise ValueError(f"X must be a table, got an array of {dense.ndim} dimensions")
    copies_of = dense[rng.permutation(len(dense))]
    return np.concatenate([dense, copies_of], axis=1), [f"x{c}" for c in range(dense.shape[1])]


def _columns(X: Any) -> dict[str, Any] | None:
    """Return the columns of a frame or of a dictionary, by name, so that they can be indexed."""
    if isinstance(X, Mapping):
        return {str(name): np.asarray(column, dtype=object) for name, column in X.items()}
    if not nw.dependencies.is_into_dataframe(X) or isinstance(X, np.ndarray):
        return None
    frame: nw.DataFrame[Any] = nw.from_native(X, eager_only=True)
    return {str(column.name): column for column in frame.iter_columns()}


def _native(column: Any) -> Any:
    return column.to_native() if isinstance(column, nw.Series) else column


def _importances(model: Any, X: Any) -> Floats:
    """Return the share of each column."""
    own = getattr(model, "feature_importances_", None)
    if own is not None:
        return np.asarray(own, dtype=np.float64)
    rows = {name: column[:MOST_EXPLAINED] for name, column in X.items()} if isinstance(X, dict) else X[:MOST_EXPLAINED]
    sizes: Floats = model.explain(rows).importances
    return sizes / sizes.sum() if sizes.sum() > 0 else sizes
