"""What shapes the chains of BART: the sampler, the prior of trees, and that of the noise."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hedgerow import _core
from hedgerow.bart._moves import checked_sampler, moves_for
from hedgerow.bart._responses import ClassResponse, RealResponse
from hedgerow.base.class_weight import class_weight_field
from hedgerow.base.settings import (
    Query,
    Settings,
    check_integer,
    checked,
    integer,
    n_threads_of,
    one_of,
    within,
)
from hedgerow.numeric.whole import is_whole

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
    n_draws: int | str = checked(lambda name, value: checked_draws(name, value))
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

    n_jobs: int = checked(lambda name, value: _all_cores() if value is None else n_threads_of(value))
    progress: bool | None = checked(lambda name, value: _progress(value))


def checked_draws(name: str, value: Any) -> int | str:
    """Return a number of draws, or "auto"; ValueError if it is neither."""
    if isinstance(value, str) and value == "auto":
        return value
    if not is_whole(value) or value < 1:
        raise ValueError(f"{name} must be an integer of at least 1, or 'auto', got {value!r}")
    check_integer(name, value, 1, MOST_SWEEPS)
    return int(value)


def _all_cores() -> int:
    """Threads by default: a core each, or as few as those of OpenMP are to be.

    joblib sets the variable in the processes that it starts, so that together they do not ask for more cores than there
    are.
    """
    of_openmp = os.environ.get("OMP_NUM_THREADS", "")
    n_cores = n_threads_of(-1)
    return min(n_cores, int(of_openmp)) if of_openmp.isdecimal() and int(of_openmp) > 0 else n_cores


def _progress(value: Any) -> bool | None:
    if value is not None and not isinstance(value, bool | np.bool_):
        raise ValueError(f"progress must be True, False or None, got {value!r}")
    return None if value is None else bool(value)
