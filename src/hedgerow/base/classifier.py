"""What all classifiers share: a table of classes that may grow, weights of classes, predictions by name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from hedgerow.base.class_weight import (
    ClassWeight,
    balanced_factors,
    check_classes_are_known,
    checked_class_weight,
    factors_of,
    multiplied,
)
from hedgerow.base.classes import ClassTable, as_labels, in_order_of_appearance, label_array, plain_label
from hedgerow.base.columns import Cells
from hedgerow.base.estimator import Estimator
from hedgerow.base.explaining import Explained
from hedgerow.base.guard import guards_itself
from hedgerow.base.rows import NO_WEIGHTS, Floats, Rows
from hedgerow.base.work import forget_everything
from hedgerow.files import Stored


class Classifier(Explained, ClassifierMixin, Estimator):  # type: ignore[misc]
    """The part of a classifier that knows classes by name. Its learner knows them by number."""

    class_weight: Any

    _IN_ORDER: ClassVar[bool] = False  # whether classes are numbered in the order of `classes_`, not as they come
    _classes: ClassTable
    _balanced: Floats = NO_WEIGHTS  # if class_weight is "balanced": the factor of each class, by number

    # What is predicted.

    @abstractmethod
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class: shape (n_samples, n_classes), columns in the order of `classes_`."""

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of `predict_proba`."""
        log_probabilities: Floats = np.log(self.predict_proba(X))
        return log_probabilities

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row; of equally probable ones the first in `classes_`."""
        most_probable = np.argmax(self.predict_proba(X), axis=1)
        best: npt.NDArray[Any] = self.classes_[most_probable]
        return best

    @guards_itself  # by reading once
    def predict_one(self, x: Any) -> Hashable:
        """Return the most probable class at one point; None before the first row."""
        probabilities = self.predict_proba_one(x)
        return max(probabilities, key=probabilities.__getitem__) if probabilities else None

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """Classes known so far, sorted if they can be."""
        if not hasattr(self, "_classes"):
            raise AttributeError("classes_ is known after the first row: call fit, partial_fit or learn_one first")
        return self._classes.classes

    # Below: private.

    def _explained(self, output: str, confidence: float) -> Any:
        if output == "width":
            raise ValueError("output='width' is for regression: classes have probabilities, and no intervals")
        return self.predict_proba

    def _output_names(self) -> list[Any] | None:
        return list(self.classes_.tolist())

    def _by_name(self, probabilities: Any) -> dict[Hashable, float]:
        """Probabilities of one row, in the order of numbers, in the order of `classes_`."""
        labels = list(self._classes.numbers)
        return {labels[number]: float(probabilities[number]) for number in self._classes.order}

    def _read(self, X: Any, y: Any, reset: bool) -> tuple[Cells, Any]:
        labels = None if y is None else as_labels(y)
        try:
            cells, y = super()._read(X, labels, reset)
        except TypeError:  # from labels that refuse to be compared
            for label in () if labels is None else labels.ravel():
                plain_label(label)
            raise
        plain = label_array(y.tolist()) if y.dtype.kind == "O" else y
        if plain.dtype.kind != "O":
            check_classification_targets(plain)
        return cells, y

    def _encode(self, y: Any, first: bool, classes: Any = None) -> Floats:
        """Numbers of the classes; those that are new get one, after those that are announced."""
        labels, places = in_order_of_appearance(as_labels(y))
        known = ClassTable() if first else self._classes
        announced = [] if classes is None else in_order_of_appearance(as_labels(classes))[0]
        table = known.extended(announced).extended(labels)
        if self._IN_ORDER:
            names = list(table.numbers)
            table = ClassTable(names[number] for number in table.order)
        self._classes = table
        return self._numbered_by(labels)[places]

    def _encode_one(self, y: Any) -> tuple[float, float]:
        label = plain_label(y)
        if label not in self._classes.numbers:
            self._check_not_balanced()
            self._classes = self._classes.extended([label])
        number = float(self._classes.numbers[label])
        return number, 1.0 if self.class_weight is None else self._weight_of(number)

    def _weight_of(self, number: float) -> float:
        return float(self._weighed(Rows(NO_WEIGHTS, np.array([number]), np.ones(1)), online=True).weights[0])

    def _as_vector(self, y: Any) -> Any:
        return label_array([plain_label(y)])

    def _known(self, y: Any) -> Floats:
        """Numbers of the classes; -1 for those that are new."""
        labels, places = in_order_of_appearance(as_labels(y))
        return self._numbered_by(labels)[places]

    def _numbered_by(self, labels: list[Hashable]) -> Floats:
        return np.array([self._classes.numbers.get(label, -1) for label in labels], dtype=np.float64)

    def _weighed_known(self, rows: Rows) -> Rows:
        """Return rows that may have been learned with the weights that the learner has seen."""
        if not rows.weights.size:
            return rows
        factors = self._factors(self._learner.settings.class_weight)
        return rows._replace(weights=self._multiplied(rows.y, rows.weights, factors))

    def _renumbered(self, rows: Rows) -> Rows:
        """Know only the classes of these rows, which this model has learned, numbered as they come; weigh them anew."""
        names: dict[Hashable, Hashable] = dict(enumerate(self._classes.numbers))
        weights, is_balanced = rows.weights, self._balanced.size > 0
        if is_balanced:
            weights = (weights if weights.size else 1.0) / self._balanced[rows.y.astype(np.intp)]
        numbers, places = in_order_of_appearance(rows.y.astype(np.int64))
        self._classes, labels = ClassTable(names[number] for number in numbers), places.astype(np.float64)
        if is_balanced:
            self._balanced = balanced_factors(labels, weights, len(self._classes))
            weights = self._multiplied(labels, weights, self._balanced)
        return Rows(rows.X, labels, weights)

    # Weights of classes.

    def _weighed(self, rows: Rows, online: bool) -> Rows:
        if online:
            self._check_not_balanced()
            self._balanced = NO_WEIGHTS
        else:
            self._begin_class_weight(rows)
        factors = self._factors(checked_class_weight(self.class_weight))
        return rows._replace(weights=self._multiplied(rows.y, rows.weights, factors))

    def _begin_class_weight(self, rows: Rows) -> None:
        given, self._balanced = checked_class_weight(self.class_weight), NO_WEIGHTS
        check_classes_are_known(given, self.classes_.tolist())
        if given == "balanced":
            self._balanced = balanced_factors(rows.y, rows.weights, len(self._classes))

    def _check_not_balanced(self) -> None:
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all rows at once, and online they come one after another; call fit, or "
                "pass a mapping from classes to weights, for which sklearn.utils.class_weight.compute_class_weight may "
                "help"
            )

    def _factors(self, class_weight: ClassWeight) -> Floats:
        """What the weights of rows of each class are multiplied by, by number; empty if by nothing."""
        return factors_of(class_weight, self._classes) if isinstance(class_weight, dict) else self._balanced

    @staticmethod
    def _multiplied(labels: Floats, weights: Floats, factors: Floats) -> Floats:
        return multiplied(weights, factors[labels.astype(np.intp)]) if factors.size else weights

    # Files. Pickle takes labels of any kind, a file only plain ones: it must be safe to load.

    def _state(self) -> dict[str, Any] | None:
        state = super()._state()
        if state is None:
            return None
        return {**state, "classes": list(self._classes.numbers), "balanced": self._balanced}

    def _restore(self, stored: Stored) -> None:
        self._classes = ClassTable.from_list(stored.sequence("classes"))
        self._balanced = stored.array("balanced")
        if self._balanced.size not in (0, len(self._classes)) or not (self._balanced > 0).all():
            raise ValueError("the weights of its classes are not one positive number a class")
        super()._restore(stored)


