"""The adaptive random forest for regression on streams."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow import _core
from hedgerow._persistence import Arrays
from hedgerow._random import draw_seed
from hedgerow._validation import n_threads_of
from hedgerow.online._growth import TREE_PARAMETERS, check_tree_parameters, growth_of
from hedgerow.online._learner import OnlineRegressor, pieces
from hedgerow.predictive import NormalMixture
from hedgerow.predictive._forecasts import check_returns

Floats = npt.NDArray[np.float64]


class OnlineForestRegressor(OnlineRegressor):
    """An adaptive random forest for streams: quick, small, and aware of drift.

    Each tree learns each row as often as a Poisson number says (online bagging). A leaf keeps its latest rows; when it
    has met `grace_period` new ones, it looks for a split in them and makes it if labels depend on the feature beyond
    doubt; its children inherit their rows. A detector watches the errors of each tree: at a warning a new tree begins
    in the background, at an alarm it takes over. A prediction is the mixture of the Gaussians of one leaf a tree.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of trees.
    grace_period : int, default=30
        Rows that a leaf waits for between two attempts to split. Until the forest has met as many, it predicts the mean
        of all labels.
    split_confidence : float, default=0.1
        Probability of a split where labels do not depend on the features; smaller is more careful, and slower to grow.
    tie_threshold : float, default=0.05
        A leaf is split anyway once Hoeffding's bound for all its rows, sqrt(log(1 / split_confidence) / 2n), is
        smaller: splits that take so long to tell apart from others are as good as these.
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
        "gain" splits when labels depend on a feature beyond doubt. "hoeffding" splits when the best feature is ahead of
        the second best by Hoeffding's bound, as in the literature; it grows more slowly.
    leaf_model : {"mean", "linear"}, default="mean"
        What a leaf predicts: the mean of its labels, or a linear function that never leaves their range.
    min_samples_leaf : int, default=5
        Fewest rows on either side of a split.
    leaf_capacity : int, default=400
        Most rows that a leaf keeps: those that came last.
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Where the randomness starts.

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

    _SHAPING = TREE_PARAMETERS

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
        self.n_jobs = n_jobs
        self.random_state = random_state

    # Predicting.

    def predict_dist(self, X: Any) -> NormalMixture:
        """Return the predictive mixture of each row: one Gaussian a tree, all of the same weight."""
        X = self._query_rows(X)
        return self._mixture(*self._core.answers(X, n_threads_of(self.n_jobs)))

    def predict_then_learn(
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        *,
        returns: str = "dist",
        confidence: float = 0.9,
    ) -> Any:
        """Predict each row just before learning it: an honest forecast of every row of a stream, in one call.

        The same as a loop over `predict_dist`, or `predict`, and `learn_one`, only faster. Before the very first row
        nothing is known, and the forecast is a standard Gaussian.

        Parameters
        ----------
        X, y, sample_weight
            As for `partial_fit`. Rows of weight zero are neither predicted nor learned.
        returns : {"dist", "std", "interval"}, default="dist"
            What is forecast: whole mixtures; or mean and standard deviation; or these two and the central interval.
        confidence : float, default=0.9
            Of the interval.

        Returns
        -------
        forecasts : NormalMixture
            If `returns` is "dist". Row i was forecast by the forest that had learned the rows before it.
        mean, std : arrays of shape (n_samples,)
            Otherwise.
        interval : array of shape (n_samples, 2)
            If `returns` is "interval".
        """
        check_returns(returns, confidence)
        n_threads = n_threads_of(self.n_jobs)
        nothing = np.empty((0, int(self.n_estimators)))
        found = [(nothing, nothing)]
        for piece in pieces(*self._prepared(X, y, sample_weight)):
            found.append(self._core.predict_then_learn(*piece, n_threads))
        means, variances = (np.concatenate(parts) for parts in zip(*found, strict=True))
        dist = self._mixture(means, variances)
        if returns == "dist":
            return dist
        moments = _mean_over_trees(means), dist.std()
        return moments if returns == "std" else (*moments, dist.interval(confidence))

    def apply(self, X: Any) -> npt.NDArray[np.uint32]:
        """Return the number of the leaf in which each row falls, per tree: shape (n_samples, n_estimators)."""
        leaves: npt.NDArray[np.uint32] = self._core.leaves(self._query_rows(X), n_threads_of(self.n_jobs))
        return leaves

    # What was learned.

    @property
    def n_nodes_(self) -> int:
        """Number of nodes in all trees together, those in the background left out."""
        self._check_learned()
        return int(self._core.n_nodes)

    @property
    def depth_(self) -> int:
        """Length of the longest way from a root to a leaf."""
        self._check_learned()
        return int(self._core.depth)

    @property
    def n_warnings_(self) -> int:
        """Warnings so far: how often a tree began in the background."""
        self._check_learned()
        return int(self._core.n_warnings)

    @property
    def n_drifts_(self) -> int:
        """Alarms so far: how often a tree was replaced."""
        self._check_learned()
        return int(self._core.n_alarms)

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in the squares of labels that splits have explained."""
        self._check_learned()
        gains: Floats = self._core.gains()
        return gains / gains.sum() if gains.sum() > 0 else np.full(gains.size, 1.0 / gains.size)

    # Below: private.

    def _check_parameters(self) -> None:
        check_tree_parameters(self)
        n_threads_of(self.n_jobs)

    def _begin(self, width: int) -> None:
        self._core = self._new_core(width, draw_seed(self.random_state))

    def _new_core(self, width: int, seed: int) -> Any:
        return _core.OnlineForest(growth=growth_of(self, width), n_trees=int(self.n_estimators), seed=seed)

    def _learn(self, X: Floats, y: Floats, weights: Floats) -> None:
        self._core.learn(X, y, weights, n_threads_of(self.n_jobs))

    def _learn_row(self, x: Any, y: float) -> None:
        self._core.learn_one(x, y)

    def _mean_row(self, x: Any) -> float:
        mean: float = self._core.mean_one(x)
        return mean

    def _mixture(self, means: Floats, variances: Floats) -> NormalMixture:
        n, n_trees = means.shape
        least = (1e-9 * np.maximum(np.abs(means), 1e-9)) ** 2  # where all labels are equal
        return NormalMixture(
            np.arange(n + 1) * n_trees,
            np.full(n * n_trees, 1.0 / n_trees),
            means.ravel(),
            np.maximum(variances, least).ravel(),
            n_threads=n_threads_of(self.n_jobs),
        )

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        state = super()._fitted_state()
        if state is None:
            return None
        return {**state[0], "seed": self._core.seed}, self._core.archive()

    def _restore_core(self, width: int, numbers: dict[str, Any], arrays: Arrays) -> None:
        seed = int(numbers["seed"])
        if not 0 <= seed < 2**64 or arrays["slots"].size != 4 * int(self.n_estimators):
            raise ValueError("its seed or its number of trees is out of range")
        core = self._new_core(width, seed)
        core.restore(arrays)
        self._core = core


def _mean_over_trees(means: Floats) -> Floats:
    """Sum in the order of the trees, as the core does: the same bits."""
    total: Floats = np.zeros(means.shape[0])
    for tree in range(means.shape[1]):
        total += means[:, tree]
    total /= means.shape[1]
    return total
