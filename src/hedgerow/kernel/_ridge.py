"""Ridge regression with the Mondrian kernel, which finds the width of the kernel and the ridge by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from hedgerow import _core
from hedgerow._blas import one_blas_thread
from hedgerow._kept_rows import KeptRows
from hedgerow._random import draw_seed
from hedgerow._regressing import Regressing
from hedgerow._transaction import all_or_nothing, interrupted_after
from hedgerow._validation import NO_WEIGHTS, RowReader, as_vector, drop_weightless, n_threads_of
from hedgerow.kernel._files import RidgeFiles
from hedgerow.kernel._fit import Plan, fit_rows, largest_lifetime
from hedgerow.kernel._parameters import check_parameters, checked_label
from hedgerow.kernel._path import LifetimePath, LifetimePosterior, posterior
from hedgerow.kernel._problem import Problem, signal_variance
from hedgerow.kernel._solutions import Solution
from hedgerow.kernel._units import Units
from hedgerow.predictive import LeaveOneOut, LocationScale
from hedgerow.predictive._shapes import NormalShape

Floats = npt.NDArray[np.float64]

PIECE = 64
"""Rows that are learned between two looks for Ctrl-C."""


class MondrianKernelRidge(Regressing, RidgeFiles, BaseEstimator):  # type: ignore[misc]
    """Ridge regression, or Bayesian linear regression, in the random features of the Laplace kernel.

    One pass through a Mondrian process gives the features of all kernel widths; the exact solution is carried along,
    and with it the marginal likelihood, the leave-one-out error and the error on a validation set. Lifetime (one over
    the width) and ridge are chosen jointly. Further rows are learned by exact updates.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees: the kernel's error falls like one over the square root of their number.
    lifetime : "auto" or float, default="auto"
        Of the Mondrian process, in units of one over `length_scale`. "auto" looks for it.
    alpha : "auto" or float, default="auto"
        Ridge: variance of the noise over that of the function. "auto" looks for it. Never 0: features of several trees
        are linearly dependent.
    selection : {"marginal_likelihood", "loo", "validation"}, default="marginal_likelihood"
        What decides.
    max_lifetime : float, optional
        Where the sweep ends. By default where most rows are alone in their cells.
    length_scale : "range", float or array of shape (n_features,), default="range"
        What one unit is along each column.
    leaf_fit : {"joint", "independent"}, default="joint"
        Whether the weights of all trees are fitted together, or those of each tree alone as in a forest.
    solver : {"auto", "exact", "iterative"}, default="auto"
        Exact matrices, or products with the kernel only. "auto" takes matrices while they are small.
    validation_fraction : float, default=0.2
        Share of rows held back if `selection` is "validation". They are learned once the choice is made.
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Where the randomness starts.

    Attributes
    ----------
    lifetime_, alpha_ : float
        In use.
    path_ : LifetimePath
        Curves over the sweep: ``lifetime``, ``n_features``, ``criterion`` and more.
    log_marginal_likelihood_, loo_error_ : float
        Of all rows learned so far.
    n_cells_ : int
        Features in use.
    n_samples_seen_ : int
        Rows learned so far.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import MondrianKernelRidge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(300, 1))
    >>> y = np.sin(6 * X[:, 0]) + 0.1 * rng.normal(size=300)
    >>> model = MondrianKernelRidge(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    >>> mean, std = model.predict([[0.5], [9.0]], return_std=True)
    >>> bool(std[0] < 0.2 < std[1])
    True
    """

    _cells: _core.CellFeatures
    _units: Units
    _solution: Solution
    _rows: KeptRows
    _origin: float
    _scale: float
    _seed: int
    _next_review: int
    _largest: float
    path_: LifetimePath

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        lifetime: str | float = "auto",
        alpha: str | float = "auto",
        selection: str = "marginal_likelihood",
        max_lifetime: float | None = None,
        length_scale: Any = "range",
        leaf_fit: str = "joint",
        solver: str = "auto",
        validation_fraction: float = 0.2,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.lifetime = lifetime
        self.alpha = alpha
        self.selection = selection
        self.max_lifetime = max_lifetime
        self.length_scale = length_scale
        self.leaf_fit = leaf_fit
        self.solver = solver
        self.validation_fraction = validation_fraction
        self.n_jobs = n_jobs
        self.random_state = random_state

    # Learning.

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn all rows in batch, forgetting whatever was learned before.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Numbers, all finite.
        y : array of shape (n_samples,)
            Labels.
        sample_weight : array of shape (n_samples,), optional
            A row of weight w counts as w equal rows, of which one is left out at a time. Rows of weight zero are
            ignored.

        Returns
        -------
        self
        """
        rows = self._checked_rows(X, y, sample_weight, reset=True)
        if rows[0].shape[0] == 0:
            raise ValueError("every sample_weight is zero: there is no row to learn")
        self._seed = draw_seed(self.random_state)
        self._rows = KeptRows(*rows)
        self._review()
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn rows online, one after another, by exact updates: document 001, section 5.

        Lifetime, ridge and length scales are chosen anew whenever the number of rows has doubled. The result does not
        depend on how rows are dealt to calls. Ctrl-C leaves a model that has learned the first ``n_samples_seen_``
        rows.
        """
        return self._learn_rows(self._checked_rows(X, y, sample_weight, reset=not self.__sklearn_is_fitted__()))

    def learn_one(self, x: Any, y: Any) -> Self:
        """Learn one row: a mapping from feature names to numbers, a sequence or a 1-D array."""
        if self.__sklearn_is_fitted__():
            return self._learn_rows((self._reader()(x).reshape(1, -1), np.array([checked_label(y)]), NO_WEIGHTS))
        if isinstance(x, Mapping):
            row = RowReader(len(x), None)(as_vector(list(x.values())))
            self.partial_fit(row.reshape(1, -1), [y])
            self.feature_names_in_ = np.asarray(list(x), dtype=object)
            return self
        return self.partial_fit(as_vector(x).reshape(1, -1), [y])

    # Predicting.

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Mean and, if asked, standard deviation of each row's label."""
        if return_std:
            dist = self.predict_dist(X)
            return dist.mean(), dist.std()
        return self._means(self._columns(X))

    def predict_one(self, x: Any) -> float:
        """Mean at one point: a mapping, a sequence or a 1-D array; 0 before the first row."""
        if not self.__sklearn_is_fitted__():
            return 0.0
        columns = self._columns_of(self._reader()(x).reshape(1, -1))
        return float(self._means(columns)[0])

    def predict_dist(self, X: Any) -> LocationScale:
        """Return the predictive distribution of each row, a Gaussian: moments, density, quantiles, draws."""
        columns = self._columns(X)
        with one_blas_thread():
            return self._distribution(self._solution.means(columns), self._solution.variances(columns))

    def loo_predict(self) -> LeaveOneOut:
        """Predict each row as if it had not been learned, at the lifetime and ridge in use; exactly."""
        self._check_learned()
        with one_blas_thread():
            dist = self._distribution(*self._solution.left_out())
        return LeaveOneOut(dist.mean(), dist.std(), dist.logpdf(self._rows.labels))

    def lifetime_posterior(self, prior: Any = "uniform") -> LifetimePosterior:
        """Posterior of the lifetime, at the ridge of the path.

        Parameters
        ----------
        prior : {"uniform", "log-uniform"} or function, default="uniform"
            Density of the lifetime between 0 and the end of the sweep, not necessarily normalised.
        """
        self._check_learned()
        return posterior(self.path_, prior)

    # What was learned.

    @property
    def lifetime_(self) -> float:
        """Lifetime in use."""
        self._check_learned()
        return float(self._largest * self._cells.lifetime)

    @property
    def alpha_(self) -> float:
        """Ridge in use."""
        self._check_learned()
        return self._solution.alpha

    @property
    def n_cells_(self) -> int:
        """Features in use: cells with rows in them."""
        self._check_learned()
        return self._solution.n_columns

    @property
    def n_samples_seen_(self) -> int:
        """Rows learned so far."""
        self._check_learned()
        return len(self._rows)

    @property
    def log_marginal_likelihood_(self) -> float:
        """Log marginal likelihood of all rows, at the signal variance that maximises it."""
        self._check_learned()
        n, weight = self._solution.rows.n, float(self._solution.rows.weights.sum())
        with one_blas_thread():
            likelihood = self._solution.criteria().log_likelihood(self.alpha_, n, weight)
        return float(likelihood - weight * np.log(self._scale))

    @property
    def loo_error_(self) -> float:
        """Root mean squared leave-one-out error."""
        self._check_learned()
        weight = float(self._solution.rows.weights.sum())
        with one_blas_thread():
            return self._scale * float(np.sqrt(self._solution.criteria().leave_one_out / weight))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_solution")

    # Below: private.

    def _check_learned(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet: call fit, partial_fit or learn_one first."
            )

    @all_or_nothing
    def _checked_rows(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, reset: bool
    ) -> tuple[Floats, Floats, Floats]:
        check_parameters(self)
        X, y = validate_data(self, X, y, reset=reset, dtype=np.float64, order="C", y_numeric=True)
        X, y, weights = drop_weightless(X, y, sample_weight)
        labels = np.ascontiguousarray(y, dtype=np.float64)
        if labels.size and not np.abs(labels).max() <= 1e150:
            raise ValueError("labels must lie within 1e150 of zero; divide y by a constant")
        return X, labels, weights

    def _reader(self) -> RowReader:
        return RowReader(self.n_features_in_, getattr(self, "feature_names_in_", None))

    def _columns(self, X: Any) -> npt.NDArray[np.uint32]:
        self._check_learned()
        return self._columns_of(validate_data(self, X, reset=False, dtype=np.float64, order="C"))

    def _columns_of(self, X: Floats) -> npt.NDArray[np.uint32]:
        columns: npt.NDArray[np.uint32] = self._cells.find(self._units.points(X), n_threads_of(self.n_jobs))
        return columns

    def _means(self, columns: npt.NDArray[np.uint32]) -> Floats:
        with one_blas_thread():
            means: Floats = self._origin + self._scale * self._solution.means(columns)
        return means

    def _learn_rows(self, rows: tuple[Floats, Floats, Floats]) -> Self:
        begin = 0
        while begin < rows[0].shape[0]:
            if not self.__sklearn_is_fitted__():
                self._begin(*(part[:1] for part in rows))
                end = 1
            else:
                self._review_if_due()
                end = min(begin + PIECE, begin + self._next_review - len(self._rows), rows[0].shape[0])
                self._learn_piece(*(part[begin:end] for part in rows))
            begin = end
        return self

    def _distribution(self, means: Floats, variances: Floats) -> LocationScale:
        signal = signal_variance(self._solution.criteria().fit, float(self._solution.rows.weights.sum()))
        std = self._scale * np.sqrt(signal * (variances + self._solution.alpha))
        return LocationScale(self._origin + self._scale * means, std, NormalShape())

    @all_or_nothing
    def _begin(self, X: Floats, y: Floats, weights: Floats) -> None:
        self._seed = draw_seed(self.random_state)
        self._rows = KeptRows(X, y, weights)
        self._review()

    @all_or_nothing
    def _review(self) -> None:
        """Everything anew from all rows: units, lifetime, ridge, solution."""
        X, y, weights = self._rows.arrays
        weights = weights if weights.size else np.ones(y.size)
        self._origin = float(np.average(y, weights=weights))
        spread = float(np.sqrt(np.average((y - self._origin) ** 2, weights=weights)))
        self._scale = spread if spread > 1e-150 else 1.0
        is_fixed = self.lifetime != "auto"
        unit = Units.around(X, self.length_scale, 1.0)
        if is_fixed:
            self._largest = float(self.lifetime)
        else:
            self._largest = largest_lifetime(unit.points(X)) if self.max_lifetime is None else float(self.max_lifetime)
        self._units = Units(unit.centre, unit.rates * self._largest)
        problem = Problem(
            self._units.points(X),
            (y - self._origin) / self._scale,
            weights,
            0,
            int(self.n_estimators),
            self._seed,
            n_threads_of(self.n_jobs),
            self._scale,
        )
        plan = Plan(
            self._largest if is_fixed else None,
            None if self.alpha == "auto" else float(self.alpha),
            self.selection,
            self.solver,
            self.leaf_fit,
            float(self.validation_fraction),
        )
        with one_blas_thread():
            found = fit_rows(problem, plan, self._largest)
        self._cells, self._solution = found.cells, found.solution
        self.path_ = found.path
        self._next_review = 2 * y.size

    def _review_if_due(self) -> None:
        """At doublings; later only if that was interrupted."""
        if len(self._rows) >= self._next_review:
            self._review()

    def _learn_piece(self, X: Floats, y: Floats, weights: Floats) -> None:
        points, n_threads = self._units.points(X), n_threads_of(self.n_jobs)
        labels = (y - self._origin) / self._scale
        own = weights if weights.size else np.ones(y.size)
        with interrupted_after(), one_blas_thread():  # or rows would have been learned in part
            self._cells.learn(points, n_threads)
            for columns, label, weight in zip(self._cells.find(points, n_threads), labels, own, strict=True):
                self._solution.learn(columns, float(label), float(weight))
            self._rows.append(X, y, weights)
        self._review_if_due()
