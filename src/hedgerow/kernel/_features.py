"""Random features whose inner product is the Laplace kernel."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from hedgerow import _core
from hedgerow._persistence import Arrays, Saveable
from hedgerow._random import draw_seed
from hedgerow._transaction import all_or_nothing
from hedgerow._validation import check_integer, n_threads_of
from hedgerow.kernel._units import Units, check_length_scale, check_lifetime

Floats = npt.NDArray[np.float64]


class MondrianFeatures(TransformerMixin, Saveable, BaseEstimator):  # type: ignore[misc]
    """Random features whose inner product is the Laplace kernel ``exp(-lifetime * sum(|x - x'| / length_scale))``.

    Each of the trees is a sample of a Mondrian process, which cuts space into cells; two rows share a cell with just
    that probability. A row's features say in which cell of each tree it lies: one entry a tree, all of the same size.

    The cuts are a function of ``random_state``, of the units along the columns and of a centre: in `fit` the middle of
    the columns' ranges, in a stream its first row. Given these they do not depend on the rows, which only decide which
    cells get a column of their own. So later rows share cells with others as if they had been there from the start.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees: the error of the kernel falls like one over the square root of their number.
    lifetime : float, default=1.0
        How long the process runs: one over the width of the kernel.
    length_scale : float, array of shape (n_features,) or "range", default=1.0
        What one unit is along each column. "range" measures each column by its range in `fit`.
    n_spare : int, default=64
        A row in a cell where no learned row lies has no column of its own there. Each tree keeps as many columns for
        such cells, which they share by chance. They come first, so that columns keep their numbers.
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Where the randomness starts.

    Attributes
    ----------
    n_features_out_ : int
        Columns: those of learned cells and the spare ones.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import MondrianFeatures
    >>> X = np.array([[0.0, 0.0], [0.1, 0.0], [2.0, 2.0]])
    >>> features = MondrianFeatures(n_estimators=2000, lifetime=1.0, random_state=0).fit(X)
    >>> features.transform(X).getnnz(axis=1).tolist()
    [2000, 2000, 2000]
    >>> features.kernel(X)[0].round(1).tolist()
    [1.0, 0.9, 0.0]
    >>> np.exp(-np.abs(X - X[0]).sum(axis=1)).round(1).tolist()
    [1.0, 0.9, 0.0]
    """

    _cells: _core.CellFeatures
    _units: Units

    def __init__(
        self,
        n_estimators: int = 100,
        lifetime: float = 1.0,
        *,
        length_scale: Any = 1.0,
        n_spare: int = 64,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.lifetime = lifetime
        self.length_scale = length_scale
        self.n_spare = n_spare
        self.n_jobs = n_jobs
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw trees and give columns to the cells in which rows lie, forgetting those of before.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Numbers, all finite.
        y : ignored

        Returns
        -------
        self
        """
        self._check_parameters()
        X = validate_data(self, X, dtype=np.float64, order="C")
        self._begin(Units.around(X, self.length_scale, float(self.lifetime)))
        self._learn(X)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Give columns to the cells in which new rows lie; all others keep theirs.

        How rows are dealt to calls does not matter. The first call may be the first of all, unless ``length_scale`` is
        "range".
        """
        self._check_parameters()
        X = self._checked_next(X)
        self._learn(X)
        return self

    def transform(self, X: Any) -> sparse.csr_matrix:
        """Features of rows: a matrix with one entry a tree in each row, all ``1 / sqrt(n_estimators)``.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Any rows, learned or not.

        Returns
        -------
        features : CSR matrix of shape (n_samples, `n_features_out_`)
        """
        points = self._points(X)
        n, n_trees = points.shape[0], self._cells.n_trees
        columns = self._cells.transform(points, self._n_spare, n_threads_of(self.n_jobs))
        entries = np.full(n * n_trees, 1.0 / math.sqrt(n_trees))
        first = np.arange(0, n * n_trees + 1, n_trees, dtype=np.int64 if n * n_trees >= 2**31 else np.int32)
        return sparse.csr_matrix((entries, columns, first), shape=(n, self.n_features_out_), copy=False)

    def kernel(self, X: Any, Y: Any = None) -> Floats:
        """Approximate the Laplace kernel: the share of trees in which two rows lie in the same cell.

        Parameters
        ----------
        X, Y : arrays or frames of rows
            Any rows, learned or not. Without Y, the rows of X are compared with each other.

        Returns
        -------
        kernel : array of shape (n_samples_X, n_samples_Y)
        """
        n_threads = n_threads_of(self.n_jobs)
        left, right = (
            np.ascontiguousarray(self._cells.names(self._points(rows), n_threads).T)
            for rows in (X, X if Y is None else Y)
        )
        shares: Floats = _core.shared_cells(left, right, n_threads)
        return shares

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Names of the columns: the tree, and the number of its cell in the order in which rows met them."""
        self._check_fitted()
        n_trees, trees = self._cells.n_trees, self._cells.column_trees()
        spare = [f"tree{m}_spare{k}" for m in range(n_trees) for k in range(self._n_spare)]
        order = np.argsort(trees, kind="stable")
        first = np.searchsorted(trees[order], np.arange(n_trees))
        number = np.empty(trees.size, dtype=np.int64)
        number[order] = np.arange(trees.size) - first[trees[order]]
        own = [f"tree{m}_cell{k}" for m, k in zip(trees.tolist(), number.tolist(), strict=True)]
        return np.asarray(spare + own, dtype=object)

    @property
    def n_features_out_(self) -> int:
        """Columns of `transform`."""
        self._check_fitted()
        return int(self._n_spare * self._cells.n_trees + self._cells.n_columns)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_cells")

    # Below: private.

    def _check_parameters(self) -> None:
        check_integer("n_estimators", self.n_estimators, least=1)
        check_integer("n_spare", self.n_spare, least=1)
        check_lifetime("lifetime", self.lifetime)
        check_length_scale(self.length_scale)
        n_threads_of(self.n_jobs)

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet: call fit or partial_fit first."
            )

    def _begin(self, units: Units) -> None:
        self._units, self._n_spare = units, int(self.n_spare)
        self._cells = _core.CellFeatures(
            width=units.centre.size,
            n_trees=int(self.n_estimators),
            lifetime=1.0,
            seed=draw_seed(self.random_state),
        )

    @all_or_nothing
    def _checked_next(self, X: Any) -> Floats:
        first = not self.__sklearn_is_fitted__()
        X = validate_data(self, X, reset=first, dtype=np.float64, order="C")
        if first:
            if isinstance(self.length_scale, str):
                raise ValueError(
                    "length_scale='range' needs the range of the columns: call fit first, or give numbers instead"
                )
            self._begin(Units.around(X[:1], self.length_scale, float(self.lifetime)))
        rows: Floats = X
        return rows

    def _learn(self, X: Floats) -> None:
        self._cells.learn(self._units.points(X), n_threads_of(self.n_jobs))

    def _points(self, X: Any) -> Floats:
        self._check_fitted()
        return self._units.points(validate_data(self, X, reset=False, dtype=np.float64, order="C"))

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        if not self.__sklearn_is_fitted__():
            return None
        return describe_cells(self, self._cells) | {"n_spare": self._n_spare}, {
            **self._cells.archive(),
            **self._units.arrays(),
        }

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        self._cells = restored_cells(self, numbers, arrays)
        self._units = Units.from_arrays(arrays, self._cells.width)
        self._n_spare = int(numbers["n_spare"])
        if not 1 <= self._n_spare <= 2**31 // self._cells.n_trees:
            raise ValueError("its number of spare columns is out of range")


def describe_cells(model: Any, cells: _core.CellFeatures) -> dict[str, Any]:
    """Return what a file says of cells besides their arrays."""
    names = getattr(model, "feature_names_in_", None)
    return {
        "width": cells.width,
        "n_trees": cells.n_trees,
        "lifetime": cells.lifetime,
        "seed": cells.seed,
        "feature_names": None if names is None else [str(name) for name in names],
    }


def restored_cells(model: Any, numbers: dict[str, Any], arrays: Arrays) -> _core.CellFeatures:
    """Cells from a file, checked; the model learns its features' names."""
    width, n_trees, seed = (int(numbers[name]) for name in ("width", "n_trees", "seed"))
    lifetime, names = float(numbers["lifetime"]), numbers["feature_names"]
    if not 1 <= width <= arrays["cells.lower"].size or not 1 <= n_trees <= arrays["cells.sizes"].size:
        raise ValueError("its width or its number of trees is out of range")
    if not 0 <= seed < 2**64 or not 0.0 <= lifetime <= 1.0:
        raise ValueError("its seed or its lifetime is out of range")
    cells = _core.CellFeatures(width=width, n_trees=n_trees, lifetime=lifetime, seed=seed)
    cells.restore(arrays)
    model.n_features_in_ = width
    if names is not None:
        if len(names) != width:
            raise ValueError("it names another number of features than it has")
        model.feature_names_in_ = np.asarray([str(name) for name in names], dtype=object)
    return cells
