"""A Mondrian forest for labels that are vectors about zero, all components smoothed alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow import _core
from hedgerow.base.copies import Numbers
from hedgerow.base.rows import Floats, Rows
from hedgerow.files import Stored
from hedgerow.files.codec import Arrays
from hedgerow.mondrian._learner import ForestLearner
from hedgerow.mondrian._learning import FEWEST_ROWS, Effort, Sample, learn_smoothing
from hedgerow.mondrian._scaling import ColumnScaling
from hedgerow.mondrian._settings import ForestSettings
from hedgerow.mondrian._smoothing import Smoothing, smoothing_in


@dataclass(frozen=True)
class VectorLabels:
    """Vectors; the core's labels are their numbers."""

    vectors: _core.LabelVectors

    @classmethod
    def of_batch(cls, rows: Rows, recent: slice, settings: Any, query: Smoothing) -> tuple[VectorLabels, Rows]:
        """Return the labels of a batch, and its rows as the core takes them."""
        labels = cls(_core.LabelVectors(rows.y.shape[1]))
        return labels, labels.encoded(rows)

    def under(self, settings: Any) -> VectorLabels:
        """Return the same: they do not depend on settings."""
        return self

    def encoded(self, rows: Rows) -> Rows:
        """Return rows as the core takes them; their vectors are kept."""
        n_before = len(self.vectors)
        encoded = rows._replace(y=np.arange(n_before, n_before + rows.y.shape[0], dtype=np.float64))
        self.vectors.append(np.ascontiguousarray(rows.y))
        return encoded

    def as_given(self, held: Rows) -> Rows:
        """Return rows that the core holds with their vectors."""
        return held._replace(y=self.vectors.to_array()[held.y.astype(np.intp)].astype(np.float64))

    def new_core(self, shape: dict[str, Any]) -> Any:
        """Return an empty native forest."""
        core = _core.VectorForest(**shape)
        core.set_vectors(self.vectors)
        return core

    def set_model(self, core: Any, query: Smoothing) -> VectorLabels:
        """Set smoothing to what is known before trees have grown."""
        core.set_model(*query.first_guess(), query.n_threads)
        return self

    def give_model(self, core: Any, before: Any) -> None:
        """Set it to that of another forest."""
        core.set_model(*before.model, 1)

    def learn_model(self, core: Any, sample: Sample, effort: Effort, query: Smoothing) -> None:
        """Learn smoothing from leave-one-out in the first trees."""
        if sample.copies.n_units < FEWEST_ROWS:
            return
        problem = core.smoothing_problem(effort.n_smoothing(core.n_rows), sample.copies.groups)
        numbers = learn_smoothing(
            problem, 0.0, sample.mean_weight, (query.drift_rate, query.known_ratio()), effort.n_searches
        )
        core.set_model(*numbers, query.n_threads)

    def left_out(self, core: Any, n_trees: int, groups: Numbers, query: Smoothing) -> tuple[Floats, Floats]:
        """Labels less their leave-one-out means over the first trees, and the variance between the trees."""
        mean, _, between = core.leave_one_out(n_trees, groups, query.n_threads)
        return self.vectors.to_array()[core.row_labels().astype(np.intp)] - mean, between

    def calibrated(
        self, core: Any, sample: Sample, scaling: ColumnScaling, effort: Effort, query: Smoothing
    ) -> VectorLabels:
        """Return the same."""
        return self

    def state(self, core: Any) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"model": list(core.model), "vectors": self.vectors.to_array()}

    @classmethod
    def from_state(cls, stored: Stored, settings: ForestSettings, width: int) -> VectorLabels:
        """Take back what `state` gave."""
        values = stored.array("vectors", (None, None), np.float32)
        if values.shape[1] < 1:
            raise ValueError("its label vectors have no components")
        labels = cls(_core.LabelVectors(values.shape[1]))
        labels.vectors.append(values.astype(np.float64))
        return labels

    def restored_core(self, stored: Stored, shape: dict[str, Any], arrays: Arrays) -> Any:
        """Return the native forest that a file holds."""
        core = self.new_core(shape)
        rate, ratio = smoothing_in(stored)
        core.set_model(rate, ratio, 1)
        (core.restore_own if stored.is_own else core.restore)(arrays)
        self.check_numbers(core)
        return core

    def check_numbers(self, core: Any) -> None:
        """Raise ValueError unless the vectors are those of the rows that the core holds."""
        if len(self.vectors) != core.n_rows:
            raise ValueError("it has more label vectors than rows, or fewer")


class VectorForest(ForestLearner):
    """A forest of vectors."""

    LABELS = VectorLabels
    labels: VectorLabels
