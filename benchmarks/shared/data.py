"""Public sets from a folder that the user names, and without one what scikit-learn holds or generates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

REGRESSION = (
    "abalone", "ailerons", "airfoil", "bank32nh", "boston", "cal_housing", "concrete", "cpu_act", "energy_efficiency",
    "flight_nyc2013", "fried", "house_8L", "kin40k", "kin8nm", "metro_traffic", "mv", "planes2d", "power_plant",
    "puma8NH", "qsar_chembl240", "seoul_bike", "wind", "wine_red", "yacht",
)  # fmt: skip
CLASSES = (
    "adult", "breast_w", "dna", "elec2", "letter", "madelon", "magic04", "pendigits", "satimage", "shuttle", "spambase",
    "usps", "waveform40",
)  # fmt: skip
IN_ORDER = ("metro_traffic", "seoul_bike", "elec2")
"""Sets whose rows come in order of time."""


@dataclass(frozen=True)
class Split:
    """Rows to learn, in the order in which they are learned, and rows to be asked about."""

    name: str
    X: Floats
    y: Any
    X_test: Floats
    y_test: Any

    @property
    def n_classes(self) -> int:
        """Return the number of classes, which are 0, 1, ..."""
        return int(max(self.y.max(), self.y_test.max())) + 1

    def rmse(self, prediction: Floats) -> float:
        """Return the root mean squared error on the test rows."""
        return float(np.sqrt(np.mean((prediction - self.y_test) ** 2)))

    def in_target_units(self) -> Split:
        """Return it with targets in units of the standard deviation of those to learn, around their mean."""
        centre, scale = self.y.mean(), self.y.std()
        return replace(self, y=(self.y - centre) / scale, y_test=(self.y_test - centre) / scale)

    def in_unit_range(self) -> Split:
        """Return it with columns brought to [0, 1] by their range among the rows to learn, as river's forests need."""
        return replace(self, X=unit_range(self.X, self.X), X_test=unit_range(self.X_test, self.X))


@dataclass(frozen=True)
class Table:
    """All rows of a set, as they come, and which of them its source has set apart to test."""

    name: str
    X: Floats
    y: Any
    is_test: npt.NDArray[np.bool_] | None = None

    def split(self, seed: int, most_train: int, most_test: int) -> Split:
        """Return its own split, or a random one with three quarters to learn at most; both in random order."""
        rng = np.random.default_rng(seed)
        order = rng.permutation(self.y.size)
        if self.is_test is None:
            n_train = min(most_train, 3 * self.y.size // 4)
            train, test = order[:n_train], order[n_train:]
        else:
            train, test = order[~self.is_test[order]], order[self.is_test[order]]
        train, test = train[:most_train], test[:most_test]
        return Split(self.name, self.X[train], self.y[train], self.X[test], self.y[test])

    def stream(self, n_rows: int | None = None) -> Table:
        """Return the first rows: in order of time, or shuffled."""
        n = self.y.size
        chosen = np.arange(n) if self.name in IN_ORDER else np.random.default_rng(0).permutation(n)
        return Table(self.name, np.ascontiguousarray(self.X[chosen[:n_rows]]), self.y[chosen[:n_rows]])

    def standardised(self) -> Table:
        """Return it with columns in [0, 1] and standardised targets, as river's forests need."""
        return replace(self, X=unit_range(self.X, self.X), y=(self.y - self.y.mean()) / self.y.std())


def unit_range(X: Floats, reference: Floats) -> Floats:
    """Bring columns to [0, 1] by their range in another array."""
    width = np.ptp(reference, axis=0)
    scaled: Floats = (X - reference.min(axis=0)) / np.where(width > 0, width, 1.0)
    return scaled


def regression_sets(folder: Path | None, n_rows: int = 4000, names: Sequence[str] = REGRESSION) -> list[Table]:
    """Read those of the sets that are there; without a folder, those that scikit-learn has or generates."""
    if folder is not None:
        return _from_folder(folder, names)
    from sklearn import datasets

    made: list[tuple[str, Any]] = [
        ("diabetes", datasets.load_diabetes(return_X_y=True)),
        ("friedman1", datasets.make_friedman1(n_rows, noise=1.0, random_state=0)),
        ("friedman2", datasets.make_friedman2(n_rows, noise=50.0, random_state=0)),
        ("friedman3", datasets.make_friedman3(n_rows, noise=0.1, random_state=0)),
        ("linear", datasets.make_regression(n_rows, 20, n_informative=5, noise=20.0, random_state=0)),
        ("houses", _houses(n_rows)),
    ]
    return [Table(name, X, y) for name, (X, y) in made]


def class_sets(folder: Path | None, names: Sequence[str] = CLASSES) -> list[Table]:
    """Read those of the sets that are there, labels from 0; without a folder, those that scikit-learn has."""
    if folder is not None:
        found = _from_folder(folder, names)
        return [replace(table, y=table.y.astype(np.int64) - int(table.y.min())) for table in found]
    from sklearn import datasets

    known = ("digits", "breast_cancer", "wine", "iris")
    return [Table(name, *getattr(datasets, f"load_{name}")(return_X_y=True)) for name in known]


def friedman(n_rows: int, width: int = 10, *, seed: int = 0, n_test: int = 10_000, skewed: bool = False) -> Split:
    """Draw Friedman's first function of the first five columns, with noise of standard deviation 1.

    With `skewed`, each column is sent through minus its logarithm: exponential marginals, the same targets.
    """
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows + n_test, width))
    y = friedman_mean(X) + rng.normal(size=n_rows + n_test)
    if skewed:
        X = -np.log1p(-X)
    return Split("friedman1", X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:])


def friedman_mean(X: Floats) -> Floats:
    """Return Friedman's first function, without noise."""
    mean: Floats = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return mean


def _houses(n_rows: int) -> tuple[Floats, Floats]:
    """Prices along a coast with two towns: skewed columns, a bent surface, noise in proportion, a highest price."""
    rng = np.random.default_rng(0)
    place = rng.uniform(size=(n_rows, 2))
    income, rooms, people = rng.gamma(4, 1, n_rows), rng.gamma(9, 0.6, n_rows), rng.lognormal(7, 0.7, n_rows)
    towns = sum(np.exp(-8 * np.hypot(*(place - town).T)) for town in ((0.2, 0.3), (0.7, 0.8)))
    price = (0.5 + 0.4 * income + 0.1 * rooms) * (0.6 + 1.5 * towns + 0.4 * (place[:, 0] < 0.25))
    price *= rng.lognormal(0, 0.2, n_rows)
    return np.column_stack([place, income, rooms, people]), np.minimum(price, 8.0)


def _from_folder(folder: Path, names: Sequence[str]) -> list[Table]:
    found = [name for name in names if (folder / f"{name}.parquet").is_file()]
    if not found:
        raise SystemExit(
            f"{folder} has none of {', '.join(names)}, each as a file name.parquet: the inputs first, all numbers, "
            "then the column target and, where the set has a split of its own, split (0 to learn, 1 to test)"
        )
    return [_read(folder / f"{name}.parquet") for name in found]


def _read(path: Path) -> Table:
    import polars

    frame = polars.read_parquet(path)
    inputs = frame.drop([column for column in ("target", "split") if column in frame.columns])
    X = np.ascontiguousarray(inputs.to_numpy().astype(np.float64))
    is_test = frame["split"].to_numpy() == 1 if "split" in frame.columns else None
    return Table(path.stem, X, frame["target"].to_numpy().astype(np.float64), is_test)
