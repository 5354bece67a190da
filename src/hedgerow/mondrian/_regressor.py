"""Mondrian forests for regression: documents 000 and 002."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp
from sklearn.base import RegressorMixin

from hedgerow._validation import n_threads_of
from hedgerow.mondrian._calibration import Calibration
from hedgerow.mondrian._gaussian import GaussianForest
from hedgerow.mondrian._learning import Effort
from hedgerow.mondrian._noise import N_TREES as N_NOISE_TREES
from hedgerow.predictive import Forecasts, LeaveOneOut, NormalMixture
from hedgerow.predictive._forecasts import check_returns, joined
from hedgerow.targets import Untransformed

Floats = npt.NDArray[np.float64]

N_SMALL_TREES = 15
"""Of forests that tell what targets are."""


class MondrianForestRegressor(RegressorMixin, GaussianForest):  # type: ignore[misc]
    """A forest for regression that says how sure it is, learns row by row, and can unlearn.

    Trees are drawn from a Mondrian process on the range of the data; labels are smoothed by a hierarchical Gaussian
    along each tree. A prediction is a whole distribution: the mixture, over trees and over the places where the
    query point may leave each tree, of Gaussians. Far from the data it keeps the mean of the nearest point of their
    range and widens; with ``hyperparameters="paper"`` it returns to the prior.

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
        approximation: each node speaks with the mean and variance of its own labels.
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
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Where the randomness starts.

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
    """

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
        self.n_jobs = n_jobs
        self.random_state = random_state

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Mean of the predictive mixture and, if asked, its standard deviation.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Query points.
        return_std : bool, default=False
            Whether to return the standard deviation of a new label too.

        Returns
        -------
        mean : array of shape (n_samples,)
        std : array of shape (n_samples,), only if `return_std`
        """
        X = self._query_rows(X)
        if not isinstance(self._target, Untransformed):
            if not return_std:
                return self._from_dist(X, lambda dist, rows: dist.mean())
            moments = self._from_dist(X, lambda dist, rows: np.column_stack([dist.mean(), dist.std()]))
            return moments[:, 0], moments[:, 1]
        rule, n_threads = self._rule(), n_threads_of(self.n_jobs)
        parts = [self._core.moments(X[rows], rule, n_threads) for rows in self._pieces(X.shape[0])]
        mean = self._origin + np.concatenate([part[0] for part in parts])
        if not return_std:
            return mean
        within, between, added = (np.concatenate([part[k] for part in parts]) for k in (1, 2, 3))
        return mean, self._std(X, within, between, added)

    def predict_one(self, x: Any) -> float:
        """Mean at one point: a mapping, a sequence or a 1-D array. Before the first row, the prior mean or 0."""
        if not self.__sklearn_is_fitted__() or self._core.n_rows == 0:
            return 0.0 if self.prior_mean is None else float(self.prior_mean)
        if not isinstance(self._target, Untransformed):
            return float(self._distributions(self._read_row(x).reshape(1, -1)).mean()[0])
        return float(self._origin + self._with_row(self._core.mean_one, x, self._rule()))

    def predict_dist(self, X: Any) -> Any:
        """Return the predictive distribution of each row, whole: moments, density, quantiles, draws.

        A `NormalMixture`; that seen through a map, `Mapped`, or in cells, `Counts`, where targets are not real.
        """
        return self._distributions(self._query_rows(X))

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
        nothing is known, and the forecast is a Gaussian around the prior mean, or 0.

        Parameters
        ----------
        X, y, sample_weight
            As for `partial_fit`. Rows of weight zero are neither predicted nor learned.
        returns : {"dist", "std", "interval"}, default="dist"
            What is forecast: whole mixtures; or mean and standard deviation, which is quickest; or these two and the
            central interval. Row i was forecast by the forest that had learned the rows before it.
        confidence : float, default=0.9
            Of the interval.

        Returns
        -------
        forecasts : NormalMixture or Forecasts
            If `returns` is "dist"; the latter where targets are not real.
        mean, std : arrays of shape (n_samples,)
            Otherwise. With "std" they have the bits of `predict`.
        interval : array of shape (n_samples, 2)
            Only if `returns` is "interval", as from `predict_interval`.
        """
        check_returns(returns, confidence)
        stream = self._stream(X, y, sample_weight)
        if returns == "std":
            return joined(2, (self._moments_then_learn(*rows) for rows in stream))
        if returns == "interval":
            made = (self._forecast_then_learn(*rows) for rows in stream)
            return joined(3, ((part.mean(), part.std(), part.interval(confidence)) for part in made))
        parts = [self._forecast_then_learn(*rows) for rows in stream]
        return NormalMixture.joined(parts) if all(type(part) is NormalMixture for part in parts) else Forecasts(parts)

    def predict_interval(self, X: Any, confidence: float = 0.9) -> Floats:
        """Central prediction interval of each row: shape (n_samples, 2). Quantiles are those of the mixture."""
        return self._from_dist(self._query_rows(X), lambda dist, rows: dist.interval(confidence))

    def predict_quantiles(self, X: Any, quantiles: npt.ArrayLike) -> Floats:
        """Quantiles of the predictive mixture: shape (n_samples, n_quantiles)."""
        levels = np.atleast_1d(np.asarray(quantiles, dtype=np.float64))
        return self._from_dist(self._query_rows(X), lambda dist, rows: dist.ppf(levels))

    def log_density(self, X: Any, y: npt.ArrayLike) -> Floats:
        """Log of the predictive density of each label: shape (n_samples,)."""
        self._check_learned()
        X, labels = self._validated(X, y, reset=False)
        return self._from_dist(X, lambda dist, rows: dist.logpdf(labels[rows]))

    def loo_predict(self) -> LeaveOneOut:
        """Predict each row held as if it, and only it, had never been learned. No tree is grown for this.

        With ``min_samples_split=2`` this is exact: a Mondrian tree with one label struck out has the law of a tree that
        has not seen the row. With more, the row left out has helped to shape the leaf in which it is predicted. A row
        is left out whole, whatever its weight, and its copies with it: rows with the same features and the same target,
        unless features are so coarse that equal rows are no copies.

        Returns
        -------
        loo : LeaveOneOut
            A named tuple: mean, std and log_density, one number a row, in the order in which rows were learned.
        """
        self._check_hierarchy("loo_predict")
        y, X = self._decoded(self._core.row_labels()), self._core.row_values()
        parts = []
        for places in np.array_split(np.arange(y.size), 1 + y.size // 20_000):
            dist = self._target.left_out(self._without_rows(places), X[places])
            parts.append((dist.mean(), dist.std(), dist.logpdf(y[places])))
        return LeaveOneOut(*(np.concatenate(vectors) for vectors in zip(*parts, strict=True)))

    # Hyper-parameters in use.

    @property
    def prior_mean_(self) -> float:
        """mu_H, or the mean of all labels for smoothing="moments"."""
        self._check_learned()
        return float(self._origin + self._core.query(self._rule())[0])

    @property
    def drift_variance_(self) -> float:
        """gamma_1."""
        self._check_hierarchy("drift_variance_")
        return float(self._core.query(self._rule())[1])

    @property
    def drift_rate_(self) -> float:
        """gamma_2."""
        self._check_hierarchy("drift_rate_")
        return float(self._core.model[0])

    @property
    def noise_variance_(self) -> float:
        """sigma_y^2."""
        self._check_learned()
        return float(self._core.query(self._rule())[2 if self.smoothing == "hierarchy" else 1])

    @property
    def log_marginal_likelihood_(self) -> float:
        """Log of the labels' density, averaged over the trees: log mean_b p(y | tree b).

        It is that of the model that smooths. Where variances are calibrated for prediction, no one model has these too.
        """
        self._check_hierarchy("log_marginal_likelihood_")
        per_tree = self._core.log_evidence(self._rule_of(self._core, Calibration()))
        return float(logsumexp(per_tree) - math.log(per_tree.size))

    # Below: private.

    def _without_rows(self, places: npt.NDArray[np.intp] | None = None) -> NormalMixture:
        """What is said of each label held, or of some, without its row: one component a tree, or a tail of it."""
        rule, n_threads = self._rule(), n_threads_of(self.n_jobs)
        places = np.arange(self._core.n_rows) if places is None else places
        calibration, groups = self._calibration, self._groups_held()
        if math.isnan(calibration.variance):
            calibration = Calibration(*self._core.query(rule)[1:])
        factors = np.ones(places.size)
        if self._noise is not None:
            factors = self._noise.left_out_factors(self._core.row_values()[places])
        means, variances = self._core.leave_one_out_by_tree(rule, places.astype(np.uint32), groups, n_threads)
        variances = factors[:, None] * calibration.variances(variances)
        centre = means.mean(axis=1, keepdims=True)
        means = self._origin + centre + calibration.spread * (means - centre)
        n_trees, (weights, ratios) = means.shape[1], calibration.tails
        return NormalMixture(
            np.arange(places.size + 1) * n_trees * ratios.size,
            np.tile(weights / n_trees, places.size * n_trees),
            np.repeat(means, ratios.size),
            np.outer(variances, ratios).ravel(),
            n_threads=n_threads,
        )

    def _distributions(self, X: Floats) -> Any:
        mixtures = self._mixture_of(X, *self._core.mixtures(X, self._rule(), n_threads_of(self.n_jobs)))
        return self._target.distribution(mixtures, X)

    def _forecast_then_learn(self, X: Floats, labels: Floats, sample_weight: Floats) -> Any:
        n_threads = n_threads_of(self.n_jobs)
        said = self._core.predict_then_learn(X, labels, sample_weight, self._rule(), n_threads)
        return self._target.distribution(self._mixture_of(X, *said), X)

    def _moments_then_learn(self, X: Floats, labels: Floats, weights: Floats) -> tuple[Floats, Floats]:
        if not isinstance(self._target, Untransformed):
            dist = self._forecast_then_learn(X, labels, weights)
            return dist.mean(), dist.std()
        said = self._core.moments_then_learn(X, labels, weights, self._rule(), n_threads_of(self.n_jobs))
        return self._origin + said[0], self._std(X, *said[1:])

    def _noise_factors(self, X: Floats) -> Floats:
        """By how much the variance of each row differs from what it would be if noise did not vary."""
        return np.ones(X.shape[0]) if self._noise is None else self._noise.factors(X)

    def _std(self, X: Floats, within: Floats, between: Floats, added: Floats) -> Floats:
        return np.sqrt(self._noise_factors(X) * (within + added) + self._calibration.spread**2 * between)

    def _mixture_of(
        self, X: Floats, first: npt.NDArray[np.int64], weights: Floats, means: Floats, variances: Floats
    ) -> NormalMixture:
        """Return what the core says of rows, with noise that varies and with tails."""
        if self._noise is not None:
            variances = variances * np.repeat(self._noise_factors(X), np.diff(first))
        of_tails, ratios = self._calibration.tails
        if ratios.size > 1:
            weights, variances = np.outer(weights, of_tails).ravel(), np.outer(variances, ratios).ravel()
            first, means = ratios.size * first, np.repeat(means, ratios.size)
        return NormalMixture(first, weights, self._origin + means, variances, n_threads=n_threads_of(self.n_jobs))

    def _new_noise_forest(self) -> MondrianForestRegressor:
        return NoiseForest(N_NOISE_TREES, n_jobs=self.n_jobs, random_state=0)

    def _new_small_forest(self) -> MondrianForestRegressor:
        return SmallForest(N_SMALL_TREES, n_jobs=self.n_jobs, random_state=0)

    def _from_dist(self, X: Floats, ask: Callable[[Any, slice], Floats]) -> Floats:
        """Ask the distributions of a few thousand rows at a time: whole, they take far more room than the answer."""
        step = 4096
        parts = [
            ask(self._distributions(X[begin : begin + step]), slice(begin, begin + step))
            for begin in range(0, max(1, X.shape[0]), step)
        ]
        return np.concatenate(parts)


class NoiseForest(MondrianForestRegressor):
    """A forest that is asked for means only, and so spends less on learning."""

    _ALWAYS_REAL = True
    _EFFORT = Effort(most_rows=2000, n_rounds=1, most_smoothing=10_000, n_searches=10, most_calibrating=0)


class SmallForest(MondrianForestRegressor):
    """A forest on a few rows that is asked what it says of each without it, noise that varies included."""

    _ALWAYS_REAL = True
    _EFFORT = Effort(most_rows=1000, n_rounds=1, most_smoothing=10_000, n_searches=10, most_calibrating=500)
