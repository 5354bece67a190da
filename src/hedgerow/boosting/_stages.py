"""Stages of Mondrian forests, each on the exact leave-one-out residuals of the ones before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hedgerow.base.copies import Copies, Numbers
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.boosting._ridge import Ridge, fit_ridge, without_blocks
from hedgerow.boosting._settings import BoostingSettings
from hedgerow.files import Stored
from hedgerow.mondrian._growing import NotWorthGrowingError, mean_square

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
    doubts: Floats  # variance within and between trees, and of gaps, added over the stages, where stages tell it

    def moments(self, X: Floats, query: Query) -> tuple[Floats, Floats]:
        """Mean and doubt at rows."""
        mean, doubt = self._before(X)
        for forest in self.forests:
            added, doubted = forest.moments(X, query)
            mean += added
            doubt += doubted
        return mean, doubt

    def learn(self, rows: Rows, query: Query) -> tuple[Floats, Floats]:
        """Let rows come one after another; return the mean and doubt that each met.

        Each stage is told what the ones before left over of the label, as they forecast it.
        """
        mean, doubt = self._before(rows.X)
        for forest in self.forests:
            added, doubted = forest.moments_then_learn(rows._replace(y=rows.y - mean), query)
            mean = mean + added
            doubt += doubted
        return mean, doubt

    def without_blocks(
        self, rows: Rows, blocks: Numbers, n_blocks: int, n_trees: int, query: Query
    ) -> tuple[Floats, Floats]:
        """Return mean and doubt of the rows of each block without the labels of the whole block, asking some trees.

        The rows are those that were learned together. Of rows that are in no block nothing is said.
        """
        mean, doubt = np.zeros_like(rows.y), np.zeros_like(self.doubts)
        if self.ridge is not None:
            weights = rows.weights if rows.weights.size else np.ones(rows.y.shape[0])
            mean = without_blocks(self.ridge, rows.X, rows.y, weights, blocks, n_blocks)
        for forest in self.forests:
            added, doubted = forest.without_blocks(blocks, n_blocks, n_trees, query)
            mean += added
            doubt += doubted
        return mean, doubt

    def _before(self, X: Floats) -> tuple[Floats, Floats]:
        n = X.shape[0]
        mean = np.zeros((n, *self.residuals.shape[1:])) if self.ridge is None else self.ridge(X)
        return mean, np.zeros((n, *self.doubts.shape[1:]))

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        ridge = None if self.ridge is None else vars(self.ridge)
        stages = [forest.state() for forest in self.forests]
        return {"ridge": ridge, "stages": stages, "residuals": self.residuals, "doubts": self.doubts}

    @classmethod
    def from_state(cls, stored: Stored, kind: Any, width: int, n_rows: int, shape: tuple[int, ...]) -> Stages:
        """Take back what `state` gave; `kind` is the class of the stages, `shape` that of what they say of a row."""
        residuals = stored.array("residuals", (None, *shape))
        n_learned = residuals.shape[0]
        doubts = stored.array("doubts", (n_learned, *kind.doubt_shape(shape)))
        if not 0 < n_learned <= n_rows or (doubts < 0).any():
            raise ValueError("its residuals or its doubts are not those of its rows")
        ridge = Ridge.from_state(stored.part("ridge"), width, shape) if "ridge" in stored else None
        forests = [kind.from_state(part) for part in stored.parts("stages")]
        if bool(forests) == (0 in shape) or any(forest.width != width for forest in forests):
            raise ValueError("it has no stages, or stages of another width")
        if any(forest.label_shape != shape for forest in forests):
            raise ValueError("a stage says something else than it should")
        return cls(ridge, forests, residuals, doubts)


def fit_stages(
    kind: Any,
    rows: Rows,
    copies: Copies,
    choice: Choice,
    max_stages: int,
    n_trees: int,
    seed: int,
    query: Query,
    before: Sequence[Any] = (),
) -> Stages:
    """One stage after another, until leave-one-out stops improving; each begins with what one `before` has learned.

    `kind` is the class of the stages.
    """
    X, labels, weights = rows
    ridge, residuals = None, labels
    if labels.size == 0:  # vectors without components: there is nothing to tell
        return Stages(None, [], labels, np.zeros((X.shape[0], 0)))
    if choice.linear:
        ridge, residuals = fit_ridge(X, labels, weights if weights.size else np.ones(X.shape[0]), copies.groups)
    forests: list[Any] = []
    doubts = np.zeros((X.shape[0], *kind.doubt_shape(labels.shape[1:])))
    for number, stage_seed in enumerate(np.random.SeedSequence(seed).generate_state(max_stages)):
        to_beat = (1.0 - LEAST_GAIN) * mean_square(residuals, weights)
        try:
            stage = kind.grown(
                rows._replace(y=residuals),
                copies,
                query,
                n_trees=n_trees,
                scaling=choice.transform,
                seed=int(stage_seed),
                before=before[number] if number < len(before) else None,
                to_beat=to_beat if number > 0 else None,
            )
        except NotWorthGrowingError:
            break
        mean, doubt = stage.calibrated(residuals, copies.groups, query)
        after = mean_square(residuals - mean, weights)
        if number > 0 and after > to_beat:
            break
        forests.append(stage)
        residuals = residuals - mean
        doubts += doubt
        if not after > 0.0:
            break
    return Stages(ridge, forests, residuals, doubts)


def choose(kind: Any, rows: Rows, copies: Copies, settings: BoostingSettings, seed: int, query: Query) -> Choice:
    """Choose what is left open by the leave-one-out error of small first stages on some of the rows."""
    transform, linear = settings.scaling, settings.linear
    transforms = TRANSFORMS if transform == "auto" else (transform,)
    linears = (False, True) if linear == "auto" else (bool(linear),)
    if rows.y.size == 0 or copies.n_units < FEWEST_ROWS:
        return Choice("half" if transform == "auto" else transform, linear is True)
    if len(transforms) == len(linears) == 1:
        return Choice(transforms[0], linears[0])
    n = rows.X.shape[0]
    few = np.sort(np.random.default_rng(seed).choice(n, min(MOST_CHOOSING, n), replace=False))
    some = Rows(rows.X[few], rows.y[few], rows.weights[few] if rows.weights.size else rows.weights)
    of_few = copies.of(few)
    errors: dict[Choice, float] = {}

    def error(choice: Choice) -> float:
        if choice not in errors:
            stages = fit_stages(kind, some, of_few, choice, 1, 10, seed, query)
            errors[choice] = mean_square(stages.residuals, some.weights)
        return errors[choice]

    plain = min((Choice(kind, linears[0]) for kind in transforms), key=error)
    return min((plain._replace(linear=first) for first in linears), key=error)
