"""What a target can be: how it is checked, what is learned of it, and what becomes of predictions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.files import Stored
from hedgerow.numeric.arrays import Floats
from hedgerow.predictive import Counts, Mapped
from hedgerow.targets._cells import Cells
from hedgerow.targets._maps import Functions, Straightened, is_functions
from hedgerow.targets._zeros import Zeros

FAINT = 1e-6
"""Rows that a zero counts for the hidden value, where zeros have a forest of their own."""

MOST_RATIO = 1e9
"""Of the largest target to a knee: beyond, what lies below the knee is lost among the digits of what lies above."""

LARGEST_COUNT = 2**40
"""Counts up to here come back exactly from any map that is tried."""

NAMES = ("auto", "real", "positive", "count")


def check_target(requested: Any) -> Any:
    """Return the kind of target requested, or raise ValueError."""
    if is_functions(requested) or (isinstance(requested, str) and requested in NAMES):
        return requested if isinstance(requested, str) else tuple(requested)
    raise ValueError(
        f"target must be one of {', '.join(map(repr, NAMES))} or three functions (map, inverse, logarithm of the map's "
        f"derivative), got {requested!r}"
    )


class Target(ABC):
    """A kind of target. Labels are what a model learns of targets: any numbers."""

    name: str

    @abstractmethod
    def admits(self, y: Floats) -> npt.NDArray[np.bool_]:
        """Return which targets are of this kind."""

    @abstractmethod
    def refuse(self, y: Floats) -> str:
        """Say what is wrong with targets of which some are not."""

    @abstractmethod
    def encode(self, y: Floats) -> Floats:
        """Labels of targets that are admitted."""

    @abstractmethod
    def decode(self, labels: Floats) -> Floats:
        """Take back what `encode` gave."""

    @abstractmethod
    def distribution(self, latent: Any, X: Floats) -> Any:
        """Return the distribution of targets where that of labels is known."""

    def reaches(self, y: Floats) -> npt.NDArray[np.bool_]:
        """Return which targets that are admitted have distinct labels whose squares are numbers."""
        return np.ones(np.shape(y), dtype=bool)

    def left_out(self, latent: Any, X: Floats) -> Any:
        """Return the same for rows that were learned, each as if it had not been."""
        return self.distribution(latent, X)

    def weigh(self, y: Floats, weights: Floats) -> Floats:
        """Weights with which labels are learned; an empty array stands for ones."""
        return weights

    def unweigh(self, y: Floats, weights: Floats) -> Floats:
        """Take back what `weigh` gave."""
        return weights

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"name": self.name}

    def check(self, y: Floats) -> None:
        """Raise ValueError unless all targets are admitted."""
        if not self.admits(y).all():
            raise ValueError(self.refuse(y))


class Untransformed(Target):
    """Any number; learned as it is."""

    name = "real"

    def admits(self, y: Floats) -> npt.NDArray[np.bool_]:
        """Return which targets are of this kind: all."""
        return np.ones(np.shape(y), dtype=bool)

    def refuse(self, y: Floats) -> str:
        """Say what is wrong: nothing."""
        return ""

    def encode(self, y: Floats) -> Floats:
        """Labels are the targets."""
        return y

    def decode(self, labels: Floats) -> Floats:
        """Targets are the labels."""
        return labels

    def distribution(self, latent: Any, X: Floats) -> Any:
        """Return the same."""
        return latent


class Continuous(Target):
    """Positive numbers, or the support of a map of the user's own."""

    def __init__(self, by: Straightened | Functions) -> None:
        self.by = by
        self.name = "functions" if isinstance(by, Functions) else "positive"

    def admits(self, y: Floats) -> npt.NDArray[np.bool_]:
        """Return which targets have a value."""
        return np.isfinite(self.by.forward(y))

    def reaches(self, y: Floats) -> npt.NDArray[np.bool_]:
        """Return which targets are not too far above a knee."""
        return super().reaches(y) if isinstance(self.by, Functions) else np.asarray(y <= MOST_RATIO * self.by.knee)

    def refuse(self, y: Floats) -> str:
        """Say what is wrong."""
        bad = np.asarray(y)[~self.admits(y)]
        if isinstance(self.by, Functions):
            return (
                f"the map given as target has no finite value at {bad.size} of {np.size(y)} targets (the first is "
                f"{bad[0]:g}); give a map whose support has all targets, or target='real'"
            )
        return (
            f"target='positive' needs targets above 0, but {bad.size} of {np.size(y)} are 0 or less (smallest "
            f"{bad.min():g}); use target='real', or target='count' for whole numbers from 0 on"
        )

    def encode(self, y: Floats) -> Floats:
        """Values on the line."""
        return self.by.forward(y)

    def decode(self, labels: Floats) -> Floats:
        """Take them back."""
        return self.by.inverse(labels)

    def distribution(self, latent: Any, X: Floats) -> Mapped:
        """Return the distribution seen through the map."""
        return Mapped(latent, self.by)

    def state(self) -> dict[str, Any]:
        """Return what a file keeps; functions cannot be written to one."""
        return {"name": self.name, "target": self.by.numbers()}


