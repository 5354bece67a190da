"""The online quantile regression forest."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hedgerow.base.online_estimator import OnlineEstimator
from hedgerow.base.regressor import Regressor
from hedgerow.base.rows import Floats
from hedgerow.base.settings import Settings
from hedgerow.online._base_settings import QuantileSettings
from hedgerow.online._interval_forecasting import IntervalForecasting
from hedgerow.online._learner import shares_of
from hedgerow.online._quantile_learner import QuantileLearner
from hedgerow.online._tree_view import TreesToLookAt
from hedgerow.predictive import LabelMixture
from hedgerow.predictive._distribution import levels_of


class OnlineQuantileForestRegressor(TreesToLookAt, IntervalForecasting, Regressor, OnlineEstimator):
    """An online forest whose leaves remember the distribution of their targets, not only its mean.

    Each leaf keeps a quantile sketch of the targets that it has seen: all of them at first, later ever fewer that stand
    for many, so that memory is bounded and ranks are right to within about 1.65 % at a size of 200. A prediction is the
    mixture of the sketches of one leaf a tree, each tree with the same weight; nothing is merged: predicting leaves
    the model as it is. Children inherit the targets of the rows that their parent kept. Leaves split where targets
    differ in mean or in spread, so that intervals follow noise that varies.

    Parameters
    ----------
    base : OnlineForestRegressor, optional
        How trees grow. Its parameters are taken, nothing that it has learned. Default:
        ``OnlineForestRegressor()``.
    sketch_size : int, default=200
        K of the sketches: up to as many targets are kept as they are. Twice as many halve the error of ranks.
    conformal : bool, default=False
        Whether quantiles are corrected by how far from the median recent targets were, in levels of their own forecast,
        so that intervals are valid if rows are exchangeable.
    calibration_size : int, default=1000
        Rows to calibrate on: those that came last.
    categorical_features : "from_dtype", None, or names, numbers or a mask of columns, default="from_dtype"
        Columns of categories; by default those that have such a type: text, `category`, objects.
    random_state : int, RandomState or None
        Random seed, if the base model does not say.

    Attributes
    ----------
    n_features_in_, feature_names_in_
        As in scikit-learn.
    n_samples_seen_ : int
        Rows ever learned.
    n_nodes_, n_drifts_ : int
        Size of the forest, and how often one of its trees was replaced.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import OnlineQuantileForestRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(4000, 1))
    >>> y = np.where(X[:, 0] < 0.5, 0.1, 2.0) * rng.exponential(size=4000)
    >>> model = OnlineQuantileForestRegressor(random_state=0).fit(X, y)
    >>> low, high = np.diff(model.predict_interval([[0.2], [0.8]]), axis=1)[:, 0]
    >>> bool(high > 10 * low)  # intervals are as wide as targets vary there
    True
    """

    _SETTINGS: ClassVar[Any] = QuantileSettings
    _QUERY: ClassVar[Any] = Settings
    _LEARNER: ClassVar[Any] = QuantileLearner
    _learner: QuantileLearner

    def __init__(
        self,
        base: Any = None,
        *,
        sketch_size: int = 200,
        conformal: bool = False,
        calibration_size: int = 1000,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
    ) -> None:
        self.base = base
        self.sketch_size = sketch_size
        self.conformal = conformal
        self.calibration_size = calibration_size
        self.categorical_features = categorical_features
        self.random_state = random_state

    def predict_dist(self, X: Any) -> LabelMixture:
        """Return the distribution of each row: the targets kept in its leaves."""
        X = self._query_rows(X)
        return self._learner.forecast(X)

    def predict_quantiles(self, X: Any, quantiles: npt.ArrayLike) -> Floats:
        """Quantiles of each row's target: shape (n_samples, n_quantiles)."""
        levels = np.atleast_1d(levels_of(quantiles))
        X = self._query_rows(X)
        return self._learner.quantiles(X, levels)

    @property
    def predict_uncertainty(self) -> Any:
        """AttributeError: the targets of all trees are one distribution, whose variance has no parts."""
        raise AttributeError(
            "a quantile forest pools the targets of all trees, so noise and disagreement are not told apart; use "
            "OnlineForestRegressor, or a Mondrian forest"
        )

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in the squares of targets that splits have explained."""
        self._check_learned()
        return shares_of(self._columns.by_column(self._learner.core.gains()))

    @property
    def n_nodes_(self) -> int:
        """Number of nodes in all trees together, those in the background left out."""
        self._check_learned()
        return int(self._learner.core.n_nodes)

    @property
    def n_drifts_(self) -> int:
        """Alarms so far: how often a tree was replaced."""
        self._check_learned()
        return int(self._learner.core.n_alarms)
