"""Classification by boosting of Mondrian forests on exact leave-one-out residuals."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hedgerow._classes import ClassTable, label_array, plain_label
from hedgerow._classifying import Classifying
from hedgerow._copies import Copies
from hedgerow._persistence import Arrays
from hedgerow.boosting._boosting import MondrianBoosting
from hedgerow.boosting._class_calibration import (
    FEWEST_ROWS,
    ClassCalibration,
    calibrate_classes,
    class_shares,
    log_loss,
)
from hedgerow.boosting._stage import VectorStage

Floats = npt.NDArray[np.float64]


class MondrianBoostingClassifier(Classifying, MondrianBoosting):
    """Stages of Mondrian forests, each on the exact leave-one-out residuals of the stages before, for classes.

    Every class is an indicator, and all indicators are learned by the same trees with the same smoothing: how much a
    node knows does not depend on which class it is asked about. Residuals are honest, as each row is predicted by trees
    that have not seen its class, so there is no learning rate, and stages are added until the leave-one-out error stops
    falling. The same residuals calibrate the probabilities.

    Parameters
    ----------
    n_estimators : int, default=50
        Trees a stage.
    max_stages : int, default=4
        Stages, at most.
    linear : {"auto", True, False}, default="auto"
        Whether a ridge regression of the indicators comes before the first stage. "auto" chooses by leave-one-out.
    scaling : {"auto", "range", "half", "rank"}, default="auto"
        How columns are scaled: by their range, by ranks, or halfway. "auto" chooses by leave-one-out.
    class_weight : mapping, "balanced" or None, default=None
        Weights of classes, one unless named, that multiply the weights of their rows. "balanced" is
        ``n / (n_classes * count)``, so that all classes weigh the same; it needs all rows at once, so only `fit`
        takes it.
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Where the randomness starts.

    Attributes
    ----------
    classes_ : array
        Classes known so far, sorted if they can be; columns of `predict_proba` are in this order.
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

    _calibration: ClassCalibration
    _n_announced: int  # classes that are known though the stages may not know them

    _NUMERIC = False
    _STAGE = VectorStage

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        max_stages: int = 4,
        linear: str | bool = "auto",
        scaling: str = "auto",
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_stages = max_stages
        self.linear = linear
        self.scaling = scaling
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    # Learning.

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn rows online, one after another: each stage is told what the ones before left over.

        Whenever the number of rows has doubled, or a class is new, everything is learned anew from all rows. The result
        does not depend on how rows are dealt to calls. Ctrl-C leaves a model that has learned the first
        ``n_samples_seen_`` rows.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Numbers, all finite.
        y : array of shape (n_samples,)
            Labels of any hashable kind. Classes may be new at any time.
        classes : array, optional
            Classes that may come: known from now on.
        sample_weight : array of shape (n_samples,), optional
            A row of weight w counts as w equal rows. Rows of weight zero are ignored.

        Returns
        -------
        self
        """
        self.predict_then_learn(X, y, classes, sample_weight)
        return self

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
            not announce, has probability 0. The very first row has equal probabilities of all announced.
        """
        before = dict(self.__dict__)
        try:
            rows = self._announced_rows(X, y, classes, sample_weight)
            parts = list(self._learn_online(rows))
        except BaseException:
            self._forget_classes_to_come(before)
            raise
        n_classes = len(self._classes)
        wide = [np.pad(part, ((0, 0), (0, n_classes - part.shape[1]))) for part in parts]
        return np.concatenate([np.empty((0, n_classes)), *wide])[:, self._classes.order]

    # Predicting.

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class: shape (n_samples, n_classes), columns in the order of `classes_`."""
        mean, _ = self._moments(self._asked(X))
        found: Floats = self._probabilities(mean)[:, self._classes.order]
        return found

    def predict_proba_one(self, x: Any) -> dict[Hashable, float]:
        """Probability of each class at one point: a mapping, a sequence or a 1-D array. Empty before the first row."""
        if not self.__sklearn_is_fitted__():
            return {}
        mean, _ = self._stages.moments(self._reader()(x).reshape(1, -1))
        return self._by_name(self._probabilities(mean)[0])

    def loo_predict(self) -> Floats:
        """Probability of each class for each row as if it had not been learned, when the stages were last learned.

        The first stage's scores are exact; later stages learn residuals that have met the row through the others'
        predictions, which was found to matter little.
        """
        self._check_learned()
        found: Floats = self._left_out()[0][:, self._classes.order]
        return found

    @property
    def loo_score_(self) -> float:
        """Accuracy of the leave-one-out predictions when the stages were last learned."""
        self._check_learned()
        probabilities, labels, weights = self._left_out()
        hits = probabilities.argmax(axis=1) == labels
        return float(np.average(hits, weights=weights if weights.size else None))

    @property
    def loo_log_loss_(self) -> float:
        """Mean log loss of the leave-one-out predictions when the stages were last learned."""
        self._check_learned()
        return log_loss(*self._left_out())

    # Below: private.

    @property
    def _n_known(self) -> int:
        """Classes that may be predicted: announced, or those of a row before the last learning."""
        return max(self._n_announced, self._calibration.base.size)

    def _announced_rows(
        self, X: Any, y: Any, classes: Any, sample_weight: npt.ArrayLike | None
    ) -> tuple[Floats, Floats, Floats]:
        first = not self.__sklearn_is_fitted__()
        if first:
            self._begin_labels()
        if classes is not None:
            self._numbers_of(classes)
            self._n_announced = len(self._classes)
        X, labels, weights = self._checked_rows(X, y, sample_weight, first)
        return X, labels, self._weigh(labels, weights, online=True)

    def _forget_classes_to_come(self, before: dict[str, Any]) -> None:
        """Those of rows that have not been learned."""
        if self.__sklearn_is_fitted__():
            self._classes = ClassTable(list(self._classes.numbers)[: self._n_known])
        else:
            self.__dict__.clear()
            self.__dict__.update(before)

    def _begin_labels(self) -> None:
        self._classes, self._n_announced = ClassTable(), 0

    def _checked_labels(self, y: Any) -> Floats:
        return self._numbers_of(y)

    def _checked_label(self, y: Any) -> Floats:
        self._check_class_weight_online()  # before a class that is new gets a number
        return super()._checked_label(y)

    def _known_labels(self, y: Any) -> Floats:
        return self._known_numbers_of(y)

    def _begin_anew(self, labels: Floats, weights: Floats) -> tuple[Floats, Floats]:
        self._n_announced = 0
        return self._renumbered(labels, weights)

    def _meet(self, label: float) -> None:
        self._n_announced = max(self._n_announced, int(label) + 1)

    def _as_labels(self, y: Any) -> Any:
        return label_array([plain_label(y)])

    def _n_alike(self, labels: Floats) -> int:
        new = np.flatnonzero(labels >= self._calibration.base.size)
        return int(new[0]) if new.size else labels.size

    def _begin_targets(self, labels: Floats, weights: Floats, copies: Copies) -> None:
        n_classes = max(self._n_announced, int(labels.max()) + 1)
        self._calibration = ClassCalibration(*class_shares(labels, weights, copies.n_units, n_classes))

    def _targets(self, labels: Floats) -> Floats:
        """Indicators less the shares of the classes; of two classes, those of the second."""
        base = self._calibration.base
        indicators = labels[:, None] == np.arange(base.size)
        skipped = base.size - self._label_shape()[0]
        return np.ascontiguousarray((indicators - base)[:, skipped:])

    def _label_shape(self) -> tuple[int, ...]:
        n_classes = self._calibration.base.size
        return (n_classes if n_classes > 2 else n_classes - 1,)

    def _scores(self, mean: Floats) -> Floats:
        base = self._calibration.base
        if mean.shape[1] == base.size:
            return base + mean
        others = base[1:] + mean
        return np.column_stack([1.0 - others.sum(axis=1), others])

    def _probabilities(self, mean: Floats) -> Floats:
        """Probabilities of the classes by number; those announced since the last learning have the least score."""
        scores, calibration = self._scores(mean), self._calibration
        n_more = self._n_known - calibration.base.size
        if n_more > 0:
            scores = np.pad(scores, ((0, 0), (0, n_more)))
            calibration = calibration._replace(base=np.pad(calibration.base, (0, n_more)))
        return calibration.probabilities(scores)

    def _forecast(self, X: Floats, mean: Floats, doubt: Floats) -> Floats:
        return self._probabilities(mean)

    def _first_forecast(self) -> Floats:
        n_classes = self._n_announced
        return np.full((1, n_classes), 1.0 / max(1, n_classes))

    def _left_out(self) -> tuple[Floats, Floats, Floats]:
        """Probabilities, labels and weights of the rows when the stages were last learned."""
        n = self._stages.residuals.shape[0]
        labels, weights = self._rows.labels[:n], self._rows.weights[:n]
        return self._probabilities(self._targets(labels) - self._stages.residuals), labels, weights

    def _calibrate(self, labels: Floats, weights: Floats, copies: Copies) -> None:
        scores = self._scores(self._targets(labels) - self._stages.residuals)
        if copies.n_units >= FEWEST_ROWS and self._calibration.base.size > 1:
            self._calibration = calibrate_classes(scores, labels, weights, *self._calibration[:2])

    # Files.

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        state = super()._fitted_state()
        if state is not None:
            state[0].update(calibration=self._calibration.described(), n_announced=self._n_announced)
            state[1]["classes.base"] = self._calibration.base
        return state

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        base, self._n_announced = arrays["classes.base"], int(numbers["n_announced"])
        if base.dtype != np.float64 or base.ndim != 1 or base.size == 0 or not ((base > 0) & (base <= 1)).all():
            raise ValueError("the shares of its classes are not between 0 and 1")
        self._calibration = ClassCalibration.from_description(base, numbers["calibration"])
        super()._restore_fitted_state(numbers, arrays)
        labels = self._rows.labels
        if self._n_known != len(self._classes) or not 0 <= self._n_announced <= len(self._classes):
            raise ValueError("it knows more classes than it names, or fewer")
        if not ((labels >= 0) & (labels < len(self._classes)) & (labels == np.floor(labels))).all():
            raise ValueError("a label is not that of a class")
