"""Bayesian decision trees for classification."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar

import numpy as np

from hedgerow.base.classifier import Classifier
from hedgerow.base.rows import Floats
from hedgerow.bayesian._posterior import BayesianTree
from hedgerow.bayesian._settings import ClassTreeSettings
from hedgerow.files import Stored


class BayesianTreeClassifier(Classifier, BayesianTree):
    """A posterior over decision trees for classification, by sequential Monte Carlo.

    Trees have the prior of Chipman, George and McCulloch (1998), leaves a Dirichlet-multinomial. Particles grow trees
    from the root, node by node, and those that explain the labels better are resampled; predictions average over all
    of them. See chapter 3 of Lakshminarayanan's thesis (2016).

    Parameters
    ----------
    sampler : {"smc", "cgm"}, default="smc"
        Sequential Monte Carlo, or the Markov chain of Chipman, George and McCulloch: grow, prune, change and swap.
    n_particles : int, default=1000
        Particles in all islands together. For "cgm": trees that are kept, of all chains together.
    n_islands : int, default=5
        Independent filters, or chains. Predictions average them with equal weight.
    proposal : {"prior", "empirical", "optimal"}, default="prior"
        How particles split a node: as the prior does; the same with cuts between neighbouring rows; or by weighing
        every cut by the labels, which costs more and needs fewer particles, above all among irrelevant columns.
    expansion : {"node", "layer"}, default="node"
        Nodes decided between two resamplings: the oldest one, or all that wait.
    resampling : {"multinomial", "systematic"}, default="multinomial"
        How particles are drawn anew.
    ess_threshold : float, default=0.1
        Resample if the effective sample size is below this share of an island's particles.
    split_base, split_decay : float, default=0.95 and 0.5
        A node of depth d is split with probability ``split_base / (1 + d) ** split_decay`` before data.
    concentration : float, default=5.0
        Total weight of the Dirichlet prior in a leaf: each of K classes is counted ``concentration / K`` times before
        data.
    max_features : int, float, "sqrt" or None, default=None
        With the optimal proposal: how many columns, drawn anew at each node, are weighed. None for all.
    class_weight : mapping, "balanced" or None, default=None
        Weights of classes, one unless named, that multiply the weights of their rows. "balanced" is
        ``n / (n_classes * count)``, so that all classes weigh the same.
    n_steps : int, default=10000
        Steps of each chain of "cgm".
    n_burn_in : int, optional
        Steps of each chain that are thrown away; half of them by default.
    categorical_features : "from_dtype", None, or names, numbers or a mask of columns, default="from_dtype"
        Columns of categories; by default those that have such a type: text, `category`, objects.
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Random seed.

    Attributes
    ----------
    classes_ : array
        Classes; columns of `predict_proba` are in this order.
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
    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import BayesianTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = BayesianTreeClassifier(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> model.predict_proba(X[:1]).argmax()
    np.int64(0)
    >>> model.log_marginal_likelihood_ > -60
    True
    >>> heavy = BayesianTreeClassifier(class_weight={2: 10}, random_state=0).fit(X, y)
    >>> bool(heavy.predict_proba(X)[:, 2].mean() > model.predict_proba(X)[:, 2].mean())
    True
    """

    _SETTINGS: ClassVar[Any] = ClassTreeSettings
    _IN_ORDER = True

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
        concentration: float = 5.0,
        max_features: Any = None,
        class_weight: Any = None,
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
        self.concentration = concentration
        self.max_features = max_features
        self.class_weight = class_weight
        self.n_steps = n_steps
        self.n_burn_in = n_burn_in
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class: shape (n_samples, n_classes), columns in the order of `classes_`. Never zero."""
        X = self._query_rows(X)
        found: Floats = self._learner.trees.probabilities(X, self._current.query.n_threads)
        return found[:, self._classes.order]

    def predict_proba_one(self, x: Any) -> dict[Hashable, float]:
        """Probability of each class at one point: a mapping, a sequence or a 1-D array."""
        x = self._one_row(x)
        return self._by_name(self._learner.trees.probabilities(x, 1)[0])

    def _leaf_words(self, numbers: Floats) -> str:
        classes, counts = numbers[::2].astype(np.int64), numbers[1::2]
        best, prior = int(np.argmax(counts)), self._learner.leaves
        probability = (counts[best] + prior.concentration / prior.n_classes) / (counts.sum() + prior.concentration)
        return f"{list(self._classes.numbers)[classes[best]]} ({probability:.2f}), {counts.sum():g} rows"

    def _leaf_value(self, numbers: Floats) -> tuple[float, Floats]:
        counts = np.bincount(numbers[::2].astype(np.int64), numbers[1::2], minlength=len(self._classes))
        return float(counts.sum()), (counts / counts.sum())[self._classes.order]

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        if self._learner.leaves.n_classes != len(self._classes):
            raise ValueError("its trees are about other classes")
