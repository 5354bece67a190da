"""What shapes a posterior over trees: the sampler, the prior of trees, and that of their leaves."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.stats import chi2

from hedgerow import _core
from hedgerow.base.class_weight import ClassWeight, class_weight_field
from hedgerow.base.rows import LARGEST_WEIGHT, LEAST_WEIGHT, Rows
from hedgerow.base.settings import MOST, Settings, checked, integer, one_of, positive, target_like, variance, within
from hedgerow.base.targets import LARGEST_TARGET
from hedgerow.files import Stored
from hedgerow.numeric.whole import is_whole

MOST_PARTICLES = 2**24
"""In an island: their numbers are part of the keys of random streams."""
MOST_CLASSES = 2**31 - 1
LEAST_SCALE = 1e-250
"""Of the variance of leaves: less than that of any targets in their range, whatever its prior."""


@dataclass(frozen=True)
class RealLeaves:
    """Prior of a leaf's mean and variance: normal-inverse-gamma."""

    SAMPLER: ClassVar[Any] = _core.RealTreeSampler
    TREES: ClassVar[Any] = _core.RealTrees

    mean: float
    mean_weight: float
    df: float
    scale: float

    def core(self, most_rows: int) -> Any:
        """Return it as the core takes it."""
        return _core.RealLeaves(**asdict(self), most_rows=most_rows)

    @classmethod
    def from_state(cls, stored: Stored) -> RealLeaves:
        """Take back its numbers."""
        mean = stored.number("mean", -LARGEST_TARGET, LARGEST_TARGET)
        mean_weight, df = stored.number("mean_weight", LEAST_WEIGHT, LARGEST_WEIGHT), stored.number("df", 1e-3, 1e15)
        return cls(mean, mean_weight, df, stored.number("scale", LEAST_SCALE, LARGEST_TARGET**2))


@dataclass(frozen=True)
class ClassLeaves:
    """Prior of the probabilities of classes in a leaf: Dirichlet."""

    SAMPLER: ClassVar[Any] = _core.ClassTreeSampler
    TREES: ClassVar[Any] = _core.ClassTrees

    n_classes: int
    concentration: float

    def core(self, most_rows: int) -> Any:
        """Return it as the core takes it."""
        return _core.ClassLeaves(self.n_classes, self.concentration, most_rows)

    @classmethod
    def from_state(cls, stored: Stored) -> ClassLeaves:
        """Take back its numbers."""
        return cls(stored.integer("n_classes", 1, MOST_CLASSES), stored.positive("concentration"))


@dataclass(frozen=True)
class TreeSettings(Settings):
    """Sampler and prior of trees."""

    sampler: str = one_of("smc", "cgm")
    n_particles: int = integer(1)
    n_islands: int = integer(1)
    proposal: str = one_of("prior", "empirical", "optimal")
    expansion: str = one_of("node", "layer")
    resampling: str = one_of("multinomial", "systematic")
    ess_threshold: float = within(0.0, 1.0, "from 0 to 1")
    split_base: float = within(1e-300, 1.0 - 1e-16, "between 0 and 1, both left out")
    split_decay: float = within(0.0, math.inf, "of at least 0")
    max_features: Any = checked(lambda name, value: _max_features(value))
    n_steps: int = integer(1)
    n_burn_in: int | None = integer(0, or_none=True)

    def _check_together(self) -> None:
        if not self.n_islands <= self.n_particles <= MOST_PARTICLES * self.n_islands:
            raise ValueError(
                f"n_particles must give each of the {self.n_islands} islands between one and {MOST_PARTICLES} "
                f"particles, got {self.n_particles}"
            )
        if self.n_burn_in is not None and self.n_burn_in >= self.n_steps:
            raise ValueError(f"n_burn_in must be less than n_steps={self.n_steps}, got {self.n_burn_in}")

    def n_weighed(self, width: int) -> int:
        """Columns that the optimal proposal weighs at a node; 0 for all."""
        chosen = _max_features(self.max_features, width)
        if chosen is None:
            return 0
        if self.proposal != "optimal" or self.sampler != "smc":
            raise ValueError(f"max_features is for sampler='smc' with proposal='optimal', got {chosen!r} without")
        if chosen == "sqrt":
            return max(1, math.isqrt(width))
        return int(chosen) if isinstance(chosen, Integral) else max(1, round(float(chosen) * width))


@dataclass(frozen=True)
class RealTreeSettings(TreeSettings):
    """The same for targets that are numbers."""

    LEAVES: ClassVar[Any] = RealLeaves

    prior_mean: float | None = target_like()
    mean_weight: float = positive(LEAST_WEIGHT, LARGEST_WEIGHT)
    noise_df: float = positive(1e-3, 1e15)
    noise_quantile: float = within(1e-12, 1.0 - 1e-12, "between 0 and 1")
    noise_scale: float | None = variance(or_none=True)

    def leaves(self, rows: Rows) -> RealLeaves:
        """Return the prior of leaves, as far as targets decide."""
        weights = rows.weights if rows.weights.size else None
        mean = float(np.average(rows.y, weights=weights))
        spread = float(np.average((rows.y - mean) ** 2, weights=weights))
        # Targets that are all equal do not show their scale; any will do.
        variance = spread if spread > np.finfo(np.float64).tiny else 1.0
        by_quantile = variance * float(chi2.ppf(1.0 - self.noise_quantile, self.noise_df)) / self.noise_df
        by_quantile = max(by_quantile, LEAST_SCALE)
        return RealLeaves(
            mean=mean if self.prior_mean is None else self.prior_mean,
            mean_weight=self.mean_weight,
            df=self.noise_df,
            scale=by_quantile if self.noise_scale is None else self.noise_scale,
        )


@dataclass(frozen=True)
class ClassTreeSettings(TreeSettings):
    """The same for classes."""

    LEAVES: ClassVar[Any] = ClassLeaves

    concentration: float = positive()
    class_weight: ClassWeight = class_weight_field()

    def leaves(self, rows: Rows) -> ClassLeaves:
        """Return the prior of leaves. Classes are numbered without gaps."""
        return ClassLeaves(int(rows.y.max()) + 1, self.concentration)


def _max_features(chosen: Any, width: int | None = None) -> Any:
    """Return what was requested, or raise ValueError. Before the first rows nobody knows how many columns there are."""
    if chosen is None or (isinstance(chosen, str) and chosen == "sqrt"):
        return chosen
    is_share = isinstance(chosen, Real) and not isinstance(chosen, Integral) and 0.0 < float(chosen) <= 1.0
    if not is_share and not (is_whole(chosen) and 1 <= chosen <= (width or MOST)):
        up_to = "" if width is None else f" up to {width}"
        raise ValueError(
            f"max_features must be None, 'sqrt', a number of columns{up_to} or a share of them, got {chosen!r}"
        )
    return chosen
