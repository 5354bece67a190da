"""Memory of a process whose model learns a long stream, and whether it grows."""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import hedgerow
from benchmarks.soak.streams import ROWS, STREAMS
from benchmarks.speed.memory import resident_bytes
from hedgerow import (
    MondrianForestClassifier,
    MondrianForestRegressor,
    OnlineConformalRegressor,
    OnlineForestRegressor,
    OnlineQuantileForestRegressor,
)

POINTS = 200
"""At which memory is read."""
FILES = 20
"""Times that the model is saved, and the loaded one goes on in its place."""
WARM_UP = 0.3
"""Share of the rows before which memory may grow: windows fill, trees reach their bound."""
BLOCKS = 14
"""Of the points after the warm-up; their means are nearly independent."""
NEGLIGIBLE = 1_000_000
"""Bytes by which a process may grow: what allocators keep for later comes and goes in such steps."""


def bounded_forest() -> OnlineForestRegressor:
    return OnlineForestRegressor(2, max_nodes=101, leaf_capacity=50, random_state=0)


MODELS: dict[str, Callable[[], Any]] = {
    "MondrianForestRegressor, paper": lambda: MondrianForestRegressor(
        2, window=1_000, hyperparameters="paper", random_state=0
    ),
    "MondrianForestRegressor": lambda: MondrianForestRegressor(2, window=1_000, random_state=0),
    "MondrianForestClassifier": lambda: MondrianForestClassifier(1, window=1_000, random_state=0),
    "OnlineForestRegressor": bounded_forest,
    "OnlineConformalRegressor": lambda: OnlineConformalRegressor(bounded_forest(), calibration_size=300),
    "OnlineQuantileForestRegressor": lambda: OnlineQuantileForestRegressor(bounded_forest(), sketch_size=32),
}

SHARES = {"MondrianForestRegressor": 0.1}
"""Of the rows; that one learns its hyper-parameters anew every 1,000 rows, and takes twenty times as long."""


@dataclass(frozen=True)
class Curve:
    """Memory along a stream: of the process, and as the model counts itself."""

    model: str
    stream: str
    rows: np.ndarray
    resident: np.ndarray
    counted: np.ndarray
    seconds: float

    @property
    def growth(self) -> tuple[float, float]:
        """Bytes by which the process grows from the end of the warm-up on, by a straight line, and their error."""
        return growth(self.rows, self.resident)

    @property
    def is_flat(self) -> bool:
        """Whether neither memory has grown by more than is negligible, beyond two standard errors."""
        grown = (growth(self.rows, curve) for curve in (self.resident, self.counted))
        return all(slope - 2 * error < NEGLIGIBLE for slope, error in grown)


def follow(model: str, stream: str, n_rows: int) -> Curve:
    """Let a model learn a stream, in this process."""
    learner, chunks, points, begin = MODELS[model](), STREAMS[stream], [], time.process_time()
    n_chunks = n_rows // ROWS
    gc.freeze()  # what was imported does not have to be looked through each time
    for number in range(n_chunks):
        X, y = chunks(number)
        learner.partial_fit(X, np.array(["low", "high"])[(y > 3.5).astype(int)] if "Classifier" in model else y)
        learner.predict(X)
        if is_due(number, n_chunks, FILES):
            learner = loaded_again(learner)
        if is_due(number, n_chunks, min(POINTS, n_chunks)):
            gc.collect()
            points.append(((number + 1) * ROWS, resident_bytes(), sys.getsizeof(learner)))
    rows, resident, counted = np.array(points, dtype=np.float64).T
    return Curve(model, stream, rows, resident, counted, time.process_time() - begin)


def is_due(number: int, n_chunks: int, times: int) -> bool:
    """Whether something that is done so many times, evenly, is done after this chunk."""
    return (number + 1) * times // n_chunks > number * times // n_chunks


def loaded_again(model: Any) -> Any:
    """Return what comes back from the model's file."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model")
        return hedgerow.load(Path(folder) / "model")


def growth(rows: np.ndarray, memory: np.ndarray) -> tuple[float, float]:
    """Return how much a straight line through the means of blocks rises after the warm-up, and the standard error."""
    after = rows > WARM_UP * rows[-1]
    x, y = (np.array([part.mean() for part in np.array_split(each[after], BLOCKS)]) for each in (rows, memory))
    x = (x - x.mean()) / np.ptp(rows[after])
    slope = x @ (y - y.mean()) / (x @ x)
    residual = y - y.mean() - slope * x
    return float(slope), float(np.sqrt(residual @ residual / (BLOCKS - 2) / (x @ x)))
