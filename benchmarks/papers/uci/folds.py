"""The fixed folds, and what each model reaches on one of them."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm
from threadpoolctl import threadpool_limits

from benchmarks.accuracy.gradient_boosting import CONTESTANTS, STOPPED
from benchmarks.accuracy.models import BOOSTING, FOREST, NGBOOST, boosting, hedgerow_forest, ngboost
from benchmarks.shared.data import Floats, Labels, Split, Table

MODELS = {BOOSTING: boosting, FOREST: hedgerow_forest, STOPPED: CONTESTANTS[STOPPED][1], NGBOOST: ngboost}
BLUR = 1e-7
"""Standard deviations of the noise that hides copies of a row."""
LEAST_MASS = 1e-9
"""Of an interval around a target, below which rounding errors of the distribution function show."""
RESOLUTIONS = (1.0, 0.1, 0.01, 0.001)


@dataclass(frozen=True)
class Score:
    """What one model reached on one fold."""

    data: str
    model: str
    fold: int
    rmse: float
    nll: float
    rounded_nll: float  # not a number where targets have no resolution
    coverage: float  # of the central 90 % interval
    seconds: float  # processor time of the fit

    def __str__(self) -> str:
        return f"{self.data}, fold {self.fold}, {self.model}: RMSE {self.rmse:.3f}, NLL {self.nll:.3f}"


def read_folds(path: Path) -> dict[str, list[Labels]]:
    """Return the rows to test of each fold, by set."""
    import polars

    frame = polars.read_parquet(path).with_columns(polars.col("dataset").cast(polars.String)).sort("fold")
    found: dict[str, list[Labels]] = {}
    for (name, _), rows in frame.group_by("dataset", "fold", maintain_order=True):
        found.setdefault(str(name), []).append(rows["test_index"].to_numpy().astype(np.int64))
    return found


def split(table: Table, test: Labels) -> Split:
    """Return one fold: all rows that are not tested are learned."""
    learned = np.ones(table.y.size, dtype=bool)
    learned[test] = False
    return Split(table.name, table.X[learned], table.y[learned], table.X[test], table.y[test])


def without_copies(table: Table) -> Table:
    """Return it with a little noise in its columns, so that no row looks like another."""
    noise = np.random.default_rng(0).normal(size=table.X.shape)
    return replace(table, name=f"{table.name}, copies hidden", X=table.X + BLUR * table.X.std(axis=0) * noise)


def resolution(y: Floats) -> float | None:
    """Return the decimal unit in which targets are given, or None where they are as good as continuous."""
    for unit in RESOLUTIONS:
        if np.abs(y / unit - np.round(y / unit)).max() < 0.01:
            return unit
    return None


def rounded_log_density(dist: Any, y: Floats, unit: float) -> Floats:
    """Return the log of the mean density of all numbers that are rounded to the target."""
    mass = dist.cdf(y + unit / 2) - dist.cdf(y - unit / 2)
    found: Floats = np.where(mass > LEAST_MASS, np.log(np.maximum(mass, LEAST_MASS) / unit), dist.logpdf(y))
    return found


def ask(contestant: Any, model: str, X: Floats) -> tuple[Floats, Any]:
    """Return predicted means and distributions."""
    if model == NGBOOST:
        found = contestant.pred_dist(X).params
        return found["loc"], norm(found["loc"], found["scale"])
    if model == STOPPED:
        mean, variance = contestant.predict(X).T
        return mean, norm(mean, np.sqrt(variance))
    return contestant.predict(X), contestant.predict_dist(X)


def measure(data: Split, model: str, fold: int, unit: float | None) -> Score:
    """Fit, on one thread, and ask for the distribution of the test rows."""
    contestant, y = MODELS[model](fold), data.y_test
    with threadpool_limits(1):
        begin = time.process_time()
        contestant.fit(data.X, data.y)
        seconds = time.process_time() - begin
        mean, dist = ask(contestant, model, data.X_test)
        level = dist.cdf(y)
        rounded = np.nan if unit is None else -float(np.mean(rounded_log_density(dist, y, unit)))
        nll = -float(np.mean(dist.logpdf(y)))
    inside = float(np.mean((level >= 0.05) & (level <= 0.95)))
    return Score(data.name, model, fold, data.rmse(mean), nll, rounded, inside, seconds)
