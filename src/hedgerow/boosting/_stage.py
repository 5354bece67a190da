"""A stage: a Mondrian forest that is one of many, and so spends less on learning its own numbers."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hedgerow import _core
from hedgerow._copies import NO_GROUPS, Copies, Numbers
from hedgerow._persistence import Arrays
from hedgerow._validation import NO_WEIGHTS, n_threads_of
from hedgerow.mondrian import MondrianForestRegressor
from hedgerow.mondrian._calibration import Calibration
from hedgerow.mondrian._forest import MondrianForest
from hedgerow.mondrian._gaps import Ask, Gaps, Places, Slab
from hedgerow.mondrian._learning import FEWEST_AGAIN, FEWEST_ROWS, N_TREES, Effort, Sample, learn_smoothing
from hedgerow.mondrian._scaling import ColumnScaling
from hedgerow.mondrian._smoothing import FIRST_RATE, FIRST_RATIO

Floats = npt.NDArray[np.float64]


def weighted_mean(values: Floats, weights: Floats) -> float:
    """Mean; no weights at all are an empty array."""
    return float(np.average(values, weights=weights if weights.size else None))


def mean_square(residuals: Floats, weights: Floats) -> float:
    """Weighted mean over the rows of the squares; those of a vector are added up."""
    squares = residuals**2
    return weighted_mean(squares if squares.ndim == 1 else squares.sum(axis=1), weights)


class NotWorthGrowingError(Exception):
    """A stage's first trees show that it would take too little away."""


class BoostedForest(MondrianForest):
    """What stages have in common: less effort, and an early end for those that would not pay."""

    _EFFORT = Effort(
        most_rows=3000, n_rounds=2, most_smoothing=40_000, fewest_smoothing=3, n_searches=12, most_calibrating=0
    )

    N_DOUBTS: ClassVar[int]  # how many parts the doubt about a prediction has

    _to_beat: float | None = None  # the mean square that leave-one-out must get below for the stage to be worth growing

    _copies: Copies | None = None  # among the rows that are learned together; None if nobody has looked

    _before: BoostedForest | None = None  # the stage in this place when rows were fewer, from which learning begins

    def _learn_units(
        self, sample: Sample, scaling: ColumnScaling, seed: int, arrivals: int, before: Floats = NO_WEIGHTS
    ) -> ColumnScaling:
        before = before if self._before is None else self._before._scaling.rates
        return super()._learn_units(sample, scaling, seed, arrivals, before)

    def _learns_again(self, core: Any) -> bool:
        return self._before is not None and bool(core.n_rows >= FEWEST_AGAIN)

    def _find_copies(self, X: Floats, labels: Floats) -> Copies:
        return Copies(NO_GROUPS, labels.size) if self._copies is None else self._copies

    def _groups_held(self) -> Numbers:
        return NO_GROUPS  # what is left over of labels does not tell which rows are copies

    def _left_out(self, core: Any, n_trees: int, groups: Numbers) -> tuple[Floats, Floats]:
        """Labels less their leave-one-out means over the first trees, and the variance between the trees."""
        raise NotImplementedError

    def _learn_label_model(self, core: Any, sample: Sample) -> None:
        super()._learn_label_model(core, sample)
        n_first = min(N_TREES, core.n_trees)
        if self._to_beat is None or n_first == core.n_trees:
            return
        residuals, between = self._left_out(core, n_first, sample.copies.groups)
        weights = sample.weights
        # What so few trees differ by averages out as more grow.
        averaged_out = mean_square(np.sqrt(between), weights) * (1.0 / (n_first - 1) - 1.0 / core.n_trees)
        if mean_square(residuals, weights) - averaged_out > self._to_beat:
            raise NotWorthGrowingError


