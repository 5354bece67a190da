"""Classification by boosting of Mondrian forests on exact leave-one-out residuals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import numpy as np

from hedgerow.base.classes import ClassTable, as_labels, in_order_of_appearance
from hedgerow.base.classifier import ClassForecasting, Classifier
from hedgerow.base.online_estimator import OnlineEstimator
from hedgerow.base.rows import Floats, NextRows, Rows
from hedgerow.boosting._boosting import MondrianBoosting
from hedgerow.boosting._class_boosting import ClassBoosting
from hedgerow.boosting._class_calibration import log_loss
from hedgerow.boosting._settings import ClassSettings
from hedgerow.files import Stored


class MondrianBoostingClassifier(ClassForecasting, Classifier, MondrianBoosting, OnlineEstimator):  # type: ignore[misc]
    """Boosting of forests, greedy trees, a kernel and a ridge regression: the most accurate classifier.

    Every class is an indicator target, and all indicators are learned by the same trees with the same smoothing. Each
    stage is fitted to the leave-one-out residuals of the stages before it: the errors of predictions that did not use
    the class of the row itself. There is therefore no learning rate, and stages are added until the leave-one-out error
    stops falling. The same residuals calibrate the probabilities.

    Parameters
    ----------
    n_estimators : int, default=50
        Trees per stage; a stage of greedy trees has twice as many. Trees of Mondrian forests that would hardly change
        predictions are dropped; `stages_` has the numbers of those kept.
    max_stages : int, default=4
        Maximum number of Mondrian forests in the first chain of stages, 1 to 1,000.
    linear : {"auto", True, False}, default="auto"
        Whether a ridge regression of the indicators comes before the first stage. "auto" chooses by leave-one-out.
    scaling : {"auto", "range", "half", "rank"}, default="auto"
        How columns are scaled: by their range, by ranks, or halfway. "auto" chooses by leave-one-out.
    stages : "auto" or list out of {"linear", "kernel", "mondrian", "greedy"}, default="auto"
        Kinds of stages to choose from: ridge regression, a kernel in learned units, Mondrian forests, and greedy trees.
        "auto" is all of them; "mondrian" must be among them. Stages are selected and weighted by their leave-one-out
        errors. With "kernel", sums of columns along which targets change most are looked for, and used as further
        columns if that lowers the error.
    class_weight : mapping, "balanced" or None, default=None
        Weights of classes, one unless named, that multiply the weights of their rows. "balanced" is
        ``n / (n_classes * count)``, so that all classes weigh the same; it needs all rows at once, so only `fit`
        takes it.
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
    stages_ : list of dict
        The chains of stages in use, with their weights and leave-one-out errors.
    n_stages_ : int
        Stages in use; none while there is one class only.
    loo_score_ : float
        Accuracy of the leave-one-out predictions when the stages were last learned.
    loo_log_loss_ : float
        Their mean log loss.
    feature_importances_ : array
        Share of each column in what the stages explain.
    n_samples_seen_ : int
        Rows learned so far.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from hedgerow import MondrianBoostingClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = MondrianBoostingClassifier(n_estimators=20, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    >>> model.predict_proba(X[1::2]).shape
    (89, 3)
    """

    _SETTINGS: ClassVar[Any] = ClassSettings
    _LEARNER: ClassVar[Any] = ClassBoosting
    _learner: ClassBoosting

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        max_stages: int = 4,
        linear: str | bool = "auto",
        scaling: str = "auto",
        stages: str | Sequence[str] = "auto",
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_stages = max_stages
        self.linear = linear
        self.scaling = scaling
        self.stages = stages
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    # Predicting.

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class: shape (n_samples, n_classes), columns in the order of `classes_`."""
        X = self._query_rows(X)
        found: Floats = self._learner.predictions(X, self._current.query)[:, self._classes.order]
        return found

    def predict_proba_one(self, x: Any) -> dict[Hashable, float]:
        """Probability of each class at one point: a mapping, a sequence or a 1-D array. Empty before the first row."""
        if not self.__sklearn_is_fitted__() or self._learner.is_empty:
            return {}
        x = self._one_row(x)
        return self._by_name(self._learner.predictions(x, self._current.query)[0])

    def loo_predict(self) -> Floats:
        """Probability of each class for each row as if it had not been learned, when the stages were last learned.

        The first stage's scores are exact; later stages learn residuals that depend on the row through the others'
        predictions, which was found to matter little.
        """
        self._check_learned()
        found: Floats = self._learner.left_out()[0][:, self._classes.order]
        return found

    @property
    def loo_score_(self) -> float:
        """Accuracy of the leave-one-out predictions when the stages were last learned."""
        self._check_learned()
        probabilities, labels, weights = self._learner.left_out()
        hits = probabilities.argmax(axis=1) == labels
        return float(np.average(hits, weights=weights if weights.size else None))

    @property
    def loo_log_loss_(self) -> float:
        """Mean log loss of the leave-one-out predictions when the stages were last learned."""
        self._check_learned()
        return log_loss(*self._learner.left_out())

    # Below: private.

    def _next_rows(self, X: Any, y: Any, sample_weight: Any, **announced: Any) -> NextRows:
        before = getattr(self, "_classes", ClassTable())
        rows = super()._next_rows(X, y, sample_weight, **announced)
        if announced.get("classes") is not None and self.__sklearn_is_fitted__():
            known = before.extended(in_order_of_appearance(as_labels(announced["classes"]))[0])
            self._learner.n_announced = len(known)
        return rows

    def _anew(self, rows: Rows) -> Rows:
        return self._renumbered(rows)

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        if self._learner.n_known != len(self._classes):
            raise ValueError("it knows more classes than it names, or fewer")
