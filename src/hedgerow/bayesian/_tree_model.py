"""What Bayesian trees for classes and for numbers have in common: sampling, the posterior over trees, files."""

from __future__ import annotations

import math
from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from hedgerow import _core
from hedgerow._batch_model import BatchModel
from hedgerow._persistence import Arrays
from hedgerow._random import draw_seed
from hedgerow._transaction import all_or_nothing
from hedgerow._validation import check_integer, check_within, drop_weightless, n_threads_of
from hedgerow.bayesian._decision_tree import DecisionTree

Floats = npt.NDArray[np.float64]

WORK_BETWEEN_SIGNALS = 20_000_000
"""Values of rows that the core looks at, about, before Python looks for Ctrl-C."""
MOST_PARTICLES = 2**24
"""In an island: their numbers are part of the names of random streams."""
MOST_TABULATED = 2**22
"""Counts up to which log-gamma is looked up."""

CHOICES = {
    "sampler": ("smc", "cgm"),
    "proposal": ("prior", "empirical", "optimal"),
    "expansion": ("node", "layer"),
    "resampling": ("multinomial", "systematic"),
}


class BayesianTree(BatchModel):
    """Base of Bayesian trees. A subclass brings the leaves: what labels are, and what is predicted."""

    sampler: str
    n_particles: int
    n_islands: int
    proposal: str
    expansion: str
    resampling: str
    ess_threshold: float
    split_base: float
    split_decay: float
    max_features: Any
    n_steps: int
    n_burn_in: int | None
    n_jobs: int | None
    random_state: Any

    _trees: Any
    _SAMPLER: ClassVar[Any]
    _TREES: ClassVar[Any]

    # What the leaves decide.

    @abstractmethod
    def _take_labels(self, y: Any, weights: Floats) -> Floats:
        """Learn what can be said of the labels before trees grow, and return them as the core takes them."""

    def _weigh(self, labels: Floats, weights: Floats, online: bool) -> Floats:
        """Weights of rows that are about to be learned."""
        return weights

    @abstractmethod
    def _leaves(self, most_rows: int) -> Any:
        """Return the core's leaf model."""

    @abstractmethod
    def _leaf_words(self, numbers: Floats) -> str:
        """Say what a leaf predicts."""

    # Learning.

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Sample trees from their posterior given all rows, forgetting whatever was learned before.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Numbers, all finite.
        y : array of shape (n_samples,)
            Labels.
        sample_weight : array of shape (n_samples,), optional
            A row of weight w counts as w equal rows. Rows of weight zero are ignored.

        Returns
        -------
        self
        """
        self._check_parameters()
        X, y = self._validated(X, y, reset=True)
        X, y, weights = drop_weightless(X, y, sample_weight)
        if X.shape[0] == 0:
            raise ValueError("every sample_weight is zero: there is no row to learn")
        labels = self._take_labels(y, weights)
        weights = self._weigh(labels, weights, online=False)
        n_weighed = self._n_weighed(X.shape[1])
        total = float(weights.sum()) if weights.size else float(X.shape[0])
        sampler = self._begin(X, labels, weights, self._leaves(int(min(total, MOST_TABULATED))), n_weighed)
        n_threads = n_threads_of(self.n_jobs)
        while not sampler.is_finished:
            sampler.work(WORK_BETWEEN_SIGNALS, n_threads)
        self._trees = sampler.trees()
        return self

    # The posterior over trees.

    @property
    def log_marginal_likelihood_(self) -> float:
        """Logarithm of the probability of all labels, trees and leaves integrated out; an estimate.

        It is the logarithm of the mean of the islands' estimates, each of which is unbiased.
        """
        islands = self.island_log_marginal_likelihoods_
        return float(logsumexp(islands) - math.log(islands.size))

    @property
    def log_marginal_likelihood_error_(self) -> float:
        """Monte Carlo standard error of `log_marginal_likelihood_`, from the differences between islands.

        NaN for one island. Islands that differ by several nats make it about 1, and too small: then look at
        `island_log_marginal_likelihoods_`.
        """
        islands = self.island_log_marginal_likelihoods_
        if islands.size < 2:
            return math.nan
        relative = np.exp(islands - self.log_marginal_likelihood_)
        return float(relative.std(ddof=1) / math.sqrt(islands.size))

    @property
    def island_log_marginal_likelihoods_(self) -> Floats:
        """The estimate of each island."""
        islands: Floats = self._array("islands.log_evidence")
        if islands.size == 0:
            raise AttributeError("a Markov chain gives no marginal likelihood; use sampler='smc'")
        return islands

    @property
    def tree_weights_(self) -> Floats:
        """Posterior weight of each tree of the sample. Trees that came out equal are one."""
        weights: Floats = self._array("trees.weight")
        return weights

    @property
    def effective_n_trees_(self) -> float:
        """How many equally weighted trees the sample is worth."""
        return float(1.0 / (self.tree_weights_**2).sum())

    @property
    def n_leaves_posterior_(self) -> dict[int, float]:
        """Posterior probability of each number of leaves."""
        counts = (np.diff(self._array("trees.first_node").astype(np.int64)) + 1) // 2
        values, places = np.unique(counts, return_inverse=True)
        probabilities = np.bincount(places, self.tree_weights_)
        return dict(zip(values.tolist(), probabilities.tolist(), strict=True))

    @property
    def n_leaves_(self) -> float:
        """Posterior mean of the number of leaves."""
        return sum(n * probability for n, probability in self.n_leaves_posterior_.items())

    @property
    def split_inclusion_(self) -> Floats:
        """Posterior probability that the tree splits each column somewhere."""
        included: Floats = (self._split_counts() > 0).T @ self.tree_weights_
        return included

    @property
    def feature_importances_(self) -> Floats:
        """Expected share of the splits that fall on each column; zeros if no tree splits."""
        counts = self._split_counts().T @ self.tree_weights_
        shares: Floats = counts / counts.sum() if counts.sum() > 0 else counts
        return shares

    def most_probable_tree(self) -> DecisionTree:
        """Return the tree of the sample whose partition of the rows has the highest posterior probability.

        The eight trees of each island that fit best are compared.
        """
        self._check_learned()
        arrays = self._trees.archive()
        number = int(arrays["trees.most_probable"][0])
        begin, end = arrays["trees.first_node"][number : number + 2].astype(np.int64)
        feature = arrays["nodes.feature"][begin:end].astype(np.int64)
        is_leaf = feature == 2**32 - 1
        link = arrays["nodes.link"][begin:end].astype(np.int64)
        first = arrays["leaves.first"].astype(np.int64)
        words = [
            self._leaf_words(arrays["leaves.numbers"][first[leaf] : first[leaf + 1]]) if last else ""
            for leaf, last in zip(np.where(is_leaf, link, 0), is_leaf, strict=True)
        ]
        return DecisionTree(
            feature=np.where(is_leaf, -1, feature),
            threshold=np.where(is_leaf, np.nan, arrays["nodes.location"][begin:end]),
            left=np.where(is_leaf, -1, link),
            right=np.where(is_leaf, -1, link + 1),
            words=words,
            feature_names=self._feature_names(),
            log_probability=float(arrays["trees.log_joint"][0]),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_trees")

    # Below: private.

    def _check_parameters(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {getattr(self, name)!r}")
        check_integer("n_particles", self.n_particles, least=1)
        check_integer("n_islands", self.n_islands, least=1)
        if not self.n_islands <= self.n_particles <= MOST_PARTICLES * self.n_islands:
            raise ValueError(
                f"n_particles must give each of the {self.n_islands} islands between one and {MOST_PARTICLES} "
                f"particles, got {self.n_particles}"
            )
        check_integer("n_steps", self.n_steps, least=1)
        if self.n_burn_in is not None:
            check_integer("n_burn_in", self.n_burn_in, least=0)
            if self.n_burn_in >= self.n_steps:
                raise ValueError(f"n_burn_in must be less than n_steps={self.n_steps}, got {self.n_burn_in}")
        check_within("ess_threshold", self.ess_threshold, 0.0, 1.0, "from 0 to 1")
        check_within("split_decay", self.split_decay, 0.0, math.inf, "of at least 0")
        check_within("split_base", self.split_base, 1e-300, 1.0 - 1e-16, "between 0 and 1, both left out")
        n_threads_of(self.n_jobs)

    def _n_weighed(self, width: int) -> int:
        """Columns that the optimal proposal weighs at a node; 0 for all."""
        chosen = self.max_features
        if chosen is None:
            return 0
        if self.proposal != "optimal" or self.sampler != "smc":
            raise ValueError(f"max_features is for sampler='smc' with proposal='optimal', got {chosen!r} without")
        if chosen == "sqrt":
            return max(1, math.isqrt(width))
        if isinstance(chosen, Integral) and not isinstance(chosen, bool) and 1 <= int(chosen) <= width:
            return int(chosen)
        if isinstance(chosen, Real) and not isinstance(chosen, Integral) and 0.0 < float(chosen) <= 1.0:
            return max(1, round(float(chosen) * width))
        raise ValueError(
            f"max_features must be None, 'sqrt', a number of columns up to {width} or a share of them, got {chosen!r}"
        )

    def _begin(self, X: Floats, labels: Floats, weights: Floats, leaves: Any, n_weighed: int) -> Any:
        shared = {
            "model": leaves,
            "prior": _core.TreePrior(float(self.split_base), float(self.split_decay)),
            "seed": draw_seed(self.random_state),
            "n_threads": n_threads_of(self.n_jobs),
        }
        if self.sampler == "cgm":
            burn_in = self.n_steps // 2 if self.n_burn_in is None else self.n_burn_in
            return self._SAMPLER.chain(
                X,
                labels,
                weights,
                n_steps=int(self.n_steps),
                n_burn_in=int(burn_in),
                n_kept=int(self.n_particles),
                n_chains=int(self.n_islands),
                **shared,
            )
        growth = _core.TreeGrowth(
            getattr(_core.Proposal, self.proposal), getattr(_core.Expansion, self.expansion), n_weighed
        )
        schedule = _core.Schedule(getattr(_core.Resampling, self.resampling), float(self.ess_threshold))
        return self._SAMPLER.filter(
            X,
            labels,
            weights,
            growth=growth,
            schedule=schedule,
            n_particles=int(self.n_particles),
            n_islands=int(self.n_islands),
            **shared,
        )

    def _array(self, name: str) -> Any:
        self._check_learned()
        return self._trees.archive()[name]

    def _split_counts(self) -> Floats:
        """How often each tree splits each column: shape (n_trees, n_features)."""
        self._check_learned()
        arrays = self._trees.archive()
        tree = np.repeat(np.arange(self._trees.n_trees), np.diff(arrays["trees.first_node"].astype(np.int64)))
        is_inner = arrays["nodes.feature"] != 2**32 - 1
        counts = np.zeros((self._trees.n_trees, self._trees.width))
        np.add.at(counts, (tree[is_inner], arrays["nodes.feature"][is_inner].astype(np.int64)), 1.0)
        return counts

    # Files.

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        if not self.__sklearn_is_fitted__():
            return None
        return self._columns(), self._trees.archive()

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        self._restore_columns(numbers)
        self._trees = self._TREES(arrays, model=self._leaves(0), width=self.n_features_in_)
