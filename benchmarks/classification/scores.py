"""What is asked of class probabilities; classes are 0, 1, ..., a column each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.shared.data import Floats, Labels

N_BINS = 15
SMALLEST = float(np.finfo(np.float64).eps)
"""Probabilities below this are raised to it, so that the log loss of a forest that says "impossible" is finite."""


def accuracy(probabilities: Floats, y: Labels) -> float:
    """Return the share of rows whose most probable class is right."""
    return float(np.mean(np.argmax(probabilities, axis=1) == y))


def log_loss(probabilities: Floats, y: Labels) -> float:
    """Return the mean of minus the log probability of the right class, in nats."""
    return float(-np.mean(np.log(np.maximum(probabilities[np.arange(y.size), y], SMALLEST))))


def impossible(probabilities: Floats, y: Labels) -> float:
    """Return the share of rows whose class was given probability zero."""
    return float(np.mean(probabilities[np.arange(y.size), y] <= 0.0))


def calibration_error(probabilities: Floats, y: Labels) -> float:
    """Return the expected calibration error of the top class.

    Rows are sorted into bins of equal width by the probability of their most probable class. It is the mean, weighted
    by rows, of the distance between a bin's mean probability and its share of rows that were right.
    """
    top = probabilities.max(axis=1)
    right = np.argmax(probabilities, axis=1) == y
    bins = np.minimum((top * N_BINS).astype(int), N_BINS - 1)
    gaps = [abs(top[bins == b].sum() - right[bins == b].sum()) for b in np.unique(bins)]
    return float(sum(gaps) / y.size)


MEASURES: dict[str, Callable[[Floats, Labels], float]] = {
    "accuracy": accuracy,
    "log loss": log_loss,
    "calibration error": calibration_error,
    "rows whose class was called impossible": impossible,
}


def aligned(forest: Any, probabilities: Floats, n_classes: int) -> Floats:
    """Put columns where their classes say; a class that was not learned has probability zero."""
    found = np.zeros((len(probabilities), n_classes))
    found[:, forest.classes_] = probabilities
    return found
