"""The chains of a model with all that they need to go on: rows in bins, labels, settings, what was drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hedgerow import _core
from hedgerow._persistence import Arrays
from hedgerow.bart._moves import MOST_MOVES, checked
from hedgerow.bart._noise import VaryingNoise

Floats = npt.NDArray[np.float64]

MOST_TREES, MOST_SUMS, MOST_CHAINS, MOST_SWEEPS = 2**20, 2**12, 2**20, 2**32 - 1
"""Their numbers are parts of the names of random streams. A sweep of several rounds counts as several."""
MOST_FEATURES = 2**24
"""A rule is packed into 32 bits, eight of them for its cut."""
MOST_PARTICLES = 2**16
MOST_WEIGHT = 2.0**32
"""Of all rows together: sums of residuals are kept in integers."""
NUMBERS_AT_A_TIME = 2**22
"""Draws of predictions that are held at once."""


@dataclass(frozen=True)
class Setup:
    """All numbers that chains depend on, as they were when `fit` was called. Labels are in units of their own."""

    kind: str
    offsets: list[float]
    leaf_deviation: float
    noise_df: float
    noise_scale: float
    varying: VaryingNoise | None
    n_trees: int
    moves: dict[str, int]
    n_rounds: int
    n_particles: int
    split_base: float
    split_decay: float
    n_chains: int
    n_burn_in: int
    thin: int
    seed: int

    @classmethod
    def from_json(cls, numbers: Any) -> Self:
        """Take back what `asdict` gave; ValueError if chains could not have had it."""
        if not isinstance(numbers, dict) or set(numbers) != {field.name for field in fields(cls)}:
            raise ValueError("its settings are not whole")
        setup = cls(**{**numbers, "varying": VaryingNoise.from_json(numbers["varying"])})
        for name, least, most in (
            ("n_trees", 1, MOST_TREES),
            ("n_rounds", 1, MOST_MOVES),
            ("n_particles", 2, MOST_PARTICLES),
            ("n_chains", 1, MOST_CHAINS),
            ("n_burn_in", 0, MOST_SWEEPS),
            ("thin", 1, MOST_SWEEPS),
            ("seed", 0, 2**64 - 1),
        ):
            if type(numbers[name]) is not int or not least <= numbers[name] <= most:
                raise ValueError(f"its {name} is out of range")
        for name in ("leaf_deviation", "noise_df", "noise_scale", "split_base"):
            if type(numbers[name]) is not float or not 0.0 < numbers[name] < math.inf:
                raise ValueError(f"its {name} is out of range")
        if (
            not setup.split_base < 1.0
            or type(setup.split_decay) is not float
            or not 0.0 <= setup.split_decay < math.inf
        ):
            raise ValueError("its prior of splits is out of range")
        if setup.kind not in ("normal", "probit", "classes") or not isinstance(setup.moves, dict):
            raise ValueError("its kind or its moves are not known")
        if setup.varying is not None and setup.kind != "normal":
            raise ValueError("classes have no noise that varies")
        checked(setup.moves)
        offsets = setup.offsets
        if not isinstance(offsets, list) or not all(type(x) is float and abs(x) < 100.0 for x in offsets):
            raise ValueError("its offsets are out of range")
        if not (2 < len(offsets) <= MOST_SUMS if setup.kind == "classes" else len(offsets) == 1):
            raise ValueError("it has another number of sums than its kind")
        return setup

    def core(self) -> dict[str, Any]:
        """Return it as the core takes it."""
        settings = _core.SumSettings(
            prior=_core.TreePrior(self.split_base, self.split_decay),
            leaf_deviation=self.leaf_deviation,
            n_trees=self.n_trees,
            moves=[(getattr(_core.TreeMove, name), count) for name, count in self.moves.items()],
            n_rounds=self.n_rounds,
            n_particles=self.n_particles,
            noise_df=self.noise_df,
            noise_scale=self.noise_scale,
            varying=None if self.varying is None else self.varying.core(),
        )
        return {
            "kind": getattr(_core.ResponseKind, self.kind),
            "offsets": self.offsets,
            "settings": settings,
            "n_chains": self.n_chains,
            "seed": self.seed,
        }


def in_one_order(X: Floats, labels: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Sort rows, so that the order in which they came changes no bit."""
    order = np.lexsort((*((weights,) if weights.size else ()), labels, *X.T[::-1]))
    parts = (X, labels, weights) if weights.size else (X, labels)
    X, labels, *rest = (np.ascontiguousarray(part[order]) for part in parts)
    return X, labels, rest[0] if rest else weights


