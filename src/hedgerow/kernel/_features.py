"""Random features whose inner product is the Laplace kernel."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import TransformerMixin

from hedgerow import _core
from hedgerow.base.columns import Cells
from hedgerow.base.online_estimator import OnlineEstimator
from hedgerow.base.rows import Floats, read
from hedgerow.base.work import compute_in_pieces
from hedgerow.kernel._cells import CellLearner
from hedgerow.kernel._settings import FeatureSettings
from hedgerow.kernel._sweep import Sweep, sweep_lifetimes


class MondrianFeatures(TransformerMixin, OnlineEstimator):  # type: ignore[misc]
    """Random features whose inner product is the Laplace kernel ``exp(-lifetime * sum(|x - x'| / length_scale))``.

    Each of the trees is a sample of a Mondrian process, which cuts space into cells; two rows share a cell with just
    that probability. A row's features show in which cell of each tree it lies: one entry a tree, all of the same size.

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
    max_lifetime : float, optional
        The process is drawn up to here, and features are its cells at `lifetime`. With the same `max_lifetime`, seed
        and rows, cells of a smaller lifetime are unions of cells of a larger one. Without it, another lifetime has
        other cuts.
    categorical_features : "from_dtype", None, or names, numbers or a mask of columns, default="from_dtype"
        Columns of categories; by default those that have such a type: text, `category`, objects.
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Random seed.

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

    _SETTINGS: ClassVar[Any] = FeatureSettings
    _LEARNER: ClassVar[Any] = CellLearner
    _learner: CellLearner

    def __init__(
        self,
        n_estimators: int = 100,
        lifetime: float = 1.0,
        *,
        length_scale: Any = 1.0,
        n_spare: int = 64,
        max_lifetime: float | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.lifetime = lifetime
        self.length_scale = length_scale
        self.n_spare = n_spare
        self.max_lifetime = max_lifetime
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
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
        return super().fit(X, None)

    def partial_fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
        """Give columns to the cells in which new rows lie; all others keep theirs.

        How rows are split into batches does not matter. The first call may be the first of all, unless `length_scale`
        is "range".
        """
        return super().partial_fit(X, None)

    def learn_one(self, x: Any, y: Any = None) -> Self:
        """Learn one row: a mapping from feature names to numbers, a sequence or a 1-D array."""
        return super().learn_one(x, None)

    def transform(self, X: Any) -> sparse.csr_matrix:
        """Features of rows: a matrix with one entry a tree in each row, all ``1 / sqrt(n_estimators)``.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Any rows, learned or not.

        Returns
        -------
        features : CSR matrix of shape (n_samples, `n_features_out_`)
            No frame: scikit-learn's ``set_output(transform="pandas")`` refuses sparse features.
        """
        points, cells = self._points(X), self._learner.cells
        n, n_trees = points.shape[0], cells.n_trees
        n_spare, n_threads = self._learner.settings.n_spare, self._current.query.n_threads
        columns = compute_in_pieces(lambda rows: cells.transform(rows, n_spare, n_threads), points, n_trees)
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
        points = [self._points(rows) for rows in (X, X if Y is None else Y)]
        n_threads = self._current.query.n_threads
        cells = self._learner.cells
        left, right = (
            compute_in_pieces(lambda rows: cells.names(rows, n_threads), part, cells.n_trees) for part in points
        )
        right = np.ascontiguousarray(right.T)
        shares: Floats = compute_in_pieces(
            lambda rows: _core.shared_cells(np.ascontiguousarray(rows.T), right, n_threads), left, right.size // 8
        )
        return shares

    def sweep(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        X_valid: Any = None,
        y_valid: Any = None,
        *,
        lifetimes: npt.ArrayLike | None = None,
        cv: Any = None,
        scoring: Any = None,
    ) -> Sweep:
        """Fit a learner to the features of many lifetimes, and find the best: the width of the kernel.

        All lifetimes see one sample of the Mondrian process, at different times: cells of a smaller lifetime are unions
        of cells of a larger one, so scores differ by the width of the kernel and hardly by chance (Balog,
        Lakshminarayanan, Ghahramani, Roy and Teh 2016, section 4). For ridge regression `MondrianKernelRidge` does it
        faster, and chooses the ridge as well.

        These features stay as they are; their own `lifetime` and `max_lifetime` do not matter.

        Parameters
        ----------
        estimator : scikit-learn's learner
            One that takes sparse matrices, such as `Ridge`, `LogisticRegression`, `LinearSVC` or `SGDClassifier`.
            It is cloned.
        X, y : rows and targets
            To learn, and to validate by if there are no others.
        X_valid, y_valid : rows and targets, optional
            To validate by. Without them, there is cross-validation.
        lifetimes : array, optional
            To be tried. Default: 12, from a tenth to thirty over the median distance between rows.
        cv : int, splitter or iterable, optional
            As in scikit-learn's `cross_val_score`: by default five folds.
        scoring : str or callable, optional
            As in scikit-learn; the larger the better. Default: `estimator.score`.

        Returns
        -------
        sweep : Sweep
            With `lifetimes`, `scores`, the best `lifetime`, and `estimator`: a pipeline of features and learner, fitted
            to all of X.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> from hedgerow import MondrianFeatures
        >>> rng = np.random.default_rng(0)
        >>> X = rng.uniform(size=(300, 2))
        >>> y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)  # a chessboard
        >>> features = MondrianFeatures(50, random_state=0)
        >>> sweep = features.sweep(LogisticRegression(C=10), X, y, lifetimes=[0.1, 1, 10, 100])
        >>> sweep.lifetime
        10.0
        >>> bool(sweep.estimator.predict([[0.2, 0.7]])[0])
        True
        """
        if (X_valid is None) != (y_valid is None):
            raise ValueError("X_valid and y_valid must be given together")
        if X_valid is not None and cv is not None:
            raise ValueError("rows to validate by are given as X_valid, or taken from X by cv: not both")
        held_out = None if X_valid is None else (X_valid, y_valid)
        return sweep_lifetimes(self, estimator, X, y, held_out, lifetimes, cv, scoring)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Names of the columns: the tree, and the number of its cell in the order in which rows reached them."""
        self._check_learned()
        n_trees, trees = self._learner.cells.n_trees, self._learner.cells.column_trees()
        spare = [f"tree{m}_spare{k}" for m in range(n_trees) for k in range(self._learner.settings.n_spare)]
        order = np.argsort(trees, kind="stable")
        first = np.searchsorted(trees[order], np.arange(n_trees))
        number = np.empty(trees.size, dtype=np.int64)
        number[order] = np.arange(trees.size) - first[trees[order]]
        own = [f"tree{m}_cell{k}" for m, k in zip(trees.tolist(), number.tolist(), strict=True)]
        return np.asarray(spare + own, dtype=object)

    @property
    def n_features_out_(self) -> int:
        """Columns of `transform`."""
        self._check_learned()
        cells = self._learner.cells
        return int(self._learner.settings.n_spare * cells.n_trees + cells.n_columns)

    # Below: private. There are no targets.

    def _read(self, X: Any, y: Any, reset: bool) -> tuple[Cells, Any]:
        cells, _ = read(self, X, reset=reset)
        return cells, np.zeros(cells.values.shape[0])

    def _encode(self, y: Any, first: bool) -> Floats:
        return np.zeros(len(y))

    def _encode_one(self, y: Any) -> tuple[float, float]:
        return 0.0, 1.0

    def _points(self, X: Any) -> Floats:
        X = self._query_rows(X)
        return self._learner.units.points(X)
