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
from hedgerow.boosting._seen_and_said import Honest
from hedgerow.files import Stored
from hedgerow.mondrian._calibration import Calibration
from hedgerow.mondrian._gaps import Ask, Gaps, Places, Slab
from hedgerow.mondrian._growing import Plan, mean_square, weighted_mean
from hedgerow.mondrian._learning import Effort
from hedgerow.mondrian._regression import RegressionForest
from hedgerow.mondrian._settings import RegressionSettings
from hedgerow.mondrian._smoothing import Smoothing
from hedgerow.mondrian._vector_forest import VectorForest

STAGE = Effort(most_rows=3000, n_rounds=2, most_smoothing=40_000, fewest_smoothing=3, n_searches=12, most_calibrating=0)
"""Spent on a stage."""
PROBE = STAGE._replace(n_rounds=1, most_smoothing=4000, n_searches=6)
"""Spent on a forest that only tells whether a larger one is worth growing."""

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
    def doubt_shape(label_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Shape of the doubt about the prediction of a row: the variance within trees, between them, and of gaps."""
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
        """Learn how doubtful means are from the labels; return what is said of the rows learned, as `left_out` does."""
        said = self._leave_one_out(groups, query)
        self._calibrate(labels, *said)
        return self._honest(*said)

    def left_out(self, groups: Numbers, query: Query) -> Honest:
        """Return what is said of the rows learned, of each without itself and its copies."""
        return self._honest(*self._leave_one_out(groups, query))

    def _leave_one_out(self, groups: Numbers, query: Query) -> tuple[Floats, Floats, Floats]:
        """Mean, variance within trees in units of gamma_1, and variance between them."""
        raise NotImplementedError

    def _calibrate(self, labels: Floats, mean: Floats, within: Floats, between: Floats) -> None:
        """Let gamma_1 be what makes errors typical, if the stage tells doubts."""

    def _honest(self, mean: Floats, within: Floats, between: Floats) -> Honest:
        """Return the same with the doubt that is told."""
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
        """Share of each column. What is left over of labels does not tell which rows are copies."""
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
        """Mean at rows, and the doubt about it."""
        mean, *doubts = self.forest.core.moments(X, self._rule, query.n_threads)
        return self.forest.labels.origin + mean, self._doubt(*doubts)

    def _leave_one_out(self, groups: Numbers, query: Query) -> tuple[Floats, Floats, Floats]:
        mean, within, between = self.forest.core.leave_one_out(self._rule, self.n_trees, groups, query.n_threads)
        return self.forest.labels.origin + mean, within, between

    def _calibrate(self, labels: Floats, mean: Floats, within: Floats, between: Floats) -> None:
        weights = self.forest.core.row_weights()
        error, typical = mean_square(labels - mean, weights), weighted_mean(within, weights)
        if error > 0.0 and typical > 0.0:
            found = Calibration(error / typical, 1e-12 * error, 1.0)
        else:  # fixed all the same, or rows learned together would be asked of other labels than rows learned apart
            found = Calibration(self.largest_doubt, 1e-12 * self.largest_doubt, 1.0)
        self.forest.labels = replace(self.forest.labels, calibration=found)

    def _honest(self, mean: Floats, within: Floats, between: Floats) -> Honest:
        scale, noise = self._query[1:]
        return Honest(mean, self._doubt(scale * within + noise, between), between=self._mean_between(between))

    @property
    def largest_doubt(self) -> float:
        """The doubt within trees without evidence."""
        return self._query[1]

    def doubt_of_one_row(self, weight: float) -> float:
        """The same at a row that is alone, of so much weight."""
        return self.largest_doubt / float(self.forest.core.model[1] * weight)

    def asking_slabs(self, X: Floats, labels: Floats, query: Query) -> Ask:
        """Return what grows a few such trees from some rows and asks them about others."""
        forest, origin = self.forest, self.forest.labels.origin
        smoothing = Smoothing.free(query.n_threads)
        ask = forest.labels.asking_slabs(forest.core, forest.scaling, X, labels - origin, smoothing)

        def ask_about(rest: Places, asked: Places, gaps: Gaps) -> Slab:
            said: Slab = ask(rest, asked, gaps)
            return said._replace(means=said.means + origin)

        return ask_about

    def watch_gaps(self, gaps: Gaps) -> None:
        """Let these gaps add to doubts from now on."""
        self.forest.labels = replace(self.forest.labels, gaps=gaps)
        self.forest.core.watch_gaps(*gaps)

    def without_blocks(self, blocks: Numbers, n_blocks: int, n_trees: int, query: Query) -> tuple[Floats, Floats]:
        """The same for the rows learned, each without its whole block; asks some of the trees only."""
        core, rule = self.forest.core, self._rule
        asked = min(n_trees, self.n_trees)
        mean, within, between = core.leave_blocks_out(rule, asked, blocks, n_blocks, query.n_threads)
        scale, noise = self._query[1:]
        return self.forest.labels.origin + mean, self._doubt(scale * within + noise, between)

    def moments_then_learn(self, rows: Rows, query: Query) -> tuple[Floats, Floats]:
        """The same for rows that come one after another, each before it is learned."""
        rule, encoded = self._rule, self.forest.labels.encoded(rows)
        mean, *doubts = self.forest.core.moments_then_learn(*encoded, rule, query.n_threads)
        return self.forest.labels.origin + mean, self._doubt(*doubts)

    @property
    def _rule(self) -> Any:
        return self.forest.rule(Smoothing.free(1))

    @property
    def _query(self) -> tuple[float, float, float]:
        """mu_H, gamma_1 and sigma_y^2."""
        numbers: tuple[float, float, float] = self.forest.core.query(self._rule)
        return numbers

    def _doubt(self, within: Floats, between: Floats, added: Floats | None = None) -> Floats:
        added = np.zeros(within.size) if added is None else added
        return np.column_stack([np.maximum(within - self._query[2], 0.0), between, added])


class VectorStage(Stage):
    """A stage for labels that are vectors about zero. Of the doubt about its means nothing is said."""

    FOREST = VectorForest

    @staticmethod
    def doubt_shape(label_shape: tuple[int, ...]) -> tuple[int, ...]:
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
        said: tuple[Floats, Floats, Floats] = self.forest.core.leave_one_out(self.n_trees, groups, query.n_threads)
        return said

    def _honest(self, mean: Floats, within: Floats, between: Floats) -> Honest:
        return Honest(mean, np.empty((mean.shape[0], 0)), between=self._mean_between(between))

    def moments_then_learn(self, rows: Rows, query: Query) -> tuple[Floats, Floats]:
        """The same for rows that come one after another, each before it is learned."""
        mean = self.forest.core.predict_then_learn(*self.forest.labels.encoded(rows), query.n_threads)
        return mean, np.empty((rows.X.shape[0], 0))
