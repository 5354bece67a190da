"""Mondrian forests for regression (Lakshminarayanan, Roy and Teh 2016)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from hedgerow.base.guard import guards_itself
from hedgerow.base.online_estimator import OnlineEstimator
from hedgerow.base.regressor import Forecasting, Regressor
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.several_targets import SeveralTargets
from hedgerow.mondrian._calibration import Calibration
from hedgerow.mondrian._design import QueryRows, choose_rows
from hedgerow.mondrian._forest import MondrianForest
from hedgerow.mondrian._joint_forest import JointForest
from hedgerow.mondrian._joint_labels import check_settings
from hedgerow.mondrian._regression import RegressionForest
from hedgerow.mondrian._settings import RegressionSettings
from hedgerow.mondrian._smoothing import Smoothing
from hedgerow.numeric.whole import is_whole
from hedgerow.predictive import LeaveOneOut
from hedgerow.predictive._distribution import levels_of


class MondrianForestRegressor(SeveralTargets, Regressor, Forecasting, MondrianForest, OnlineEstimator):
    """A forest for regression that predicts distributions, learns row by row, and can unlearn.

    Trees are drawn from a Mondrian process on the range of the data; labels are smoothed by a hierarchical Gaussian
    along each tree. A prediction is a whole distribution: the mixture, over trees and over the places where the
    query point may leave each tree, of Gaussians. Far from the data it keeps the mean of the nearest point of their
    range and widens; with ``hyperparameters="paper"`` it returns to the prior.

    If `y` has several columns, these are learned together on the same trees, and a prediction is a joint distribution,
    a `Joint`. Arrays then have a target as their second axis: means have shape (n_samples, n_targets), intervals
    (n_samples, n_targets, 2).

    Parameters
    ----------
    n_estimators : int, default=50
        Number of trees.
    min_samples_split : int, optional
        A block with fewer rows is not split. It keeps its rows and is split when more arrive. Default: 2, or 10 with
        ``hyperparameters="paper"``.
    lifetime : float, default=inf
        Time at which the Mondrian process ends, in units of the scaled columns: a block of total side length s is
        split at rate s.
    smoothing : {"hierarchy", "moments"}, default="hierarchy"
        "hierarchy" is the hierarchical Gaussian with exact belief propagation. "moments" is the fast
        approximation: each node predicts with the mean and variance of its own labels.
    scaling : {"auto", "range", "half", "rank", "none"}, default="auto"
        How columns are brought to comparable lengths. "range" maps the minimum seen to 0 and the maximum to 1,
        "rank" maps values to their ranks, "half" is halfway between the two, "none" takes columns as they are. "auto"
        is "half", or "range" with ``hyperparameters="paper"``. Online, the map is looked at again whenever the number
        of rows has doubled.
    hyperparameters : {"learned", "paper"}, default="learned"
        How hyper-parameters left at None are chosen. "learned" takes them from the rows: how fast to cut each column,
        and the smoothing that makes the exact leave-one-out error smallest. "paper" follows appendix B of the
        supplement.
    window : int, optional
        Keep only that many rows, unlearning the oldest as new ones arrive.
    prior_mean : float, optional
        mu_H, predicted without data. Default: the mean of the labels.
    drift_variance : float, optional
        gamma_1; the variance of a leaf's mean before data, or twice that with ``hyperparameters="paper"``. Default:
        learned from leave-one-out residuals, or from the labels' variance.
    drift_rate : float, optional
        gamma_2, how fast means settle as blocks get smaller. Default: learned, or n_features / (20 log2 N).
    noise_variance : float, optional
        sigma_y^2, the variance of a label around its leaf's mean. Default: learned from leave-one-out residuals, or
        gamma_1 / K.
    signal_to_noise : float, optional
        K = gamma_1 / sigma_y^2. Default: for smoothing, the K that smooths best; or min(2000, 2 N).
    target : {"auto", "real", "positive", "count"} or tuple of functions, default="auto"
        What targets can be: any number, numbers above 0, or whole numbers from 0 on; then predictions are that too.
        "auto" learns it by leave-one-out, online at every second doubling of the rows. Three functions
        are a map onto the whole line, which rises, its inverse, and the logarithm of its derivative. Where targets
        are not real, hyper-parameters are those of the map of targets; if one that has a unit is given, or
        ``hyperparameters="paper"`` or ``smoothing="moments"``, "auto" is "real".
    cuts : {"free", "keyed"}, default="free"
        With "keyed" cuts, a tree is a function of the random seed and of the *set* of rows: the order in which these
        came does not show, `unlearn` leaves the trees that never saw the row, bit for bit, and forests can be merged.
        See `merge`, and the guide on merging for what is equal when. `fit` takes about 1.4 times as long, learning row
        by row 1.4 to 2 times.
    categorical_features : "from_dtype", None, or names, numbers or a mask of columns, default="from_dtype"
        Columns of categories; by default those that have such a type: text, `category`, objects.
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Random seed.

    Attributes
    ----------
    target_ : str
        What targets are: "real", "positive", "count" or "functions".
    n_features_in_, feature_names_in_
        As in scikit-learn.
    n_samples_, n_samples_seen_ : int
        Rows held now, and rows ever learned.
    n_nodes_, depth_ : int
        Size of the forest, and its longest way from a root to a leaf.
    prior_mean_, drift_variance_, drift_rate_, noise_variance_ : float
        Hyper-parameters in use.
    noise_covariance_ : array of shape (n_targets, n_targets)
        Covariance of the noise of several targets; then there are no `prior_mean_`, `drift_variance_`,
        `noise_variance_` and `log_marginal_likelihood_`.
    log_marginal_likelihood_ : float
        Log of the labels' density under the model, averaged over the trees. Costs one pass over the forest.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import MondrianForestRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, size=(500, 1))
    >>> y = np.sin(X[:, 0]) + rng.normal(scale=0.1, size=500)
    >>> forest = MondrianForestRegressor(random_state=0).fit(X, y)
    >>> mean, std = forest.predict([[1.0], [9.0]], return_std=True)
    >>> bool(std[1] > 2 * std[0])  # 9 is far from all rows
    True
    >>> forest.predict_interval([[1.0]], confidence=0.9).shape
    (1, 2)
    >>> bool(forest.learn_one([9.0], 2.0).predict_one([9.0]) > mean[1])
    True
    >>> both = MondrianForestRegressor(random_state=0).fit(X, np.column_stack([y, y**2]))
    >>> both.predict([[1.0], [9.0]]).shape, both.predict_dist([[1.0]]).covariance().shape
    ((2, 2), (1, 2, 2))
    """

    _SETTINGS: ClassVar[Any] = RegressionSettings
    _QUERY: ClassVar[Any] = Smoothing
    _LEARNER: ClassVar[Any] = RegressionForest
    _JOINT_LEARNER: ClassVar[Any] = JointForest
    _learner: RegressionForest | JointForest
    _NATIVE_ROWS = True

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        min_samples_split: int | None = None,
        lifetime: float = math.inf,
        smoothing: str = "hierarchy",
        scaling: str = "auto",
        hyperparameters: str = "learned",
        window: int | None = None,
        prior_mean: float | None = None,
        drift_variance: float | None = None,
        drift_rate: float | None = None,
        noise_variance: float | None = None,
        signal_to_noise: float | None = None,
        target: Any = "auto",
        cuts: str = "free",
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_split = min_samples_split
        self.lifetime = lifetime
        self.smoothing = smoothing
        self.scaling = scaling
        self.hyperparameters = hyperparameters
        self.window = window
        self.prior_mean = prior_mean
        self.drift_variance = drift_variance
        self.drift_rate = drift_rate
        self.noise_variance = noise_variance
        self.signal_to_noise = signal_to_noise
        self.target = target
        self.cuts = cuts
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    # Predicting.

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        X = self._query_rows(X)
        query = self._current.query
        return self._learner.moments(X, query) if return_std else self._learner.means(X, query)

    @guards_itself
    def predict_one(self, x: Any) -> float | Floats:
        """Mean at one point: a mapping, a sequence or a 1-D array. Before the first row, the prior mean or 0."""
        with self._reading:
            if not self.__sklearn_is_fitted__() or self._learner.is_empty:
                return 0.0 if self.prior_mean is None else float(self.prior_mean)
            if not self._learner.is_plain:
                return float(self._learner.distributions(self._one_row(x), self._current.query).mean()[0])
            mean: float | Floats = self._with_row(self._learner.mean_one, x, self._current.query)
            return mean

    def predict_dist(self, X: Any) -> Any:
        """Return the predictive distribution of each row, whole: moments, density, quantiles, draws.

        A `NormalMixture`; that seen through a map, `Mapped`, or in cells, `Counts`, where targets are not real; and a
        `Joint` of several targets.
        """
        X = self._query_rows(X)
        return self._learner.distributions(X, self._current.query)

    def predict_interval(self, X: Any, confidence: npt.ArrayLike = 0.9) -> Floats:
        """Central prediction interval of each row: shape (n_samples, 2), or (n_samples, 2, k) for k confidences.

        Quantiles are those of the mixture.
        """
        X = self._query_rows(X)
        return self._learner.of_distributions(X, self._current.query, lambda dist, rows: dist.interval(confidence))

    def predict_quantiles(self, X: Any, quantiles: npt.ArrayLike) -> Floats:
        """Quantiles of the predictive mixture: shape (n_samples, n_quantiles)."""
        levels = np.atleast_1d(levels_of(quantiles))
        X = self._query_rows(X)
        return self._learner.of_distributions(X, self._current.query, lambda dist, rows: dist.ppf(levels))

    def log_density(self, X: Any, y: npt.ArrayLike) -> Floats:
        """Log of the predictive density of each target: shape (n_samples,)."""
        X, targets = self._query_rows_and_targets(X, y)
        return self._learner.of_distributions(X, self._current.query, lambda dist, rows: dist.logpdf(targets[rows]))

    def loo_predict(self) -> LeaveOneOut:
        """Predict each row held as if it, and only it, had never been learned. No tree is grown for this.

        With ``min_samples_split=2`` this is exact: a Mondrian tree with one label struck out has the distribution of a
        tree that has not seen the row. With more, the row left out has helped to shape the leaf in which it is
        predicted. A row is left out whole, whatever its weight, and its copies with it: rows with the same features and
        the same target, unless features are so coarse that equal rows are no copies.

        Returns
        -------
        loo : LeaveOneOut
            A named tuple: mean, std and log_density, one number a row, in the order in which rows were learned.
        """
        self._check_learned()
        self._check_hierarchy("loo_predict", ValueError)
        return self._learner.loo_predict(self._current.query)

    def loo_interval(self, confidence: float = 0.9) -> Floats:
        """Central interval of each row held as if it, and only it, had never been learned: shape (n_samples, 2)."""
        self._check_learned()
        self._check_hierarchy("loo_interval", ValueError)
        return self._learner.loo_interval(self._current.query, confidence)

    def query(self, X: Any, n: int = 1, *, reference: Any = None) -> npt.NDArray[np.intp]:
        """Choose rows to label next: those whose targets would lower the variance of predictions most.

        Rows are picked one after another, each by the expected reduction of variance, averaged over `reference` (Cohn,
        Ghahramani and Jordan 1996). The variance is that of the mean given a tree, which a further row changes by an
        amount that does not depend on its target, times how much larger errors are there where noise varies. What is
        picked counts as labelled for the next pick, so a batch is spread out: a copy of a row is picked again only if
        noise makes that worth more than another place. Of rows that are equally good, a random one is picked.

        Trees are extended by the rows of X and of `reference`, as if all had been learned; with ``min_samples_split=2``
        this is exact. Where targets are not real, variances are those of the map of targets. Costs a copy of the
        forest, and for each pick a pass over the nodes above all these rows; the model stays as it is.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Rows that may be labelled.
        n : int, default=1
            How many of them to choose.
        reference : array or frame of shape (n_rows, n_features), optional
            Rows at which predictions should be good. Default: X.

        Returns
        -------
        chosen : array of int, shape (n,)
            Places of the rows in X, the best first.

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow import MondrianForestRegressor
        >>> X = np.linspace(0, 0.5, 50).reshape(-1, 1)  # nothing is known beyond 0.5
        >>> forest = MondrianForestRegressor(random_state=0).fit(X, np.sin(9 * X[:, 0]))
        >>> pool = np.linspace(0, 1, 101).reshape(-1, 1)
        >>> bool((pool[forest.query(pool, 5)] > 0.5).all())
        True
        """
        self._check_learned()
        self._check_hierarchy("query", ValueError)
        X = self._query_rows(X)
        if not is_whole(n) or not 1 <= n <= X.shape[0]:
            raise ValueError(f"n must be a whole number from 1 to the {X.shape[0]} rows of X, got {n!r}")
        of_interest = None if reference is None else self._query_rows(reference)
        factors = self._learner.variance_factors(X if of_interest is None else of_interest)
        queries = QueryRows.of(X, of_interest, factors)
        return choose_rows(self._learner, queries, int(n), self._current.query.n_threads).picked

    @property
    def target_(self) -> str:
        """What targets are: "real", "positive", "count" or "functions"."""
        self._check_learned()
        return "real" if isinstance(self._learner, JointForest) else self._learner.labels.target.name

    # Hyper-parameters in use.

    @property
    def prior_mean_(self) -> float:
        """mu_H, or the mean of all labels for smoothing="moments"."""
        return float(self._of_one_target("prior_mean_").labels.origin + self._queried("prior_mean_")[0])

    @property
    def drift_variance_(self) -> float:
        """gamma_1."""
        self._check_hierarchy("drift_variance_")
        return float(self._queried("drift_variance_")[1])

    @property
    def drift_rate_(self) -> float:
        """gamma_2."""
        self._check_hierarchy("drift_rate_")
        return float(self._learner.core.model[0])

    @property
    def noise_variance_(self) -> float:
        """sigma_y^2."""
        is_hierarchy = self._of_one_target("noise_variance_").labels.is_hierarchy
        return float(self._queried("noise_variance_")[2 if is_hierarchy else 1])

    @property
    def log_marginal_likelihood_(self) -> float:
        """Log of the labels' density, averaged over the trees: log mean_b p(y | tree b).

        It is that of the model that smooths. Where variances are calibrated for prediction, no one model has these too.
        """
        self._check_hierarchy("log_marginal_likelihood_")
        learner = self._of_one_target("log_marginal_likelihood_")
        per_tree = learner.core.log_evidence(learner.labels.rule(learner.core, self._current.query, Calibration()))
        return float(logsumexp(per_tree) - math.log(per_tree.size))

    # Below: private.

    def _check_several(self) -> None:
        super()._check_several()
        check_settings(self._SETTINGS.of(self), self._QUERY.of(self))

    def _of_one_target(self, name: str) -> RegressionForest:
        """Return the learner; AttributeError if there are several targets."""
        self._check_learned()
        if isinstance(self._learner, JointForest):
            raise AttributeError(f"{name} exists only where there is one target; see noise_covariance_")
        return self._learner

    def _queried(self, name: str) -> tuple[float, float, float]:
        """mu_H from the origin, gamma_1 and sigma_y^2; without a hierarchy the noise is the second."""
        learner = self._of_one_target(name)
        numbers: tuple[float, float, float] = learner.core.query(learner.rule(self._current.query))
        return numbers

    def _check_hierarchy(self, name: str, error: type[Exception] = AttributeError) -> None:
        if self.smoothing != "hierarchy":
            raise error(f"{name} exists only with smoothing='hierarchy'; 'moments' is not a full model")
        self._check_learned()

    def _weighed(self, rows: Rows, online: bool) -> Rows:
        if online and rows.y.size:
            query = self._QUERY.of(self)
            if self.__sklearn_is_fitted__():
                self._learner.check(rows.y, query)
            else:
                labels = self._learner_of(rows).LABELS.of_first(rows.part(slice(1)), self._SETTINGS.of(self), query)
                labels.check(rows.y)
        return rows
