"""The methods of document 003 as this library has them, a peer, and the small sets they are compared on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from river.conf import RegressionJackknife
from river.forest import ARFRegressor

from hedgerow import (
    MondrianForestRegressor,
    OnlineConformalRegressor,
    OnlineForestRegressor,
    OnlineQuantileForestRegressor,
)
from hedgerow.metrics import mean_error_rate, quantile_loss, relative_interval_size, utility

Floats = npt.NDArray[np.float64]

SETS = (
    "abalone",
    "ailerons",
    "bank32nh",
    "cal_housing",
    "cpu_act",
    "fried",
    "house_8L",
    "kin8nm",
    "mv",
    "planes2d",
    "puma8NH",
    "qsar_chembl240",
)
SEED = 0
N_TREES = 10
PEER_ROWS = 3_000
"""Rows of each set that river's forest meets: it takes 4 ms and more for each."""
RIVER = "river: ARFRegressor and jackknife"
PLAIN_MONDRIAN = "MondrianForestRegressor"


def forest(**parameters: Any) -> OnlineForestRegressor:
    """Return the base learner."""
    return OnlineForestRegressor(N_TREES, random_state=0, **parameters)


def mondrian() -> MondrianForestRegressor:
    """Return a Mondrian forest by the rules of the paper, which keeps all rows."""
    return MondrianForestRegressor(N_TREES, hyperparameters="paper", random_state=0)


METHODS: dict[str, Callable[[], Any]] = {
    PLAIN_MONDRIAN: mondrian,
    "conformal, Mondrian": lambda: OnlineConformalRegressor(mondrian(), normalised=True),
    "conformal, exact": lambda: OnlineConformalRegressor(forest()),
    "conformal, exact, normalised": lambda: OnlineConformalRegressor(forest(), normalised=True),
    "conformal, approximate": lambda: OnlineConformalRegressor(forest(), mode="approximate"),
    "conformal, approximate, normalised": lambda: OnlineConformalRegressor(
        forest(), mode="approximate", normalised=True
    ),
    "quantile": lambda: OnlineQuantileForestRegressor(forest()),
    "quantile, conformal": lambda: OnlineQuantileForestRegressor(forest(), conformal=True),
}


@dataclass(frozen=True)
class Scores:
    """How one method did on one set."""

    data: str
    method: str
    miss_rate: float
    size: float
    loss: float
    utility: float

    def __str__(self) -> str:
        return f"{self.data}, {self.method}: misses {self.miss_rate:.3f}, loss {self.loss:.4f}"

    @classmethod
    def of(cls, data: str, method: str, y: Floats, interval: Floats) -> Scores:
        return cls(
            data,
            method,
            mean_error_rate(y, interval),
            relative_interval_size(y, interval),
            quantile_loss(y, interval),
            utility(y, interval),
        )


def load(folder: Path | None, name: str) -> tuple[Floats, Floats]:
    """Read one set, its rows shuffled: conformal promises are about exchangeable rows."""
    if folder is None or not (folder / f"{name}.parquet").is_file():
        raise FileNotFoundError(f"there is no {name}.parquet in {folder}. {HELP}")
    import polars

    frame = polars.read_parquet(folder / f"{name}.parquet")
    y = frame["target"].to_numpy().astype(np.float64)
    X = frame.drop([column for column in ("target", "split") if column in frame.columns]).to_numpy().astype(np.float64)
    order = np.random.default_rng(SEED).permutation(y.size)
    return np.ascontiguousarray(X[order]), y[order]


def intervals(model: Any, X: Floats, y: Floats) -> Floats:
    """Forecast each row before it is learned."""
    if isinstance(model, MondrianForestRegressor):
        found: Floats = model.predict_then_learn(X, y, returns="interval")[-1]
        return found
    interval: Floats = model.predict_then_learn(X, y, confidence=0.9)[1]
    return interval


def river_intervals(X: Floats, y: Floats) -> Floats:
    """Let river's adaptive forest, with a jackknife over its last thousand residuals, do the same."""
    model = RegressionJackknife(
        ARFRegressor(n_models=N_TREES, leaf_prediction="mean", seed=0), confidence_level=0.9, window_size=1000
    )
    found = []
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        x = dict(enumerate(row))
        interval = model.predict_one(x, with_interval=True)
        found.append((interval.lower, interval.upper))
        model.learn_one(x, label)
    return np.array(found, dtype=np.float64)


HELP = f"""\
Pass a folder by --data or by the environment variable HEDGEROW_DATA. It holds {", ".join(SETS)}, each with the ending \
.parquet: a row each, the inputs first, then the column target. --quick needs no data."""
