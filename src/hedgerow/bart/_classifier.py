"""BART for classes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, ClassVar

import numpy as np

from hedgerow import _core
from hedgerow.bart._bart import BART
from hedgerow.bart._settings import ClassBARTSettings
from hedgerow.bart._tree_view import DrawnTrees
from hedgerow.base.classifier import Classifier
from hedgerow.base.rows import Floats, Rows
from hedgerow.files import Stored

MOST_COPIES = 10**8
"""Rows, each with its weight."""


class BARTClassifier(Classifier, BART):
    """Bayesian additive regression trees for classes, by normal utilities.

    For two classes the probability of the second is the normal distribution function of a sum of trees (probit;
    Chipman, George and McCulloch 2010). For more, each class has a utility, which is a sum of trees of its own and
    normal noise, and the class with the highest is observed. Utilities are drawn along with the trees (Albert and Chib
    1993).

    Parameters
    ----------
    n_estimators : int, default=200
        Trees in a sum; with more than two classes there is a sum for each.
    sampler, n_particles, n_chains, n_draws, n_burn_in, thin, start, split_base, split_decay
        As for `BARTRegressor`.
    shrinkage : float, default=2.0
        Before data, a sum of trees lies within 3 of its centre with `shrinkage` standard deviations.
    class_weight : mapping, "balanced" or None, default=None
        Weights of classes, one unless named, by which each draw's odds are multiplied: trees are learned as they are,
        and predictions are those for classes that are so much more frequent. "balanced" is
        ``n / (n_classes * count)``, so that all classes would be as frequent.
    n_jobs, random_state, progress
        As for `BARTRegressor`.

    Attributes
    ----------
    classes_ : array
        Classes; columns of `predict_proba` are in this order.
    trace_ : dict of arrays
        What was noted down of each draw; see `diagnostics`.
    split_inclusion_, feature_importances_ : arrays of shape (n_features,)
        Shares of splits that fall on each column: mean over draws, and over all splits.
    n_draws_ : int
        Draws that each chain has kept.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import BARTClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = BARTClassifier(n_estimators=20, n_chains=1, n_draws=200, n_burn_in=200, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> model.predict_draws(X[:5]).shape
    (200, 5, 3)
    >>> from sklearn.base import clone
    >>> heavy = clone(model).set_params(class_weight={2: 10}).fit(X, y)
    >>> bool((heavy.predict_proba(X)[:, 2] > model.predict_proba(X)[:, 2]).all())
    True
    """

    _SETTINGS: ClassVar[Any] = ClassBARTSettings
    _IN_ORDER = True

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
        class_weight: Any = None,
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
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    # What is predicted.

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class: shape (n_samples, n_classes), columns in the order of `classes_`. Never zero."""
        return self._mean_probabilities(self._query_rows(X))

    def predict_proba_one(self, x: Any) -> dict[Hashable, float]:
        """Probability of each class at one point: a mapping, a sequence or a 1-D array."""
        row = self._mean_probabilities(self._one_row(x))[0]
        return dict(zip(self.classes_.tolist(), row.tolist(), strict=True))

    def predict_draws(self, X: Any) -> Floats:
        """Return draws of each row's class, chain after chain.

        For two classes the probability of the second, of shape (n_chains * n_draws, n_samples); for more the
        probability of each, of shape (n_chains * n_draws, n_samples, n_classes).
        """
        return self._draws_at(self._query_rows(X))["predictions"]

    # Below: private.

    def _trees_of(self, what: Any) -> DrawnTrees:
        offsets, n_trees = self._learner.response.offsets, self._learner.settings.n_estimators
        if len(offsets) == 1:
            if what is not None:
                raise ValueError(f"up to two classes have one sum of trees between them: leave out of={what!r}")
            return DrawnTrees("", 0, n_trees, n_trees, 1.0, offsets[0])
        names = list(self._classes.numbers)
        if not isinstance(what, Hashable) or what not in names:
            raise ValueError(f"each class has trees of its own: of must be one of {names}, got {what!r}")
        number = names.index(what)
        return DrawnTrees("", number * n_trees, n_trees, len(offsets) * n_trees, 1.0, offsets[number])

    def _probabilities(self, X: Floats) -> Iterator[tuple[slice, Floats]]:
        """Yield a few rows at a time and draws of their classes: shape (rows, draws, classes)."""
        n_threads, factors = self._current.query.n_threads, self._factors(self._learner.settings.class_weight)
        for part, sums in self._learner.sums(X, n_threads):
            if len(self._classes) == 1:
                yield part, np.ones(sums.shape)
                continue
            found = _core.class_probabilities(sums.reshape(-1, sums.shape[2]), n_threads)
            if factors.size:
                found *= factors / factors.max()
                found /= found.sum(axis=1, keepdims=True)
            yield part, found.reshape(*sums.shape[:2], -1)[:, :, self._classes.order]

    def _mean_probabilities(self, X: Floats) -> Floats:
        mean = np.empty((X.shape[0], len(self._classes)))
        if len(self._classes) == 2:
            factors = self._factors(self._learner.settings.class_weight)
            weights = factors / factors.max() if factors.size else np.ones(2)
            found = self._learner.probabilities(X, weights, self._current.query.n_threads)
            mean[:] = found.T[:, self._classes.order]
        else:
            for part, found in self._probabilities(X):
                # Along the last axis, so that a row's sum is added up in the same order whatever rows come with it.
                mean[part] = np.ascontiguousarray(found.transpose(0, 2, 1)).mean(axis=2)
        mean /= mean.sum(axis=1, keepdims=True)
        return mean

    def _draws_of_all(self, X: Floats) -> Floats:
        """Probability of every class: shape (draws, rows, classes)."""
        n_draws = self._learner.settings.n_chains * self.n_draws_
        drawn = np.empty((n_draws, X.shape[0], len(self._classes)))
        for part, probabilities in self._probabilities(X):
            drawn[:, part] = probabilities.transpose(1, 0, 2)
        return drawn

    def _draws_at(self, X: Floats) -> dict[str, Floats]:
        drawn = self._draws_of_all(X)
        return {"predictions": drawn[:, :, -1] if len(self._classes) <= 2 else drawn}

    def _log_likelihoods_at(self, X: Floats, y: Any) -> Floats:
        numbers = self._known(y).astype(int)
        if (numbers < 0).any():
            raise ValueError("y has classes that the model does not know")
        drawn = np.take_along_axis(self._draws_of_all(X), numbers[None, :, None], axis=2)[:, :, 0]
        found: Floats = np.log(np.maximum(drawn, 1e-300))
        return found

    def _weighed(self, rows: Rows, online: bool) -> Rows:
        """Rows of weight w come w times: each copy has utilities of its own, as it would have in a longer table."""
        if rows.weights.size:
            broken = rows.weights[rows.weights != np.round(rows.weights)]
            if broken.size:
                raise ValueError(
                    f"sample_weight must hold whole numbers, got {broken[0]}: BART for classes draws a utility for "
                    "each row, so a row can come twice but not one and a half times"
                )
            if rows.weights.sum() > MOST_COPIES:
                raise ValueError(f"the rows' weights add up to more than {MOST_COPIES}; divide them by a constant")
            copies = np.repeat(np.arange(rows.y.size), rows.weights.astype(int))
            rows = Rows(rows.X[copies], rows.y[copies])
        self._begin_class_weight(rows)  # which predictions are weighed by, not rows
        return rows

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        n_classes = len(self._classes)
        if n_classes == 0 or len(self._learner.response.offsets) != (1 if n_classes <= 2 else n_classes):
            raise ValueError("its trees are about other classes")
