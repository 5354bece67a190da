"""A stage: a Mondrian forest that is one of many, and so spends less on learning its own numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from hedgerow.base.copies import NO_GROUPS, Copies, Numbers
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.seed import draw_seed
from hedgerow.base.settings import Query
from hedgerow.boosting._stage_data import Honest
from hedgerow.files import Stored
from hedgerow.mondrian._calibration import Calibration
from hedgerow.mondrian._gaps import Gaps, Places, PredictSlab, Slab
from hedgerow.mondrian._growing import Plan, mean_square, weighted_mean
from hedgerow.mondrian._learning import Effort
from hedgerow.mondrian._regression import RegressionForest
from hedgerow.mondrian._settings import RegressionSettings
from hedgerow.mondrian._smoothing import Smoothing
from hedgerow.mondrian._vector_forest import VectorForest

STAGE = Effort(most_rows=3000, n_rounds=2, most_smoothing=40_000, fewest_smoothing=3, n_searches=12, most_calibrating=0)
"""Spent on a stage."""
PROBE = STAGE._replace(n_rounds=1, most_smoothing=4000, n_searches=6)
"""Spent on a forest that is grown only to learn whether a larger one is worth it."""

MOST_LEAVES = 30_000
"""Leaves of a tree, about: with more rows, trees end before all rows are parted."""

WIDEST = 2**31 - 1


class Stage:
    """What stages have in common. `forest` is a learner, that never reviews: a boosting learns all stages anew."""

    FOREST: ClassVar[Any]
    kind = "mondrian"

    def __init__(self, forest: Any) -> None:
        self.forest = forest

    @classmethod
    def grown(
        cls,
        rows: Rows,
        copies: Copies,
        query: Query,
        *,
        n_trees: int,
        scaling: str,
        seed: int,
        effort: Effort = STAGE,
        before: Stage | None = None,
        to_beat: float | None = None,
    ) -> Self:
        """Return a stage that has learned; NotWorthGrowingError if its first trees show that it does not pay."""
        settings = RegressionSettings(n_trees, 2, math.inf, scaling, "learned", None, "free", "hierarchy", "real")
        plan = Plan(effort, copies, None if before is None else before.forest, to_beat, MOST_LEAVES)
        return cls(cls.FOREST.begin(rows, settings, draw_seed(seed), Smoothing.free(query.n_threads), plan))

    @staticmethod
    def variance_shape(label_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Shape of the variances of a prediction: within trees, between them, and of gaps."""
        return (*label_shape, 3)

    @property
    def n_trees(self) -> int:
        """How many there are."""
        return int(self.forest.core.n_trees)

    def keep_trees(self, n: int) -> None:
        """Become the stage that would have been grown with so many trees, which are the first ones."""
        self.forest.core.keep_trees(n)
        self.forest.settings = replace(self.forest.settings, n_estimators=n)

    def calibrated(self, labels: Floats, groups: Numbers, query: Query) -> Honest:
        """Learn from the labels how uncertain means are; return what `left_out` returns."""
        left_out = self._leave_one_out(groups, query)
        self._calibrate(labels, *left_out)
        return self._honest(*left_out)

    def left_out(self, groups: Numbers, query: Query) -> Honest:
        """Return predictions for the rows learned, for each without itself and its copies."""
        return self._honest(*self._leave_one_out(groups, query))

    def _leave_one_out(self, groups: Numbers, query: Query) -> tuple[Floats, Floats, Floats]:
        """Mean, variance within trees in units of gamma_1, and variance between them."""
        raise NotImplementedError

    def _calibrate(self, labels: Floats, mean: Floats, within: Floats, between: Floats) -> None:
        """Let gamma_1 be what makes errors typical, if the stage has variances."""

    def _honest(self, mean: Floats, within: Floats, between: Floats) -> Honest:
        """Return the mean with its variances."""
        raise NotImplementedError

    def _mean_between(self, between: Floats) -> float:
        """Mean over rows of the variance between trees, as if this were known from very many."""
        total = mean_square(np.sqrt(between), self.forest.core.row_weights())
        return total * self.n_trees / max(1, self.n_trees - 1)

    @property
    def width(self) -> int:
        """Columns."""
        return int(self.forest.core.width)

    @property
    def importances(self) -> Floats:
        """Share of each column. Residuals do not show which rows are copies."""
        shares: Floats = self.forest.importances(NO_GROUPS)
        return shares

    def explained(self, total_weight: float) -> Floats:
        """How much of the labels' squares each column explains."""
        explained: Floats = self.importances * self.label_squares  # type: ignore[attr-defined]
        return explained

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"width": self.width, "settings": self.forest.settings.state(), "forest": self.forest.state()}

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Take back what `state` gave."""
        settings = RegressionSettings.from_state(stored.part("settings"))
        if not settings.learns or settings.smoothing != "hierarchy":
            raise ValueError("a stage is not of the kind that is boosted")
        width = stored.integer("width", 1, WIDEST)
        return cls(cls.FOREST.from_state(stored.part("forest"), settings, width))


class NumberStage(Stage):
    """A stage for labels that are numbers."""

    FOREST = RegressionForest
    label_shape = ()

    @property
    def label_squares(self) -> float:
        """The labels' squares about their mean, added up."""
        return float(self.forest.core.label_moments[2])

    def moments(self, X: Floats, query: Query) -> tuple[Floats, Floats]:
        """Mean at rows, and its variances."""
        mean, *variances = self.forest.core.moments(X, self._rule, query.n_threads)
        return self.forest.labels.origin + mean, self._variances(*variances)

    def _leave_one_out(self, groups: Numbers, query: Query) -> tuple[Floats, Floats, Floats]:
        mean, within, between = self.forest.core.leave_one_out(self._rule, self.n_trees, groups, query.n_threads)
        return self.forest.labels.origin + mean, within, between

    def _calibrate(self, labels: Floats, mean: Floats, within: Floats, between: Floats) -> None:
        weights = self.forest.core.row_weights()
        error, typical = mean_square(labels - mean, weights), weighted_mean(within, weights)
        if error > 0.0 and typical > 0.0:
            found = Calibration(error / typical, 1e-12 * error, 1.0)
        else:  # fixed all the same, or it would depend on later labels how rows learned together are predicted
            found = Calibration(self.largest_variance, 1e-12 * self.largest_variance, 1.0)
        self.forest.labels = replace(self.forest.labels, calibration=found)

    def _honest(self, mean: Floats, within: Floats, between: Floats) -> Honest:
        scale, noise = self._query[1:]
        return Honest(mean, self._variances(scale * within + noise, between), between=self._mean_between(between))

    @property
    def largest_variance(self) -> float:
        """The variance within trees without evidence."""
        return self._query[1]

    def variance_of_one_row(self, weight: float) -> float:
        """The same at a row that is alone, of so much weight."""
        return self.largest_variance / float(self.forest.core.model[1] * weight)

    def slab_predictor(self, X: Floats, labels: Floats, query: Query) -> PredictSlab:
        """Return what grows a few such trees from some rows and predicts others."""
        forest, origin = self.forest, self.forest.labels.origin
        smoothing = Smoothing.free(query.n_threads)
        predict = forest.labels.slab_predictor(forest.core, forest.scaling, X, labels - origin, smoothing)

        def predict_moved(rest: Places, queries: Places, gaps: Gaps) -> Slab:
            slab: Slab = predict(rest, queries, gaps)
            return slab._replace(means=slab.means + origin)

        return predict_moved

    def watch_gaps(self, gaps: Gaps) -> None:
        """Let these gaps add to variances from now on."""
        self.forest.labels = replace(self.forest.labels, gaps=gaps)
        self.forest.core.watch_gaps(*gaps)

    def without_blocks(self, blocks: Numbers, n_blocks: int, n_trees: int, query: Query) -> tuple[Floats, Floats]:
        """The same for the rows learned, each without its whole block, by some of the trees."""
        core, rule = self.forest.core, self._rule
        n_used = min(n_trees, self.n_trees)
        mean, within, between = core.leave_blocks_out(rule, n_used, blocks, n_blocks, query.n_threads)
        scale, noise = self._query[1:]
        return self.forest.labels.origin + mean, self._variances(scale * within + noise, between)

    def moments_then_learn(self, rows: Rows, query: Query) -> tuple[Floats, Floats]:
        """The same for rows that come one after another, each before it is learned."""
        rule, encoded = self._rule, self.forest.labels.encoded(rows)
        mean, *variances = self.forest.core.moments_then_learn(*encoded, rule, query.n_threads)
        return self.forest.labels.origin + mean, self._variances(*variances)

    @property
    def _rule(self) -> Any:
        return self.forest.rule(Smoothing.free(1))

    @property
    def _query(self) -> tuple[float, float, float]:
        """mu_H, gamma_1 and sigma_y^2."""
        numbers: tuple[float, float, float] = self.forest.core.query(self._rule)
        return numbers

    def _variances(self, within: Floats, between: Floats, added: Floats | None = None) -> Floats:
        added = np.zeros(within.size) if added is None else added
        return np.column_stack([np.maximum(within - self._query[2], 0.0), between, added])


