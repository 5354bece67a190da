"""Small forests that help a model: they learn how noise varies, where counts are zero, and what targets are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from hedgerow.base.copies import prints_of
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.seed import draw_seed
from hedgerow.files import Stored
from hedgerow.mondrian._growing import Plan
from hedgerow.mondrian._learning import Effort
from hedgerow.mondrian._settings import RegressionSettings
from hedgerow.mondrian._smoothing import Smoothing
from hedgerow.predictive import NormalMixture

N_NOISE_TREES, N_SMALL_TREES = 20, 15
WIDEST = 2**31 - 1

MEANS_ONLY = Effort(most_rows=2000, n_rounds=1, most_smoothing=10_000, n_searches=10, most_calibrating=0)
"""Of a forest that predicts means only."""
WITH_NOISE = MEANS_ONLY._replace(most_rows=1000, most_calibrating=500, learns_gaps=False)
"""Of a forest on a few rows that predicts whole distributions among these, noise that varies included."""

Grow = Callable[[Floats, Floats, Floats], "SmallForest"]
"""Learn from rows, targets and weights, or an empty array."""


class SmallForest:
    """A forest on some of a model's rows that predicts means, also for a row of its own without it."""

    def __init__(self, learner: Any, n_threads: int) -> None:
        self.learner, self._query = learner, Smoothing.free(n_threads)

    @property
    def width(self) -> int:
        """Columns that it was learned from."""
        return int(self.learner.core.width)

    def means(self, X: Floats) -> Floats:
        """Means of rows; columns that have come since the forest was learned are not looked at."""
        means: Floats = self.learner.means(np.ascontiguousarray(X[:, : self.width]), self._query)
        return means

    def left_out(self) -> NormalMixture:
        """Return the distribution of each target that it was learned from, without its row."""
        mixture: NormalMixture = self.learner.left_out(self._query)
        return mixture

    def means_without(self, X: Floats) -> Floats:
        """Means of rows, of those that the forest has learned as they would be without each.

        Cores keep rows in single precision, so rows are recognised by rounded values.
        """
        found, own = self.means(X), self.learner.core.row_values()
        span = np.maximum(np.ptp(own, axis=0), np.finfo(np.float64).tiny)
        with np.errstate(over="ignore"):  # a value that none of its rows has, in a column that is constant there
            of_own, of_queries = (
                prints_of(np.round((rows[:, : self.width] - own[0]) / span * 2**14)) for rows in (own, X)
            )
        order = np.argsort(of_own, kind="stable")
        at = np.searchsorted(of_own[order], of_queries).clip(max=of_own.size - 1)
        is_own = of_own[order][at] == of_queries
        found[is_own] = self.left_out().mean()[order[at[is_own]]]
        return found

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"width": self.width, "settings": self.learner.settings.state(), "learner": self.learner.state()}

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Take back what `state` gave."""
        from hedgerow.mondrian._regression import RegressionForest  # which is made of labels, and these of this

        settings = RegressionSettings.from_state(stored.part("settings"))
        width = stored.integer("width", 1, WIDEST)
        return cls(RegressionForest.from_state(stored.part("learner"), settings, width), 1)


def noise_forest(query: Smoothing) -> Grow:
    """Return what learns the logarithms of squared residuals."""
    return _growing(N_NOISE_TREES, MEANS_ONLY, query.n_threads)


def small_forest(query: Smoothing) -> Grow:
    """Return what learns what targets are."""
    return _growing(N_SMALL_TREES, WITH_NOISE, query.n_threads)


def learned_rates(rows: Rows, n_threads: int) -> Floats:
    """How fast a forest would cut each column, in units of its range; empty if there are too few rows."""
    rates: Floats = _growing(1, MEANS_ONLY._replace(n_rounds=2), n_threads, "range")(*rows).learner.scaling.rates
    return rates


def _growing(n_trees: int, effort: Effort, n_threads: int, scaling: str = "auto") -> Grow:
    settings = RegressionSettings(n_trees, None, math.inf, scaling, "learned", None, "free", "hierarchy", "real")

    def grow(X: Floats, y: Floats, weights: Floats) -> SmallForest:
        from hedgerow.mondrian._regression import RegressionForest  # which is made of labels, and these of this

        rows, query = Rows(np.ascontiguousarray(X), y, weights), Smoothing.free(n_threads)
        return SmallForest(RegressionForest.begin(rows, settings, draw_seed(0), query, Plan(effort)), n_threads)

    return grow
