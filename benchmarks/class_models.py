"""The contestants of the benchmarks on classes, and what is asked of their probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from river.forest import AMFClassifier
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from benchmarks.class_data import ClassData
from benchmarks.online import as_mappings
from hedgerow import MondrianForestClassifier

Floats = npt.NDArray[np.float64]

N_TREES = 100
CHUNK = 1000
"""Rows that one call of partial_fit gets."""
N_BINS = 15
SMALLEST = float(np.finfo(np.float64).eps)
"""Probabilities below this are raised to it, so that the log-loss of a forest that says "impossible" is a number."""


def hedgerow_forest(seed: int = 0, n_trees: int = N_TREES) -> MondrianForestClassifier:
    """Return this library's forest, all else at its default."""
    return MondrianForestClassifier(n_trees, hyperparameters="paper", n_jobs=1, random_state=seed)


def river_forest(seed: int = 0, n_trees: int = N_TREES) -> AMFClassifier:
    """Return river's Mondrian forest, all else at its default."""
    return AMFClassifier(n_estimators=n_trees, seed=seed)


BATCH: dict[str, Callable[[int], Any]] = {
    "ExtraTrees, 1 column a cut": lambda seed: ExtraTreesClassifier(N_TREES, max_features=1, random_state=seed),
    "ExtraTrees": lambda seed: ExtraTreesClassifier(N_TREES, random_state=seed),
    "RandomForest": lambda seed: RandomForestClassifier(N_TREES, random_state=seed),
}
"""scikit-learn's forests: `ERT-1`, `ERT-k` and `Breiman-RF` of the thesis."""


def learn_in_chunks(
    forest: MondrianForestClassifier, data: ClassData, begin: int = 0, end: int | None = None, chunk: int = CHUNK
) -> None:
    """Learn rows online, a chunk a call."""
    end = data.y.size if end is None else end
    for place in range(begin, end, chunk):
        rows = slice(place, min(place + chunk, end))
        forest.partial_fit(data.X[rows], data.y[rows])


def river_probabilities(forest: AMFClassifier, X: Floats, n_classes: int) -> Floats:
    """Ask river's forest about rows one by one; classes are whole numbers from 0."""
    found = np.zeros((len(X), n_classes))
    for place, row in enumerate(as_mappings(X)):
        for label, probability in forest.predict_proba_one(row).items():
            found[place, label] = probability
    return found


def accuracy(probabilities: Floats, y: npt.NDArray[np.int64]) -> float:
    """Return the share of rows whose most probable class is right; columns are the classes 0, 1, ..."""
    return float(np.mean(np.argmax(probabilities, axis=1) == y))


def log_loss(probabilities: Floats, y: npt.NDArray[np.int64]) -> float:
    """Return the mean of minus the log-probability of the right class, in nats."""
    return float(-np.mean(np.log(np.maximum(probabilities[np.arange(y.size), y], SMALLEST))))


def impossible(probabilities: Floats, y: npt.NDArray[np.int64]) -> float:
    """Return the share of rows whose class was said to have probability zero."""
    return float(np.mean(probabilities[np.arange(y.size), y] <= 0.0))


def calibration_error(probabilities: Floats, y: npt.NDArray[np.int64]) -> float:
    """Return the expected calibration error of the top class.

    Rows are sorted into bins of equal width by the probability of their most probable class. It is the mean, weighted
    by rows, of the distance between a bin's mean probability and its share of rows that were right.
    """
    top = probabilities.max(axis=1)
    right = np.argmax(probabilities, axis=1) == y
    bins = np.minimum((top * N_BINS).astype(int), N_BINS - 1)
    gaps = [abs(top[bins == b].sum() - right[bins == b].sum()) for b in np.unique(bins)]
    return float(sum(gaps) / y.size)


def aligned(forest: Any, probabilities: Floats, n_classes: int) -> Floats:
    """Put columns where their classes say; a class that was not learned has probability zero."""
    found = np.zeros((len(probabilities), n_classes))
    found[:, forest.classes_] = probabilities
    return found