class VectorStage(Stage):
    """A stage for labels that are vectors about zero, without variances of its means."""

    FOREST = VectorForest

    @staticmethod
    def variance_shape(label_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Shape of nothing."""
        return (0,)

    @property
    def label_shape(self) -> tuple[int, ...]:
        """The length of the vectors."""
        return (self.forest.labels.vectors.length,)

    @property
    def label_squares(self) -> float:
        """The labels' squares, added up."""
        return float((self.forest.labels.vectors.to_array().astype(np.float64) ** 2).sum())

    def moments(self, X: Floats, query: Query) -> tuple[Floats, Floats]:
        """Mean at rows."""
        return self.forest.core.means(X, query.n_threads), np.empty((X.shape[0], 0))

    def _leave_one_out(self, groups: Numbers, query: Query) -> tuple[Floats, Floats, Floats]:
        left_out: tuple[Floats, Floats, Floats] = self.forest.core.leave_one_out(self.n_trees, groups, query.n_threads)
        return left_out

    def _honest(self, mean: Floats, within: Floats, between: Floats) -> Honest:
        return Honest(mean, np.empty((mean.shape[0], 0)), between=self._mean_between(between))

    def moments_then_learn(self, rows: Rows, query: Query) -> tuple[Floats, Floats]:
        """The same for rows that come one after another, each before it is learned."""
        mean = self.forest.core.predict_then_learn(*self.forest.labels.encoded(rows), query.n_threads)
        return mean, np.empty((rows.X.shape[0], 0))
