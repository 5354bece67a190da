"""Boosting of Mondrian forests on exact leave-one-out residuals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hedgerow.base.online_estimator import OnlineEstimator
from hedgerow.base.regressor import Forecasting, Regressor
from hedgerow.base.rows import Floats
from hedgerow.base.several_targets import SeveralTargets
from hedgerow.base.targets import read_target
from hedgerow.boosting._boosting import MondrianBoosting
from hedgerow.boosting._joint_boosting import JointBoosting
from hedgerow.boosting._regression import RegressionBoosting
from hedgerow.boosting._settings import RegressionSettings
from hedgerow.mondrian._growing import mean_square, weighted_mean
from hedgerow.predictive import LeaveOneOut
from hedgerow.targets import first_target


class MondrianBoostingRegressor(SeveralTargets, Regressor, Forecasting, MondrianBoosting, OnlineEstimator):
    """Boosting of forests, greedy trees, a kernel and a ridge regression: the most accurate regressor.

    Each stage is fitted to the leave-one-out residuals of the stages before it: the errors of predictions that did not
    use the target of the row itself. There is therefore no learning rate, and stages are added until the leave-one-out
    error stops falling. The predictive distribution is calibrated on the same residuals.

    If `y` has several columns, these are learned together on the same trees, and a prediction is a joint distribution,
    a `Joint`. Arrays then have a target as their second axis: means have shape (n_samples, n_targets), intervals
    (n_samples, n_targets, 2).

    Parameters
    ----------
    n_estimators : int, default=50
        Trees per stage; a stage of greedy trees has twice as many. Trees of Mondrian forests that would hardly change
        predictions are dropped; `stages_` has the numbers of those kept.
    max_stages : int, default=4
        Maximum number of Mondrian forests in the first chain of stages, 1 to 1,000.
    linear : {"auto", True, False}, default="auto"
        Whether a ridge regression comes before the first stage. "auto" chooses by leave-one-out.
    scaling : {"auto", "range", "half", "rank"}, default="auto"
        How columns are scaled: by their range, by ranks, or halfway. "auto" chooses by leave-one-out.
    stages : "auto" or list out of {"linear", "kernel", "mondrian", "greedy"}, default="auto"
        Kinds of stages to choose from: ridge regression, a kernel in learned units, Mondrian forests, and greedy trees.
        "auto" is all of them; "mondrian" must be among them. Stages are selected and weighted by their leave-one-out
        errors. With "kernel", sums of columns along which targets change most are looked for, and used as further
        columns if that lowers the error.
    tail : {"student", "normal", "empirical"}, default="student"
        Shape of the predictive distribution: Student's t fitted to the leave-one-out residuals, a Gaussian, or the
        residuals themselves, smoothed.
    shape : {"auto", "common"}, default="auto"
        "auto": the shape (skewness, tails, discreteness) may vary between rows, where leave-one-out shows that it
        does. "common": one shape for all rows. With several targets only the width varies.
    target : {"auto", "real", "positive", "count"} or tuple of functions, default="auto"
        Kind of targets, and of predictions: any number, numbers above 0, or whole numbers from 0 on. "auto" selects
        it by leave-one-out, online at every second doubling of the rows. Three functions define a transformation: an
        increasing map onto the real line, its inverse, and the logarithm of its derivative.
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
    stages_ : list of dict
        The chains of stages in use, with their weights and leave-one-out errors.
    n_stages_ : int
        Stages in use.
    loo_score_ : float
        R^2 of the leave-one-out predictions when the stages were last learned; of several targets, their mean.
    noise_covariance_ : array of shape (n_targets, n_targets)
        Covariance of the noise of several targets.
    feature_importances_ : array
        Share of each column in what the stages explain.
    n_samples_seen_ : int
        Rows learned so far.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from hedgerow import MondrianBoostingRegressor
    >>> X, y = make_friedman1(500, random_state=0)
    >>> model = MondrianBoostingRegressor(n_estimators=20, random_state=0).fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.9
    True
    >>> mean, std = model.predict(X[400:], return_std=True)
    >>> model.predict_interval(X[400:], confidence=0.9).shape
    (100, 2)
    >>> import numpy as np
    >>> Y = np.column_stack([y, -2 * y])
    >>> both = MondrianBoostingRegressor(n_estimators=20, random_state=0).fit(X[:400], Y[:400])
    >>> bool(np.corrcoef(both.predict_dist(X[400:401]).rvs(100, random_state=0)[0].T)[0, 1] < -0.99)
    True
    """

    _SETTINGS: ClassVar[Any] = RegressionSettings
    _LEARNER: ClassVar[Any] = RegressionBoosting
    _JOINT_LEARNER: ClassVar[Any] = JointBoosting
    _learner: RegressionBoosting | JointBoosting

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        max_stages: int = 4,
        linear: str | bool = "auto",
        scaling: str = "auto",
        stages: str | Sequence[str] = "auto",
        tail: str = "student",
        shape: str = "auto",
        target: Any = "auto",
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_stages = max_stages
        self.linear = linear
        self.scaling = scaling
        self.stages = stages
        self.tail = tail
        self.shape = shape
        self.target = target
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def predict_one(self, x: Any) -> float | Floats:
        """Mean at one point: a mapping, a sequence or a 1-D array; 0 before the first row."""
        if not self.__sklearn_is_fitted__() or self._learner.is_empty:
            return 0.0
        x = self._one_row(x)
        mean: Floats = self._learner.predictions(x, self._current.query).mean()[0]
        return mean if self._n_targets > 1 else float(mean)

    def predict_dist(self, X: Any) -> Any:
        """Return the predictive distribution of each row, whole: moments, density, quantiles, draws.

        A `LocationScale`; that seen through a map, `Mapped`, or in cells, `Counts`, where targets are not real; and a
        `Joint` of several targets.
        """
        X = self._query_rows(X)
        return self._learner.predictions(X, self._current.query)

    def loo_predict(self) -> LeaveOneOut:
        """Predict each row as if it had not been learned, as of when the stages were last learned.

        The first stage's predictions are exact; later stages learn residuals that depend on the row through the others'
        predictions, which was found to matter little.
        """
        self._check_learned()
        dist = self._learner.left_out(self._current.query)
        return LeaveOneOut(dist.mean(), dist.std(), dist.logpdf(self._learner.learned_rows.y))

    def loo_interval(self, confidence: float = 0.9) -> Floats:
        """Central interval of each row as if it had not been learned: shape (n_samples, 2)."""
        self._check_learned()
        interval: Floats = self._learner.left_out(self._current.query).interval(confidence)
        return interval

    @property
    def target_(self) -> str:
        """What targets are: "real", "positive", "count" or "functions"."""
        self._check_learned()
        return "real" if isinstance(self._learner, JointBoosting) else self._learner.target.name

    @property
    def loo_score_(self) -> float:
        """R^2 of the leave-one-out predictions when the stages were last learned; of several targets, their mean."""
        self._check_learned()
        _, y, weights = self._learner.learned_rows
        mean = self._learner.left_out(self._current.query).mean()
        each = [
            (mean_square(own - predicted, weights), mean_square(own - weighted_mean(own, weights), weights))
            for own, predicted in zip(y.reshape(y.shape[0], -1).T, mean.reshape(y.shape[0], -1).T, strict=True)
        ]
        return float(np.mean([1.0 - left / total if total > 0 else math.nan for left, total in each]))

    def _encode(self, y: Any, first: bool) -> Floats:
        targets = super()._encode(y, first)
        if targets.ndim == 1 and targets.size and self.target not in ("auto", "real"):
            first_target(self.target, targets)
        return targets

    def _encode_number(self, y: Any) -> float:
        return float(self._encode([read_target(y)], False)[0])
