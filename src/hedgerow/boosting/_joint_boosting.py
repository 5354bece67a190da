"""A boosting for several targets that has learned: stages of vectors, joint distributions."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from hedgerow.base.copies import Copies, Numbers
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.base.several_targets import MOST_TARGETS
from hedgerow.base.targets import read_targets
from hedgerow.boosting._learner import BoostingLearner
from hedgerow.boosting._stage_data import Moments
from hedgerow.boosting._target_stage import TargetStage
from hedgerow.files import Stored
from hedgerow.mondrian._joint_calibration import Evidence, JointCalibration, calibrate_jointly
from hedgerow.predictive import Joint
from hedgerow.targets import Standardised


class JointBoosting(BoostingLearner):
    """Stages for standardised targets."""

    STAGE = TargetStage

    units: Standardised
    calibration: JointCalibration

    @classmethod
    def begin(cls, rows: Rows, settings: Any, seed: int, query: Query, category_axes: tuple[int, ...] = ()) -> Self:
        """Learn all rows of a batch."""
        learner = cls.open(rows, settings, seed, query, category_axes)
        learner._begin(rows, query)
        return learner

    @classmethod
    def open(cls, first: Rows, settings: Any, seed: int, query: Query, category_axes: tuple[int, ...] = ()) -> Self:
        """Return a learner that has learned nothing yet."""
        learner = cls(settings, seed, category_axes)
        learner.target_shape = first.y.shape[1:]
        return learner

    @property
    def n_targets(self) -> int:
        """Targets of a row."""
        return int(self.target_shape[0])

    @property
    def noise_covariance(self) -> Floats:
        """Covariance of the noise."""
        return self.calibration.noise_covariance(self.units)

    def category_labels(self, y: Floats, weights: Floats) -> Floats:
        """Targets in common units."""
        return Standardised.of(y, weights).encode(y)

    def begin_targets(self, rows: Rows, copies: Copies, query: Query) -> None:
        """Take units."""
        self.units = Standardised.of(rows.y, rows.weights)

    def encoded(self, rows: Rows) -> Rows:
        """Targets in these units."""
        return rows._replace(y=np.ascontiguousarray(self.units.encode(rows.y)))

    def n_alike(self, y: Floats) -> int:
        """All targets are."""
        return int(y.shape[0])

    def calibrate(self, encoded: Rows, blocks: Numbers, copies: Copies, query: Query) -> None:
        """Learn how wide predictions must be, and how targets go together."""
        weights, stages = encoded.weights, self.stages
        mean_weight = float((weights.sum() if weights.size else encoded.y.shape[0]) / copies.n_units)
        of_one_row = np.sum([stage.variance_of_one_row(mean_weight) for stage in stages.main.mondrian], axis=0)
        largest = np.sum([stage.largest_variance for stage in stages.main.mondrian], axis=0)
        about = encoded.y.var(axis=0), of_one_row, largest
        evidence = Evidence(stages.residuals, stages.variances, weights, *about)
        self.calibration = calibrate_jointly(evidence, self.settings.tail, self.noise_learner(encoded, copies, query))
        stages.main.mondrian[0].watch_gaps(self.learn_gaps(encoded, copies, query))

    # Predicting.

    def forecast(self, X: Floats, moments: Moments, query: Query, inflation: Floats | None = None) -> Joint:
        """Return the distributions of rows."""
        return self.calibration.distribution(
            self.units, moments.mean, moments.variances, self.calibration.factors(X), inflation
        )

    def variance_parts(self, X: Floats, query: Query) -> tuple[Floats, Floats, Floats]:
        """Noise, disagreement of trees and distance from rows: shares of each variance."""
        return self.calibration.parts(
            self.rows_and_moments(X, query)[1].variances, np.median(self.stages.variances[..., 0], axis=0)
        )

    def first_forecast(self) -> Joint:
        """Return standard normal distributions."""
        k = self.n_targets
        nothing = np.zeros((1, k)), np.zeros((1, *TargetStage.variance_shape((k,))))
        return JointCalibration.unknown(k).distribution(Standardised.unknown(k), *nothing, np.ones((1, k)))

    def compare(self, encoded: Rows, moments: Moments, query: Query) -> Joint:
        """Return forecasts, each as wide as those before it were off."""
        misses = (encoded.y - moments.mean) / np.sqrt(self.calibration.factors(encoded.X))
        self.calibration, inflation = self.calibration.after(misses, moments.variances, encoded.weights)
        return self.forecast(encoded.X, moments, query, inflation)

    def left_out(self, query: Query) -> Joint:
        """Return the distributions of the rows when the stages were last learned, each without itself."""
        rows = self.learned_rows
        mean = self.units.encode(rows.y) - self.stages.residuals
        factors = self.calibration.factors(rows.X, are_left_out=True)
        return self.calibration.distribution(self.units, mean, self.stages.variances, factors)

    # Files.

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {**super().state(), "n_targets": self.n_targets}

    def own_state(self) -> dict[str, Any]:
        """Return what a file keeps of what was learned."""
        return {"units": self.units.state(), "calibration": self.calibration.state()}

    def restore_own(self, stored: Stored) -> tuple[int, ...]:
        """Stages predict a vector for each row, with a component for each target."""
        self.target_shape = (stored.integer("n_targets", 2, MOST_TARGETS),)
        return self.target_shape

    def restore_rest(self, stored: Stored) -> None:
        """Take back the rest."""
        read_targets(self.rows.labels)
        self.units = Standardised.from_state(stored.part("units"))
        if self.units.n_targets != self.n_targets:
            raise ValueError("its units are those of another number of targets")
        width = self.view.widths[0]
        self.calibration = JointCalibration.from_state(stored.part("calibration"), self.n_targets, width)
