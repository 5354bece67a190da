"""How a Mondrian forest keeps its units and its smoothing in step with the rows that come: reviews at doublings."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow._validation import n_threads_of
from hedgerow.mondrian._scaling import TOLERATED_DRIFT, ColumnScaling, no_scaling, range_scaling, rank_scaling
from hedgerow.mondrian._widening import WideningForest

Floats = npt.NDArray[np.float64]

WORK_BETWEEN_SIGNALS = 200_000
"""Rows times trees handed to the core at once; between two such pieces Python looks for Ctrl-C."""


class ReviewedForest(WideningForest):
    """The part of a Mondrian forest that chooses its units, looks at them again, and grows trees anew."""

    scaling: str
    n_jobs: int | None
    _scaling: ColumnScaling

    @abstractmethod
    def _refresh_label_model(self, core: Any) -> None:
        """Set the label model's hyper-parameters to what the rows seen by now suggest."""

    def _pieces(self, n_rows: int) -> list[slice]:
        """Rows in pieces between which Ctrl-C is heard."""
        step = max(1000, 10 * WORK_BETWEEN_SIGNALS // self._core.n_trees)
        return [slice(begin, begin + step) for begin in range(0, max(1, n_rows), step)]

    def _learn_scaling(self, lower: Floats, upper: Floats, rows: Any) -> ColumnScaling:
        if self.scaling == "range":
            return range_scaling(lower, upper)
        if self.scaling == "rank":
            return rank_scaling(*rows())
        return no_scaling(lower)

    def _review_if_due(self) -> None:
        """Whenever as many rows have come as were held at the last review, look at the units and at the smoothing.

        Units that have drifted are learned again and the trees grown afresh from the rows that are held: given the
        units they are Mondrian trees as before. A review costs O(n) and comes after n rows.
        """
        if self._core.arrivals >= self._core.next_review:
            self._review()

    def _review(self) -> None:
        core, scaling = self._core, self._scaling
        if self.scaling != "none":
            suggested = self._learn_scaling(
                core.lower_seen, core.upper_seen, lambda: (core.row_values(), core.row_weights())
            )
            if scaling.drift(suggested) > TOLERATED_DRIFT:
                core, scaling = core.rescaled(*suggested.arrays), suggested
        self._refresh_label_model(core)
        if core is not self._core:
            self._grow(core)
        core.next_review = core.arrivals + max(1, core.n_rows)
        self._core, self._scaling = core, scaling

    def _grow(self, core: Any) -> None:
        """All trees anew, a few at a time, so that Ctrl-C is heard between them."""
        n_threads = n_threads_of(self.n_jobs)
        together = max(n_threads, 10 * WORK_BETWEEN_SIGNALS // max(1, core.n_rows))
        for begin in range(0, core.n_trees, together):
            core.grow(begin, min(begin + together, core.n_trees), n_threads)
        core.grown()