class ClassForecasting:
    """The part of an online classifier that learns and forecasts a stream, in which classes may be new at any time."""

    def partial_fit(self: Any, X: Any, y: Any, classes: Any = None, sample_weight: npt.ArrayLike | None = None) -> Any:
        """Learn rows online, one after another.

        The result does not depend on how rows are split into batches. Ctrl-C leaves a model that has learned the first
        ``n_samples_seen_`` rows; any other error leaves it as it was.

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
        coming = self._next_rows(X, y, sample_weight, classes=classes)
        with self._classes_learned():
            for rows in self._in_turn(coming):
                self._learner.learn(rows, self._current.query)
        return self

    @guards_itself
    def learn_one(self: Any, x: Any, y: Any) -> Any:
        """Learn one row: a mapping from feature names to values, a sequence or a 1-D array. Its class may be new.

        The first row may be the first call; a mapping then names the features.
        """
        with self._changing:
            before = getattr(self, "_classes", None)
            try:
                return super().learn_one(x, y)  # type: ignore[misc]
            except BaseException:
                # Unless the row is in: Ctrl-C may have come during the review after it.
                if before is not None and self._learner.n_known <= len(before):
                    self._classes = before
                raise

    def predict_then_learn(
        self: Any, X: Any, y: Any, classes: Any = None, sample_weight: npt.ArrayLike | None = None
    ) -> Floats:
        """Forecast each row of a stream just before learning it, in one call.

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
        coming = self._next_rows(X, y, sample_weight, classes=classes)
        parts: list[Floats] = []
        n_known = len(known)
        with self._classes_learned():
            for rows in self._in_turn(coming):
                parts += self._learner.forecast_then_learn(rows, self._current.query, n_known)
                n_known = max(n_known, int(rows.y.max()) + 1)
        table = getattr(self, "_classes", known)
        wide = [np.pad(part, ((0, 0), (0, len(table) - part.shape[1]))) for part in parts]
        return np.concatenate([np.empty((0, len(table))), *wide])[:, table.order]

    @contextmanager
    def _classes_learned(self: Any) -> Iterator[None]:
        """If the block is interrupted, forget the classes of rows that have not been learned."""
        try:
            yield
        except BaseException:
            if not self.__sklearn_is_fitted__():
                raise
            self._classes = ClassTable(list(self._classes.numbers)[: self._learner.n_known])
            if self._learner.is_empty:
                forget_everything(self)
            raise
