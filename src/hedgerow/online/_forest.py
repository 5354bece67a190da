"""The adaptive random forest for regression on streams."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hedgerow.base.columns import Columns
from hedgerow.base.guard import guards_itself
from hedgerow.base.online_estimator import OnlineEstimator
from hedgerow.base.regressor import Forecasting, Regressor
from hedgerow.base.rows import Floats
from hedgerow.base.seed import draw_seed
from hedgerow.base.targets import read_target
from hedgerow.base.work import PREDICTED_AT_A_TIME, compute_in_pieces, pieces
from hedgerow.online._learner import ForestLearner, mean_over_trees, mixture, shares_of
from hedgerow.online._settings import ForestSettings
from hedgerow.online._tree_view import TreesToLookAt
from hedgerow.predictive import NormalMixture


class OnlineForestRegressor(TreesToLookAt, Regressor, Forecasting, OnlineEstimator):
    """An adaptive random forest for streams: quick, small, and aware of drift.

    Each tree learns each row a Poisson number of times (online bagging). A leaf keeps its latest rows; when it
    has seen `grace_period` new ones, it looks for a split in them and makes it if targets depend on the feature beyond
    doubt; its children inherit their rows. A detector watches the errors of each tree: at a warning a new tree begins
    in the background, at an alarm it takes over. A prediction is the mixture of the Gaussians of one leaf a tree.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of trees.
    grace_period : int, default=30
        Rows that a leaf waits for between two attempts to split. Until the forest has seen as many, it predicts the
        mean of all targets.
    split_confidence : float, default=0.1
        Probability of a split where targets do not depend on the features; smaller is more careful, and slower to grow.
    tie_threshold : float, default=0.05
        A leaf is split anyway once Hoeffding's bound for all its rows, sqrt(log(1 / split_confidence) / 2n), is
        smaller: splits that take so long to distinguish from others are as good as these.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Features drawn for an attempt to split: a number, or a share of all; None for all. If none of them will do,
        others are looked at.
    bagging_rate : float, default=1.0
        Mean of the Poisson number. At 1, a tree does not see 37 % of the rows.
    drift_detection : bool or {"adwin", "page_hinkley"}, default=True
        What watches the errors of the trees; True is "adwin".
    max_nodes : int, optional
        Most nodes of a tree. A tree that has reached it goes on learning, but splits no more and keeps no rows, so that
        memory stays bounded however long the stream.
    split_test : {"gain", "hoeffding"}, default="gain"
        "gain" splits when targets depend on a feature beyond doubt. "hoeffding" splits when the best feature is ahead
        of the second best by Hoeffding's bound, as in the literature; it grows more slowly.
    leaf_model : {"mean", "linear"}, default="mean"
        What a leaf predicts: the mean of its targets, or a linear function that never leaves their range.
    min_samples_leaf : int, default=5
        Fewest rows on either side of a split.
    leaf_capacity : int, default=400
        Most rows that a leaf keeps: those that came last.
    categorical_features : "from_dtype", None, or names, numbers or a mask of columns, default="from_dtype"
        Columns of categories; by default those that have such a type: text, `category`, objects.
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Random seed.

    Attributes
    ----------
    n_features_in_, feature_names_in_
        As in scikit-learn.
    n_samples_seen_ : int
        Rows ever learned.
    n_nodes_, depth_ : int
        Size of the forest, and its longest way from a root to a leaf.
    n_warnings_, n_drifts_ : int
        Warnings and alarms of all detectors so far.
    feature_importances_ : array
        Share of each feature in the squares that splits have explained.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import OnlineForestRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(2000, 2))
    >>> y = 3 * (X[:, 0] > 0.5) + rng.normal(scale=0.1, size=2000)
    >>> forest = OnlineForestRegressor(random_state=0)
    >>> forecasts = forest.predict_then_learn(X, y)  # each row is forecast before it is learned
    >>> bool(np.abs(forecasts.mean() - y)[1000:].mean() < 0.15)
    True
    >>> forest.predict_one([0.9, 0.1]) > 2.5
    True
    """

    _SETTINGS: ClassVar[Any] = ForestSettings
    _LEARNER: ClassVar[Any] = ForestLearner
    _NATIVE_ROWS: ClassVar[bool] = True
    _learner: ForestLearner

    def __init__(
        self,
        n_estimators: int = 10,
        *,
        grace_period: int = 30,
        split_confidence: float = 0.1,
        tie_threshold: float = 0.05,
        max_features: str | int | float | None = "sqrt",
        bagging_rate: float = 1.0,
        drift_detection: bool | str = True,
        max_nodes: int | None = None,
        split_test: str = "gain",
        leaf_model: str = "mean",
        min_samples_leaf: int = 5,
        leaf_capacity: int = 400,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.grace_period = grace_period
        self.split_confidence = split_confidence
        self.tie_threshold = tie_threshold
        self.max_features = max_features
        self.bagging_rate = bagging_rate
        self.drift_detection = drift_detection
        self.max_nodes = max_nodes
        self.split_test = split_test
        self.leaf_model = leaf_model
        self.min_samples_leaf = min_samples_leaf
        self.leaf_capacity = leaf_capacity
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    @guards_itself
    def learn_one(self, x: Any, y: Any) -> Self:
        """Learn one row: a mapping from feature names to numbers, a sequence or a 1-D array.

        The first row may be the first call; a mapping then names the features.
        """
        with self._changing:
            current = self._kept
            if current is None or not current.is_unchanged:
                return super().learn_one(x, y)
            learn_one = self._learner.core.learn_one  # quicker: nothing weighs, nothing is reviewed
            self._with_row(learn_one, x, read_target(y), learns=True)
            return self

    # Predicting.

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Mean over the trees and, if requested, the standard deviation of a new target."""
        X = self._query_rows(X)
        core, n_threads = self._learner.core, self._current.query.n_threads
        means: Floats = compute_in_pieces(lambda rows: core.means(rows, n_threads), X, core.n_trees)
        return (means, self._mixture(X).std()) if return_std else means

    @guards_itself
    def predict_one(self, x: Any) -> float:
        """Mean at one row: a mapping, a sequence or a 1-D array; 0 before the first row."""
        with self._reading:
            if self._kept is None and "_learner" not in vars(self):
                return 0.0
            mean: float = self._with_row(self._learner.mean_one, x)
            return mean

    def predict_dist(self, X: Any) -> NormalMixture:
        """Return the predictive mixture of each row: one Gaussian a tree, all of the same weight."""
        return self._mixture(self._query_rows(X))

    def apply(self, X: Any) -> npt.NDArray[np.uint32]:
        """Return the number of the leaf in which each row falls, per tree: shape (n_samples, n_estimators)."""
        core, X, n_threads = self._core, self._query_rows(X), self._current.query.n_threads
        leaves: npt.NDArray[np.uint32] = compute_in_pieces(lambda rows: core.leaves(rows, n_threads), X, core.n_trees)
        return leaves

    # What was learned.

    @property
    def n_nodes_(self) -> int:
        """Number of nodes in all trees together, those in the background left out."""
        return int(self._core.n_nodes)

    @property
    def depth_(self) -> int:
        """Length of the longest way from a root to a leaf."""
        return int(self._core.depth)

    @property
    def n_warnings_(self) -> int:
        """Warnings so far: how often a tree began in the background."""
        return int(self._core.n_warnings)

    @property
    def n_drifts_(self) -> int:
        """Alarms so far: how often a tree was replaced."""
        return int(self._core.n_alarms)

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in the squares of targets that splits have explained."""
        self._check_learned()
        return shares_of(self._columns.by_column(self._core.gains()))

    # Below: private.

    @property
    def _core(self) -> Any:
        self._check_learned()
        return self._learner.core

    def _variance_parts(self, X: Floats) -> tuple[Floats, Floats, Floats]:
        return self._mixture(X)._variance_parts()

    def _mixture(self, X: Floats) -> NormalMixture:
        n_threads = self._current.query.n_threads
        core, rows = self._learner.core, pieces(X.shape[0], self._learner.core.n_trees, PREDICTED_AT_A_TIME)
        parts = [core.answers(X[some], n_threads) for some in rows]
        means, variances = (np.concatenate(part) for part in zip(*parts, strict=True))
        return mixture(means, variances, n_threads)

    def _moments(self, part: NormalMixture) -> tuple[Floats, Floats]:
        return mean_over_trees(part, self._learner.settings.n_estimators), part.std()


def open_forest(forest: OnlineForestRegressor, width: int) -> None:
    """Let a forest begin before its first row has come."""
    seed = draw_seed(forest.random_state)
    forest.n_features_in_, forest._columns = width, Columns.of_numbers(width)
    forest._chosen = forest.categorical_features
    forest._learner = ForestLearner(ForestSettings.of(forest), width, seed)
