"""A chain of stages, each on what the ones before leave over of the labels when they have not seen them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.base.copies import NO_GROUPS, Copies, Numbers
from hedgerow.base.progress import report
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.boosting._greedy_stage import GreedyStage
from hedgerow.boosting._kernel_stage import KernelStage
from hedgerow.boosting._ridge import Ridge
from hedgerow.boosting._settings import KINDS
from hedgerow.boosting._stage_data import Honest, StageRows
from hedgerow.files import Stored
from hedgerow.mondrian._growing import NotWorthGrowingError, mean_square

LEAST_GAIN = 0.002
"""A stage that takes away less than this share of the honest mean square is not kept."""

MOST_SURPRISING = 8.0
"""Numbers that a stage after the first learns are at most so many times their root mean square (Friedman 2001)."""


class Chain(NamedTuple):
    """Stages that are added up. Labels are numbers or vectors, and arrays have one row for each row."""

    stages: list[Any]
    error: float  # mean square of its honest residuals
    without_blocks: Floats  # means at the rows learned without their blocks, by all but Mondrian stages; then forgotten

    @property
    def kinds(self) -> tuple[str, ...]:
        """What its stages are."""
        return tuple(stage.kind for stage in self.stages)

    @property
    def mondrian(self) -> list[Any]:
        """The stages that are Mondrian forests."""
        return [stage for stage in self.stages if stage.kind == "mondrian"]

    def moments(self, stage_rows: StageRows, variances: Floats, query: Query) -> Floats:
        """Return the mean at rows, and add to its variances."""
        mean: Floats = np.zeros((stage_rows.axes.shape[0], *self.stages[0].label_shape))
        for stage in self.stages:
            added, more = stage.moments(stage_rows.of(stage.kind), query)
            mean += added
            _add(variances, more)
        return mean

    def learn(self, stage_rows: StageRows, rows: Rows, variances: Floats, query: Query) -> Floats:
        """Learn rows one after another; return the mean predicted for each before, and add to its variances.

        Each stage learns what the ones before left over of the label when they predicted it.
        """
        mean: Floats = np.zeros_like(rows.y)
        for stage in self.stages:
            seen = Rows(stage_rows.of(stage.kind), rows.y - mean, rows.weights)
            added, more = stage.moments_then_learn(seen, query)
            mean = mean + added
            _add(variances, more)
        return mean

    def left_out(self, blocks: Numbers, n_blocks: int, n_trees: int, variances: Floats, query: Query) -> Floats:
        """Return means at the rows learned without the labels of their block, by some of the trees; add variances."""
        mean = self.without_blocks.copy()
        for stage in self.mondrian:
            added, more = stage.without_blocks(blocks, n_blocks, n_trees, query)
            mean += added
            _add(variances, more)
        return mean

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"error": self.error, "stages": [{"kind": one.kind, **one.state()} for one in self.stages]}

    @classmethod
    def from_state(cls, stored: Stored, kind: Any, widths: tuple[int, int], shape: tuple[int, ...]) -> Chain:
        """Take back what `state` gave; `kind` is the class of its Mondrian stages, widths are those of `StageRows`."""
        width, plain_width = widths
        stages: list[Any] = []
        for part in stored.parts("stages"):
            match part.word("kind", *KINDS):
                case "linear":
                    stages.append(Ridge.from_state(part, width, shape))
                case "kernel":
                    stages.append(KernelStage.from_state(part, plain_width, shape))
                case "greedy":
                    stages.append(GreedyStage.from_state(part, plain_width, shape))
                case _:
                    stages.append(kind.from_state(part))
        if not stages or any(stage.label_shape != shape for stage in stages):
            raise ValueError("it has no stages, or a stage predicts something else than it should")
        if any(stage.width != width for stage in stages if stage.kind == "mondrian"):
            raise ValueError("it has stages of another width")
        return cls(stages, stored.number("error", 0.0), np.empty(0))


@dataclass(frozen=True)
class Making:
    """What stages are made with."""

    kind: Any  # the class of the Mondrian stages
    plain: Floats  # what greedy trees and kernels see of the rows
    copies: Copies
    folds: Numbers  # of each row
    blocks: Numbers
    n_blocks: int  # none if nothing will be predicted without blocks
    transform: str
    n_trees: int
    seed: int
    query: Query

    def units_of(self, rows: Rows) -> tuple[Rows, npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return rows as greedy trees and kernels see them, one for all copies, with their weight.

        And the row that each is, and which of them stands for each row.
        """
        if not self.copies.groups.size:
            every = np.arange(rows.y.shape[0])
            return rows._replace(X=self.plain), every, every
        _, first, unit = np.unique(self.copies.groups, return_index=True, return_inverse=True)
        order = np.argsort(first)  # as they come, so that copies are as good as weights
        first, unit = first[order], np.argsort(order)[unit]
        weights = np.bincount(unit, weights=rows.weights if rows.weights.size else None).astype(np.float64)
        return Rows(np.ascontiguousarray(self.plain[first]), rows.y[first], weights), first, unit

    def rates_from(self, rows: Rows) -> Floats:
        """Return how fast a small Mondrian forest would cut each column."""
        of_rows = Copies(NO_GROUPS, rows.y.shape[0])
        stage = self.kind.grown(rows, of_rows, self.query, n_trees=1, scaling="half", seed=self.seed)
        rates: Floats = stage.forest.scaling.rates
        return rates

    def of(self, rows: npt.NDArray[np.intp], n_trees: int) -> Making:
        """Return the same for some of the rows, and other numbers of trees, without blocks."""
        return replace(
            self,
            plain=self.plain[rows],
            copies=self.copies.of(rows),
            folds=self.folds[rows],
            blocks=self.blocks[rows],
            n_blocks=0,
            n_trees=n_trees,
        )

    def scaled(self, transform: str) -> Making:
        """Return the same with columns scaled so."""
        return replace(self, transform=transform)

    def seeded(self, number: int) -> Making:
        """Return the same with another seed."""
        return replace(self, seed=int(np.random.SeedSequence([self.seed, number]).generate_state(1)[0]))