class Chains:
    """Chains, the labels that they run on, and what they have drawn so far."""

    def __init__(self, setup: Setup, sampler: Any, labels: Floats, weights: Floats) -> None:
        self.setup, self.sampler = setup, sampler
        self._labels, self._weights = labels, weights

    @classmethod
    def begin(cls, setup: Setup, X: Floats, labels: Floats, weights: Floats, start: str, n_threads: int) -> Self:
        """Chains that have not moved yet."""
        sampler = _core.SumOfTreesSampler.begin(
            X, labels, weights, start=getattr(_core.ChainStart, start), n_threads=n_threads, **setup.core()
        )
        return cls(setup, sampler, labels, weights)

    @property
    def n_draws(self) -> int:
        """Draws that each chain has kept."""
        return int(self.sampler.n_draws)

    @property
    def total_weight(self) -> float:
        """Rows, each as often as its weight says."""
        return float(self._weights.sum()) if self._weights.size else float(self._labels.size)

    @property
    def notes(self) -> dict[str, Floats]:
        """What is noted down of each draw, each of shape (n_chains, n_draws); noise in the units of the core."""
        names = ("noise", "log_likelihood", "n_leaves", "root_changes")
        return dict(zip(names, np.moveaxis(self.sampler.notes(), 2, 0), strict=True))

    def parts(self, X: Floats) -> Iterator[slice]:
        """Yield a few rows at a time: what all draws say of them may be held at once."""
        n_rows = max(1, NUMBERS_AT_A_TIME // (self.setup.n_chains * self.n_draws * len(self.setup.offsets)))
        for begin in range(0, X.shape[0], n_rows):
            yield slice(begin, min(begin + n_rows, X.shape[0]))

    def sums(self, X: Floats, n_threads: int) -> Iterator[tuple[slice, Floats]]:
        """Yield a few rows at a time and what each draw says of each of them: shape (rows, draws, sums)."""
        for part in self.parts(X):
            drawn = self.sampler.predict(np.ascontiguousarray(X[part]), n_threads)
            yield part, np.ascontiguousarray(drawn.transpose(2, 0, 1)) + np.array(self.setup.offsets)

    def log_variances(self, X: Floats, n_threads: int) -> Floats:
        """Logarithm of the noise's variance at each row by each draw, where noise varies: shape (rows, draws)."""
        return np.ascontiguousarray(self.sampler.predict_noise(np.ascontiguousarray(X), n_threads)[:, 0].T)

    # Files.

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return numbers for the JSON text and arrays."""
        return asdict(self.setup), {"labels": self._labels, "weights": self._weights, **self.sampler.archive()}

    @classmethod
    def from_file(cls, numbers: Any, arrays: Arrays, width: int) -> Self:
        """Take back what `to_file` gave; ValueError if any of it cannot be."""
        setup = Setup.from_json(numbers)
        labels, weights, bins = arrays["labels"], arrays["weights"], arrays["rows.bins"]
        if labels.dtype != np.float64 or labels.ndim != 1 or bins.ndim != 1 or bins.size != labels.size * width:
            raise ValueError("its rows and labels differ in number")
        allowed = (labels.shape, (0,)) if setup.kind == "normal" else ((0,),)
        if weights.dtype != np.float64 or weights.shape not in allowed:
            raise ValueError("its weights are not those of its rows")
        if not (weights >= np.finfo(np.float64).tiny).all() or not weights.sum() <= MOST_WEIGHT:
            raise ValueError("its weights are out of range")
        n_classes = {"normal": 0, "probit": 2, "classes": len(setup.offsets)}[setup.kind]
        if n_classes and not np.isin(labels, np.arange(n_classes)).all():
            raise ValueError("its labels are not classes")
        if not (np.abs(labels) <= max(n_classes, 0.5)).all():
            raise ValueError("its labels are out of range")
        # What a file says of its own size is believed only if it has the arrays for it.
        for chain in range(setup.n_chains):
            if setup.n_trees * len(setup.offsets) > arrays[f"chain{chain}.state.values"].size:
                raise ValueError("it has fewer trees than it says")
            if setup.varying and setup.varying.n_trees > arrays[f"chain{chain}.noise.state.values"].size:
                raise ValueError("its noise has fewer trees than it says")
        if f"chain{setup.n_chains}.state.values" in arrays:
            raise ValueError("it has more chains than it says")
        sampler = _core.SumOfTreesSampler.restore(arrays, labels, weights, **setup.core())
        n_kept = (sampler.n_sweeps - setup.n_burn_in) // setup.thin
        if sampler.n_draws < 1 or sampler.n_draws != n_kept:
            raise ValueError("it has another number of draws than its sweeps have left")
        return cls(setup, sampler, labels, weights)
