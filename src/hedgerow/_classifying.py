"""What all classifiers share: a table of classes that may grow, and predictions that follow from probabilities."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from hedgerow._class_weight import (
    ClassWeight,
    balanced_factors,
    check_classes_are_known,
    checked_class_weight,
    factors_of,
    multiplied,
)
from hedgerow._classes import ClassTable, as_labels, in_order_of_appearance, label_array, plain_label
from hedgerow._persistence import Arrays, Saveable, decode_parameter, encode_parameter
from hedgerow._validation import NO_WEIGHTS

Floats = npt.NDArray[np.float64]


class Classifying(ClassifierMixin, Saveable):  # type: ignore[misc]
    """The part of a classifier that knows classes by name. It comes before the class that knows how to learn."""

    class_weight: Any

    _classes: ClassTable
    _class_weight: ClassWeight = None  # as it was when learning began
    _balanced: Floats = NO_WEIGHTS  # if that is "balanced": the factor of each class, by number

    # What is predicted.

    @abstractmethod
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class."""

    @abstractmethod
    def predict_proba_one(self, x: Any) -> dict[Hashable, float]:
        """Probability of each class at one point."""

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of `predict_proba`."""
        log_probabilities: Floats = np.log(self.predict_proba(X))
        return log_probabilities

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row; of equally probable ones the first in `classes_`."""
        most_probable = np.argmax(self.predict_proba(X), axis=1)
        best: npt.NDArray[Any] = self.classes_[most_probable]
        return best

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

    def _by_name(self, probabilities: Any) -> dict[Hashable, float]:
        """Probabilities of one row, in the order of numbers, in the order of `classes_`."""
        labels = list(self._classes.numbers)
        return {labels[number]: float(probabilities[number]) for number in self._classes.order}

    def _validated(self, X: Any, y: Any, reset: bool) -> tuple[Floats, Any]:
        labels = None if y is None else as_labels(y)
        try:
            X, y = super()._validated(X, labels, reset)
        except TypeError:  # from labels that refuse to be compared
            for label in () if labels is None else labels.ravel():
                plain_label(label)
            raise
        plain = label_array(y.tolist()) if y.dtype.kind == "O" else y
        if plain.dtype.kind != "O":
            check_classification_targets(plain)
        return X, y

    def _numbers_of(self, y: Any) -> Floats:
        """Numbers of the classes; those that are new get one."""
        labels, places = in_order_of_appearance(as_labels(y))
        self._classes = self._classes.extended(labels)
        return self._numbered_by(labels)[places]

    def _known_numbers_of(self, y: Any) -> Floats:
        """Numbers of the classes; -1 for those that are new."""
        labels, places = in_order_of_appearance(as_labels(y))
        return self._numbered_by(labels)[places]

    def _numbered_by(self, labels: list[Hashable]) -> Floats:
        return np.array([self._classes.numbers.get(label, -1) for label in labels], dtype=np.float64)

    def _renumbered(self, labels: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Know only the classes of these rows, which this model has learned, numbered as they come; weigh them anew."""
        self._check_class_weight_unchanged(checked_class_weight(self.class_weight))
        names: dict[Hashable, Hashable] = dict(enumerate(self._classes.numbers))
        is_balanced = self._class_weight == "balanced"
        if is_balanced:
            weights = (weights if weights.size else 1.0) / self._balanced[labels.astype(np.intp)]
        numbers, places = in_order_of_appearance(labels.astype(np.int64))
        self._classes, labels = ClassTable(names[number] for number in numbers), places.astype(np.float64)
        if is_balanced:
            self._balanced = balanced_factors(labels, weights, len(self._classes))
            weights = self._weighted(labels, weights)
        return labels, weights

    # Weights of classes.

    def _weigh(self, labels: Floats, weights: Floats, online: bool) -> Floats:
        """Weights of rows that are about to be learned, given the numbers of their classes."""
        if online:
            self._check_class_weight_online()
        else:
            self._begin_class_weight(labels, weights)
        return self._weighted(labels, weights)

    def _weigh_one(self, label: float) -> float:
        if self.class_weight is None and self._class_weight is None:
            return 1.0
        return float(self._weigh(np.array([label]), np.ones(1), online=True)[0])

    def _begin_class_weight(self, labels: Floats, weights: Floats) -> None:
        self._class_weight, self._balanced = checked_class_weight(self.class_weight), NO_WEIGHTS
        check_classes_are_known(self._class_weight, self.classes_.tolist())
        if self._class_weight == "balanced":
            self._balanced = balanced_factors(labels, weights, len(self._classes))

    def _check_class_weight_online(self) -> None:
        given = checked_class_weight(self.class_weight)
        if given == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all rows at once, and online they come one after another; call fit, or "
                "pass a mapping from classes to weights, for which sklearn.utils.class_weight.compute_class_weight may "
                "help"
            )
        if not self.__sklearn_is_fitted__():
            self._class_weight, self._balanced = given, NO_WEIGHTS
        else:
            self._check_class_weight_unchanged(given)

    def _check_class_weight_unchanged(self, given: ClassWeight) -> None:
        if given != self._class_weight:
            raise ValueError(
                f"class_weight was {self._class_weight!r} when learning began and is {given!r} now; call fit to begin "
                "anew, or set it back"
            )

    @property
    def _class_factors(self) -> Floats:
        """What the weights of rows of each class are multiplied by, by number; empty if by nothing."""
        if isinstance(self._class_weight, dict):
            return factors_of(self._class_weight, self._classes)
        return self._balanced

    def _weighted(self, labels: Floats, weights: Floats) -> Floats:
        factors = self._class_factors
        return multiplied(weights, factors[labels.astype(np.intp)]) if factors.size else weights

    # Files. Pickle takes labels of any kind, a file only plain ones: it must be safe to load.

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        state = super()._fitted_state()
        if state is not None:
            used = encode_parameter("class_weight", self._class_weight)
            state[0].update(classes=self._classes.to_json(), class_weight=used, balanced=self._balanced.tolist())
        return state

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        self._classes = ClassTable.from_json(numbers["classes"])
        self._class_weight = checked_class_weight(decode_parameter(numbers["class_weight"]))
        self._balanced = np.array([float(factor) for factor in numbers["balanced"]])
        if self._balanced.size != (len(self._classes) if self._class_weight == "balanced" else 0):
            raise ValueError("it has weights of more classes than it names, or of fewer")
        if not ((self._balanced > 0) & np.isfinite(self._balanced)).all():
            raise ValueError("the weight of a class is not a positive number")
        super()._restore_fitted_state(numbers, arrays)

    def _numbered(self) -> Self:
        """Return this model with numbers for labels, and no weights that name them; it shares everything else."""
        numbered = object.__new__(type(self))
        numbered.__dict__.update(self.__dict__)
        numbered.class_weight = None
        if self.__sklearn_is_fitted__():
            numbered._classes = ClassTable(range(len(self._classes)))
            numbered._class_weight, numbered._balanced = None, NO_WEIGHTS
        return numbered

    def _names(self) -> dict[str, Any]:
        """Return what `_numbered` leaves out."""
        names = ("class_weight", "_class_weight", "_balanced", "_classes")
        return {name: self.__dict__[name] for name in names if name in self.__dict__}

    def __getstate__(self) -> dict[str, Any]:
        names = self._names()
        if "_classes" in names:
            names["_classes"] = list(self._classes.numbers)
        return {**Saveable.__getstate__(self._numbered()), "names": names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.update(state["names"])
        if "_classes" in state["names"]:
            self._classes = ClassTable(state["names"]["_classes"])
