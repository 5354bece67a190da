"""A boosting for regression that has learned: from moments of its stages to predictive distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.base.copies import Copies, Numbers, find_copies
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.boosting import _reshaping as reshaping
from hedgerow.boosting._learner import BoostingLearner
from hedgerow.boosting._mondrian_stage import NumberStage
from hedgerow.boosting._reshaping import Reshaping
from hedgerow.boosting._stage_data import Moments
from hedgerow.files import Stored
from hedgerow.mondrian._growing import mean_square, weighted_mean
from hedgerow.mondrian._joint_noise import LearnNoise
from hedgerow.mondrian._learning import Sample
from hedgerow.mondrian._noise import Noise, with_groups
from hedgerow.mondrian._small_forests import SmallForest, small_forest
from hedgerow.mondrian._smoothing import Smoothing
from hedgerow.mondrian._variances import Calibration, calibrate, with_distance
from hedgerow.predictive import LocationScale
from hedgerow.predictive._shapes import NormalShape
from hedgerow.targets import Target, Untransformed, is_due, learn_target, target_from_state


class RegressionBoosting(BoostingLearner):
    """Stages for numbers."""

    STAGE = NumberStage

    calibration: Calibration
    noise: Noise | None
    reshaping: Reshaping | None

    def __init__(self, settings: Any, seed: int, category_axes: tuple[int, ...] = ()) -> None:
        super().__init__(settings, seed, category_axes)
        self.target: Target = Untransformed()

    def begin_targets(self, rows: Rows, copies: Copies, query: Query) -> None:
        """Learn what targets are: at first, at some doublings, and when one comes that is of another kind."""
        if self.is_empty or is_due(rows.y.size) or not self.target.admits(rows.y).all():
            grow = small_forest(Smoothing.free(query.n_threads))
            self.target = learn_target(self.settings.target, *rows, grow)

    def encoded(self, rows: Rows) -> Rows:
        """Targets on the whole line, and weights."""
        return Rows(rows.X, self.target.encode(rows.y), self.target.weigh(rows.y, rows.weights))

    def n_alike(self, y: Floats) -> int:
        """How many of the targets that come next are of the kind that there is."""
        admitted = self.target.admits(y)
        return y.size if admitted.all() else int(np.argmin(admitted))

    def blocks(self, folds: Numbers) -> tuple[Numbers, int]:
        """Return the blocks without which rows are predicted for shapes to be learned; some rows are in none."""
        if self.settings.shape == "common":
            return folds, 0
        blocks = np.full(folds.size, reshaping.IN_NO_FOLD, dtype=np.uint32)
        drawn = self._drawn(folds.size)
        blocks[drawn] = folds[drawn] % reshaping.N_FOLDS
        return blocks, reshaping.N_FOLDS

    def _drawn(self, n: int) -> npt.NDArray[np.intp]:
        """Return the rows that shapes are learned from."""
        return reshaping.draw(n, reshaping.MOST_ROWS, int(np.random.SeedSequence([self.seed, 2]).generate_state(1)[0]))

    def calibrate(self, encoded: Rows, blocks: Numbers, copies: Copies, query: Query) -> None:
        """Learn how wide predictions must be, and which shape they have."""
        labels, weights, stages = encoded.y, encoded.weights, self.stages
        sample = Sample(encoded.X, stages.residuals, weights, copies)
        found, self.noise, _ = self._calibrated(sample, stages.variances, self.noise_learner(encoded, copies, query))
        variance = mean_square(labels - weighted_mean(labels, weights), weights)
        mean_weight = (weights.sum() if weights.size else labels.size) / copies.n_units
        of_one_row = sum(stage.variance_of_one_row(mean_weight) for stage in stages.main.mondrian)
        largest = sum(stage.largest_variance for stage in stages.main.mondrian)
        self.calibration = with_distance(found, stages.variances, variance, of_one_row, largest)
        stages.main.mondrian[0].watch_gaps(self.learn_gaps(encoded, copies, query))
        self.reshaping = None
        if self.settings.shape == "auto" and copies.n_units >= reshaping.FEWEST_ROWS:
            self.reshaping = self._learn_shapes(encoded, blocks, copies, query)

    def _calibrated(
        self, sample: Sample, variances: Floats, learn: LearnNoise | None
    ) -> tuple[Calibration, Noise | None, Floats]:
        """Return how wide predictions must be, noise that varies if that pays, and the factors of these rows.

        The labels of the sample are residuals.
        """
        X, residuals, weights = sample[:3]
        found = calibrate(residuals, variances, weights, self.settings.tail)
        noise, factors = None, np.ones(residuals.size)
        if learn is None:
            return found, noise, factors

        def squares() -> Floats:
            return residuals**2 / (factors * (found.spread(variances) * found.shape.std) ** 2)

        noise, factors = learn(squares())
        if noise is not None:
            found = calibrate(residuals / np.sqrt(factors), variances, weights, self.settings.tail)
        units, of_units = sample.units
        noise, groups = with_groups(noise, X[units], squares()[units], of_units)
        return found, noise, factors * np.exp(groups.logs_of(X))

    def _learn_shapes(self, encoded: Rows, blocks: Numbers, copies: Copies, query: Query) -> Reshaping | None:
        """Learn shapes from predictions for rows without their block, noise too."""
        drawn, n_trees = self._drawn(encoded.y.size), max(1, self.settings.n_estimators // 2)
        moments = self.stages.without_blocks(blocks, reshaping.N_FOLDS, n_trees, query)
        mean, variances = (part[drawn] for part in moments)
        rows, of_drawn, blocks = encoded.part(drawn), copies.of(drawn), blocks[drawn]

        def learn(squares: Floats) -> tuple[Noise | None, Floats]:
            factors = np.ones(squares.size)
            for block in range(reshaping.N_FOLDS):
                rest = np.flatnonzero(blocks != block)
                learn_rest = self.noise_learner(rows.part(rest), of_drawn.of(rest), query)
                noise = None if learn_rest is None else learn_rest(squares[rest])[0]
                if noise is not None:
                    factors[blocks == block] = noise.factors(rows.X[blocks == block])
            return self.noise, factors

        sample = Sample(rows.X, rows.y - mean, rows.weights, of_drawn)
        found, _, factors = self._calibrated(sample, variances, learn if self.noise else None)
        dist = widened(found.distribution(mean, variances), factors)
        return reshaping.fit_reshaping(rows, of_drawn, dist, drawn, self.seed, n_trees, query)

    # Predicting.

    def forecast(self, X: Floats, moments: Moments, query: Query, inflation: Floats | None = None) -> Any:
        """Return the distributions of rows."""
        factors = self._factors(X)
        dist = widened(self.calibration.distribution(moments.mean, moments.variances, inflation), factors)
        if self.reshaping is not None:
            dist = self.reshaping.apply(dist, X, self.calibration.spread(moments.variances) * np.sqrt(factors), query)
        return self.target.distribution(dist, self.view.without_projections(X))

    def variance_parts(self, X: Floats, query: Query) -> tuple[Floats, Floats, Floats]:
        """Noise, disagreement of trees and distance from rows: shares of each variance."""
        return self.calibration.parts(
            self.rows_and_moments(X, query)[1].variances, float(np.median(self.stages.variances[:, 0]))
        )

    def first_forecast(self) -> LocationScale:
        """Return the standard normal distribution."""
        return LocationScale(np.zeros(1), np.ones(1), NormalShape())

    def compare(self, encoded: Rows, moments: Moments, query: Query) -> Any:
        """Return forecasts, each as wide as those before it were off."""
        misses = (encoded.y - moments.mean) / np.sqrt(self._factors(encoded.X))
        self.calibration, inflation = self.calibration.after(misses, moments.variances, encoded.weights)
        return self.forecast(encoded.X, moments, query, inflation)

    def left_out(self, query: Query) -> Any:
        """Return the distributions of the rows when the stages were last learned, each without itself."""
        rows, stages = self.learned_rows, self.stages
        factors = np.ones(rows.y.size) if self.noise is None else self.noise.left_out_factors(rows.X)
        dist = self.calibration.distribution(self.target.encode(rows.y) - stages.residuals, stages.variances)
        dist = widened(dist, factors)
        if self.reshaping is not None:
            spread = self.calibration.spread(stages.variances) * np.sqrt(factors)
            dist = self.reshaping.apply_left_out(dist, rows.X, spread, find_copies(rows.X, rows.y), query)
        return self.target.left_out(dist, self.view.without_projections(rows.X))

    def _factors(self, X: Floats) -> Floats:
        """By how much the variances of rows differ from what they would be if noise did not vary."""
        return np.ones(X.shape[0]) if self.noise is None else self.noise.factors(X)

    # Files.

    def own_state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {
            "target": self.target.state(),
            "calibration": self.calibration.state(),
            "noise": None if self.noise is None else self.noise.state(),
            "reshaping": None if self.reshaping is None else self.reshaping.state(),
        }

    def restore_own(self, stored: Stored) -> tuple[int, ...]:
        """Stages predict one number for a row."""
        return ()

    def restore_rest(self, stored: Stored) -> None:
        """Take back the rest."""
        width = self.view.widths[0]
        self.target = target_from_state(stored.part("target"), self.view.categories.n_axes, SmallForest.from_state)
        self.target.check(self.rows.labels)
        self.calibration, self.reshaping = Calibration.from_state(stored.part("calibration")), None
        self.noise = Noise.from_state(stored.part("noise"), width) if "noise" in stored else None
        if "reshaping" in stored:
            n_learned = self.stages.residuals.shape[0]
            self.reshaping = Reshaping.from_state(stored.part("reshaping"), width, n_learned)


def widened(dist: LocationScale, factors: Floats) -> LocationScale:
    """Return distributions whose variances are so many times as large."""
    return LocationScale(dist.location, dist.scale * np.sqrt(factors), dist.shape)
