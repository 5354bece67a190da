"""How well class probabilities are told by boosting and by the forest, next to named peers: log loss on new rows."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from sklearn.ensemble import ExtraTreesClassifier
from threadpoolctl import threadpool_limits

from benchmarks.class_data import ClassData
from benchmarks.class_models import accuracy, aligned, log_loss, river_forest, river_probabilities
from benchmarks.online import as_mappings
from benchmarks.report import Line
from hedgerow import MondrianBoostingClassifier, MondrianForestClassifier

Floats = npt.NDArray[np.float64]

NAMES = (
    "adult", "breast_w", "dna", "elec2", "letter", "madelon", "magic04", "pendigits", "satimage", "shuttle", "spambase",
    "usps", "waveform40",
)  # fmt: skip
MOST_TRAIN, MOST_TEST = 6000, 3000
FOREST, BOOSTING, EXTRA, CALIBRATED = "hedgerow forest", "hedgerow boosting", "ExtraTrees", "ExtraTrees, calibrated"
RIVER = "river's AMF"
MODELS = (FOREST, BOOSTING, EXTRA, CALIBRATED, RIVER)
WIDEST_FOR_RIVER = 100
"""Its nodes hold dictionaries with an entry a column: on wider sets it would take more memory than there is."""

MEANS = "log loss, geometric means over the sets; reached is ours over the peer's"
WINS = "sets on which log loss is lower than that of river's AMF"
TIMES = "fit time, geometric mean over the sets; reached is ours over ExtraTrees'"


@dataclass(frozen=True)
class Loss:
    """What one contestant reached on one set."""

    data: str
    model: str
    n_train: int
    loss: float
    accuracy: float
    fit_seconds: float

    def __str__(self) -> str:
        return f"{self.data}, {self.model}: log loss {self.loss:.3f}"


def run(folder: Path | None, quick: bool) -> Iterator[Loss]:
    """Yield all losses, as they are done."""
    sets = list(built_in() if folder is None else from_folder(folder))
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=fresh) as workers:
        pairs = [(data, model) for data in (sets[:2] if quick else sets) for model in MODELS]
        wanted = [pair for pair in pairs if pair[1] != RIVER or pair[0].X.shape[1] <= WIDEST_FOR_RIVER]
        for done in as_completed([workers.submit(measure, data, model) for data, model in wanted]):
            yield done.result()


def verdicts(found: Sequence[Loss]) -> Iterator[Line]:
    """Compare over all sets."""
    by_name = {(one.data, one.model): one for one in found}
    names = sorted({one.data for one in found})

    def ratio(score: str, ours: str, peer: str) -> float:
        return geometric_mean(
            getattr(by_name[name, ours], score) / getattr(by_name[name, peer], score) for name in names
        )

    for model, target in ((BOOSTING, 1.05), (FOREST, None)):
        yield Line(MEANS, model, "", EXTRA, ratio("loss", model, EXTRA), at_most=True)
        yield Line(MEANS, model, "", CALIBRATED, ratio("loss", model, CALIBRATED), target, at_most=True)
    for model in (BOOSTING, FOREST):
        pairs = [(by_name[name, model].loss, by_name[name, RIVER].loss) for name in names if (name, RIVER) in by_name]
        won = sum(ours < theirs for ours, theirs in pairs)
        yield Line(WINS, model, f"{won} of {len(pairs)}", RIVER, won / len(pairs), 1.0, unit="")
    for model in (BOOSTING, FOREST):
        yield Line(TIMES, model, "", EXTRA, ratio("fit_seconds", model, EXTRA), at_most=True)


def measure(data: ClassData, model: str) -> Loss:
    """Fit, on one thread, and ask."""
    n_classes = 1 + max(int(data.y.max()), int(data.y_test.max()))
    with threadpool_limits(1):
        begin = time.process_time()
        if model == RIVER:
            forest = river_forest(0, 10)
            for row, label in zip(as_mappings(data.X), data.y.tolist(), strict=True):
                forest.learn_one(row, label)
            seconds = time.process_time() - begin
            probabilities = river_probabilities(forest, data.X_test, n_classes)
        else:
            fitted = new(model).fit(data.X, data.y)
            seconds = time.process_time() - begin
            probabilities = aligned(fitted, fitted.predict_proba(data.X_test), n_classes)
            if model == CALIBRATED:
                probabilities = calibrated(data, probabilities)
    loss, right = log_loss(probabilities, data.y_test), accuracy(probabilities, data.y_test)
    return Loss(data.name, model, data.y.size, loss, right, seconds)


def new(model: str) -> Any:
    """Return a contestant that is fitted in batch."""
    if model == FOREST:
        return MondrianForestClassifier(n_jobs=1, random_state=0)
    if model == BOOSTING:
        return MondrianBoostingClassifier(n_jobs=1, random_state=0)
    return ExtraTreesClassifier(100, n_jobs=1, random_state=0)


def calibrated(data: ClassData, probabilities: Floats) -> Floats:
    """Calibrate by max(p, floor) ^ power, as boosting is, on what a bootstrapped forest says of rows out of bag."""
    bagged = ExtraTreesClassifier(100, bootstrap=True, oob_score=True, n_jobs=1, random_state=0).fit(data.X, data.y)
    out_of_bag = aligned(bagged, np.nan_to_num(bagged.oob_decision_function_), probabilities.shape[1])

    def powers(said: Floats, logs: Floats) -> Floats:
        floor, power = np.exp(np.clip(logs, -14.0, 3.0))
        raised = np.maximum(said, floor) ** power
        shares: Floats = raised / raised.sum(axis=1, keepdims=True)
        return shares

    def loss(logs: Floats) -> float:
        return log_loss(powers(out_of_bag, logs), data.y)

    starts = [[np.log(floor), np.log(power)] for floor in (1e-3, 1e-2) for power in (1.0, 2.0)]
    tries = [minimize(loss, start, method="Nelder-Mead") for start in starts]
    return powers(probabilities, min(tries, key=lambda found: float(found.fun)).x)


def from_folder(folder: Path) -> Iterator[ClassData]:
    """Read those of the sets that are there; their own split where they have one, or else a random one."""
    import polars

    found = [name for name in NAMES if (folder / f"{name}.parquet").is_file()]
    if not found:
        raise FileNotFoundError(f"{folder} has none of {', '.join(NAMES)}, each as a file name.parquet")
    for name in found:
        frame = polars.read_parquet(folder / f"{name}.parquet")
        inputs = frame.drop([column for column in ("target", "split") if column in frame.columns])
        X, y = inputs.to_numpy().astype(np.float64), frame["target"].to_numpy().astype(np.int64)
        is_test = frame["split"].to_numpy() == 1 if "split" in frame.columns else None
        yield split(name, X, y - y.min(), is_test)


def built_in() -> Iterator[ClassData]:
    """Return what comes with scikit-learn."""
    from sklearn import datasets

    for name in ("breast_cancer", "digits", "wine", "iris"):
        yield split(name, *getattr(datasets, f"load_{name}")(return_X_y=True), None)


def split(name: str, X: Floats, y: Any, is_test: npt.NDArray[np.bool_] | None) -> ClassData:
    """Draw rows to learn and rows to be asked about; columns in [0, 1], which river's forest needs."""
    rng = np.random.default_rng(0)
    if is_test is None:
        is_test = rng.permutation(y.size) >= min(MOST_TRAIN, 3 * y.size // 4)
    train, test = rng.permutation(np.flatnonzero(~is_test)), rng.permutation(np.flatnonzero(is_test))
    train, test = train[:MOST_TRAIN], test[:MOST_TEST]
    lower, width = X[train].min(axis=0), np.ptp(X[train], axis=0)
    scaled = (X - lower) / np.where(width > 0, width, 1.0)
    return ClassData(name, scaled[train], y[train], scaled[test], y[test])
