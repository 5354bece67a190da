"""A stage for several targets, in standardised units: vectors, and the doubt about each component."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from hedgerow import _core
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.boosting._mondrian_stage import Stage, VectorStage
from hedgerow.boosting._seen_and_said import Honest
from hedgerow.files import Stored
from hedgerow.mondrian._gaps import Ask, Gaps, Slab
from hedgerow.mondrian._growing import asking_slabs
from hedgerow.mondrian._joint_calibration import doubts_of
from hedgerow.mondrian._vector_forest import VectorLabels


class TargetStage(VectorStage):
    """A stage of vectors that tells how doubtful its means are."""

    doubt_shape = staticmethod(Stage.doubt_shape)

    def __init__(self, forest: Any) -> None:
        super().__init__(forest)
        self.largest_doubt = np.zeros(self.label_shape)  # gamma_1 of each component
        self.gaps = Gaps()

    def moments(self, X: Floats, query: Query) -> tuple[Floats, Floats]:
        """Means at rows, and the doubt about them."""
        return self._said(*self.forest.core.moments(X, query.n_threads))

    def _calibrate(self, labels: Floats, mean: Floats, within: Floats, between: Floats) -> None:
        weights = self.forest.core.row_weights() if self.forest.core.row_weights().size else None
        typical = float(np.average(within, weights=weights))
        self.largest_doubt = np.average((labels - mean) ** 2, axis=0, weights=weights) / typical

    def _honest(self, mean: Floats, within: Floats, between: Floats) -> Honest:
        return Honest(*self._said(mean, within, between, 0.0), between=self._mean_between(between))

    def moments_then_learn(self, rows: Rows, query: Query) -> tuple[Floats, Floats]:
        """The same for rows that come one after another, each before it is learned."""
        encoded = self.forest.labels.encoded(rows)
        return self._said(*self.forest.core.moments_then_learn(*encoded, query.n_threads))

    def doubt_of_one_row(self, weight: float) -> Floats:
        """The doubt within trees at a row that is alone, of so much weight."""
        doubt: Floats = self.largest_doubt / (self.forest.core.model[1] * weight)
        return doubt

    def asking_slabs(self, X: Floats, labels: Floats, query: Query) -> Ask:
        """Return what grows a few such trees from some rows and asks them about others."""
        forest, vectors = self.forest, VectorLabels(_core.LabelVectors(labels.shape[1]))
        numbers = vectors.encoded(Rows(X, labels)).y

        def ask_few(few: Any, asked: Floats) -> Slab:
            said = few.moments(asked, query.n_threads)
            return Slab(said[0], said[3])

        return asking_slabs(
            forest.settings, vectors, forest.core, forest.scaling, (X, numbers), ask_few, query.n_threads
        )

    def watch_gaps(self, gaps: Gaps) -> None:
        """Let these gaps add to doubts from now on."""
        self.gaps = gaps
        self.forest.core.watch_gaps(*gaps)

    def _said(self, mean: Floats, within: Floats, between: Floats, added: Floats | float) -> tuple[Floats, Floats]:
        return mean, doubts_of(within[:, None] * self.largest_doubt, between, added)

    # Files.

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {**super().state(), "largest_doubt": self.largest_doubt, "gaps": self.gaps.described()}

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Take back what `state` gave."""
        stage = super().from_state(stored)
        stage.largest_doubt = stored.array("largest_doubt", stage.label_shape)
        if not (stage.largest_doubt >= 0.0).all():
            raise ValueError("the doubt of a stage is negative")
        stage.watch_gaps(Gaps.from_description(stored.sequence("gaps"), stage.width))
        return stage
