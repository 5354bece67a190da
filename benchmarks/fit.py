"""Batch learning next to scikit-learn's ExtraTreesRegressor: time, and the error that the time buys."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks.data import friedman
from benchmarks.peers import extra_trees, hedgerow_forest
from benchmarks.report import Line
from benchmarks.timing import Effort, interleave

TIME = "fit, against ExtraTrees (min_samples_leaf 5); min_samples_split 10"
ERROR = "error of these fits (RMSE on 10,000 new rows; noise 1); reached is hedgerow's over ExtraTrees'"


class Case(NamedTuple):
    """A data set, the ratio aimed at, and how often to measure it."""

    name: str
    n_rows: int
    width: int
    skewed: bool
    target: float
    rounds: int


CASES = (
    Case("Friedman1 1e5 x 10", 100_000, 10, False, 14, 7),
    Case("uniform 7e5 x 8", 700_000, 8, False, 20, 2),
    Case("uniform 1e5 x 90", 100_000, 90, False, 45, 2),
    Case("exponential marginals 1e5 x 10", 100_000, 10, True, 5, 7),
)


def run(effort: Effort) -> Iterator[Line]:
    """Yield the lines on fitting, then those on error."""
    errors = []
    for case in CASES:
        data = friedman(effort.rows(case.n_rows), case.width, skewed=case.skewed)
        ours, theirs = hedgerow_forest(), extra_trees()
        timings = interleave(
            {
                "hedgerow": lambda ours=ours, data=data: partial(ours.fit, data.X, data.y),
                "extra trees": lambda theirs=theirs, data=data: partial(theirs.fit, data.X, data.y),
            },
            effort.rounds(case.rounds),
        )
        ratio = timings["extra trees"].best / timings["hedgerow"].best
        yield Line(TIME, case.name, str(timings["hedgerow"]), str(timings["extra trees"]), ratio, case.target)
        our_error, their_error = data.rmse(ours.predict(data.X_test)), data.rmse(theirs.predict(data.X_test))
        name = f"{case.name} (labels' sd {np.std(data.y_test):.2f})"
        errors.append(Line(ERROR, name, f"{our_error:.3f}", f"{their_error:.3f}", our_error / their_error))
    yield from errors
