"""A stage for several targets, in standardised units: vectors, with variances of each component."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from hedgerow import _core
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.boosting._mondrian_stage import Stage, VectorStage
from hedgerow.boosting._stage_data import Honest
from hedgerow.files import Stored
from hedgerow.mondrian._gaps import Gaps, PredictSlab, Slab
from hedgerow.mondrian._growing import slab_predictor
from hedgerow.mondrian._joint_calibration import variances_of
from hedgerow.mondrian._vector_forest import VectorLabels


class TargetStage(VectorStage):
    """A stage of vectors with variances of its means."""

    variance_shape = staticmethod(Stage.variance_shape)

    def __init__(self, forest: Any) -> None:
        super().__init__(forest)
        self.largest_variance = np.zeros(self.label_shape)  # gamma_1 of each component
        self.gaps = Gaps()

    def moments(self, X: Floats, query: Query) -> tuple[Floats, Floats]:
        """Means at rows, and their variances."""
        return self._with_variances(*self.forest.core.moments(X, query.n_threads))

    def _calibrate(self, labels: Floats, mean: Floats, within: Floats, between: Floats) -> None:
        weights = self.forest.core.row_weights() if self.forest.core.row_weights().size else None
        typical = float(np.average(within, weights=weights))
        self.largest_variance = np.average((labels - mean) ** 2, axis=0, weights=weights) / typical

    def _honest(self, mean: Floats, within: Floats, between: Floats) -> Honest:
        return Honest(*self._with_variances(mean, within, between, 0.0), between=self._mean_between(between))

    def moments_then_learn(self, rows: Rows, query: Query) -> tuple[Floats, Floats]:
        """The same for rows that come one after another, each before it is learned."""
        encoded = self.forest.labels.encoded(rows)
        return self._with_variances(*self.forest.core.moments_then_learn(*encoded, query.n_threads))

    def variance_of_one_row(self, weight: float) -> Floats:
        """The variance within trees at a row that is alone, of so much weight."""
        variance: Floats = self.largest_variance / (self.forest.core.model[1] * weight)
        return variance

    def slab_predictor(self, X: Floats, labels: Floats, query: Query) -> PredictSlab:
        """Return what grows a few such trees from some rows and predicts others."""
        forest, vectors = self.forest, VectorLabels(_core.LabelVectors(labels.shape[1]))
        numbers = vectors.encoded(Rows(X, labels)).y

        def predict_few(few: Any, queries: Floats) -> Slab:
            moments = few.moments(queries, query.n_threads)
            return Slab(moments[0], moments[3])

        return slab_predictor(
            forest.settings, vectors, forest.core, forest.scaling, (X, numbers), predict_few, query.n_threads
        )

    def watch_gaps(self, gaps: Gaps) -> None:
        """Let these gaps add to variances from now on."""
        self.gaps = gaps
        self.forest.core.watch_gaps(*gaps)

    def _with_variances(
        self, mean: Floats, within: Floats, between: Floats, added: Floats | float
    ) -> tuple[Floats, Floats]:
        return mean, variances_of(within[:, None] * self.largest_variance, between, added)

    # Files.

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {**super().state(), "largest_doubt": self.largest_variance, "gaps": self.gaps.described()}

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Take back what `state` gave."""
        stage = super().from_state(stored)
        stage.largest_variance = stored.array("largest_doubt", stage.label_shape)
        if not (stage.largest_variance >= 0.0).all():
            raise ValueError("a variance of a stage is negative")
        stage.watch_gaps(Gaps.from_description(stored.sequence("gaps"), stage.width))
        return stage
