"""A Mondrian forest for classification that has learned. It knows classes by number."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow import _core
from hedgerow.base.copies import Copies, find_copies
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.work import PREDICTED_AT_A_TIME, pieces
from hedgerow.files import Stored
from hedgerow.files.codec import Arrays
from hedgerow.mondrian._class_calibration import NO_CALIBRATION, POWERS, UNLEARNED, ClassCalibration, learn_calibration
from hedgerow.mondrian._learner import ForestLearner
from hedgerow.mondrian._learning import FEWEST_ROWS, Effort, Sample
from hedgerow.mondrian._scaling import ColumnScaling
from hedgerow.mondrian._settings import ClassQuery, ClassSettings
from hedgerow.predictive import Uncertainty

MOST_CLASSES = 2**31 - 1


@dataclass(frozen=True)
class ClassLabels:
    """Classes, by number: the label model is the hierarchy of normalised stable processes."""

    settings: ClassSettings
    n_classes: int
    calibration: ClassCalibration = NO_CALIBRATION

    @classmethod
    def of_first(cls, first: Rows, settings: ClassSettings, query: ClassQuery) -> ClassLabels:
        """Return the labels of a stream that begins with this row."""
        return cls(settings, int(first.y.max()) + 1, UNLEARNED if settings.learns else NO_CALIBRATION)

    @classmethod
    def of_batch(
        cls, rows: Rows, recent: slice, settings: ClassSettings, query: ClassQuery
    ) -> tuple[ClassLabels, Rows]:
        """Return the labels of a batch, and its recent rows."""
        n, total = rows.y.size, float(rows.weights.sum())
        if rows.weights.size and total < FEWEST_ROWS <= n:
            warnings.warn(
                f"the sample weights of {n} rows add up to {total:.3g}, and count as so many rows next to "
                f"prior_weight={query.prior_weight}. Weights that were normalised should be multiplied by the number "
                "of rows.",
                UserWarning,
                stacklevel=7,
            )
        return cls.of_first(rows, settings, query), rows.part(recent)

    def new_core(self, shape: dict[str, Any]) -> Any:
        """Return an empty native forest."""
        core = _core.ClassForest(**shape)
        core.set_model(self.n_classes, self.settings.pause_pure)
        return core

    def set_model(self, core: Any, query: ClassQuery) -> ClassLabels:
        """Set nothing: classes and pausing are known when a core is made."""
        return self

    def give_model(self, core: Any, before: Any) -> None:
        """Set nothing, either."""

    def learn_model(self, core: Any, sample: Sample, effort: Effort, query: ClassQuery) -> None:
        """Learn nothing."""

    def calibrated(
        self, core: Any, sample: Sample, scaling: ColumnScaling, effort: Effort, query: ClassQuery
    ) -> ClassLabels:
        """Return the same with what is learned from rows that are left out; the core has these rows."""
        if not self.settings.learns or effort.most_calibrating == 0:
            return replace(self, calibration=UNLEARNED if self.settings.learns else NO_CALIBRATION)
        if query.prior_weight == 0.0:  # so that no loss is infinite
            query = replace(query, prior_weight=sample.mean_weight)
        learned = learn_calibration(core, sample, self.rule(core, query), effort.most_calibrating, query.n_threads)
        return replace(self, calibration=learned)

    def rule(self, core: Any, query: ClassQuery) -> Any:
        """Return how probabilities follow from counts."""
        return _core.ClassQueryRule(
            is_empirical=query.base == "empirical",
            prior_weight=query.prior_weight,
            discount_rate=min(query.discount * core.width, sys.float_info.max),
            n_classes=self.n_classes,
            **self.calibration._asdict(),
        )

    def copies(self, X: Floats, labels: Floats) -> Copies:
        """Return which rows are copies."""
        return find_copies(X, labels)

    def known(self, rows: Rows) -> Rows:
        """Return rows as the core may hold them already."""
        return rows

    def as_given(self, held: Rows) -> Rows:
        """Return rows that the core holds as they came."""
        return held

    def state(self, core: Any) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"n_classes": self.n_classes, **self.calibration._asdict()}

    @classmethod
    def from_state(cls, stored: Stored, settings: ClassSettings, width: int) -> ClassLabels:
        """Take back what `state` gave."""
        limits = {"leaf_discount": (0.0, 1.0), "power": POWERS}
        learned = {name: stored.number(name, *limits[name]) for name in limits if name in stored}  # not in old files
        return cls(settings, stored.integer("n_classes", 1, MOST_CLASSES), ClassCalibration(**learned))

    def restored_core(self, stored: Stored, shape: dict[str, Any], arrays: Arrays) -> Any:
        """Return the native forest that a file holds."""
        core = self.new_core(shape)
        (core.restore_own if stored.is_own else core.restore)(arrays)
        return core


class ClassForest(ForestLearner):
    """A forest of class counts."""

    LABELS = ClassLabels
    labels: ClassLabels

    @property
    def n_known(self) -> int:
        """Classes that may be predicted."""
        return self.labels.n_classes

    def know_classes(self, n_classes: int) -> None:
        """Make room for so many classes in all."""
        if n_classes > self.labels.n_classes:
            self.core.know_classes(n_classes)
            self.labels = replace(self.labels, n_classes=n_classes)

    def learn_one(self, x: Any, y: float, weight: float, query: ClassQuery) -> None:
        """Learn one row, whose class may be new."""
        is_new = y >= self.labels.n_classes
        if is_new:
            self.core.know_classes(int(y) + 1)
        self.core.learn_one(x, y, weight)
        if is_new:
            self.know_classes(int(y) + 1)

    def rule(self, query: ClassQuery) -> Any:
        """Return how probabilities follow from counts."""
        return self.labels.rule(self.core, query)

    def probabilities(self, X: Floats, query: ClassQuery) -> Floats:
        """Probability of each class of each row."""
        rule = self.rule(query)
        return np.concatenate([self.core.probabilities(X[rows], rule, query.n_threads) for rows in self._pieces(X)])

    def probabilities_one(self, x: Any, query: ClassQuery) -> Any:
        """The same at one row."""
        return self.core.probabilities_one(x, self.rule(query))

    def left_out(self, query: ClassQuery) -> Floats:
        """Probabilities of each row held without it and its copies, in the order in which rows came."""
        found: Floats = self.core.leave_rows_out(self.rule(query), self.groups, query.n_threads)
        return found[self.as_they_came]

    def uncertainty(self, X: Floats, query: ClassQuery) -> Uncertainty:
        """Entropy of each prediction, and its parts."""
        rule = self.rule(query)
        parts = [self.core.uncertainty(X[rows], rule, query.n_threads) for rows in self._pieces(X)]
        return Uncertainty(*(np.concatenate(vectors) for vectors in zip(*parts, strict=True)))

    def forecast_then_learn(self, rows: Rows, query: ClassQuery, n_known: int) -> Iterator[Floats]:
        """Yield the probabilities of rows, each just before it is learned; so many classes are known at first."""
        for part in self._stream(rows, query):
            yield self.core.predict_then_learn(*part, self.rule(query), n_known, query.n_threads)
            n_known = max(n_known, int(part.y.max()) + 1)

    def _pieces(self, X: Floats) -> Iterator[slice]:
        return pieces(X.shape[0], self.core.n_trees, PREDICTED_AT_A_TIME)
