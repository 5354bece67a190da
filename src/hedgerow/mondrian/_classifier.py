"""Mondrian forests for classification: document 004, chapter 5."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Hashable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hedgerow import _core
from hedgerow._classes import ClassTable, as_labels, in_order_of_appearance, label_array, plain_label
from hedgerow._classifying import Classifying
from hedgerow._validation import check_positive, n_threads_of
from hedgerow.mondrian._forest import MondrianForest
from hedgerow.mondrian._learning import FEWEST_ROWS
from hedgerow.predictive import Uncertainty

Floats = npt.NDArray[np.float64]


class MondrianForestClassifier(Classifying, MondrianForest):
    """A forest for classification that says how sure it is, learns row by row, and can unlearn.

    Trees are drawn from a Mondrian process on the range of the data; class probabilities are smoothed along each tree
    by a hierarchy of normalised stable processes. A prediction averages over the trees and over the places where the
    query point may leave each tree; far from the data it returns to the base distribution.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of trees.
    min_samples_split : int, default=2
        A block with fewer rows, equal ones counted once, is not split. It keeps its rows and is split when more arrive.
    lifetime : float, default=inf
        Time at which the Mondrian process ends, in units of the scaled columns.
    scaling : {"auto", "range", "half", "rank", "none"}, default="auto"
        How columns are brought to comparable lengths; see `MondrianForestRegressor`. "auto" is "range".
    hyperparameters : {"learned", "paper"}, default="learned"
        "learned" learns how fast to cut each column, from how much classes change across it; "paper" cuts all columns
        alike.
    discount : float, default=10.0
        gamma in units of the number of features: how fast blocks stop resembling the blocks they are part of.
        May be changed at any time; predictions follow.
    base : {"uniform", "empirical"}, default="uniform"
        The distribution above the root: all classes alike, or as frequent as among the rows held.
    pause_pure : bool, default=True
        Do not split a block whose rows are all of one class. It keeps its rows and is split when another class arrives.
    prior_weight : float, default=1.0
        How many rows, drawn from the base distribution, every prediction counts besides the rows held. It keeps
        probabilities above zero; 0 leaves them as in the document.
    class_weight : mapping, "balanced" or None, default=None
        Weights of classes, one unless named, that multiply the weights of their rows. "balanced" is
        ``n / (n_classes * count)``, so that all classes weigh the same; it needs all rows at once, so only `fit`
        takes it.
    window : int, optional
        Keep only that many rows, unlearning the oldest as new ones arrive.
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Where the randomness starts.

    Attributes
    ----------
    classes_ : array
        Classes known so far, sorted if they can be; columns of `predict_proba` are in this order.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    n_samples_, n_samples_seen_ : int
        Rows held now, and rows ever learned.
    n_nodes_, depth_ : int
        Size of the forest, and its longest way from a root to a leaf.

    Notes
    -----
    A row of weight w counts as w equal rows. If all rows of a class weigh w, its odds are w times what they would be;
    if all rows of all classes do, nothing changes, but for how much `prior_weight` rows count next to them, and for how
    far the rates of the columns are learned.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import MondrianForestClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (200, 2)), rng.normal(3, 1, (200, 2))])
    >>> y = np.repeat(["near", "far"], 200)
    >>> forest = MondrianForestClassifier(random_state=0).fit(X, y)
    >>> forest.predict([[0, 0], [3, 3]]).tolist()
    ['near', 'far']
    >>> forest.predict_proba([[50, -50]]).round(1).tolist()  # far from all rows
    [[0.5, 0.5]]
    >>> few = forest.fit(X[:220], y[:220]).predict_proba([[1.5, 1.5]])  # of the class "far" 20 rows only
    >>> forest.set_params(class_weight={"far": 10}).fit(X[:220], y[:220]).predict_proba([[1.5, 1.5]]) > few
    array([[ True, False]])
    >>> forest.learn_one([50, -50], "elsewhere").predict_one([50, -50])  # a class that is new
    'elsewhere'
    """

    _LEARNED_SCALING = "range"
    _SHAPING = (*MondrianForest._SHAPING, "pause_pure")

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        min_samples_split: int = 2,
        lifetime: float = math.inf,
        scaling: str = "auto",
        hyperparameters: str = "learned",
        discount: float = 10.0,
        base: str = "uniform",
        pause_pure: bool = True,
        prior_weight: float = 1.0,
        class_weight: Any = None,
        window: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_split = min_samples_split
        self.lifetime = lifetime
        self.scaling = scaling
        self.hyperparameters = hyperparameters
        self.discount = discount
        self.base = base
        self.pause_pure = pause_pure
        self.prior_weight = prior_weight
        self.class_weight = class_weight
        self.window = window
        self.n_jobs = n_jobs
        self.random_state = random_state

    # Learning.

    def partial_fit(  # type: ignore[override]
        self, X: Any, y: Any, classes: Any = None, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Learn rows online, one after another, in time that grows like the depth of the trees.

        The result does not depend on how rows are dealt to calls. Ctrl-C leaves a model that has learned the first
        ``n_samples_seen_`` rows; any other error leaves it as it was.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Numbers, all finite.
        y : array of shape (n_samples,)
            Labels of any hashable kind. Classes may be new at any time.
        classes : array, optional
            Classes that may come; they are known from now on, and predicted with what the base distribution gives them.
        sample_weight : array of shape (n_samples,), optional
            A row of weight w counts as w equal rows. Rows of weight zero are ignored.

        Returns
        -------
        self
        """
        return self._learn_stream(self._stream(X, y, sample_weight, announced=classes))

    def learn_one(self, x: Any, y: Any) -> Self:
        """Learn one row: a mapping from feature names to numbers, a sequence or a 1-D array. Its class may be new.

        The first row may be the first call; a mapping then names the features.
        """
        before = getattr(self, "_classes", None)
        try:
            return super().learn_one(x, y)
        except BaseException:
            # Unless the row is in: Ctrl-C may have come during the review after it.
            if before is not None and not self._core.class_weights[len(before) :].any():
                self._classes = before
            raise

    # Predicting.

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class: shape (n_samples, n_classes), columns in the order of `classes_`.

        Rows sum to one; with `prior_weight` above zero no probability is zero.
        """
        X = self._query_rows(X)
        rule, n_threads = self._rule(), n_threads_of(self.n_jobs)
        parts = [self._core.probabilities(X[rows], rule, n_threads) for rows in self._pieces(X.shape[0])]
        found: Floats = np.concatenate(parts)[:, self._classes.order]
        return found

    def predict_proba_one(self, x: Any) -> dict[Hashable, float]:
        """Probability of each class at one point: a mapping, a sequence or a 1-D array. Empty before the first row."""
        if not self.__sklearn_is_fitted__() or self._core.n_rows == 0:
            return {}
        return self._by_name(self._with_row(self._core.probabilities_one, x, self._rule()))

    def predict_uncertainty(self, X: Any) -> Uncertainty:
        """Entropy of each prediction, and its parts: noise, disagreement of the trees, distance from the data.

        Returns
        -------
        uncertainty : Uncertainty
            A named tuple of vectors, in nats: ``total = noise + disagreement + distance``.
        """
        X = self._query_rows(X)
        rule, n_threads = self._rule(), n_threads_of(self.n_jobs)
        parts = [self._core.uncertainty(X[rows], rule, n_threads) for rows in self._pieces(X.shape[0])]
        return Uncertainty(*(np.concatenate(vectors) for vectors in zip(*parts, strict=True)))

    def predict_then_learn(
        self, X: Any, y: Any, classes: Any = None, sample_weight: npt.ArrayLike | None = None
    ) -> Floats:
        """Predict each row just before learning it: an honest forecast of every row of a stream, in one call.

        The same as a loop over `predict_proba` and `learn_one`, only faster.

        Parameters
        ----------
        X, y, classes, sample_weight
            As for `partial_fit`. Rows of weight zero are neither predicted nor learned.

        Returns
        -------
        probabilities : array of shape (n_samples, n_classes)
            Columns in the order of `classes_` after the call. A class that no earlier row had, and that `classes` did
            not announce, has probability 0.
        """
        known = getattr(self, "_classes", ClassTable())
        if classes is not None:
            known = known.extended(in_order_of_appearance(as_labels(classes))[0])
        n_known, n_threads, parts = len(known), n_threads_of(self.n_jobs), []
        for X_part, labels, weights in self._stream(X, y, sample_weight, announced=classes):
            parts.append(self._core.predict_then_learn(X_part, labels, weights, self._rule(), n_known, n_threads))
            n_known = max(n_known, int(labels.max()) + 1)
        table = getattr(self, "_classes", known)
        return np.concatenate([np.empty((0, len(table))), *parts])[:, table.order]

    # Below: private.

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_query_parameters()
        if not isinstance(self.pause_pure, bool | np.bool_):
            raise ValueError(f"pause_pure must be True or False, got {self.pause_pure!r}")

    def _check_query_parameters(self) -> None:
        """Those that may be changed at any time, and are therefore looked at again by every query."""
        check_positive("discount", self.discount)
        if self.base not in ("uniform", "empirical"):
            raise ValueError(f"base must be 'uniform' or 'empirical', got {self.base!r}")
        if self.prior_weight != 0:
            check_positive("prior_weight", self.prior_weight)

    def _warn_if_light(self, weights: Floats, n_rows: int) -> None:
        """Trees grow whatever rows weigh, but the imaginary rows of the prior are many next to the others."""
        if weights.size and weights.sum() < FEWEST_ROWS <= n_rows:
            warnings.warn(
                f"the sample weights of {n_rows} rows add up to {weights.sum():.3g}, and count as so many rows next to "
                f"prior_weight={self.prior_weight}. Weights that were normalised should be multiplied by the number of "
                "rows.",
                UserWarning,
                stacklevel=4,
            )

    def _begin_labels(self, y: Any) -> None:
        self._classes = ClassTable()

    def _begin_anew(self, X: Floats, labels: Floats, weights: Floats) -> tuple[Floats, Floats]:
        return self._renumbered(labels, weights)

    def _encode_labels(self, y: Any) -> Floats:
        numbers = self._numbers_of(y)
        if self.__sklearn_is_fitted__():
            self._core.know_classes(len(self._classes))
        return numbers

    def _encode_label(self, y: Any) -> float:
        label = plain_label(y)
        number = self._classes.numbers.get(label)
        return float(self._encode_labels(label_array([label]))[0]) if number is None else float(number)

    def _encode_known_labels(self, y: Any) -> Floats:
        return self._known_numbers_of(y)

    def _encode_known_label(self, y: Any) -> float:
        return float(self._classes.numbers.get(plain_label(y), -1))

    def _new_core(self, **shape: Any) -> Any:
        core = _core.ClassForest(**shape)
        core.set_model(len(self._classes), bool(self.pause_pure))
        return core

    def _set_label_model(self, core: Any) -> None:
        """Nothing to set: classes and pausing are known when a core is made."""

    @property
    def _least_split(self) -> int:
        return self.min_samples_split

    def _rule(self) -> _core.ClassQueryRule:
        self._check_query_parameters()
        return _core.ClassQueryRule(
            is_empirical=self.base == "empirical",
            prior_weight=float(self.prior_weight),
            discount_rate=min(float(self.discount) * self._core.width, sys.float_info.max),
            n_classes=len(self._classes),
        )

    def _widened(self, values: Floats) -> Self:
        wider = MondrianForest._widened(self._numbered(), values)
        wider.__dict__.update(self._names())
        return wider
