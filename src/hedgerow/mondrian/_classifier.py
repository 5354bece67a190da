"""Mondrian forests for classification (Lakshminarayanan 2016, chapter 5)."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, ClassVar

import numpy as np

from hedgerow.base.classes import ClassTable, as_labels, in_order_of_appearance
from hedgerow.base.classifier import ClassForecasting, Classifier
from hedgerow.base.guard import guards_itself
from hedgerow.base.online_estimator import OnlineEstimator
from hedgerow.base.rows import Floats, NextRows, Rows
from hedgerow.files import Stored
from hedgerow.mondrian._class_forest import ClassForest
from hedgerow.mondrian._forest import MondrianForest
from hedgerow.mondrian._settings import ClassQuery, ClassSettings
from hedgerow.predictive import Uncertainty

OF_BATCH = object()
"""In the place of classes that are announced online."""


class MondrianForestClassifier(ClassForecasting, Classifier, MondrianForest, OnlineEstimator):  # type: ignore[misc]
    """A forest for classification that predicts probabilities, learns row by row, and can unlearn.

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
        "learned" learns how fast to cut each column, from how much classes change across it, and calibrates
        probabilities; "paper" cuts all columns alike and averages over the trees only.
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
    cuts : {"free", "keyed"}, default="free"
        With "keyed" cuts, a tree is a function of the random seed and of the *set* of rows: the order in which these
        came does not show, `unlearn` leaves the trees that never saw the row, bit for bit, and forests can be merged.
        See `merge`, and the guide on merging for what is equal when. `fit` takes about 1.4 times as long, learning row
        by row 1.4 to 2 times.
    categorical_features : "from_dtype", None, or names, numbers or a mask of columns, default="from_dtype"
        Columns of categories; by default those that have such a type: text, `category`, objects.
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Random seed.

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

    Averaging over trees draws probabilities together, and a leaf is too sure where rows that lie on one place have
    different classes, as in tables of booleans and categories. With learned hyper-parameters probabilities are
    therefore calibrated: leaves keep a share of what the block above predicts, and odds against the base distribution
    are raised to a power. Both are such that rows are predicted best, in log loss, by the forest without a tenth of the
    rows, to which they belong. Unlearning is exact, so no other forest is grown for that. Below 30 rows neither is
    learned. They are learned again at each review of a stream.

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

    _SETTINGS: ClassVar[Any] = ClassSettings
    _QUERY: ClassVar[Any] = ClassQuery
    _LEARNER: ClassVar[Any] = ClassForest
    _learner: ClassForest
    _NATIVE_ROWS = True

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
        cuts: str = "free",
        categorical_features: Any = "from_dtype",
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
        self.cuts = cuts
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class: shape (n_samples, n_classes), columns in the order of `classes_`.

        Rows sum to one; with `prior_weight` above zero no probability is zero.
        """
        X = self._query_rows(X)
        return self._learner.probabilities(X, self._current.query)[:, self._classes.order]

    @guards_itself
    def predict_proba_one(self, x: Any) -> dict[Hashable, float]:
        """Probability of each class at one point: a mapping, a sequence or a 1-D array. Empty before the first row."""
        with self._reading:
            if not self.__sklearn_is_fitted__() or self._learner.is_empty:
                return {}
            return self._by_name(self._with_row(self._learner.probabilities_one, x, self._current.query))

    def loo_predict(self) -> Floats:
        """Probability of each class for each row held, as if that row had never been learned.

        Each row is unlearned in every tree, predicted, and learned again, which costs a path a row and tree and grows
        no tree. Rows with the same features and the same class are left out together if they are copies. What is
        learned from all rows together stays: scaling, rates of the columns, and calibration.

        Returns
        -------
        probabilities : array of shape (`n_samples_`, n_classes)
            Columns in the order of `classes_`, rows in the order in which they came. With a `window` these are the most
            recent ones.
        """
        self._check_learned()
        return self._learner.left_out(self._current.query)[:, self._classes.order]

    def predict_uncertainty(self, X: Any) -> Uncertainty:
        """Entropy of each prediction, and its parts: noise, disagreement of the trees, distance from the data.

        The total is that of the calibrated prediction, of which the parts have the shares that they have before
        calibration. By default leaves hold one class, so that overlapping classes show as disagreement and distance,
        and as noise only as far as leaves keep a share of what the block above predicts; with `min_samples_split` of
        20 to 50 they show as noise.

        Returns
        -------
        uncertainty : Uncertainty
            A named tuple of vectors, in nats: ``total = noise + disagreement + distance``.
        """
        X = self._query_rows(X)
        return self._learner.uncertainty(X, self._current.query)

    # Below: private.

    def _node_values(self, y: Floats) -> Floats:
        """Whether each row is of each class, in the order of `classes_`."""
        return np.asarray(y[:, None] == self._classes.order, dtype=np.float64)

    def _leaf_words(self, value: Floats, n_rows: int) -> str:
        best = int(np.argmax(value))
        return f"{self.classes_[best]} ({value[best]:.2f}), {n_rows} row{'s' * (n_rows > 1)}"

    def _next_rows(self, X: Any, y: Any, sample_weight: Any, **announced: Any) -> NextRows:
        rows = super()._next_rows(X, y, sample_weight, **announced)
        if self.__sklearn_is_fitted__():
            self._learner.know_classes(len(self._classes))
        return rows

    def _encode(self, y: Any, first: bool, classes: Any = OF_BATCH) -> Floats:
        if classes is OF_BATCH:  # with keyed cuts, numbers of classes must not show which came first
            is_sorted = first and self.cuts == "keyed"
            classes = ClassTable(in_order_of_appearance(as_labels(y))[0]).classes if is_sorted else None
        return super()._encode(y, first, classes)

    def _anew(self, rows: Rows) -> Rows:
        rows = self._renumbered(rows)
        if self.cuts != "keyed":
            return rows
        order, names = self._classes.order, list(self._classes.numbers)
        self._classes = ClassTable(names[number] for number in order)
        self._balanced = self._balanced[order] if self._balanced.size else self._balanced
        return rows._replace(y=np.argsort(order)[rows.y.astype(np.intp)].astype(np.float64))

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        if self._learner.labels.n_classes != len(self._classes):
            raise ValueError("it knows more classes than it names, or fewer")
