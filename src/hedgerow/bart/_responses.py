"""What stands between sums of trees and targets or classes, as far as the rows decide."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import ndtri

from hedgerow import _core
from hedgerow.bart._noise import VaryingNoise
from hedgerow.bart._targets import TargetUnits, guessed_noise, noise_scale
from hedgerow.base.rows import Floats, Rows
from hedgerow.files import Stored

MOST_SUMS = 2**12
"""Their numbers are parts of the names of random streams."""


@dataclass(frozen=True)
class RealResponse:
    """Targets, in units of their own, are a sum of trees and normal noise."""

    kind: ClassVar[str] = "normal"
    offsets: ClassVar[list[float]] = [0.0]
    n_classes: ClassVar[int] = 0
    reach: ClassVar[float] = 0.5  # of a sum of trees, in standard deviations `shrinkage` times as many

    units: TargetUnits
    noise_df: float
    noise_scale: float
    varying: VaryingNoise | None

    @classmethod
    def of(cls, rows: Rows, settings: Any) -> tuple[Self, Rows]:
        """Return it, and the rows as the core takes them."""
        units = TargetUnits.of(rows.y)
        rows = in_one_order(rows._replace(y=units.inward(rows.y)))
        varies, df = settings.noise == "varying", settings.noise_df
        varying = VaryingNoise.about(guessed_noise(*rows), rows.y) if varies else None
        return cls(units, df, noise_scale(*rows, df, settings.noise_quantile), varying), rows

    def trace(self, notes: dict[str, Floats], total_weight: float) -> dict[str, Floats]:
        """Return what was noted down of draws, in the user's units."""
        width = self.units.width
        likelihood = notes["log_likelihood"] - total_weight * math.log(width)
        return notes | {"noise": notes["noise"] * width, "log_likelihood": likelihood}

    def predictions(self, sums: Floats, n_threads: int) -> Floats:
        """Return predictions of draws, up to units, from sums of shape (rows, draws, 1)."""
        return sums[:, :, 0]

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        varying = None if self.varying is None else asdict(self.varying)
        return {"units": asdict(self.units), "noise_scale": self.noise_scale, "varying": varying}

    @classmethod
    def from_state(cls, stored: Stored, settings: Any) -> Self:
        """Take back what `state` gave."""
        varies = settings.noise == "varying"
        if not varies and stored.any("varying") is not None:
            raise ValueError("its noise varies, against its settings")
        varying = VaryingNoise.from_state(stored.part("varying")) if varies else None
        units = TargetUnits.from_state(stored.part("units"))
        return cls(units, settings.noise_df, stored.positive("noise_scale"), varying)


@dataclass(frozen=True)
class ClassResponse:
    """Classes have utilities: sums of trees about these offsets, and normal noise. Two classes share one."""

    reach: ClassVar[float] = 3.0
    noise_df: ClassVar[float] = 1.0  # the variance of utilities is one; these are not used
    noise_scale: ClassVar[float] = 1.0
    varying: ClassVar[None] = None

    offsets: list[float]

    @property
    def kind(self) -> str:
        """As the core calls it."""
        return "probit" if len(self.offsets) == 1 else "classes"

    @property
    def n_classes(self) -> int:
        """Classes that there may be."""
        return max(2, len(self.offsets))

    @classmethod
    def of(cls, rows: Rows, settings: Any) -> tuple[Self, Rows]:
        """Return it, and the rows as the core takes them. Classes are numbered without gaps."""
        counts = np.bincount(rows.y.astype(int))
        if counts.size > MOST_SUMS:
            raise ValueError(f"there are {counts.size} classes; BART takes at most {MOST_SUMS}")
        return cls(offsets_for(counts / rows.y.size)), in_one_order(rows)

    def trace(self, notes: dict[str, Floats], total_weight: float) -> dict[str, Floats]:
        """Return what was noted down of draws; utilities have noise of variance one."""
        return {name: draws for name, draws in notes.items() if name != "noise"}

    def predictions(self, sums: Floats, n_threads: int) -> Floats:
        """Return predictions of draws, from sums of shape (rows, draws, sums): a probit, or all probabilities."""
        if sums.shape[2] == 1:
            return sums
        found: Floats = _core.class_probabilities(sums.reshape(-1, sums.shape[2]), n_threads)
        return found.reshape(sums.shape)

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return asdict(self)

    @classmethod
    def from_state(cls, stored: Stored, settings: Any) -> Self:
        """Take back what `state` gave."""
        offsets = stored.sequence("offsets")
        if not all(type(offset) is float and abs(offset) < 100.0 for offset in offsets):
            raise ValueError("its offsets are out of range")
        if len(offsets) != 1 and not 2 < len(offsets) <= MOST_SUMS:
            raise ValueError("it has another number of sums than classes")
        return cls(offsets)


def in_one_order(rows: Rows) -> Rows:
    """Sort rows, so that the order in which they came changes no bit."""
    X, targets, weights = rows
    order = np.lexsort((*((weights,) if weights.size else ()), targets, *X.T[::-1]))
    return Rows(*(np.ascontiguousarray(part[order]) if part.size else part for part in rows))


def offsets_for(shares: Floats) -> list[float]:
    """Return where utilities are centred so that, with no tree, classes are as probable as these shares of the rows.

    One number for two classes; for more the solution whose mean is zero. A single class needs none.
    """
    if shares.size <= 2:
        return [0.0] if shares.size == 1 else [float(ndtri(shares[1]))]
    offsets = ndtri(shares)
    # A fixed point by steps on the probit scale. P(k) falls with each other offset as it rises with its own, and not
    # faster than on that scale, so no step goes too far.
    for _ in range(10_000):
        found = _core.class_probabilities(offsets.reshape(1, -1), 1)[0]
        step = ndtri(shares) - ndtri(found)
        offsets = offsets + step
        if np.abs(step - step.mean()).max() < 1e-12:
            break
    return (offsets - offsets.mean()).tolist()  # type: ignore[no-any-return]
