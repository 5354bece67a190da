"""Stages of Mondrian forests, each on the exact leave-one-out residuals of the ones before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow._copies import Copies, Numbers
from hedgerow.boosting._ridge import Ridge, fit_ridge, without_blocks
from hedgerow.boosting._stage import NotWorthGrowingError, NumberStage, VectorStage, mean_square

Floats = npt.NDArray[np.float64]

LEAST_GAIN = 0.002
"""A stage that takes away less than this share of the leave-one-out mean square is not kept."""

FEWEST_ROWS = 16
"""With fewer rows there is one stage and nothing is chosen."""

MOST_CHOOSING = 1000
TRANSFORMS = ("range", "half", "rank")


class Choice(NamedTuple):
    """How columns are scaled, and whether a ridge regression comes first."""

    transform: str
    linear: bool


class Stages(NamedTuple):
    """What is added up: a ridge regression or none, and forests; and the leave-one-out of it all.

    Labels are numbers or vectors, and so is everything that is said of them: arrays have one row for each row.
    """

    ridge: Ridge | None
    forests: list[Any]  # all of one kind
    residuals: Floats  # label minus leave-one-out prediction
    doubts: Floats  # variance within and between trees, added over the stages; no columns for vectors

    def moments(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean and doubt at rows."""
        mean, doubt = self._before(X)
        for forest in self.forests:
            added, doubted = forest.moments(X)
            mean += added
            doubt += doubted
        return mean, doubt

    def learn(self, X: Floats, labels: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Let rows come one after another; return the mean and doubt that each met.

        Each stage is told what the ones before left over of the label, as they forecast it.
        """
        mean, doubt = self._before(X)
        for forest in self.forests:
            added, doubted = forest.moments_then_learn(X, labels - mean, weights)
            mean = mean + added
            doubt += doubted
        return mean, doubt

    def without_blocks(
        self, X: Floats, labels: Floats, weights: Floats, blocks: Numbers, n_blocks: int, n_trees: int
    ) -> tuple[Floats, Floats]:
        """Return mean and doubt of the rows of each block without the labels of the whole block, asking some trees.

        The rows are those that were learned together. Of rows that are in no block nothing is said.
        """
        mean, doubt = np.zeros_like(labels), np.zeros_like(self.doubts)
        if self.ridge is not None:
            weights = weights if weights.size else np.ones(labels.shape[0])
            mean = without_blocks(self.ridge, X, labels, weights, blocks, n_blocks)
        for forest in self.forests:
            added, doubted = forest.without_blocks(blocks, n_blocks, n_trees)
            mean += added
            doubt += doubted
        return mean, doubt

    def _before(self, X: Floats) -> tuple[Floats, Floats]:
        n = X.shape[0]
        mean = np.zeros((n, *self.residuals.shape[1:])) if self.ridge is None else self.ridge(X)
        return mean, np.zeros((n, self.doubts.shape[1]))


def fit_stages(
    X: Floats,
    labels: Floats,
    weights: Floats,
    copies: Copies,
    choice: Choice,
    max_stages: int,
    seed: int,
    before: Sequence[Any] = (),
    **forest: Any,
) -> Stages:
    """One stage after another, until leave-one-out stops improving; each begins with what one `before` has learned."""
    ridge, residuals = None, labels
    if labels.size == 0:  # vectors without components: there is nothing to tell
        return Stages(None, [], labels, np.zeros((X.shape[0], 0)))
    if choice.linear:
        ridge, residuals = fit_ridge(X, labels, weights if weights.size else np.ones(X.shape[0]), copies.groups)
    kind: Any = NumberStage if labels.ndim == 1 else VectorStage
    forests: list[Any] = []
    doubts = np.zeros((X.shape[0], kind.N_DOUBTS))
    for number, stage_seed in enumerate(np.random.SeedSequence(seed).generate_state(max_stages)):
        stage = kind(scaling=choice.transform, hyperparameters="learned", random_state=int(stage_seed), **forest)
        to_beat = (1.0 - LEAST_GAIN) * mean_square(residuals, weights)
        stage._to_beat = to_beat if number > 0 else None
        stage._copies = copies
        stage._before = before[number] if number < len(before) else None
        try:
            stage.fit(X, residuals, weights if weights.size else None)
        except NotWorthGrowingError:
            break
        stage._before = stage._copies = None
        mean, doubt = stage.calibrated(residuals, copies.groups)
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
    X: Floats,
    labels: Floats,
    weights: Floats,
    copies: Copies,
    transform: str,
    linear: str | bool,
    seed: int,
    n_jobs: int | None,
) -> Choice:
    """Choose what is left open by the leave-one-out error of small first stages on some of the rows."""
    transforms = TRANSFORMS if transform == "auto" else (transform,)
    linears = (False, True) if linear == "auto" else (bool(linear),)
    if labels.size == 0 or copies.n_units < FEWEST_ROWS:
        return Choice("half" if transform == "auto" else transform, linear is True)
    if len(transforms) == len(linears) == 1:
        return Choice(transforms[0], linears[0])
    few = np.sort(np.random.default_rng(seed).choice(X.shape[0], min(MOST_CHOOSING, X.shape[0]), replace=False))
    rows = X[few], labels[few], weights[few] if weights.size else weights, copies.of(few)
    errors: dict[Choice, float] = {}

    def error(choice: Choice) -> float:
        if choice not in errors:
            stages = fit_stages(*rows, choice, 1, seed, n_estimators=10, n_jobs=n_jobs)
            errors[choice] = mean_square(stages.residuals, rows[2])
        return errors[choice]

    plain = min((Choice(kind, linears[0]) for kind in transforms), key=error)
    return min((plain._replace(linear=first) for first in linears), key=error)
