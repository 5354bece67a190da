"""Bayesian decision trees for regression."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from hedgerow.base.regressor import Regressor
from hedgerow.base.rows import Floats
from hedgerow.bayesian._posterior import BayesianTree
from hedgerow.bayesian._settings import RealTreeSettings
from hedgerow.predictive import StudentMixture


class BayesianTreeRegressor(Regressor, BayesianTree):
    """A posterior over decision trees for regression, by sequential Monte Carlo.

    Trees have the prior of Chipman, George and McCulloch (1998); the labels in a leaf are normal, with a mean and a
    variance of their own that have a normal-inverse-gamma prior and are integrated out. A prediction is a mixture of
    Student's t distributions, one for each tree of the sample.

    Parameters
    ----------
    sampler, n_particles, n_islands, proposal, max_features, expansion, resampling, ess_threshold
        As for `BayesianTreeClassifier`.
    split_base, split_decay : float, default=0.95 and 0.5
        As for `BayesianTreeClassifier`.
    prior_mean : float, optional
        Mean of a leaf's mean. Default: the mean of the labels.
    mean_weight : float, default=0.1
        How many labels the prior of a leaf's mean is worth: given the leaf's variance, the variance of the mean is
        ``variance / mean_weight``.
    noise_df, noise_quantile : float, default=3.0 and 0.9
        A leaf's variance is ``noise_df * noise_scale`` divided by a chi-squared variable of ``noise_df`` degrees of
        freedom. Unless `noise_scale` is given, it is such that the standard deviation in a leaf is below that of all
        labels with probability ``noise_quantile``. Where ``noise_df`` and the rows of a leaf together are at most 2,
        the standard deviation of a prediction is infinite.
    noise_scale : float, optional
        See `noise_df`.
    n_steps, n_burn_in, n_jobs, random_state
        As for `BayesianTreeClassifier`.

    Attributes
    ----------
    prior_mean_, noise_scale_ : float
        Hyper-parameters in use.
    log_marginal_likelihood_, log_marginal_likelihood_error_ : float
        Estimate of the evidence of the labels, and its Monte Carlo error.
    n_leaves_ : float
        Posterior mean of the number of leaves; `n_leaves_posterior_` has its distribution.
    split_inclusion_ : array of shape (n_features,)
        Posterior probability that the tree splits each column.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import BayesianTreeRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(300, 2))
    >>> y = np.where(X[:, 0] > 0.5, 3.0, 1.0) + rng.normal(scale=0.2, size=300)
    >>> model = BayesianTreeRegressor(random_state=0).fit(X, y)
    >>> model.predict([[0.2, 0.5], [0.8, 0.5]]).round(1).tolist()
    [1.0, 3.0]
    >>> model.predict_interval([[0.2, 0.5]], confidence=0.9).shape
    (1, 2)
    """

    _SETTINGS: ClassVar[Any] = RealTreeSettings

    def __init__(
        self,
        sampler: str = "smc",
        *,
        n_particles: int = 1000,
        n_islands: int = 5,
        proposal: str = "prior",
        expansion: str = "node",
        resampling: str = "multinomial",
        ess_threshold: float = 0.1,
        split_base: float = 0.95,
        split_decay: float = 0.5,
        prior_mean: float | None = None,
        mean_weight: float = 0.1,
        noise_df: float = 3.0,
        noise_quantile: float = 0.9,
        noise_scale: float | None = None,
        max_features: Any = None,
        n_steps: int = 10_000,
        n_burn_in: int | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.sampler = sampler
        self.n_particles = n_particles
        self.n_islands = n_islands
        self.proposal = proposal
        self.expansion = expansion
        self.resampling = resampling
        self.ess_threshold = ess_threshold
        self.split_base = split_base
        self.split_decay = split_decay
        self.prior_mean = prior_mean
        self.mean_weight = mean_weight
        self.noise_df = noise_df
        self.noise_quantile = noise_quantile
        self.noise_scale = noise_scale
        self.max_features = max_features
        self.n_steps = n_steps
        self.n_burn_in = n_burn_in
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def predict_one(self, x: Any) -> float:
        """Mean at one point: a mapping, a sequence or a 1-D array."""
        return float(self._mixture(self._one_row(x), 1).mean()[0])

    def predict_dist(self, X: Any) -> StudentMixture:
        """Return the predictive distribution of each row, whole: moments, density, quantiles, draws."""
        return self._mixture(self._query_rows(X), self._current.query.n_threads)

    @property
    def prior_mean_(self) -> float:
        """Mean of a leaf's mean, before data."""
        self._check_learned()
        return float(self._learner.leaves.mean)

    @property
    def noise_scale_(self) -> float:
        """Scale of a leaf's variance, before data."""
        self._check_learned()
        return float(self._learner.leaves.scale)

    def _variance_parts(self, X: Floats) -> tuple[Floats, Floats, Floats]:
        return self._mixture(X, self._current.query.n_threads)._variance_parts()

    def _mixture(self, X: Floats, n_threads: int) -> StudentMixture:
        trees = self._learner.trees
        first, leaves, weights = trees.mixtures(X, n_threads)
        students = trees.students()[leaves]
        return StudentMixture(first, weights, students[:, 0], students[:, 1], students[:, 2])

    def _leaf_words(self, numbers: Floats) -> str:
        n_rows, mean, squares = numbers
        return f"{mean:.4g} ± {np.sqrt(squares / n_rows):.2g}, {n_rows:g} rows"

    def _leaf_value(self, numbers: Floats) -> tuple[float, Floats]:
        return float(numbers[0]), numbers[1:2]
