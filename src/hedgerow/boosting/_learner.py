"""A boosting that has learned: rows kept, stages learned in batch and online."""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from hedgerow.base.copies import NO_GROUPS, Copies, Numbers, find_copies, warn_if_ambiguous
from hedgerow.base.kept_rows import KeptRows
from hedgerow.base.rows import NO_WEIGHTS, Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.base.unlearning import check_found
from hedgerow.base.work import all_or_nothing, interrupted_after
from hedgerow.boosting._blend import Blend, folds_of, make_blend
from hedgerow.boosting._categories import learn_categories, no_categories
from hedgerow.boosting._chains import Making
from hedgerow.boosting._choice import MOST_ROWS as MOST_CHOOSING
from hedgerow.boosting._choice import TRANSFORMS, Choice, choose
from hedgerow.boosting._directions import learn_directions
from hedgerow.boosting._settings import BoostingSettings
from hedgerow.boosting._stage_data import Moments, StageRows
from hedgerow.boosting._view import View
from hedgerow.files import Stored
from hedgerow.mondrian._gaps import Gaps, Places, PredictSlab, Slab, learn_gaps
from hedgerow.mondrian._joint_noise import LearnNoise
from hedgerow.mondrian._learning import Sample
from hedgerow.mondrian._noise import FEWEST_ROWS as FEWEST_NOISY
from hedgerow.mondrian._noise import Noise, learn_noise
from hedgerow.mondrian._small_forests import noise_forest
from hedgerow.mondrian._smoothing import Smoothing
from hedgerow.numeric.blas import one_blas_thread

PIECE = 2000
"""Rows that go through all stages at once; between two pieces Python looks for Ctrl-C."""

PREDICTED_TOGETHER = 20_000

ADDED = 2
"""The part of a row's variances that is added to all else."""


