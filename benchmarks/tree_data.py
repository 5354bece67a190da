"""Data for Bayesian trees: three public sets from a folder that the user names, scikit-learn's digits, or made up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

NAMES = ("pendigits", "magic04", "madelon")
SEED = 0
"""Of the random third of magic04 that is held back to test."""


@dataclass(frozen=True)
class TreeData:
    """Rows to learn, and rows to be asked about."""

    name: str
    X: Floats
    y: Labels
    X_test: Floats
    y_test: Labels

    @property
    def n_classes(self) -> int:
        """Return the number of classes, which are 0, 1, ..."""
        return int(self.y.max()) + 1


def from_folder(folder: Path | None) -> dict[str, TreeData]:
    """Read all three sets, or say what is missing."""
    if folder is None:
        raise FileNotFoundError(f"these benchmarks need data. {HELP}")
    missing = [f"{name}.parquet" for name in NAMES if not (folder / f"{name}.parquet").is_file()]
    if missing:
        raise FileNotFoundError(f"{folder} has no {', '.join(missing)}. {HELP}")
    return {name: _read(folder / f"{name}.parquet", name) for name in NAMES}


def digits() -> TreeData:
    """Return scikit-learn's handwritten digits, 30 % of them to be asked about."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    X, X_test, y, y_test = train_test_split(*load_digits(return_X_y=True), test_size=0.3, random_state=SEED)
    return TreeData("digits", X, y, X_test, y_test)


def made_up(n_rows: int) -> TreeData:
    """Draw five classes in ten columns: a mixture of Gaussians, so that larger sets make larger trees."""
    generator = np.random.default_rng(SEED)
    centres = generator.normal(size=(5, 10))
    y = generator.integers(5, size=n_rows)
    X = centres[y] + generator.normal(size=(n_rows, 10))
    return TreeData(f"{n_rows:,} made-up rows", X, y, X[:1], y[:1])


def _read(path: Path, name: str) -> TreeData:
    import polars
    from sklearn.model_selection import train_test_split

    frame = polars.read_parquet(path)
    if "target" not in frame.columns:
        raise ValueError(f"{path} has no column target. {HELP}")
    y = frame["target"].to_numpy().astype(np.int64)
    X = frame.drop([column for column in ("target", "split") if column in frame.columns]).to_numpy().astype(np.float64)
    if "split" in frame.columns:
        is_test = frame["split"].to_numpy() == 1
        return TreeData(name, X[~is_test], y[~is_test], X[is_test], y[is_test])
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=SEED)
    return TreeData(name, X, y, X_test, y_test)


HELP = """\
Pass a folder by --data or by the environment variable HEDGEROW_DATA. It holds pendigits.parquet, magic04.parquet and \
madelon.parquet, three public sets of the UCI repository: a row each, the inputs first, then the column target (a \
whole number) and, but for magic04, split (0 to learn, 1 to test). --quick needs no data."""
