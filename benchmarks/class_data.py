"""Data with classes: four public sets from a folder that the user names, or the digits that come with scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

NAMES = ("usps", "satimage", "letter", "dna")
SEED = 0
"""Of the order of the training rows."""


@dataclass(frozen=True)
class ClassData:
    """Rows to learn, in the order in which they are learned, and rows to be asked about."""

    name: str
    X: Floats
    y: Labels
    X_test: Floats
    y_test: Labels

    def columns(self, chosen: slice, name: str) -> ClassData:
        """Return the same rows with some columns only."""
        return replace(self, name=name, X=self.X[:, chosen], X_test=self.X_test[:, chosen])

    def first(self, n_rows: int) -> ClassData:
        """Return the first rows to learn, and all test rows."""
        return replace(self, X=self.X[:n_rows], y=self.y[:n_rows])


def from_folder(folder: Path | None) -> dict[str, ClassData]:
    """Read all four sets, or say what is missing."""
    if folder is None:
        raise FileNotFoundError(f"these benchmarks need data. {HELP}")
    missing = [f"{name}.parquet" for name in NAMES if not (folder / f"{name}.parquet").is_file()]
    if missing:
        raise FileNotFoundError(f"{folder} has no {', '.join(missing)}. {HELP}")
    return {name: _read(folder / f"{name}.parquet", name) for name in NAMES}


def digits() -> ClassData:
    """Return scikit-learn's handwritten digits, a third of them to be asked about."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    X, X_test, y, y_test = train_test_split(*load_digits(return_X_y=True), test_size=1 / 3, random_state=SEED)
    return _shuffled("digits", X, y, X_test, y_test)


def _read(path: Path, name: str) -> ClassData:
    import polars

    frame = polars.read_parquet(path)
    if not {"target", "split"} <= set(frame.columns):
        raise ValueError(f"{path} has no columns target and split. {HELP}")
    X = frame.drop("target", "split").to_numpy().astype(np.float64)
    y = frame["target"].to_numpy().astype(np.int64)
    is_test = frame["split"].to_numpy() == 1
    return _shuffled(name, X[~is_test], y[~is_test], X[is_test], y[is_test])


def _shuffled(name: str, X: Any, y: Any, X_test: Any, y_test: Any) -> ClassData:
    """Shuffle the rows to learn, and bring columns to [0, 1] by their range among them, as in the thesis.

    hedgerow and scikit-learn do not need it; river's forest does.
    """
    order = np.random.default_rng(SEED).permutation(y.size)
    lower, upper = X.min(axis=0), X.max(axis=0)
    width = np.where(upper > lower, upper - lower, 1.0)
    return ClassData(name, ((X - lower) / width)[order], y[order], (X_test - lower) / width, y_test)


HELP = """\
Pass a folder by --data or by the environment variable HEDGEROW_DATA. It holds usps.parquet, satimage.parquet, \
letter.parquet and dna.parquet, four public sets (USPS digits; StatLog satimage, letter and DNA): a row each, the \
inputs first, then the columns target (a whole number) and split (0 to learn, 1 to test). --quick needs no data."""
