"""Conformal intervals for online regressors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from hedgerow.base.decision_tree import DecisionTree
from hedgerow.base.online_estimator import OnlineEstimator
from hedgerow.base.regressor import Regressor
from hedgerow.base.rows import Floats
from hedgerow.base.settings import Settings
from hedgerow.online._base_settings import ConformalSettings
from hedgerow.online._conformal_learner import ConformalLearner
from hedgerow.online._interval_forecasting import IntervalForecasting
from hedgerow.predictive import LocationScale


class OnlineConformalRegressor(IntervalForecasting, Regressor, OnlineEstimator):
    """Intervals that cover as often as they say, around any online forest.

    Rows that the base model was not trained on are scored by how far off it was; an interval reaches as far as the
    score that a share ``confidence`` of them does not exceed: the one of rank ``ceil(confidence * (n + 1))`` of n. If
    rows are exchangeable, a new target lies outside with probability at most ``1 - confidence``, whatever the base
    model is worth; with ``adaptive=True`` the share of misses approaches it on any stream. Any confidence may be given
    at any time. The method is that of Vasiloudis, De Francisci Morales and Boström (2019), but for the rank: a
    rank of ``floor(confidence * n)`` misses slightly too often.

    Coverage is marginal only: right on average over all rows. By default all intervals have the same width, so where
    noise varies, quiet rows are covered too often and noisy rows too seldom; ``normalised=True`` is for such data.

    Parameters
    ----------
    base : OnlineForestRegressor or MondrianForestRegressor, optional
        The model to calibrate. Its parameters are taken, nothing that it has learned. Default:
        ``OnlineForestRegressor()``.
    calibration_size : int, default=1000
        Rows to calibrate on: those that came last.
    mode : {"exact", "approximate"}, default="exact"
        "exact" keeps, for each of the latest rows, the mean of the trees that never learned it, and follows every
        change of these trees. "approximate" keeps the error of the forecast made before the row was learned, and leaves
        it as it was. A Mondrian forest learns every row in every tree, so its scores are always those of forecasts.
    update_every : int, default=1
        Exact mode only: scores follow the trees after that many rows. 1 is affordable.
    adaptive : bool, default=False
        Whether confidences adapt to misses and hits, so that coverage survives drift.
    adaptation_rate : float, default=0.005
        How far they move at a time.
    normalised : bool, default=False
        Whether errors are measured in how large errors were at such rows before, so that the width of an interval
        follows noise that varies. A second online forest of five trees learns that from the errors of forecasts, in
        standard deviations of the base model; it grows by the same rules as an online base.
    size_matched : bool, default=False
        Exact mode only: few trees are out of bag for a row, and their mean errs more than that of all trees, so
        intervals are wider than need be. True shrinks them by an estimate of the difference. They are then valid for
        large `calibration_size` rather than for any.
    categorical_features : "from_dtype", None, or names, numbers or a mask of columns, default="from_dtype"
        Columns of categories; by default those that have such a type: text, `category`, objects.
    random_state : int, RandomState or None
        Random seed, if the base model does not say.

    Attributes
    ----------
    base_ : estimator
        The model that has learned.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    n_samples_seen_ : int
        Rows ever learned.
    scores_ : array
        Scores of the calibration rows, in order.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import OnlineConformalRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(3000, 2))
    >>> y = 3 * (X[:, 0] > 0.5) + rng.normal(scale=0.1, size=3000)
    >>> model = OnlineConformalRegressor(random_state=0)
    >>> mean, interval = model.predict_then_learn(X, y, confidence=0.9)
    >>> missed = (y < interval[:, 0]) | (y > interval[:, 1])
    >>> bool(missed[1000:].mean() < 0.12)
    True
    >>> narrow, wide = (np.diff(model.predict_interval(X[:1], confidence=c))[0, 0] for c in (0.5, 0.99))
    >>> bool(narrow < wide)
    True
    """

    _SETTINGS: ClassVar[Any] = ConformalSettings
    _QUERY: ClassVar[Any] = Settings
    _LEARNER: ClassVar[Any] = ConformalLearner
    _learner: ConformalLearner

    def __init__(
        self,
        base: Any = None,
        *,
        calibration_size: int = 1000,
        mode: str = "exact",
        update_every: int = 1,
        adaptive: bool = False,
        adaptation_rate: float = 0.005,
        normalised: bool = False,
        size_matched: bool = False,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
    ) -> None:
        self.base = base
        self.calibration_size = calibration_size
        self.mode = mode
        self.update_every = update_every
        self.adaptive = adaptive
        self.adaptation_rate = adaptation_rate
        self.normalised = normalised
        self.size_matched = size_matched
        self.categorical_features = categorical_features
        self.random_state = random_state

    def predict_dist(self, X: Any) -> LocationScale:
        """Return a distribution of each row, symmetric about its mean; quantiles are ends of conformal intervals."""
        X = self._query_rows(X)
        return self._learner.forecast(X)

    @property
    def predict_uncertainty(self) -> Any:
        """AttributeError: errors of the past are not separated by cause. ``base_.predict_uncertainty`` may do that."""
        raise AttributeError(
            "conformal intervals are as wide as errors were, whose causes are not told apart; ask "
            "base_.predict_uncertainty(X) where they come from"
        )

    @property
    def base_(self) -> Any:
        """The model that has learned."""
        self._check_learned()
        return self._learner.base

    def tree(self, index: int) -> DecisionTree:
        """Return a tree of the base model to be looked at, as ``base_.tree`` does, with the names of columns."""
        view: DecisionTree = self.base_.tree(index)
        return replace(view, feature_names=self.axis_names_)

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in what the base model explains, by its own measure."""
        self._check_learned()
        return self._columns.by_column(self.base_.feature_importances_)

    @property
    def scores_(self) -> Floats:
        """Scores of the calibration rows, in order."""
        self._check_learned()
        scores: Floats = self._learner.calibration.core.scores()
        return scores
