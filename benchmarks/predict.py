"""Mean and standard deviation together, next to the plain mean of scikit-learn's ExtraTreesRegressor."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.data import friedman
from benchmarks.peers import extra_trees, hedgerow_forest
from benchmarks.report import Line
from benchmarks.timing import Effort, interleave

SECTION = "predict mean and std of 10,000 rows, against ExtraTrees' plain mean; fitted on 1e5 rows"
TARGETS = {8: 1.0, 10: 1.0, 16: 1.0, 90: 0.4}


def run(effort: Effort) -> Iterator[Line]:
    """Yield a line for each width."""
    for width, target in TARGETS.items():
        data = friedman(effort.rows(100_000), width)
        ours, theirs = hedgerow_forest().fit(data.X, data.y), extra_trees().fit(data.X, data.y)
        works = {
            "hedgerow": partial(ours.predict, data.X_test, return_std=True),
            "hedgerow's mean": partial(ours.predict, data.X_test),
            "extra trees": partial(theirs.predict, data.X_test),
        }
        contestants = {name: lambda work=work: work for name, work in works.items()}
        timings = interleave(contestants, effort.rounds(15))
        peer = timings["extra trees"]
        ratio = peer.best / timings["hedgerow"].best
        yield Line(SECTION, f"{width} columns", str(timings["hedgerow"]), str(peer), ratio, target)
        ratio = peer.best / timings["hedgerow's mean"].best
        yield Line(SECTION, f"{width} columns, mean only", str(timings["hedgerow's mean"]), str(peer), ratio)
