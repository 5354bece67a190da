"""BART for numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from hedgerow.bart._bart import BART, shares_of
from hedgerow.bart._settings import RealBARTSettings
from hedgerow.bart._tree_view import DrawnTrees
from hedgerow.base.regressor import Regressor
from hedgerow.base.rows import Floats
from hedgerow.predictive import NormalMixture
from hedgerow.predictive._distribution import central_intervals, levels_of


class BARTRegressor(Regressor, BART):
    """Bayesian additive regression trees: targets are a sum of many small trees and normal noise.

    Model and prior are those of Chipman, George and McCulloch (2010); Markov chains draw from the posterior by exact
    moves, among them particle Gibbs (Lakshminarayanan's thesis, 2016, chapter 4). Predictions average over all draws.
    With ``noise="varying"`` the noise depends on the columns too: its variance is a product of trees (Pratola, Chipman,
    George and McCulloch 2020), drawn along with the others.

    Parameters
    ----------
    n_estimators : int, default=200
        Trees in the sum.
    sampler : {"auto", "pg", "cgm", "grow_prune"} or mapping, default="auto"
        How a tree moves in a sweep. "auto" mixes exact moves by the number of trees; the others are those of the
        thesis: particle Gibbs, the four moves of Chipman, George and McCulloch, and only two of them. A mapping counts
        moves by name: "grow_prune", "perturb", "change", "swap", "heat_bath", "exchange", "graft", "graft_alike",
        "subtree_pg", "pg"; "rounds" counts how often a sweep visits all trees.
    n_particles : int, default=10
        Of particle Gibbs, where it is among the moves.
    n_chains : int, default=4
        Independent chains.
    n_draws : int or "auto", default=1000
        Draws that each chain keeps. With "auto" chains end early: after 100, 200, 300, 500 or 700 draws, if
        `diagnostics` has nothing to complain of by then, that is if R-hat of noise, log-likelihood, leaves and
        predictions is at most 1.1 and each is worth 100 independent draws; and else after 1000, with a warning.
        `n_draws_` is their number.
    n_burn_in : int, default=500
        Sweeps of each chain before its first draw.
    thin : int, default=1
        Sweeps for each draw.
    start : {"leaves", "prior"}, default="leaves"
        Whether chains begin with trees that are single leaves, or each with a draw from the prior: starts so far apart
        that chains which agree in the end have forgotten them.
    split_base, split_decay : float, default=0.95 and 2.0
        A node of depth d is split with probability ``split_base / (1 + d) ** split_decay`` before data.
    shrinkage : float, default=2.0
        Before data, the range of the targets is ``2 * shrinkage`` standard deviations of the sum wide: the higher, the
        less a tree may predict.
    noise : {"constant", "varying"}, default="constant"
        Whether all rows have the same noise, or one that depends on the columns. Intervals, densities and everything
        else that is predicted follow. Takes about twice as long. Weights should then have mean one unless rows really
        are copies: what is repeated is believed to be exact. `sampler` is about the trees of the mean.
    noise_df, noise_quantile : float, default=3.0 and 0.9
        The noise's variance is scaled inverse chi-squared with `noise_df` degrees of freedom; its standard deviation is
        below that of a linear regression's residuals with probability `noise_quantile`. If noise varies, this is the
        level from which rows differ.
    categorical_features : "from_dtype", None, or names, numbers or a mask of columns, default="from_dtype"
        Columns of categories; by default those that have such a type: text, `category`, objects.
    n_jobs : int, optional
        Threads, each of which takes some of the chains, or of the rows of a query. By default, and for -1, as many as
        there are cores; by default no more than the environment variable OMP_NUM_THREADS allows, which joblib sets in
        processes that share the cores. The result does not depend on it.
    random_state : int, RandomState or None
        Random seed.
    progress : bool, optional
        Whether to show a bar while sampling. By default only on a terminal, and only if it takes a while.

    Attributes
    ----------
    noise_draws_ : array of shape (n_chains, n_draws)
        Standard deviation of the noise; if it varies, the root of its mean variance over the rows learned,
        weighted. `predict_noise_draws` has that of each row.
    noise_ : float
        Its posterior mean.
    trace_ : dict of arrays
        What was noted down of each draw; see `diagnostics`.
    split_inclusion_, feature_importances_ : arrays of shape (n_features,)
        Shares of splits that fall on each column: mean over draws, and over all splits. Those of the mean's trees.
    noise_split_inclusion_ : array of shape (n_features,)
        The same of the noise's trees, mean over draws; zeros if noise is constant.
    n_draws_ : int
        Draws that each chain has kept.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import BARTRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(200, 3))
    >>> y = 10 * np.sin(3 * X[:, 0]) + 5 * X[:, 1] + rng.normal(size=200)
    >>> model = BARTRegressor(n_estimators=50, n_chains=1, n_draws=300, n_burn_in=300, random_state=0).fit(X, y)
    >>> mean, std = model.predict(X[:4], return_std=True)
    >>> model.predict_interval(X[:4], confidence=0.9, kind="mean").shape
    (4, 2)
    >>> bool(0.8 < model.noise_draws_.mean() < 1.2)
    True

    Noise that grows along a column:

    >>> y = 10 * np.sin(3 * X[:, 0]) + (0.2 + 3 * X[:, 2]) * rng.normal(size=200)
    >>> model.set_params(noise="varying").fit(X, y).predict_noise_draws(X[:4]).shape
    (300, 4)
    >>> std = model.predict(X, return_std=True)[1]
    >>> bool(std[X[:, 2] > 0.7].mean() > 2 * std[X[:, 2] < 0.3].mean())
    True
    """

    _SETTINGS: ClassVar[Any] = RealBARTSettings

    def __init__(
        self,
        n_estimators: int = 200,
        *,
        sampler: Any = "auto",
        n_particles: int = 10,
        n_chains: int = 4,
        n_draws: int | str = 1000,
        n_burn_in: int = 500,
        thin: int = 1,
        start: str = "leaves",
        split_base: float = 0.95,
        split_decay: float = 2.0,
        shrinkage: float = 2.0,
        noise: str = "constant",
        noise_df: float = 3.0,
        noise_quantile: float = 0.9,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: bool | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.sampler = sampler
        self.n_particles = n_particles
        self.n_chains = n_chains
        self.n_draws = n_draws
        self.n_burn_in = n_burn_in
        self.thin = thin
        self.start = start
        self.split_base = split_base
        self.split_decay = split_decay
        self.shrinkage = shrinkage
        self.noise = noise
        self.noise_df = noise_df
        self.noise_quantile = noise_quantile
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    # What is predicted.

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Mean and, if requested, standard deviation of each row's target, noise included."""
        X = self._query_rows(X)
        mean, variance = self._moments(X)
        return (mean, np.sqrt(variance + self._noise_variances(X))) if return_std else mean

    def predict_one(self, x: Any) -> float:
        """Mean at one point: a mapping, a sequence or a 1-D array."""
        return float(self._moments(self._one_row(x))[0][0])

    def predict_draws(self, X: Any) -> Floats:
        """Return draws of the mean of each row's target: shape (n_chains * n_draws, n_samples).

        Chain after chain. Noise is left out; `predict_noise_draws` has it, in the same order.
        """
        return self._means_at(self._query_rows(X))

    def predict_noise_draws(self, X: Any) -> Floats:
        """Return draws of the noise of each row: shape (n_chains * n_draws, n_samples).

        Standard deviations, chain after chain. All rows have the same unless ``noise="varying"``.
        """
        return self._noise_at(self._query_rows(X))

    def predict_dist(self, X: Any) -> NormalMixture:
        """Return the predictive distribution of each row, whole: moments, density, quantiles, draws.

        It is the mixture over all draws, and takes 24 bytes a row and draw. The other methods work on a few rows at
        a time.
        """
        X = self._query_rows(X)
        all_means = np.empty((X.shape[0], self.noise_draws_.size))
        for part, means in self._means(X):
            all_means[part] = means
        return self._mixture(X, all_means)

    def predict_interval(self, X: Any, confidence: npt.ArrayLike = 0.9, kind: str = "prediction") -> Floats:
        """Central interval of each row: shape (n_samples, 2).

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Rows.
        confidence : float or list of floats, default=0.9
            Probability within the interval.
        kind : {"prediction", "mean"}, default="prediction"
            Whether the interval is about a new target, or about the mean of all targets that the row might have.

        Returns
        -------
        interval : array of shape (n_samples, 2), or (n_samples, 2, k) for k confidences
        """
        if not isinstance(kind, str) or kind not in ("prediction", "mean"):
            raise ValueError(f"kind must be 'prediction' or 'mean', got {kind!r}")
        if kind == "prediction":
            return central_intervals(lambda levels: self.predict_quantiles(X, levels), confidence)
        rows = self._query_rows(X)
        return central_intervals(
            lambda levels: np.concatenate([np.quantile(means, levels, axis=1).T for _, means in self._means(rows)]),
            confidence,
        )

    def predict_quantiles(self, X: Any, quantiles: npt.ArrayLike) -> Floats:
        """Quantiles of each row's target: shape (n_samples, n_quantiles)."""
        X = self._query_rows(X)
        levels = np.atleast_1d(levels_of(quantiles))
        return np.concatenate([self._mixture(X[part], means).ppf(levels) for part, means in self._means(X)])

    def log_density(self, X: Any, y: npt.ArrayLike) -> Floats:
        """Log of the predictive density of each target: shape (n_samples,)."""
        X, targets = self._query_rows_and_targets(X, y)
        parts = self._means(X)
        return np.concatenate([self._mixture(X[part], means).logpdf(targets[part]) for part, means in parts])

    # Diagnostics.

    @property
    def noise_draws_(self) -> Floats:
        """Standard deviation of the noise: shape (n_chains, n_draws).

        If it varies, the root of its mean variance over the rows learned, weighted.
        """
        return self.trace_["noise"]

    @property
    def noise_(self) -> float:
        """Posterior mean of the noise's standard deviation."""
        return float(self.noise_draws_.mean())

    @property
    def noise_split_inclusion_(self) -> Floats:
        """Share of the splits of the noise's trees that fall on each column, mean over draws; zeros if it is constant.

        A tree that explains nothing of the noise splits columns at random: look for those that stand out.
        """
        self._check_learned()
        if self._learner.response.varying is None:
            return np.zeros(self.n_features_in_)
        shares: Floats = shares_of(self._learner.sampler.noise_split_counts()).mean(axis=0)
        return self._columns.by_column(shares)

    # Below: private.

    def _trees_of(self, what: Any) -> DrawnTrees:
        response, n_trees = self._learner.response, self._learner.settings.n_estimators
        if what is None or (isinstance(what, str) and what == "mean"):
            return DrawnTrees("", 0, n_trees, n_trees, response.units.width, response.units.centre)
        if not isinstance(what, str) or what != "noise":
            raise ValueError(f"of must be 'mean' or 'noise', got {what!r}")
        if response.varying is None:
            raise ValueError("noise is constant, so there are no trees of it; fit with noise='varying'")
        n_trees = response.varying.n_trees
        return DrawnTrees("noise.", 0, n_trees, n_trees, 1.0, 2.0 * math.log(response.units.width))

    def _moments(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean and variance over draws of the mean of each row's target."""
        units = self._learner.response.units
        mean, variance = self._learner.moments(X, self._current.query.n_threads)
        return units.centre + units.width * mean, units.width**2 * variance

    def _variance_parts(self, X: Floats) -> tuple[Floats, Floats, Floats]:
        """Draws of sums of trees disagree; trees know no distance."""
        return self._noise_variances(X), self._moments(X)[1], np.zeros(X.shape[0])

    def _noise_variances(self, X: Floats) -> Floats:
        """Mean over draws of the variance of each row's noise."""
        if self._learner.response.varying is None:
            return np.full(X.shape[0], (self.noise_draws_**2).mean())
        return np.concatenate([(self._deviations(X[part]) ** 2).mean(axis=1) for part in self._learner.parts(X)])

    def _means(self, X: Floats) -> Iterator[tuple[slice, Floats]]:
        """Yield a few rows at a time and draws of their means: shape (rows, draws)."""
        units = self._learner.response.units
        for part, sums in self._learner.sums(X, self._current.query.n_threads):
            means = sums[:, :, 0]
            means *= units.width
            means += units.centre
            yield part, means

    def _deviations(self, X: Floats) -> Floats:
        """Draws of the standard deviation of each row's noise: shape (rows, draws)."""
        response = self._learner.response
        if response.varying is None:
            shared = self.noise_draws_.ravel()
            return np.broadcast_to(shared, (X.shape[0], shared.size))
        log_variances = self._learner.log_variances(X, self._current.query.n_threads)
        found: Floats = np.exp(0.5 * log_variances) * response.units.width
        return found

    def _mixture(self, X: Floats, means: Floats) -> NormalMixture:
        n, n_draws = means.shape
        return NormalMixture(
            np.arange(n + 1) * n_draws,
            np.full(n * n_draws, 1.0 / n_draws),
            means.ravel(),
            self._deviations(X).ravel() ** 2,
            n_threads=self._current.query.n_threads,
        )

    def _draws_at(self, X: Floats) -> dict[str, Floats]:
        varies = self._learner.response.varying is not None
        return {"predictions": self._means_at(X)} | ({"noise_of_rows": self._noise_at(X)} if varies else {})

    def _means_at(self, X: Floats) -> Floats:
        drawn = np.empty((self.noise_draws_.size, X.shape[0]))
        for part, means in self._means(X):
            drawn[:, part] = means.T
        return drawn

    def _noise_at(self, X: Floats) -> Floats:
        drawn = np.empty((self.noise_draws_.size, X.shape[0]))
        for part in self._learner.parts(X):
            drawn[:, part] = self._deviations(X[part]).T
        return drawn

    def _log_likelihoods_at(self, X: Floats, y: Any) -> Floats:
        found: Floats = norm.logpdf(np.asarray(y, dtype=np.float64), self._means_at(X), self._noise_at(X))
        return found
