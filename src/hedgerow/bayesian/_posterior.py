"""What Bayesian trees for classes and for numbers share: attributes of the posterior over trees."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp

from hedgerow.base.decision_tree import (
    NO_CHILD,
    NO_FEATURE,
    NO_THRESHOLD,
    DecisionTree,
    mean_below,
    summed_below,
    tree_number,
)
from hedgerow.base.estimator import Estimator
from hedgerow.base.rows import Floats
from hedgerow.bayesian._learner import TreeLearner

NO_COLUMN = 2**32 - 1
"""The column of a leaf."""


class BayesianTree(Estimator):
    """Base of Bayesian trees. A subclass defines what leaves predict."""

    _LEARNER: ClassVar[Any] = TreeLearner
    _learner: TreeLearner

    @abstractmethod
    def _leaf_words(self, numbers: Floats) -> str:
        """Say what a leaf predicts."""

    @abstractmethod
    def _leaf_value(self, numbers: Floats) -> tuple[float, Floats]:
        """Weight of the rows of a leaf, and the mean of their targets or the share of each class."""

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
        counts = np.array([self._columns.by_column(tree) for tree in self._split_counts()])
        included: Floats = (counts > 0).T @ self.tree_weights_
        return included

    @property
    def feature_importances_(self) -> Floats:
        """Expected share of the splits that fall on each column; zeros if no tree splits."""
        of_axes = self._split_counts().T @ self.tree_weights_
        counts = self._columns.by_column(of_axes)
        shares: Floats = counts / counts.sum() if counts.sum() > 0 else counts
        return shares

    def most_probable_tree(self) -> DecisionTree:
        """Return the tree of the sample whose partition of the rows has the highest posterior probability.

        The eight trees of each island that fit best are compared.
        """
        number = int(self._array("trees.most_probable")[0])
        return replace(self.tree(number), log_probability=float(self._array("trees.log_joint")[0]))

    def tree(self, index: int) -> DecisionTree:
        """Return a tree of the sample, whose weight is in `tree_weights_`, to be looked at."""
        self._check_learned()
        arrays, number = self._learner.trees.archive(), tree_number(index, self._learner.trees.n_trees)
        begin, end = arrays["trees.first_node"][number : number + 2].astype(np.int64)
        feature = arrays["nodes.feature"][begin:end].astype(np.int64)
        is_leaf = feature == NO_COLUMN
        link = arrays["nodes.link"][begin:end].astype(np.int64)
        first = arrays["leaves.first"].astype(np.int64)
        numbers = [arrays["leaves.numbers"][first[leaf] : first[leaf + 1]] for leaf in link[is_leaf]]
        words, weight = np.full(feature.size, "", dtype=object), np.zeros(feature.size)
        words[is_leaf] = [self._leaf_words(some) for some in numbers]
        weights, values = zip(*map(self._leaf_value, numbers), strict=True)
        weight[is_leaf] = weights
        value = np.zeros((feature.size, len(values[0])))
        value[is_leaf] = values
        left, right = np.where(is_leaf, NO_CHILD, link), np.where(is_leaf, NO_CHILD, link + 1)
        return DecisionTree(
            feature=np.where(is_leaf, NO_FEATURE, feature),
            threshold=np.where(is_leaf, NO_THRESHOLD, arrays["nodes.location"][begin:end]),
            left=left,
            right=right,
            words=words.tolist(),
            feature_names=self.axis_names_,
            n_node_samples=np.rint(summed_below(left, right, weight)).astype(np.int64),
            value=mean_below(left, right, weight, value),
        )

    # Below: private.

    def _array(self, name: str) -> Any:
        self._check_learned()
        return self._learner.trees.archive()[name]

    def _split_counts(self) -> Floats:
        """How often each tree splits each column: shape (n_trees, n_features)."""
        self._check_learned()
        trees = self._learner.trees
        arrays = trees.archive()
        tree = np.repeat(np.arange(trees.n_trees), np.diff(arrays["trees.first_node"].astype(np.int64)))
        is_inner = arrays["nodes.feature"] != NO_COLUMN
        counts = np.zeros((trees.n_trees, trees.width))
        np.add.at(counts, (tree[is_inner], arrays["nodes.feature"][is_inner].astype(np.int64)), 1.0)
        return counts
