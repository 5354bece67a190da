"""A sample of trees from their posterior."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Self

from hedgerow import _core
from hedgerow.base.rows import Rows
from hedgerow.base.settings import Query
from hedgerow.bayesian._settings import TreeSettings
from hedgerow.files import Stored

WORK_AT_A_TIME = 20_000_000
"""Values of rows that the core looks at, about, before Python looks for Ctrl-C."""
MOST_ROWS = 1e12
"""Log-likelihoods of more rows have rounding errors that decide between trees."""
MOST_TABULATED = 2**22
"""Counts up to which log-gamma is looked up."""


class TreeLearner:
    """Trees with their weights, and the prior of their leaves."""

    def __init__(self, settings: Any, leaves: Any, trees: Any) -> None:
        self.settings, self.leaves, self.trees = settings, leaves, trees

    @classmethod
    def begin(cls, rows: Rows, settings: Any, seed: int, query: Query) -> Self:
        """Sample trees given all rows."""
        leaves, n_weighed = settings.leaves(rows), settings.n_weighed(rows.X.shape[1])
        total = float(rows.weights.sum()) if rows.weights.size else float(rows.X.shape[0])
        if total > MOST_ROWS:
            raise ValueError(
                f"sample_weight adds up to {total:g}, and a row of weight w counts as w rows, of which a posterior can "
                f"have {MOST_ROWS:g}; divide all weights by a constant"
            )
        shared = {
            "model": leaves.core(int(min(total, MOST_TABULATED))),
            "prior": _core.TreePrior(settings.split_base, settings.split_decay),
            "seed": seed,
            "n_threads": query.n_threads,
        }
        if settings.sampler == "cgm":
            sampler = leaves.SAMPLER.chain(*rows, **_chain(settings), **shared)
        else:
            sampler = leaves.SAMPLER.filter(*rows, **_filter(settings, n_weighed), **shared)
        while not sampler.is_finished:
            sampler.work(WORK_AT_A_TIME, query.n_threads)
        return cls(settings, leaves, sampler.trees())

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"leaves": asdict(self.leaves), "trees": self.trees.archive()}

    @classmethod
    def from_state(cls, stored: Stored, settings: Any, width: int) -> Self:
        """Take back what `state` gave."""
        leaves, arrays = settings.LEAVES.from_state(stored.part("leaves")), stored.arrays("trees")
        if getattr(leaves, "n_classes", 0) > arrays["leaves.numbers"].size:
            raise ValueError("it has fewer numbers in its leaves than classes")
        return cls(settings, leaves, leaves.TREES(arrays, model=leaves.core(0), width=width))


def _chain(settings: TreeSettings) -> dict[str, Any]:
    return {
        "n_steps": settings.n_steps,
        "n_burn_in": settings.n_steps // 2 if settings.n_burn_in is None else settings.n_burn_in,
        "n_kept": settings.n_particles,
        "n_chains": settings.n_islands,
    }


def _filter(settings: TreeSettings, n_weighed: int) -> dict[str, Any]:
    proposal, expansion = getattr(_core.Proposal, settings.proposal), getattr(_core.Expansion, settings.expansion)
    resampling = getattr(_core.Resampling, settings.resampling)
    return {
        "growth": _core.TreeGrowth(proposal, expansion, n_weighed),
        "schedule": _core.Schedule(resampling, settings.ess_threshold),
        "n_particles": settings.n_particles,
        "n_islands": settings.n_islands,
    }
