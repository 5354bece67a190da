"""A boosting for classification that has learned: from moments of its stages to probabilities, by number of class."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.base.copies import Copies, Numbers
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.boosting._class_calibration import FEWEST_ROWS, ClassCalibration, calibrate_classes, class_shares
from hedgerow.boosting._learner import BoostingLearner
from hedgerow.boosting._mondrian_stage import VectorStage
from hedgerow.boosting._stage_data import Moments
from hedgerow.files import Stored

MOST_CLASSES = 2**31 - 1


class ClassBoosting(BoostingLearner):
    """Stages for the indicators of classes."""

    STAGE = VectorStage

    calibration: ClassCalibration

    def __init__(self, settings: Any, seed: int, category_axes: tuple[int, ...] = ()) -> None:
        super().__init__(settings, seed, category_axes)
        self.n_announced = 0  # classes that are known though the stages may not know them

    @property
    def n_known(self) -> int:
        """Classes that may be predicted: announced, or those of a row before the last learning."""
        return self.n_announced if self.is_empty else max(self.n_announced, self.calibration.base.size)

    def begin_targets(self, rows: Rows, copies: Copies, query: Query) -> None:
        """Take the shares of the classes."""
        n_classes = max(self.n_announced, int(rows.y.max()) + 1)
        self.calibration = ClassCalibration(*class_shares(rows.y, rows.weights, copies.n_units, n_classes))

    def category_labels(self, y: Floats, weights: Floats) -> Floats:
        """Indicators of the classes; of two, those of the second."""
        n_classes = int(y.max()) + 1
        indicators: Floats = (y[:, None] == np.arange(1 if n_classes == 2 else 0, n_classes)).astype(np.float64)
        return indicators

    def encoded(self, rows: Rows) -> Rows:
        """Indicators less the shares of the classes; of two classes, those of the second."""
        base = self.calibration.base
        indicators = rows.y[:, None] == np.arange(base.size)
        skipped = base.size - self._label_shape()[0]
        return rows._replace(y=np.ascontiguousarray((indicators - base)[:, skipped:]))

    def calibrate(self, encoded: Rows, blocks: Numbers, copies: Copies, query: Query) -> None:
        """Learn how scores become probabilities."""
        rows = self.learned_rows
        if copies.n_units >= FEWEST_ROWS and self.calibration.base.size > 1:
            scores = self._scores(encoded.y - self.stages.residuals)
            self.calibration = calibrate_classes(scores, rows.y, rows.weights, *self.calibration[:2])

    def n_alike(self, y: Floats) -> int:
        """How many of the rows that come next have a class that the stages know."""
        new = np.flatnonzero(y >= self.calibration.base.size)
        return int(new[0]) if new.size else y.size

    def announce(self, y: float) -> None:
        """Know a class from now on."""
        self.n_announced = max(self.n_announced, int(y) + 1)

    # Predicting.

    def forecast(self, X: Floats, moments: Moments, query: Query) -> Floats:
        """Probabilities of the classes; those announced since the last learning have the least score."""
        return self._probabilities(moments.mean)

    def first_forecast(self) -> Floats:
        """All classes announced are equally probable."""
        return np.full((1, self.n_announced), 1.0 / max(1, self.n_announced))

    def left_out(self) -> tuple[Floats, Floats, Floats]:
        """Probabilities, labels and weights of the rows when the stages were last learned, each without itself."""
        rows = self.learned_rows
        return self._probabilities(self.encoded(rows).y - self.stages.residuals), rows.y, rows.weights

    def _label_shape(self) -> tuple[int, ...]:
        n_classes = self.calibration.base.size
        return (n_classes if n_classes > 2 else n_classes - 1,)

    def _scores(self, mean: Floats) -> Floats:
        base = self.calibration.base
        if mean.shape[1] == base.size:
            return base + mean
        others = base[1:] + mean
        return np.column_stack([1.0 - others.sum(axis=1), others])

    def _probabilities(self, mean: Floats) -> Floats:
        scores, calibration = self._scores(mean), self.calibration
        n_more = self.n_known - calibration.base.size
        if n_more > 0:
            scores = np.pad(scores, ((0, 0), (0, n_more)))
            calibration = calibration._replace(base=np.pad(calibration.base, (0, n_more)))
        return calibration.probabilities(scores)

    # Files.

    def own_state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"calibration": self.calibration._asdict(), "n_announced": self.n_announced}

    def restore_own(self, stored: Stored) -> tuple[int, ...]:
        """Take back classes; stages predict a vector for each row."""
        if "rows" not in stored:
            return ()
        self.n_announced = stored.integer("n_announced", 0, MOST_CLASSES)
        self.calibration = ClassCalibration.from_state(stored.part("calibration"))
        return self._label_shape()

    def restore_rest(self, stored: Stored) -> None:
        """Check that rows have classes that there are."""
        labels = self.rows.labels
        if not ((labels >= 0) & (labels < self.n_known) & (labels == np.floor(labels))).all():
            raise ValueError("a label is not that of a class")
