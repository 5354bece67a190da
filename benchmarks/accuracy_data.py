"""Data with real labels: public sets from a folder that the user names, or what scikit-learn holds and generates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

NAMES = (
    "abalone", "ailerons", "airfoil", "bank32nh", "boston", "cal_housing", "concrete", "cpu_act", "energy_efficiency",
    "flight_nyc2013", "fried", "house_8L", "kin40k", "kin8nm", "metro_traffic", "mv", "planes2d", "power_plant",
    "puma8NH", "qsar_chembl240", "seoul_bike", "wind", "wine_red", "yacht",
)  # fmt: skip
IN_ORDER = ("metro_traffic", "seoul_bike")
"""Sets whose rows come in order of time."""
MOST_TRAIN, MOST_TEST = 8000, 3000
SMALL = 2000
"""Sets with fewer rows are split twice."""


@dataclass(frozen=True)
class RegressionData:
    """All rows of a set, as they come."""

    name: str
    X: Floats
    y: Floats

    @property
    def n_splits(self) -> int:
        """How often it is split into rows to learn and rows to be asked about."""
        return 2 if self.y.size < SMALL else 1

    def split(self, seed: int, most_train: int = MOST_TRAIN) -> Split:
        """Draw rows to learn, three quarters at most, and rows to be asked about; labels in units of the former."""
        order = np.random.default_rng(seed).permutation(self.y.size)
        n_train = min(most_train, 3 * self.y.size // 4)
        train, test = order[:n_train], order[n_train : n_train + MOST_TEST]
        centre, scale = self.y[train].mean(), self.y[train].std()
        return Split(self.X[train], (self.y[train] - centre) / scale, self.X[test], (self.y[test] - centre) / scale)

    def stream(self, n_rows: int) -> RegressionData:
        """Return the first rows, in order of time or shuffled; columns in [0, 1] and labels standardised, for river."""
        n = self.y.size
        chosen = np.arange(n) if self.name in IN_ORDER else np.random.default_rng(0).permutation(n)
        X, y = self.X[chosen[:n_rows]], self.y[chosen[:n_rows]]
        return RegressionData(self.name, _in_unit_range(X), (y - y.mean()) / y.std())


@dataclass(frozen=True)
class Split:
    """Rows to learn, and rows to be asked about."""

    X: Floats
    y: Floats
    X_test: Floats
    y_test: Floats


def from_folder(folder: Path) -> list[RegressionData]:
    """Read those of the sets that are there, or say what is missing."""
    found = [name for name in NAMES if (folder / f"{name}.parquet").is_file()]
    if not found:
        raise FileNotFoundError(f"{folder} has none of the files. {HELP}")
    return [_read(folder / f"{name}.parquet", name) for name in found]


def in_order(path: Path, n_rows: int) -> RegressionData:
    """Read the first rows of a set in order of time; columns in [0, 1], labels as they are."""
    data = _read(path, path.stem)
    return RegressionData(data.name, _in_unit_range(data.X[:n_rows]), data.y[:n_rows])


def built_in(n_rows: int = 4000) -> list[RegressionData]:
    """Return what needs no folder: scikit-learn's diabetes and its generators, and houses made up here."""
    from sklearn import datasets

    made: list[tuple[str, Any]] = [
        ("diabetes", datasets.load_diabetes(return_X_y=True)),
        ("friedman1", datasets.make_friedman1(n_rows, noise=1.0, random_state=0)),
        ("friedman2", datasets.make_friedman2(n_rows, noise=50.0, random_state=0)),
        ("friedman3", datasets.make_friedman3(n_rows, noise=0.1, random_state=0)),
        ("linear", datasets.make_regression(n_rows, 20, n_informative=5, noise=20.0, random_state=0)),
        ("houses", _houses(n_rows)),
    ]
    return [RegressionData(name, X, y) for name, (X, y) in made]


def friedman1(n_rows: int, seed: int) -> RegressionData:
    """Return Friedman's first function of ten columns, five of which matter; noise of standard deviation 1."""
    from sklearn.datasets import make_friedman1

    return RegressionData("friedman1", *make_friedman1(n_rows, noise=1.0, random_state=seed))


def _houses(n_rows: int) -> tuple[Floats, Floats]:
    """Prices along a coast with two towns: skewed columns, a bent surface, noise in proportion, a highest price."""
    rng = np.random.default_rng(0)
    place = rng.uniform(size=(n_rows, 2))
    income, rooms, people = rng.gamma(4, 1, n_rows), rng.gamma(9, 0.6, n_rows), rng.lognormal(7, 0.7, n_rows)
    towns = sum(np.exp(-8 * np.hypot(*(place - town).T)) for town in ((0.2, 0.3), (0.7, 0.8)))
    price = (0.5 + 0.4 * income + 0.1 * rooms) * (0.6 + 1.5 * towns + 0.4 * (place[:, 0] < 0.25))
    price *= rng.lognormal(0, 0.2, n_rows)
    return np.column_stack([place, income, rooms, people]), np.minimum(price, 8.0)


def _in_unit_range(X: Floats) -> Floats:
    width = np.ptp(X, axis=0)
    scaled: Floats = (X - X.min(axis=0)) / np.where(width > 0, width, 1.0)
    return scaled


def _read(path: Path, name: str) -> RegressionData:
    import polars

    frame = polars.read_parquet(path)
    if "target" not in frame.columns:
        raise ValueError(f"{path} has no column target. {HELP}")
    inputs = frame.drop([column for column in ("target", "split") if column in frame.columns])
    X = np.ascontiguousarray(inputs.to_numpy().astype(np.float64))
    return RegressionData(name, X, frame["target"].to_numpy().astype(np.float64))


HELP = f"""\
Pass a folder by --data or by the environment variable HEDGEROW_DATA. It holds some of {", ".join(NAMES)}, each as a \
file name.parquet: a row each, the inputs first, all numbers, then the column target. Without a folder, sets of \
scikit-learn are used."""