class NumberStage(BoostedForest, MondrianForestRegressor):
    """A stage for labels that are numbers."""

    _ALWAYS_REAL = True
    N_DOUBTS = 3  # the variance within the trees, that between them, and what gaps add
    label_shape = ()

    @property
    def label_squares(self) -> float:
        """The labels' squares about their mean, added up."""
        return float(self._core.label_moments[2])

    def moments(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean at rows, and the doubt about it."""
        rule, n_threads = self._rule(), n_threads_of(self.n_jobs)
        mean, *doubts = self._core.moments(X, rule, n_threads)
        return self._origin + mean, self._doubt(*doubts)

    def calibrated(self, labels: Floats, groups: Numbers) -> tuple[Floats, Floats]:
        """The same for the rows learned, without themselves and copies; gamma_1 becomes what makes errors typical."""
        n_threads = n_threads_of(self.n_jobs)
        mean, within, between = self._core.leave_one_out(self._rule(), self._core.n_trees, groups, n_threads)
        mean = self._origin + mean
        weights = self._core.row_weights()
        error = mean_square(labels - mean, weights)
        typical = weighted_mean(within, weights)
        if error > 0.0 and typical > 0.0:
            self._calibration = Calibration(error / typical, 1e-12 * error, 1.0)
        else:  # fixed all the same, or rows learned together would be asked of other labels than rows learned apart
            scale = self._core.query(self._rule())[1]
            self._calibration = Calibration(scale, 1e-12 * scale, 1.0)
        scale, noise = self._core.query(self._rule())[1:]
        return mean, self._doubt(scale * within + noise, between)

    @property
    def largest_doubt(self) -> float:
        """The doubt within trees without evidence."""
        return float(self._core.query(self._rule())[1])

    def doubt_of_one_row(self, weight: float) -> float:
        """The same at a row that is alone, of so much weight."""
        return self.largest_doubt / float(self._core.model[1] * weight)

    def asking_slabs(self, X: Floats, labels: Floats) -> Ask:
        """Return what grows a few such trees from some rows and asks them about others."""
        ask = self._asking_slabs(self._core, self._scaling, X, labels - self._origin)

        def ask_about(rest: Places, asked: Places, gaps: Gaps) -> Slab:
            said = ask(rest, asked, gaps)
            return said._replace(means=said.means + self._origin)

        return ask_about

    def watch_gaps(self, gaps: Gaps) -> None:
        """Let these gaps add to doubts from now on."""
        self._gaps = gaps
        self._core.watch_gaps(*gaps)

    def without_blocks(self, blocks: Numbers, n_blocks: int, n_trees: int) -> tuple[Floats, Floats]:
        """The same for the rows learned, each without its whole block; asks some of the trees only."""
        rule = self._rule()
        mean, within, between = self._core.leave_blocks_out(rule, n_trees, blocks, n_blocks, n_threads_of(self.n_jobs))
        scale, noise = self._core.query(rule)[1:]
        return self._origin + mean, self._doubt(scale * within + noise, between)

    def moments_then_learn(self, X: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """The same for rows that come one after another, each before it is learned. Holds no review."""
        rule, labels = self._rule(), self._encode_labels(y)
        mean, *doubts = self._core.moments_then_learn(X, labels, weights, rule, n_threads_of(self.n_jobs))
        return self._origin + mean, self._doubt(*doubts)

    def _left_out(self, core: Any, n_trees: int, groups: Numbers) -> tuple[Floats, Floats]:
        rule, n_threads = self._rule_of(core, Calibration()), n_threads_of(self.n_jobs)
        mean, _, between = core.leave_one_out(rule, n_trees, groups, n_threads)
        return core.row_labels() - mean, between

    def _doubt(self, within: Floats, between: Floats, added: Floats | None = None) -> Floats:
        noise = self._core.query(self._rule())[2]
        added = np.zeros(within.size) if added is None else added
        return np.column_stack([np.maximum(within - noise, 0.0), between, added])


class VectorStage(BoostedForest):
    """A stage for labels that are vectors about zero, all components smoothed alike."""

    N_DOUBTS = 0

    _vectors: _core.LabelVectors  # the core's labels are their numbers

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        scaling: str = "half",
        hyperparameters: str = "learned",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.scaling = scaling
        self.hyperparameters = hyperparameters
        self.n_jobs = n_jobs
        self.random_state = random_state

    min_samples_split = 2
    lifetime = math.inf
    window = None

    @property
    def label_shape(self) -> tuple[int, ...]:
        """The length of the vectors."""
        return (self._vectors.length,)

    @property
    def label_squares(self) -> float:
        """The labels' squares, added up."""
        return float((self._vectors.to_array().astype(np.float64) ** 2).sum())

    def moments(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean at rows; of the doubt about it nothing is said."""
        return self._core.means(X, n_threads_of(self.n_jobs)), np.empty((X.shape[0], 0))

    def calibrated(self, labels: Floats, groups: Numbers) -> tuple[Floats, Floats]:
        """The same for the rows learned, each without itself and its copies."""
        mean, _ = self._core.leave_one_out(self._core.n_trees, groups, n_threads_of(self.n_jobs))
        return mean, np.empty((labels.shape[0], 0))

    def moments_then_learn(self, X: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """The same for rows that come one after another, each before it is learned. Holds no review."""
        labels = self._encode_labels(y)
        mean = self._core.predict_then_learn(X, labels, weights, n_threads_of(self.n_jobs))
        return mean, np.empty((X.shape[0], 0))

    def _y_checks(self) -> dict[str, Any]:
        return {"multi_output": True}

    @property
    def _least_split(self) -> int:
        return self.min_samples_split

    def _begin_labels(self, y: Any) -> None:
        self._vectors = _core.LabelVectors(y.shape[1])

    def _encode_labels(self, y: Any) -> Floats:
        n_before = len(self._vectors)
        self._vectors.append(np.ascontiguousarray(y))
        return np.arange(n_before, len(self._vectors), dtype=np.float64)

    def _new_core(self, **shape: Any) -> Any:
        core = _core.VectorForest(**shape)
        core.set_vectors(self._vectors)
        return core

    def _set_label_model(self, core: Any) -> None:
        core.set_model(FIRST_RATE, FIRST_RATIO, n_threads_of(self.n_jobs))

    def _learn_label_model(self, core: Any, sample: Sample) -> None:
        if sample.copies.n_units >= FEWEST_ROWS:
            effort = self._effort(self._learns_again(core))
            n_trees = max(effort.fewest_smoothing, effort.most_smoothing // core.n_rows)
            problem = core.smoothing_problem(min(N_TREES, n_trees), sample.copies.groups)
            numbers = learn_smoothing(problem, 0.0, sample.mean_weight, (None, None), effort.n_searches)
            core.set_model(*numbers, n_threads_of(self.n_jobs))
        super()._learn_label_model(core, sample)

    def _left_out(self, core: Any, n_trees: int, groups: Numbers) -> tuple[Floats, Floats]:
        mean, between = core.leave_one_out(n_trees, groups, n_threads_of(self.n_jobs))
        return self._vectors.to_array()[core.row_labels().astype(np.intp)] - mean, between

    # Files.

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        state = super()._fitted_state()
        if state is not None:
            state[0].update(length=self._vectors.length, model=list(self._core.model))
            state[1]["rows.vectors"] = self._vectors.to_array().ravel()
        return state

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        length, values = int(numbers["length"]), arrays["rows.vectors"]
        if length < 1 or values.dtype != np.float32 or values.size % length or not np.isfinite(values).all():
            raise ValueError("its label vectors are not finite, or have the wrong shape")
        self._vectors = _core.LabelVectors(length)
        self._vectors.append(values.reshape(-1, length).astype(np.float64))
        self._restored_model = [float(number) for number in numbers["model"]]
        if len(self._restored_model) != 2 or not all(0 < number < math.inf for number in self._restored_model):
            raise ValueError("its smoothing is not positive and finite")
        super()._restore_fitted_state(numbers, arrays)
        del self._restored_model

    def _restore_label_model(self, core: Any) -> None:
        rate, ratio = self._restored_model
        core.set_model(rate, ratio, 1)
