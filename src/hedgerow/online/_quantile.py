"""The online quantile regression forest."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from hedgerow import _core
from hedgerow._persistence import Arrays, construct, describe
from hedgerow._random import draw_seed
from hedgerow._validation import check_integer, n_threads_of
from hedgerow.online._forest import OnlineForestRegressor
from hedgerow.online._growth import growth_of
from hedgerow.online._learner import OnlineRegressor, pieces
from hedgerow.predictive import LabelMixture

Floats = npt.NDArray[np.float64]


class OnlineQuantileForestRegressor(OnlineRegressor):
    """An online forest whose leaves remember the distribution of their labels, not only its mean.

    Each leaf keeps a quantile sketch of the labels that it has met: all of them at first, later ever fewer that stand
    for many, so that memory is bounded and ranks are right to within about 1.65 % at a size of 200. A prediction is the
    mixture of the sketches of one leaf a tree, each tree with the same weight; nothing is merged, so asking leaves the
    model as it is. Children inherit the labels of the rows that their parent kept. Leaves split where labels differ in
    mean or in spread, so that intervals follow noise that varies.

    Parameters
    ----------
    base : OnlineForestRegressor, optional
        Says how trees grow. Its parameters are taken, nothing that it has learned. Default:
        ``OnlineForestRegressor()``.
    sketch_size : int, default=200
        K of the sketches: up to as many labels are kept as they are. Twice as many halve the error of ranks.
    conformal : bool, default=False
        Whether quantiles are corrected by how far from the median recent labels were, in levels of their own forecast,
        so that intervals are valid if rows are exchangeable.
    calibration_size : int, default=1000
        Rows to calibrate on: those that came last.
    random_state : int, RandomState or None
        Where the randomness starts, if the base model does not say.

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
    >>> bool(high > 10 * low)  # intervals are as wide as labels vary there
    True
    """

    _SHAPING = ("sketch_size", "conformal", "calibration_size")

    _base: OnlineForestRegressor
    _window: Any

    def __init__(
        self,
        base: Any = None,
        *,
        sketch_size: int = 200,
        conformal: bool = False,
        calibration_size: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.base = base
        self.sketch_size = sketch_size
        self.conformal = conformal
        self.calibration_size = calibration_size
        self.random_state = random_state

    # Predicting.

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Mean of the leaves' labels and, if asked, the standard deviation of those kept."""
        X = self._query_rows(X)
        means: Floats = self._core.means(X, n_threads_of(self._base.n_jobs))
        return (means, self._std(X)) if return_std else means

    def predict_quantiles(self, X: Any, quantiles: npt.ArrayLike) -> Floats:
        """Quantiles of each row's label: shape (n_samples, n_quantiles)."""
        levels = np.atleast_1d(np.asarray(quantiles, dtype=np.float64))
        if levels.ndim != 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"quantiles must be numbers between 0 and 1, got {quantiles!r}")
        return self._quantiles(self._query_rows(X), levels)

    def predict_interval(self, X: Any, confidence: float = 0.9) -> Floats:
        """Central prediction interval of each row: shape (n_samples, 2)."""
        if not 0 < confidence < 1:
            raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
        return self.predict_quantiles(X, [0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])

    def predict_dist(self, X: Any) -> LabelMixture:
        """Return the distribution of each row: the labels kept in its leaves."""
        X = self._query_rows(X)
        first, weights, labels = self._core.labels(X)
        return LabelMixture(first, weights, labels, lambda levels: self._quantiles(X, levels))

    def predict_then_learn(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, confidence: float = 0.9
    ) -> tuple[Floats, Floats]:
        """Predict each row just before learning it, in one call.

        The same as a loop over `predict`, `predict_interval` and `learn_one`, only faster.

        Parameters
        ----------
        X, y, sample_weight
            As for `partial_fit`. Rows of weight zero are neither predicted nor learned.
        confidence : float, default=0.9
            Of the intervals.

        Returns
        -------
        mean : array of shape (n_samples,)
        interval : array of shape (n_samples, 2)
        """
        if not 0 < confidence < 1:
            raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
        found: list[tuple[Floats, Floats]] = [(np.empty(0), np.empty((0, 2)))]
        for piece in pieces(*self._prepared(X, y, sample_weight)):
            found.append(self._core.forecast_then_learn(*piece, float(confidence), self._window))
        means, intervals = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return means, intervals

    # What was learned.

    @property
    def n_nodes_(self) -> int:
        """Number of nodes in all trees together, those in the background left out."""
        self._check_learned()
        return int(self._core.n_nodes)

    @property
    def n_drifts_(self) -> int:
        """Alarms so far: how often a tree was replaced."""
        self._check_learned()
        return int(self._core.n_alarms)

    # Below: private.

    def _check_parameters(self) -> None:
        check_integer("sketch_size", self.sketch_size, least=8)
        check_integer("calibration_size", self.calibration_size, least=1)
        if not isinstance(self.conformal, bool | np.bool_):
            raise ValueError(f"conformal must be True or False, got {self.conformal!r}")
        if self.base is not None and not isinstance(self.base, OnlineForestRegressor):
            raise ValueError(f"base must be an OnlineForestRegressor, got {self.base!r}")
        self._new_base()._check_parameters()

    def _new_base(self) -> OnlineForestRegressor:
        base: OnlineForestRegressor = OnlineForestRegressor() if self.base is None else clone(self.base)
        return base.set_params(random_state=self.random_state) if base.random_state is None else base

    def _begin(self, width: int) -> None:
        self._base = self._new_base()
        self._make_core(width, draw_seed(self._base.random_state))

    def _make_core(self, width: int, seed: int) -> None:
        growth = growth_of(self._base, width)
        growth.sketch_size = int(self.sketch_size)
        growth.weighs_spread = True
        self._core = _core.QuantileForest(growth=growth, n_trees=int(self._base.n_estimators), seed=seed)
        self._window = _core.ScoreWindow(int(self.calibration_size), 0.0) if self.conformal else None

    def _quantiles(self, X: Floats, levels: Floats) -> Floats:
        n_threads = n_threads_of(self._base.n_jobs)
        if self._window is None:
            found: Floats = self._core.quantiles(X, np.ascontiguousarray(levels), False, n_threads)
            return found
        reach = self._window.radii(np.round(np.abs(2.0 * levels - 1.0), 12))
        signs = np.where(levels <= 0.5, -1.0, 1.0)
        at = np.where(np.isfinite(reach), 0.5 + signs * reach, 0.5)
        found = self._core.quantiles(X, at, True, n_threads)
        return np.where(np.isfinite(reach), found, signs * np.inf)

    def _learn(self, X: Floats, y: Floats, weights: Floats) -> None:
        if self._window is None:
            self._core.learn(X, y, weights, n_threads_of(self._base.n_jobs))
        else:
            self._core.forecast_then_learn(X, y, weights, 0.5, self._window)

    def _learn_row(self, x: Any, y: float) -> None:
        self._learn(x.reshape(1, -1), np.array([y]), np.empty(0))

    def _mean_row(self, x: Any) -> float:
        mean: float = self._core.mean_one(x)
        return mean

    def _with_row(self, call: Any, x: Any, *rest: Any) -> Any:
        return call(self._read_row(x), *rest)

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        state = super()._fitted_state()
        if state is None:
            return None
        arrays = {f"forest.{name}": array for name, array in self._core.archive().items()}
        if self._window is not None:
            arrays |= {f"window.{name}": array for name, array in self._window.archive().items()}
        return {**state[0], "seed": self._core.seed, "base": describe(self._base)}, arrays

    def _restore_core(self, width: int, numbers: dict[str, Any], arrays: Arrays) -> None:
        base, seed = construct(numbers["base"], OnlineForestRegressor), int(numbers["seed"])
        base._check_parameters()
        if not 0 <= seed < 2**64 or arrays["forest.slots"].size != 4 * int(base.n_estimators):
            raise ValueError("its seed or its number of trees is out of range")
        self._base = base
        self._make_core(width, seed)
        self._core.restore({name.removeprefix("forest."): array for name, array in arrays.items()})
        if self._window is not None:
            self._window.restore(arrays["window.scores"], arrays["window.levels"])
