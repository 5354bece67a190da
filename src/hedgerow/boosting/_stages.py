"""Stages of Mondrian forests, each on the exact leave-one-out residuals of the ones before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow._validation import NO_WEIGHTS, n_threads_of
from hedgerow.boosting._ridge import Ridge, fit_ridge
from hedgerow.mondrian import MondrianForestRegressor
from hedgerow.mondrian._learning import FEWEST_AGAIN, N_TREES, Effort, Sample
from hedgerow.mondrian._scaling import ColumnScaling
from hedgerow.mondrian._smoothing import Calibration

Floats = npt.NDArray[np.float64]

LEAST_GAIN = 0.002
"""A stage that takes away less than this share of the leave-one-out mean square is not kept."""

FEWEST_ROWS = 16
"""With fewer rows there is one stage and nothing is chosen."""

MOST_CHOOSING = 1000
TRANSFORMS = ("range", "half", "rank")


class NotWorthGrowingError(Exception):
    """A stage's first trees show that it would take too little away."""


class Stage(MondrianForestRegressor):
    """A forest that is one of many, and so spends less on learning its own numbers."""

    _EFFORT = Effort(
        most_rows=3000, n_rounds=2, most_smoothing=40_000, fewest_smoothing=3, n_searches=12, most_calibrating=0
    )

    _to_beat: float | None = None  # the mean square that leave-one-out must get below for the stage to be worth growing
    _before: Stage | None = None  # the stage in this place when there were fewer rows, from which learning begins

    def _learn_units(
        self, sample: Sample, scaling: ColumnScaling, seed: int, arrivals: int, before: Floats = NO_WEIGHTS
    ) -> ColumnScaling:
        before = before if self._before is None else self._before._scaling.rates
        return super()._learn_units(sample, scaling, seed, arrivals, before)

    def _set_label_model(self, core: Any) -> None:
        super()._set_label_model(core)
        if self._before is not None:
            core.set_model(*self._before._core.model, n_threads_of(self.n_jobs))

    def _learns_again(self, core: Any) -> bool:
        return self._before is not None and bool(core.n_rows >= FEWEST_AGAIN)

    def _learn_label_model(self, core: Any) -> None:
        super()._learn_label_model(core)
        n_first = min(N_TREES, core.n_trees)
        if self._to_beat is None or n_first == core.n_trees:
            return
        rule = self._rule_of(core, Calibration())
        mean, _, between = core.leave_one_out(rule, n_first, n_threads_of(self.n_jobs))
        weights = core.row_weights()
        # What so few trees differ by averages out as more grow.
        averaged_out = weighted_mean(between, weights) * (1.0 / (n_first - 1) - 1.0 / core.n_trees)
        if mean_square(core.row_labels() - mean, weights) - averaged_out > self._to_beat:
            raise NotWorthGrowingError

    def moments(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean at rows, and the doubt about it: the variance within the trees, and that between them."""
        rule, n_threads = self._rule(), n_threads_of(self.n_jobs)
        mean, within, between = self._core.moments(X, rule, n_threads)
        return self._origin + mean, self._doubt(within, between)

    def calibrated(self, labels: Floats) -> tuple[Floats, Floats]:
        """The same for the rows learned, each without itself; gamma_1 becomes what makes their errors typical."""
        n_threads = n_threads_of(self.n_jobs)
        mean, within, between = self._core.leave_one_out(self._rule(), self._core.n_trees, n_threads)
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

    def moments_then_learn(self, X: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """The same for rows that come one after another, each before it is learned. Holds no review."""
        rule, labels = self._rule(), self._encode_labels(y)
        mean, within, between = self._core.moments_then_learn(X, labels, weights, rule, n_threads_of(self.n_jobs))
        return self._origin + mean, self._doubt(within, between)

    def _doubt(self, within: Floats, between: Floats) -> Floats:
        noise = self._core.query(self._rule())[2]
        return np.column_stack([np.maximum(within - noise, 0.0), between])


class Choice(NamedTuple):
    """How columns are scaled, and whether a ridge regression comes first."""

    transform: str
    linear: bool


class Stages(NamedTuple):
    """What is added up: a ridge regression or none, and forests; and the leave-one-out of it all."""

    ridge: Ridge | None
    forests: list[Stage]
    residuals: Floats  # label minus leave-one-out prediction, a number for each row
    doubts: Floats  # variance within and between trees, added over the stages: two numbers for each row

    def moments(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean and doubt at rows."""
        mean = np.zeros(X.shape[0]) if self.ridge is None else self.ridge(X)
        doubt = np.zeros((X.shape[0], 2))
        for forest in self.forests:
            added, doubted = forest.moments(X)
            mean += added
            doubt += doubted
        return mean, doubt

    def learn(self, X: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Let rows come one after another; return the mean and doubt that each met.

        Each stage is told what the ones before left over of the label, as they forecast it.
        """
        mean = np.zeros(X.shape[0]) if self.ridge is None else self.ridge(X)
        doubt = np.zeros((X.shape[0], 2))
        for forest in self.forests:
            added, doubted = forest.moments_then_learn(X, y - mean, weights)
            mean = mean + added
            doubt += doubted
        return mean, doubt


def weighted_mean(values: Floats, weights: Floats) -> float:
    """Mean; no weights at all are an empty array."""
    return float(np.average(values, weights=weights if weights.size else None))


def mean_square(residuals: Floats, weights: Floats) -> float:
    """Weighted mean of the squares."""
    return weighted_mean(residuals**2, weights)


def fit_stages(
    X: Floats,
    y: Floats,
    weights: Floats,
    choice: Choice,
    max_stages: int,
    seed: int,
    before: Sequence[Stage] = (),
    **forest: Any,
) -> Stages:
    """One stage after another, until leave-one-out stops improving; each begins with what one `before` has learned."""
    ridge, residuals = None, y
    if choice.linear:
        ridge, residuals = fit_ridge(X, y, weights if weights.size else np.ones(y.size))
    forests: list[Stage] = []
    doubts = np.zeros((y.size, 2))
    for number, stage_seed in enumerate(np.random.SeedSequence(seed).generate_state(max_stages)):
        stage = Stage(scaling=choice.transform, hyperparameters="learned", random_state=int(stage_seed), **forest)
        to_beat = (1.0 - LEAST_GAIN) * mean_square(residuals, weights)
        stage._to_beat = to_beat if number > 0 else None
        stage._before = before[number] if number < len(before) else None
        try:
            stage.fit(X, residuals, weights if weights.size else None)
        except NotWorthGrowingError:
            break
        stage._before = None
        mean, doubt = stage.calibrated(residuals)
        after = mean_square(residuals - mean, weights)
        if number > 0 and after > to_beat:
            break
        forests.append(stage)
        residuals = residuals - mean
        doubts += doubt
        if not after > 0.0:
            break
    return Stages(ridge, forests, residuals, doubts)


def choose(
    X: Floats, y: Floats, weights: Floats, transform: str, linear: str | bool, seed: int, n_jobs: int | None
) -> Choice:
    """Choose what is left open by the leave-one-out error of small first stages on some of the rows."""
    transforms = TRANSFORMS if transform == "auto" else (transform,)
    linears = (False, True) if linear == "auto" else (bool(linear),)
    if (weights.sum() if weights.size else X.shape[0]) < FEWEST_ROWS:
        return Choice("half" if transform == "auto" else transform, linear is True)
    if len(transforms) == len(linears) == 1:
        return Choice(transforms[0], linears[0])
    few = np.sort(np.random.default_rng(seed).choice(X.shape[0], min(MOST_CHOOSING, X.shape[0]), replace=False))
    rows = X[few], y[few], weights[few] if weights.size else weights

    def error(choice: Choice) -> float:
        stages = fit_stages(*rows, choice, 1, seed, n_estimators=10, n_jobs=n_jobs)
        return mean_square(stages.residuals, rows[2])

    plain = min((Choice(kind, linears[0]) for kind in transforms), key=error)
    return min((plain._replace(linear=first) for first in linears), key=error)
