"""What shapes the chains of BART: the sampler, the prior of trees, and that of the noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hedgerow import _core
from hedgerow.bart._moves import checked_sampler, moves_for
from hedgerow.bart._responses import ClassResponse, RealResponse
from hedgerow.base.class_weight import class_weight_field
from hedgerow.base.settings import Query, Settings, checked, integer, one_of, within

MOST_TREES, MOST_CHAINS, MOST_SWEEPS = 2**20, 2**20, 2**32 - 1
"""Their numbers are parts of the names of random streams. A sweep of several rounds counts as several."""
MOST_PARTICLES = 2**16


@dataclass(frozen=True)
class BARTSettings(Settings):
    """Sampler and prior of trees."""

    RESPONSE: ClassVar[Any]

    n_estimators: int = integer(1, MOST_TREES)
    sampler: str | dict[str, int] = checked(checked_sampler)
    n_particles: int = integer(2, MOST_PARTICLES)
    n_chains: int = integer(1, MOST_CHAINS)
    n_draws: int = integer(1, MOST_SWEEPS)
    n_burn_in: int = integer(0, MOST_SWEEPS)
    thin: int = integer(1, MOST_SWEEPS)
    start: str = one_of("leaves", "prior")
    split_base: float = within(1e-300, 1.0 - 1e-16, "between 0 and 1, both left out")
    split_decay: float = within(0.0, 1e6, "of at least 0")
    shrinkage: float = within(1e-3, 1e3, "from 0.001 to 1000")

    def sweeps_for(self, n_draws: int) -> int:
        """Sweeps of a chain until it has kept so many draws; ValueError if there are too many."""
        n_sweeps = self.n_burn_in + n_draws * self.thin
        if n_sweeps * self._moves()[1] > MOST_SWEEPS:
            raise ValueError(f"chains end after {MOST_SWEEPS} sweeps; ask for fewer draws or a smaller thin")
        return n_sweeps

    def core(self, response: Any, seed: int) -> dict[str, Any]:
        """Return all that chains depend on, as the core takes it."""
        moves, n_rounds = self._moves()
        settings = _core.SumSettings(
            prior=_core.TreePrior(self.split_base, self.split_decay),
            leaf_deviation=response.reach / (self.shrinkage * math.sqrt(self.n_estimators)),
            n_trees=self.n_estimators,
            moves=[(getattr(_core.TreeMove, name), count) for name, count in moves.items()],
            n_rounds=n_rounds,
            n_particles=self.n_particles,
            noise_df=response.noise_df,
            noise_scale=response.noise_scale,
            varying=None if response.varying is None else response.varying.core(),
        )
        kind = getattr(_core.ResponseKind, response.kind)
        return {
            "kind": kind,
            "offsets": response.offsets,
            "settings": settings,
            "n_chains": self.n_chains,
            "seed": seed,
        }

    def _moves(self) -> tuple[dict[str, int], int]:
        return moves_for(self.sampler, self.n_estimators, self.split_decay)


@dataclass(frozen=True)
class RealBARTSettings(BARTSettings):
    """The same for targets that are numbers."""

    RESPONSE: ClassVar[Any] = RealResponse

    noise: str = one_of("constant", "varying")
    noise_df: float = within(1e-3, 1e15, "from 0.001 to 1e15")
    noise_quantile: float = within(1e-12, 1.0 - 1e-12, "between 0 and 1, both left out")


@dataclass(frozen=True)
class ClassBARTSettings(BARTSettings):
    """The same for classes."""

    RESPONSE: ClassVar[Any] = ClassResponse

    class_weight: dict[Any, float] | str | None = class_weight_field()


@dataclass(frozen=True)
class BARTQuery(Query):
    """Parameters that take effect at once."""

    progress: bool | None = checked(lambda name, value: _progress(value))


def _progress(value: Any) -> bool | None:
    if value is not None and not isinstance(value, bool | np.bool_):
        raise ValueError(f"progress must be True, False or None, got {value!r}")
    return None if value is None else bool(value)
