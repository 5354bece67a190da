"""The classes of a classifier: labels of any hashable kind, numbered in the order in which they came."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.files.codec import check_hashes

_PLAIN = (bool, int, float, str)


class ClassTable:
    """Labels and their numbers. Never changes: `extended` makes another one, so that a failed call can be undone."""

    def __init__(self, labels: Iterable[Hashable] = ()) -> None:
        self.numbers: dict[Hashable, int] = {}
        for label in labels:
            self.numbers.setdefault(label, len(self.numbers))

    def __len__(self) -> int:
        return len(self.numbers)

    def extended(self, labels: Iterable[Hashable]) -> ClassTable:
        """Return a table that knows these labels too; itself if it knows them already."""
        if all(label in self.numbers for label in labels):
            return self
        return ClassTable([*self.numbers, *labels])

    @cached_property
    def order(self) -> npt.NDArray[np.intp]:
        """Numbers of the classes as users see them: sorted, or as they came if they cannot be compared."""
        labels = list(self.numbers)
        try:
            return np.array(sorted(range(len(labels)), key=labels.__getitem__), dtype=np.intp)  # type: ignore[arg-type]
        except TypeError:
            return np.arange(len(labels))

    @cached_property
    def classes(self) -> npt.NDArray[Any]:
        """All labels, in that order."""
        labels = list(self.numbers)
        return label_array([labels[number] for number in self.order])

    @classmethod
    def from_list(cls, labels: list[Any]) -> ClassTable:
        """Return the table of labels that a file names, or raise ValueError."""
        named = [plain_label(label) for label in labels]
        check_hashes(named)
        table = cls(named)
        if len(table) != len(labels):
            raise ValueError("two of its classes are equal")
        return table


def label_array(labels: list[Any]) -> npt.NDArray[Any]:
    """A vector of labels: of their own type where they share a plain one, else of objects."""
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and kinds <= set(_PLAIN):
        array = np.array(labels)
        if array.ndim == 1:
            return array
    return _object_array(labels)


def as_labels(y: Any) -> npt.NDArray[Any]:
    """What users give as labels, as an array; tuples stay whole, and numbers among strings stay numbers."""
    if isinstance(y, list | tuple):
        kinds = {type(label) for label in y}
        n_strings = sum(issubclass(kind, str) for kind in kinds)
        if 0 < n_strings < len(kinds) or any(issubclass(kind, tuple | frozenset) for kind in kinds):
            return _object_array(list(y))
    return np.asarray(y)


def plain_label(label: Any) -> Hashable:
    """One label, as it is kept, or ValueError."""
    if isinstance(label, np.generic):
        label = label.item()
    try:
        hash(label)
    except TypeError:
        raise ValueError(f"a label must be hashable, such as a number, a string or a tuple, got {label!r}") from None
    if _is_missing(label):
        raise ValueError(f"a label is missing: got {label!r}")
    if isinstance(label, float) and not label.is_integer():
        raise ValueError(f"a class must be a whole number or no number: got {label!r}, which looks like a real label")
    return label  # type: ignore[no-any-return]


def _is_missing(label: Any) -> bool:
    """None, NaN, what pandas has for them, or a tuple that holds one: nothing that is equal to itself."""
    if isinstance(label, tuple):
        return any(_is_missing(part) for part in label)
    return label is None or (label == label) is not True


def in_order_of_appearance(y: npt.NDArray[Any]) -> tuple[list[Hashable], npt.NDArray[np.intp]]:
    """Return the different labels of a vector, as they came, and for each entry the place of its label among them."""
    if y.dtype.kind in "biufUS":
        values, first, inverse = np.unique(y, return_index=True, return_inverse=True)
        as_they_came = np.argsort(first)
        place = np.empty_like(as_they_came)
        place[as_they_came] = np.arange(as_they_came.size)
        return [plain_label(value) for value in values[as_they_came]], place[inverse]
    table = ClassTable()
    places = np.empty(y.size, dtype=np.intp)
    for i, label in enumerate(y):
        places[i] = table.numbers.setdefault(plain_label(label), len(table.numbers))
    return list(table.numbers), places


def _object_array(labels: list[Any]) -> npt.NDArray[Any]:
    array = np.empty(len(labels), dtype=object)
    for i, label in enumerate(labels):
        array[i] = label
    return array