class Recipe(NamedTuple):
    """What a chain is made of."""

    kinds: tuple[str, ...]  # of stages
    n_trees: int  # of each Mondrian forest


class Made(NamedTuple):
    """A chain that has learned, and what it leaves over of its rows' labels."""

    chain: Chain
    residuals: Floats  # label minus honest prediction
    variances: Floats
    excess: float  # by how much the mean square of the residuals exceeds that of errors to come
    honest: list[Honest]  # predictions of each stage

    def with_trees(self, numbers: Sequence[int], rows: Rows, making: Making) -> Made:
        """Return the same with so many trees in each Mondrian forest; the others are gone."""
        wanted, all_honest = iter(numbers), []
        residuals, variances = rows.y, np.zeros_like(self.variances)
        for stage, honest in zip(self.chain.stages, self.honest, strict=True):
            if stage.kind == "mondrian" and (n := next(wanted)) < stage.n_trees:
                stage.keep_trees(n)
                honest = stage.left_out(making.copies.groups, making.query)
            all_honest.append(honest)
            residuals = residuals - honest.mean
            _add(variances, honest.variances)
        error = max(mean_square(residuals, rows.weights) - self.excess, 0.0)
        return self._replace(
            chain=self.chain._replace(error=error), residuals=residuals, variances=variances, honest=all_honest
        )


