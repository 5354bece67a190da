"""Mondrian forests for classification: section 5.7 of the thesis again, speed, and how good the probabilities are."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np

from benchmarks import class_models as models
from benchmarks import class_report, class_speed
from benchmarks.class_curves import OURS, OURS_FEW, RIVER, Curve, contestants, mean_depths, measure
from benchmarks.class_data import ClassData, digits, from_folder
from benchmarks.report import Line

THESIS_DEPTHS = {"usps": (7291, 19.1), "satimage": (3104, 17.4), "letter": (15000, 23.2), "dna": (1400, 12.0)}
"""Table 5.1: rows learned, and the mean depth of a row's leaf."""
DNA_RELEVANT = slice(60, 120)
"""Columns 61 to 120, which the description of the data calls the most relevant."""
TOTALLY_RANDOM = "ExtraTrees, 1 column a cut"

ACCURACY = "accuracy after all rows, in percent; the peer is ExtraTrees with one column a cut; reached in points"
LOG_LOSS = "log-loss after all rows; 10 trees, the peer is river's AMFClassifier; reached is its log-loss over ours"
CALIBRATION = "calibration error, all rows; 10 trees, the peer is river's AMFClassifier; reached is its error over ours"
DEPTH = "depth of a row's leaf, mean ± sd over 100 trees; the peer is Table 5.1 of the thesis; reached is the ratio"


def run(folder: Path | None, quick: bool) -> Iterator[Line | Curve]:
    """Yield what is measured, as it is measured. Times come first, while nothing else of ours is running."""
    if quick:
        small = digits()
        yield from class_speed.bulk(small, [200, 400])
        yield from class_speed.single(small, 200, 100, 1)
        yield depth(small, small.y.size, None)
        yield from curves([small], 4, 1)
        return
    sets = from_folder(folder)
    letter = sets["letter"]
    yield from class_speed.bulk(letter, [1000, 2000, 4000, 8000, letter.y.size])
    yield from class_speed.chunks(letter)
    yield from class_speed.single(letter, 2000, 300, 2)
    for name, (n_rows, thesis) in THESIS_DEPTHS.items():
        yield depth(sets[name], n_rows, thesis)
        if n_rows < sets[name].y.size:
            yield depth(sets[name], sets[name].y.size, None)
    relevant = sets["dna"].columns(DNA_RELEVANT, "dna, 60 columns")
    yield from curves([*sets.values(), relevant], 10, 3)


def depth(data: ClassData, n_rows: int, thesis: float | None) -> Line:
    """Learn the first rows of the shuffled order online, and measure how deep they lie."""
    forest = models.hedgerow_forest()
    models.learn_in_chunks(forest, data.first(n_rows))
    depths = mean_depths(forest)
    what = f"{data.name}, {n_rows:,} rows (log2: {np.log2(n_rows):.1f})"
    shown = f"{depths.mean():.1f} ± {depths.std():.1f}"
    ratio = depths.mean() / thesis if thesis else float("nan")
    return Line(DEPTH, what, shown, f"{thesis}" if thesis else "", ratio)


def curves(sets: list[ClassData], n_points: int, n_seeds: int) -> Iterator[Curve]:
    """Yield all curves, as they are done; nothing is timed here, so all cores may work."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=fresh) as workers:
        work = [workers.submit(measure, data, model, n_points, n_seeds) for model in contestants() for data in sets]
        for done in as_completed(work):
            yield done.result()


def verdicts(found: list[Curve]) -> Iterator[Line]:
    """Compare the curves at their ends."""
    by_name = {(curve.data, curve.model): curve for curve in found}
    names = class_report.in_order(curve.data for curve in found)
    for name in names:
        ours, peer = by_name[name, OURS].last("accuracy"), by_name[name, TOTALLY_RANDOM].last("accuracy")
        target = -1.0 if name in ("usps", "satimage", "letter") else None
        yield Line(ACCURACY, name, f"{ours:.2%}", f"{peer:.2%}", 100 * (ours - peer), target, unit=" points")
    for section, score in ((LOG_LOSS, "log-loss"), (CALIBRATION, "calibration error")):
        for name in names:
            ours, peer = by_name[name, OURS_FEW].last(score), by_name[name, RIVER].last(score)
            yield Line(section, name, f"{ours:.3f}", f"{peer:.3f}", peer / ours, 1.0)