class Count(Target):
    """Whole numbers from 0 on: a hidden value, rounded (Kowal and Canale 2020), and zeros of their own if need be."""

    name = "count"

    def __init__(self, cells: Cells, zeros: Zeros | None = None) -> None:
        self.cells, self.zeros = cells, zeros

    def admits(self, y: Floats) -> npt.NDArray[np.bool_]:
        """Return which targets are whole numbers from 0 on."""
        return self.are_counts(y)

    @staticmethod
    def are_counts(y: Floats) -> npt.NDArray[np.bool_]:
        """Return which targets are whole numbers from 0 to the largest count."""
        values = np.asarray(y)
        found: npt.NDArray[np.bool_] = (values >= 0.0) & (values == np.floor(values)) & (values <= LARGEST_COUNT)
        return found

    def refuse(self, y: Floats) -> str:
        """Say what is wrong."""
        bad = np.asarray(y)[~self.admits(y)]
        return (
            f"target='count' needs whole numbers from 0 to 2**40, but {bad.size} of {np.size(y)} targets are not (the "
            f"first is {bad[0]:g}); use target='real', or target='positive' for numbers above 0"
        )

    def encode(self, y: Floats) -> Floats:
        """Middles of cells."""
        return self.cells.middle(y)

    def decode(self, labels: Floats) -> Floats:
        """Take back the counts."""
        return self.cells.count(labels)

    def distribution(self, latent: Any, X: Floats) -> Counts:
        """Return the distribution of counts."""
        return self._distribution(latent, X, False)

    def left_out(self, latent: Any, X: Floats) -> Counts:
        """Return the same for rows that were learned, each as if it had not been."""
        return self._distribution(latent, X, True)

    def weigh(self, y: Floats, weights: Floats) -> Floats:
        """Weights with which labels are learned: if zeros have a forest of their own, labels are of others only."""
        return weights if self.zeros is None else (weights if weights.size else 1.0) * np.where(y == 0.0, FAINT, 1.0)

    def unweigh(self, y: Floats, weights: Floats) -> Floats:
        """Take back what `weigh` gave."""
        return weights if self.zeros is None else weights / np.where(y == 0.0, FAINT, 1.0)

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        zeros = None if self.zeros is None else self.zeros.state()
        return {"name": self.name, "cells": self.cells.numbers(), "zeros": zeros}

    def _distribution(self, latent: Any, X: Floats, left_out: bool) -> Counts:
        if self.zeros is None:
            return Counts(latent, self.cells)
        hidden = latent.cdf(np.full(len(latent), self.cells.border(np.ones(1))[0]))
        return Counts(latent, self.cells, self.zeros.probability(X, hidden, left_out))


def target_from_state(stored: Stored, width: int, forest_from_state: Callable[[Stored], Any]) -> Target:
    """Take back what `state` gave, or ValueError; `width` is the number of the model's columns."""
    name = stored.word("name", *NAMES[1:], "functions")
    if name == "real":
        return Untransformed()
    if name == "functions":
        return Continuous(Functions.from_numbers(stored.any("target")))
    if name == "positive":
        by = Straightened.from_numbers(stored.any("target"))
        if by.curve != "log":
            raise ValueError("the map of its positive targets is not a logarithm")
        return Continuous(by)
    zeros = None
    if "zeros" in stored:
        of_zeros = stored.part("zeros")
        zeros = Zeros.from_state(of_zeros, forest_from_state(of_zeros.part("forest")))
        if zeros.forest.width > width:
            raise ValueError("the forest of its zeros has more columns than it has")
    return Count(Cells.from_numbers(stored.any("cells")), zeros)