def make_chain(recipe: Recipe, rows: Rows, making: Making, before: Sequence[Any] = (), most: float = math.inf) -> Made:
    """Add one stage after another, as long as that pays; the first always counts.

    A kind that does not pay is not tried again. Mondrian stages begin with what those `before` have learned. If the
    first stage leaves a larger mean square than `most`, none is added.
    """
    residuals, variances = rows.y, np.zeros((rows.y.shape[0], *making.kind.variance_shape(rows.y.shape[1:])))
    without, excess = np.zeros_like(rows.y), 0.0
    stages: list[Any] = []
    all_honest: list[Honest] = []
    known, given_up = iter(before), set[str]()
    for number, kind in enumerate(recipe.kinds):
        report(f"{kind} stage")
        is_first = not any(stage.kind != "linear" for stage in stages)
        error = mean_square(residuals, rows.weights) - excess
        to_beat = (1.0 - LEAST_GAIN) * error
        if not is_first and (kind in given_up or not error > 0.0):
            continue
        labels = residuals if is_first else bounded(residuals, rows.weights)
        beyond = mean_square(residuals, rows.weights) - mean_square(labels, rows.weights)  # which no stage explains
        given = rows._replace(y=labels), making.seeded(number), recipe.n_trees
        made = _make(kind, *given, known, None if is_first else to_beat + excess - beyond)
        left = residuals if made is None else residuals - made[1].mean
        more = 0.0 if made is None else made[1].excess
        if made is None or (not is_first and mean_square(left, rows.weights) - excess - more > to_beat):
            given_up.add(kind)
            continue
        stage, honest = made
        stages.append(stage)
        all_honest.append(honest)
        residuals, excess = left, excess + honest.excess
        _add(variances, honest.variances)
        if honest.without_block is not None:
            without += honest.without_block
        if mean_square(residuals, rows.weights) - excess > most:
            break
    error = max(mean_square(residuals, rows.weights) - excess, 0.0)
    return Made(Chain(stages, error, without), residuals, variances, excess, all_honest)


def bounded(residuals: Floats, weights: Floats) -> Floats:
    """Return what is learned of numbers left over: none is very large, and their mean is the same.

    The residual of a row does not show that the stages before have learned it. A row far from the rest that lies
    alone would be added anew by each stage, wherever no other row is near. Vectors are as they are.
    """
    if residuals.ndim > 1:
        return residuals
    most = MOST_SURPRISING * math.sqrt(mean_square(residuals, weights))
    inside = np.clip(residuals, -most, most)
    if np.array_equal(inside, residuals):
        return residuals
    found: Floats = inside + np.average(residuals - inside, weights=weights if weights.size else None)
    return found


def _make(
    kind: str, rows: Rows, making: Making, n_trees: int, before: Iterator[Any], to_beat: float | None
) -> tuple[Any, Honest] | None:
    """Return a stage and its honest predictions; None if it is seen early that it does not pay."""
    shape = making.kind.variance_shape(rows.y.shape[1:])
    match kind:
        case "linear":
            return Ridge.fitted(rows, making.copies.groups, making.blocks, making.n_blocks)
        case "kernel":
            units, first, unit = making.units_of(rows)
            blocks, rates = making.blocks[first], making.rates_from(units)
            stage, honest = KernelStage.fitted(units, blocks, making.n_blocks, rates, making.seed)
            return stage, honest.of_rows(unit)
        case "greedy":
            units, first, unit = making.units_of(rows)
            how = {
                "n_trees": 2 * making.n_trees,
                "has_variances": shape[-1] > 0,
                "seed": making.seed,
                "to_beat": to_beat,
            }
            grown = GreedyStage.grown(units, making.folds[first], making.query, **how)
            return None if grown is None else (grown[0], grown[1].of_rows(unit))
    try:
        stage = making.kind.grown(
            rows,
            making.copies,
            making.query,
            n_trees=n_trees,
            scaling=making.transform,
            seed=making.seed,
            before=next(before, None),
            to_beat=to_beat,
        )
    except NotWorthGrowingError:
        return None
    return stage, stage.calibrated(rows.y, making.copies.groups, making.query)


def _add(variances: Floats, more: Floats | None) -> None:
    if more is not None:
        variances += more