class BoostingLearner:
    """All rows, and the stages that were learned from them. A subclass turns the moments of stages into predictions."""

    STAGE: ClassVar[Any]  # the class of its Mondrian stages
    target_shape: tuple[int, ...] = ()  # of a row

    stages: Blend
    choice: Choice
    rows: KeptRows  # absent before the first row
    view: View
    next_relearn: int

    def __init__(self, settings: Any, seed: int, category_axes: tuple[int, ...] = ()) -> None:
        self.settings, self.seed, self.category_axes = settings, seed, category_axes

    # What a subclass decides.

    def begin_targets(self, rows: Rows, copies: Copies, query: Query) -> None:
        """Look at all targets before the stages are learned from them."""
        raise NotImplementedError

    def category_labels(self, y: Floats, weights: Floats) -> Floats:
        """Return numbers or vectors by whose means categories are encoded."""
        return y

    def encoded(self, rows: Rows) -> Rows:
        """What the stages learn of rows: a number or a vector for each target, and weights."""
        raise NotImplementedError

    def blocks(self, folds: Numbers) -> tuple[Numbers, int]:
        """Return the blocks of rows that `calibrate` predicts without, and how many there are: none."""
        return folds, 0

    def calibrate(self, encoded: Rows, blocks: Numbers, copies: Copies, query: Query) -> None:
        """Learn from leave-one-out how moments of stages become predictions."""
        raise NotImplementedError

    def forecast(self, X: Floats, moments: Moments, query: Query) -> Any:
        """What is predicted for rows at which the stages have these moments."""
        raise NotImplementedError

    def first_forecast(self) -> Any:
        """What is predicted before the first row."""
        raise NotImplementedError

    def compare(self, encoded: Rows, moments: Moments, query: Query) -> Any:
        """Return forecasts of rows, made one after another, each to be compared with its target."""
        return self.forecast(encoded.X, moments, query)

    def n_alike(self, y: Floats) -> int:
        """How many of the rows that come next can be learned by the stages as they are."""
        raise NotImplementedError

    def announce(self, y: float) -> None:
        """A target has come that the stages cannot learn as they are."""

    # Learning.

    @classmethod
    def begin(
        cls, rows: Rows, settings: BoostingSettings, seed: int, query: Query, category_axes: tuple[int, ...] = ()
    ) -> Self:
        """Learn all rows of a batch; some columns hold places of categories."""
        learner = cls(settings, seed, category_axes)
        learner._begin(rows, query)
        return learner

    @classmethod
    def open(
        cls, first: Rows, settings: BoostingSettings, seed: int, query: Query, category_axes: tuple[int, ...] = ()
    ) -> Self:
        """Return a learner that has learned nothing yet."""
        return cls(settings, seed, category_axes)

    def learn(self, rows: Rows, query: Query) -> None:
        """Learn rows, one after another."""
        for _ in self.forecast_then_learn(rows, query):
            pass

    def learn_one(self, x: Any, y: float, weight: float, query: Query) -> None:
        """Learn one row."""
        weights = NO_WEIGHTS if weight == 1.0 else np.array([weight])
        self.learn(Rows(np.asarray(x, dtype=np.float64).reshape(1, -1), np.array([y]), weights), query)

    def forecast_then_learn(self, rows: Rows, query: Query, n_known: int = 0) -> Iterator[Any]:
        """Let rows come one after another, and yield their forecasts, a piece at a time."""
        begin, n = 0, rows.X.shape[0]
        while begin < n:
            if self.is_empty:
                end, forecast = 1, self.first_forecast()
                self._begin(rows.part(slice(1)), query)
            else:
                self.review_if_due(query)
                due = self.next_relearn - len(self.rows)
                alike = max(1, self.n_alike(rows.y[begin:]))
                end = min(begin + PIECE, begin + due, begin + alike, n)
                forecast = self._learn_piece(rows.part(slice(begin, end)), query)
            yield forecast
            begin = end

    def review_if_due(self, query: Query) -> None:
        """Learn everything anew at doublings; later only if that was interrupted."""
        if len(self.rows) >= self.next_relearn:
            self._relearn(query, online=True)

    @all_or_nothing
    def _begin(self, rows: Rows, query: Query) -> None:
        self.rows = KeptRows(*rows)
        self._relearn(query)

    @all_or_nothing
    @one_blas_thread()  # how many share a product decides how it is rounded
    def _relearn(self, query: Query, online: bool = False) -> None:
        """Everything anew from all rows: choice, stages, calibration.

        Online, stages begin with what those before have learned, and the choice is looked at again at every second
        doubling, as long as it is made from more rows than before.
        """
        rows, settings = Rows(*self.rows.arrays), self.settings
        n = rows.X.shape[0]
        is_second_doubling = n.bit_length() % 2 == 1  # such as 16, 64 and 256 rows
        seed = int(np.random.SeedSequence(self.seed).generate_state(1)[0])
        copies = find_copies(rows.X, rows.y)
        warn_if_ambiguous(copies, stacklevel=9)
        categories = no_categories(rows.X.shape[1])
        if self.category_axes:
            labelled = rows._replace(y=self.category_labels(rows.y, rows.weights))
            categories = learn_categories(labelled, copies, self.category_axes, seed)
        view = View.of_categories(categories)
        seen = view.learned(rows.X, copies)
        rows = rows._replace(X=seen.axes)
        self.begin_targets(rows, copies, query)
        encoded = self.encoded(rows)
        categories = replace(categories, variance=np.atleast_1d(encoded.y.var(axis=0)))
        folds = folds_of(n, copies.groups, seed)
        blocks = self.blocks(folds)
        making = Making(self.STAGE, seen.plain, copies, folds, *blocks, "half", settings.n_estimators, seed, query)
        chooses = not online or (is_second_doubling and n < 2 * MOST_CHOOSING)
        directions = view.directions
        if online and self.view.directions.n_columns == directions.n_columns:
            directions = self.view.directions
        if chooses and "kernel" in settings.kinds:
            directions = learn_directions(encoded, making, directions.n_columns)
        self.view = View(categories, directions)
        making = replace(making, plain=directions.beside(making.plain))
        encoded = encoded._replace(X=directions.beside(encoded.X))
        if chooses:
            self.choice = choose(encoded, making, settings)
        making = making.scaled(self.choice.transform)
        like = encoded.y.shape[1:], encoded.X.shape[1]
        known = self.stages.main.mondrian if online and self.stages.chains else ()
        before = [one for one in known if (one.label_shape, one.width) == like]
        stages = make_blend(settings.kinds, self.choice.linear, settings.max_stages, encoded, making, before)
        self.stages = stages.trusted_as(self.stages) if online else stages
        self.calibrate(encoded, blocks[0], copies, query)
        self.stages = self.stages.settled()
        self.next_relearn = 2 * n

    def _learn_piece(self, rows: Rows, query: Query) -> Any:
        """Rows that are alike, or a single one that is not: it is learned with all others, anew. Returns forecasts."""
        stage_rows = self.view(rows.X)
        with interrupted_after():  # or some stages would have learned rows that others have not
            if self.n_alike(rows.y) == 0:
                forecast = self.predictions(rows.X, query)
                self.announce(float(rows.y[0]))
                self.rows.append(*rows)
                self.next_relearn = len(self.rows)
            else:
                encoded = self.encoded(rows._replace(X=stage_rows.axes))
                moments = self._learn_in_stages(stage_rows, encoded, query)
                self._add_unseen(rows.X, moments.variances)
                self.rows.append(*rows)
                forecast = self.compare(encoded, moments, query)
        self.review_if_due(query)
        return forecast

    def _learn_in_stages(self, stage_rows: StageRows, encoded: Rows, query: Query) -> Moments:
        """If that fails, some stages have learned rows that others have not: all are learned anew before the next."""
        try:
            self.stages, moments = self.stages.learn(stage_rows, encoded, query)
        except BaseException:
            self.next_relearn = len(self.rows)
            raise
        return moments

    def without(self, rows: Rows) -> Rows:
        """Return the rows learned but for these; ValueError if one of these is not there."""
        places = self.rows.places_of(*rows)
        check_found(places.size, rows.X.shape[0])
        return Rows(*self.rows.arrays).without(places)

    def noise_learner(self, encoded: Rows, copies: Copies, query: Query) -> LearnNoise | None:
        """Return what learns noise that varies, from one of each set of copies; None if it must not vary."""
        if self.settings.shape == "common" or copies.n_units < FEWEST_NOISY:
            return None
        units, of_units = Sample(*encoded, copies).units

        def learn(squares: Floats) -> tuple[Noise | None, Floats]:
            X, grow = encoded.X[units], noise_forest(Smoothing.free(query.n_threads))
            noise, factors = learn_noise(X, squares[units], of_units, grow, self.seed)
            if units.size == squares.size or noise is None:
                return noise, factors if noise is not None else np.ones(squares.size)
            return noise, noise.left_out_factors(encoded.X)

        return learn

    def learn_gaps(self, encoded: Rows, copies: Copies, query: Query) -> Gaps:
        """Learn them with the linear part and the first forest: what comes after adds little where no rows are."""
        first, before = self.stages.main.mondrian[0], self.stages.main.stages[0]
        ridge = before if before.kind == "linear" else None
        units, _ = Sample(*encoded, copies).units
        X, labels = encoded.X[units], encoded.y[units]
        predict_first: PredictSlab = first.slab_predictor(X, labels if ridge is None else labels - ridge(X), query)

        def predict(rest: Places, queries: Places, gaps: Gaps) -> Slab:
            slab = predict_first(rest, queries, gaps)
            if ridge is None:
                return slab
            inside = np.clip(X[queries], X[rest].min(axis=0), X[rest].max(axis=0))
            return slab._replace(means=slab.means + ridge(inside))

        return learn_gaps(X, labels, self.axis_importances(), predict, self.seed)

    # Predicting.

    def predictions(self, X: Floats, query: Query) -> Any:
        """What is predicted for rows."""
        stage_rows, moments = self.rows_and_moments(X, query)
        return self.forecast(stage_rows.axes, moments, query)

    def rows_and_moments(self, X: Floats, query: Query) -> tuple[StageRows, Moments]:
        """Return what stages see of rows, and their moments there."""
        stage_rows = self.view(X)
        moments = self._moments(stage_rows, query)
        self._add_unseen(X, moments.variances)
        return stage_rows, moments

    def _add_unseen(self, X: Floats, variances: Floats) -> None:
        """Add the variance that categories not seen in training leave unknown; classes have no variances."""
        categories = self.view.categories
        if categories.columns and variances.shape[1]:
            variances[..., ADDED] += categories.added_variance(X).reshape(variances[..., ADDED].shape)

    def _moments(self, stage_rows: StageRows, query: Query) -> Moments:
        pieces = np.array_split(np.arange(len(stage_rows.axes)), max(1, len(stage_rows.axes) // PREDICTED_TOGETHER))
        parts = [self.stages.moments(stage_rows.part(slice(piece[0], piece[-1] + 1)), query) for piece in pieces]
        return Moments(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    # What was learned.

    @property
    def is_empty(self) -> bool:
        """Whether no row has been learned."""
        return not hasattr(self, "stages")

    @property
    def n_seen(self) -> int:
        """Rows learned, and not unlearned."""
        return len(self.rows)

    @property
    def row_axes(self) -> Floats:
        """What it sees of the rows that it holds."""
        return self.rows.arrays[0]

    @property
    def learned_rows(self) -> Rows:
        """Rows that were there when the stages were last learned, as these saw them."""
        rows = Rows(*self.rows.arrays).part(slice(self.stages.residuals.shape[0]))
        copies = find_copies(rows.X, rows.y) if self.view.categories.columns else Copies(NO_GROUPS, len(rows.y))
        return rows._replace(X=self.view.learned(rows.X, copies).axes)

    def importances(self) -> Floats:
        """Share of each column in what is explained, by each stage."""
        explained = dict(zip(("axes", "plain"), map(np.zeros, self.view.widths), strict=True))
        weight = float(self.learned_rows.weights.sum() or self.stages.residuals.shape[0])
        for chain, share in zip(self.stages.chains, self.stages.weights, strict=True):
            for stage in chain.stages:
                explained["plain" if stage.kind in ("greedy", "kernel") else "axes"] += share * stage.explained(weight)
        return _shares(self.view.by_column(explained["axes"], explained["plain"], self.rows.arrays[0].shape[1]))

    def axis_importances(self) -> Floats:
        """Share of each axis in what the first chain explains."""
        weight = float(self.learned_rows.weights.sum() or self.stages.residuals.shape[0])
        return _shares(sum(stage.explained(weight) for stage in self.stages.main.stages))

    def widened(self, values: Floats) -> Self:
        """Return a learner of wider rows, whose stages it shares; they see the columns when they are next learned."""
        wider = copy(self)
        if not self.is_empty:
            X, y, weights = self.rows.arrays
            wider.rows = KeptRows(np.column_stack([X, np.tile(values, (y.shape[0], 1))]), y, weights)
        return wider

    # Files.

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        if self.is_empty:
            return {"seed": self.seed, "category_axes": list(self.category_axes), "rows": None}
        X, y, weights = self.rows.arrays
        return {
            "seed": self.seed,
            "category_axes": list(self.category_axes),
            **self.view.state(),
            "rows": {"X": X, "y": y, "weights": weights},
            "next_relearn": self.next_relearn,
            "transform": self.choice.transform,
            "linear": self.choice.linear,
            "stages": self.stages.state(),
            **self.own_state(),
        }

    def own_state(self) -> dict[str, Any]:
        """Return what a subclass keeps in a file."""
        raise NotImplementedError

    def restore_own(self, stored: Stored) -> tuple[int, ...]:
        """Take back what does not depend on stages; return the shape of their mean at a row."""
        raise NotImplementedError

    def restore_rest(self, stored: Stored) -> None:
        """Take back the rest."""

    @classmethod
    def from_state(cls, stored: Stored, settings: BoostingSettings, width: int) -> Self:
        """Take back what `state` gave."""
        axes = tuple(stored.sequence("category_axes")) if "category_axes" in stored else ()
        if any(type(axis) is not int or not 0 <= axis < width for axis in axes) or len(set(axes)) < len(axes):
            raise ValueError("its columns of categories are not columns")
        learner = cls(settings, stored.integer("seed", 0, 2**64 - 1), axes)
        shape = learner.restore_own(stored)
        if "rows" not in stored:
            return learner
        rows = stored.part("rows")
        X = rows.array("X", (None, width))
        n = X.shape[0]
        y, weights = rows.array("y", (n, *learner.target_shape)), rows.array("weights")
        if n == 0 or weights.size not in (0, n) or (weights <= 0).any():
            raise ValueError("its rows have the wrong shape")
        learner.rows, learner.view = KeptRows(X, y, weights), View.from_state(stored, width, math.prod(shape))
        if not {column.axis for column in learner.view.categories.columns} <= set(axes):
            raise ValueError("what it knows of categories is of other columns")
        learner.choice = Choice(stored.word("transform", *TRANSFORMS), stored.flag("linear"))
        learner.next_relearn = stored.integer("next_relearn", n, 2 * n)
        learner.stages = Blend.from_state(stored.part("stages"), cls.STAGE, learner.view.widths, n, shape)
        learner.restore_rest(stored)
        return learner


def _shares(explained: Floats) -> Floats:
    total = explained.sum()
    return explained / total if total > 0 else np.full(explained.size, 1.0 / explained.size)
