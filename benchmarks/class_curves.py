"""Accuracy and probabilities of forests as they learn: section 5.7 of the thesis on Mondrian forests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import class_models as models
from benchmarks.class_data import ClassData
from benchmarks.online import as_mappings, learn_each

Floats = npt.NDArray[np.float64]
OURS, OURS_FEW, RIVER = "hedgerow", "hedgerow, 10 trees", "river's AMF, 10 trees"
N_FEW = 10
"""Trees where river's forest takes part: a hundred of them would need many gigabytes on the wider sets."""
MEASURES: dict[str, Callable[[Floats, npt.NDArray[np.int64]], float]] = {
    "accuracy": models.accuracy,
    "log-loss": models.log_loss,
    "calibration error": models.calibration_error,
    "impossible": models.impossible,
}


@dataclass(frozen=True)
class Curve:
    """What one forest reached on one data set after each number of rows; means over its seeds."""

    data: str
    model: str
    n_rows: list[int]
    reached: dict[str, Floats]

    def __str__(self) -> str:
        return f"{self.data}, {self.model}: {self.last('accuracy'):.2%} right"

    def last(self, measure: str) -> float:
        """Return what was reached after all rows."""
        return float(self.reached[measure][-1])


def contestants() -> list[str]:
    """Return their names, those first that take longest."""
    return [RIVER, *reversed(models.BATCH), OURS, OURS_FEW]


def measure(data: ClassData, model: str, n_points: int, n_seeds: int) -> Curve:
    """Return the curve of a contestant: ours and river's learn online, scikit-learn's anew at each point.

    river's has one seed, because it takes so long.
    """
    stops = [round(data.y.size * (k + 1) / n_points) for k in range(n_points)]

    def run(seed: int) -> Iterator[Floats]:
        if model == RIVER:
            return rivers(data, stops, models.river_forest(seed, N_FEW))
        if model in (OURS, OURS_FEW):
            return ours(data, stops, models.hedgerow_forest(seed, models.N_TREES if model == OURS else N_FEW))
        return retrained(data, stops, models.BATCH[model](seed))

    return _curve(data, model, stops, [list(run(seed)) for seed in range(1 if model == RIVER else n_seeds)])


def ours(data: ClassData, stops: list[int], forest: Any) -> Iterator[Floats]:
    """Yield the probabilities of the test rows at each stop."""
    for begin, end in zip([0, *stops], stops, strict=False):
        models.learn_in_chunks(forest, data, begin, end)
        yield models.aligned(forest, forest.predict_proba(data.X_test), n_classes(data))


def retrained(data: ClassData, stops: list[int], forest: Any) -> Iterator[Floats]:
    """Yield the probabilities of the test rows, from a forest fitted to all rows up to each stop."""
    for end in stops:
        forest.fit(data.X[:end], data.y[:end])
        yield models.aligned(forest, forest.predict_proba(data.X_test), n_classes(data))


def rivers(data: ClassData, stops: list[int], forest: Any) -> Iterator[Floats]:
    """Yield the probabilities of the test rows at each stop."""
    for begin, end in zip([0, *stops], stops, strict=False):
        learn_each(forest, as_mappings(data.X[begin:end]), data.y[begin:end].tolist())
        yield models.river_probabilities(forest, data.X_test, n_classes(data))


def n_classes(data: ClassData) -> int:
    """Return the number of classes, which are 0, 1, ..."""
    return int(max(data.y.max(), data.y_test.max())) + 1


def _curve(data: ClassData, model: str, stops: list[int], runs: list[list[Floats]]) -> Curve:
    reached = {
        name: np.mean([[score(found, data.y_test) for found in run] for run in runs], axis=0)
        for name, score in MEASURES.items()
    }
    return Curve(data.name, model, stops, reached)


def mean_depths(forest: Any) -> Floats:
    """Return, for each tree, the depth of a row's leaf, averaged over the rows: Table 5.1 of the thesis.

    Depth counts edges from the root. The arrays are those of a file; its page in the guide says what they hold.
    """
    arrays = dict(forest._core.archive())
    sizes = arrays["trees.size"].astype(np.int64)
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    tree = np.repeat(np.arange(sizes.size), sizes)
    feature, link = arrays["nodes.feature"].astype(np.int64), arrays["nodes.link"].astype(np.int64)
    rows_in_leaf = arrays["nodes.location"].astype(np.float64)
    total, n_rows = np.zeros(sizes.size), np.zeros(sizes.size)
    nodes, depth = roots, 0
    while nodes.size:
        is_leaf = feature[nodes] == 2**32 - 1
        leaves, inner = nodes[is_leaf], nodes[~is_leaf]
        np.add.at(total, tree[leaves], depth * rows_in_leaf[leaves])
        np.add.at(n_rows, tree[leaves], rows_in_leaf[leaves])
        left = roots[tree[inner]] + link[inner]
        nodes, depth = np.concatenate([left, left + 1]), depth + 1
    if not np.all(n_rows == forest.n_samples_):
        raise AssertionError("every row must lie in one leaf of each tree")
    return total / n_rows
