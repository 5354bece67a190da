"""Ridge regression with the Mondrian kernel, which finds the width of the kernel and the ridge by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from hedgerow.base.online_estimator import OnlineEstimator
from hedgerow.base.regressor import Forecasting, Regressor
from hedgerow.base.rows import Floats
from hedgerow.kernel._fit import Fit
from hedgerow.kernel._learner import RidgeLearner
from hedgerow.kernel._path import LifetimePath, LifetimePosterior, posterior
from hedgerow.kernel._settings import RidgeSettings
from hedgerow.predictive import LeaveOneOut, LocationScale


class MondrianKernelRidge(Regressor, Forecasting, OnlineEstimator):
    """Ridge regression, or Bayesian linear regression, in the random features of the Laplace kernel.

    One pass through a Mondrian process gives the features of all kernel widths; the exact solution is carried along,
    and with it the marginal likelihood, the leave-one-out error and the error on a validation set. Lifetime (one over
    the width) and ridge are chosen jointly. Further rows are learned by exact updates; lifetime, ridge and length
    scales are chosen anew whenever the number of rows has doubled (Balog, Lakshminarayanan, Ghahramani, Roy and Teh
    2016).

    Weights are relative: a row of weight 2 has half the variance of noise of a row of weight 1. Copies of a row are one
    row of their added weights, and are left out together.

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
    length_scale : "range", "learned", float or array of shape (n_features,), default="range"
        What one unit is along each column. "learned": its range over a power of the rate at which a Mondrian forest
        would cut it, so that columns that matter little are wide; the power is 0, 1/2 or 1, as `selection` prefers.
    leaf_fit : {"joint", "independent"}, default="joint"
        Whether the weights of all trees are fitted together, or those of each tree alone as in a forest.
    solver : {"auto", "exact", "iterative"}, default="auto"
        Exact matrices, or products with the kernel only. "auto" takes matrices where they are predicted to cost
        little: for the choice of lifetime and ridge up to about 650 rows, for the solution up to about 2,500.
    validation_fraction : float, default=0.2
        Share of rows held back if `selection` is "validation". They are learned once the choice is made.
    categorical_features : "from_dtype", None, or names, numbers or a mask of columns, default="from_dtype"
        Columns of categories; by default those that have such a type: text, `category`, objects.
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Random seed.

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

    _SETTINGS: ClassVar[Any] = RidgeSettings
    _LEARNER: ClassVar[Any] = RidgeLearner
    _learner: RidgeLearner

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
        categorical_features: Any = "from_dtype",
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
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    # Predicting.

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        if return_std:
            return super().predict(X, return_std)
        X = self._query_rows(X)
        return self._learner.found.means(X, self._current.query.n_threads)

    def predict_one(self, x: Any) -> float:
        """Mean at one point: a mapping, a sequence or a 1-D array; 0 before the first row."""
        if not self.__sklearn_is_fitted__() or self._learner.is_empty:
            return 0.0
        return float(self._learner.found.means(self._one_row(x), 1)[0])

    def predict_dist(self, X: Any) -> LocationScale:
        """Return the predictive distribution of each row, a Gaussian: moments, density, quantiles, draws."""
        X = self._query_rows(X)
        return self._learner.forecast(X, self._current.query)

    def loo_predict(self) -> LeaveOneOut:
        """Predict each row as if it had not been learned, at the lifetime and ridge in use; exactly."""
        dist = self._found.left_out(self._learner.all_rows, self._current.query.n_threads)
        return LeaveOneOut(dist.mean(), dist.std(), dist.logpdf(self._learner.rows.arrays[1]))

    def loo_interval(self, confidence: float = 0.9) -> Floats:
        """Central interval of each row as if it had not been learned: shape (n_samples, 2)."""
        return self._found.left_out(self._learner.all_rows, self._current.query.n_threads).interval(confidence)

    def lifetime_posterior(self, prior: Any = "uniform") -> LifetimePosterior:
        """Posterior of the lifetime, at the ridge of the path.

        Parameters
        ----------
        prior : {"uniform", "log-uniform"} or function, default="uniform"
            Density of the lifetime between 0 and the end of the sweep, not necessarily normalised.
        """
        return posterior(self.path_, prior)

    # What was learned.

    @property
    def path_(self) -> LifetimePath:
        """Curves over the sweep."""
        return replace(self._found.path, alpha=self.alpha_)

    @property
    def lifetime_(self) -> float:
        """Lifetime in use."""
        return self._found.lifetime

    @property
    def alpha_(self) -> float:
        """Ridge in use."""
        return self._found.solution.alpha * self._found.mean_weight

    @property
    def n_cells_(self) -> int:
        """Features in use: cells with rows in them."""
        return self._found.solution.n_columns

    @property
    def log_marginal_likelihood_(self) -> float:
        """Log marginal likelihood of all rows, at the signal variance that maximises it."""
        return self._found.log_likelihood(self._current.query.n_threads)

    @property
    def loo_error_(self) -> float:
        """Root mean squared leave-one-out error."""
        return self._found.loo_error(self._learner.all_rows, self._current.query.n_threads)

    # Below: private.

    def _variance_parts(self, X: Floats) -> tuple[Floats, Floats, Floats]:
        return self._learner.found.variance_parts(X, self._current.query.n_threads)

    @property
    def _found(self) -> Fit:
        self._check_learned()
        return self._learner.found
