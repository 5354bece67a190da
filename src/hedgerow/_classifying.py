"""What all classifiers share: a table of classes that may grow, and predictions that follow from probabilities."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from hedgerow._classes import ClassTable, as_labels, in_order_of_appearance, label_array, plain_label
from hedgerow._persistence import Arrays, Saveable

Floats = npt.NDArray[np.float64]


class Classifying(ClassifierMixin, Saveable):  # type: ignore[misc]
    """The part of a classifier that knows classes by name. It comes before the class that knows how to learn."""

    _classes: ClassTable

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

    # Files. Pickle takes labels of any kind, a file only plain ones: it must be safe to load.

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        state = super()._fitted_state()
        if state is not None:
            state[0].update(classes=self._classes.to_json())
        return state

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        self._classes = ClassTable.from_json(numbers["classes"])
        super()._restore_fitted_state(numbers, arrays)

    def _numbered(self) -> Self:
        """Return this model with numbers for labels; it shares everything else."""
        numbered = object.__new__(type(self))
        numbered.__dict__.update(self.__dict__)
        numbered._classes = ClassTable(range(len(self._classes)))
        return numbered

    def __getstate__(self) -> dict[str, Any]:
        if not self.__sklearn_is_fitted__():
            return super().__getstate__()
        return {**Saveable.__getstate__(self._numbered()), "labels": list(self._classes.numbers)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "labels" in state:
            self._classes = ClassTable(state["labels"])
