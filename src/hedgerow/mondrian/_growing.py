"""From rows to trees: the units of the columns, the trees themselves, and on the way the numbers of the label model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hedgerow.base.copies import Copies
from hedgerow.base.progress import report
from hedgerow.base.rows import NO_WEIGHTS, Floats, Rows
from hedgerow.base.work import WORK_AT_A_TIME
from hedgerow.mondrian._gaps import N_TREES as N_GAP_TREES
from hedgerow.mondrian._gaps import Gaps, Places, PredictSlab, Slab
from hedgerow.mondrian._learning import (
    AGAIN,
    FEWEST_AGAIN,
    FEWEST_IN_BLOCK,
    FEWEST_ROWS,
    N_TREES,
    Effort,
    Sample,
    learn_rates,
)
from hedgerow.mondrian._scaling import (
    ColumnScaling,
    column_range,
    half_scaling,
    no_scaling,
    range_scaling,
    rank_scaling,
)
from hedgerow.mondrian._settings import ForestSettings

if TYPE_CHECKING:
    from hedgerow.mondrian._learner import ForestLearner


class NotWorthGrowingError(Exception):
    """The first trees show that a forest would take too little away."""


class Plan(NamedTuple):
    """How a forest is grown, if it is a part of something else."""

    effort: Effort = Effort()
    copies: Copies | None = None  # among the rows, if that is known
    before: ForestLearner | None = None  # a forest of fewer rows, from whose rates learning begins
    to_beat: float | None = None  # the mean square that leave-one-out in the first trees must get below
    most_leaves: int | None = None  # of a tree, about: the process ends when it has so many

    def learns_again(self, core: Any) -> bool:
        """Whether rates are at hand from trees that were here before, and rows are many."""
        return bool((core.generation > 0 or self.before is not None) and core.n_rows >= FEWEST_AGAIN)

    def effort_for(self, again: bool) -> Effort:
        """Return what is spent: less where learning goes on from what was known."""
        return self.effort._replace(**AGAIN) if again else self.effort


def choose_scaling(settings: ForestSettings, sample: Sample) -> ColumnScaling:
    """Return columns in comparable lengths, before any rates."""
    kind = settings.scaling_kind
    if kind in ("range", "none"):
        lower, upper = column_range(sample.X)
        if kind == "none" and settings.is_keyed:  # whose cuts lie where they lie
            lower = np.zeros(lower.size)
        return range_scaling(lower, upper) if kind == "range" else no_scaling(lower)
    return (rank_scaling if kind == "rank" else half_scaling)(sample.X, sample.weights)


def learn_units(
    settings: ForestSettings,
    labels: Any,
    sample: Sample,
    scaling: ColumnScaling,
    key: tuple[int, int],
    before: Floats,
    plan: Plan,
    n_threads: int,
) -> ColumnScaling:
    """Return the scaling with a rate for each column, if rates are to be learned; `before` are those in use.

    The key is the seed of the forest, and how many rows have come.
    """
    if not settings.learns or sample.copies.n_units < FEWEST_ROWS:
        return scaling
    seeds = np.random.SeedSequence(key).generate_state(8, np.uint64).tolist()

    def grow(rows: Sample, units: ColumnScaling, which: int) -> Any:
        shape = {**settings.shape(rows.X.shape[1], seeds[which]), "n_trees": N_TREES, "window": 0}
        core = labels.new_core({**shape, "min_samples_split": FEWEST_IN_BLOCK})
        core.set_scaling(*units.arrays)
        core.store(*rows[:3])
        core.grow(0, N_TREES, n_threads)
        core.grown()
        return core

    before = before if plan.before is None else plan.before.scaling.rates
    again = before.size > 0 and sample.labels.size >= FEWEST_AGAIN
    few = sample.merged().few(plan.effort.most_rows, seeds[-1])
    first = before if again else np.ones(sample.X.shape[1])
    return scaling.at_rates(learn_rates(grow, few, scaling, plan.effort_for(again).n_rounds, first))


def lifetime_of(settings: ForestSettings, labels: Any, rows: Rows, scaling: ColumnScaling, plan: Plan) -> float:
    """Return the time at which the process ends, which is sooner if a tree on these rows has too many leaves by then.

    The time does not depend on labels, and leave-one-out stays exact: a row that no cut has parted from others by then
    has their mean. If instead small blocks were left whole, a row would be one with those that it happened to lie with
    there, and a new row, outside their box, would not be.
    """
    if plan.most_leaves is None or rows.X.shape[0] <= plan.most_leaves:
        return settings.lifetime
    core = labels.new_core({**settings.shape(rows.X.shape[1], 0), "n_trees": 1, "window": 0})
    core.set_scaling(*scaling.arrays)
    core.store(*rows)
    core.grow(0, 1, 1)
    core.grown()
    times = core.archive()["cuts.time"]
    if times.size < plan.most_leaves:
        return settings.lifetime
    return float(np.partition(times, plan.most_leaves - 1)[plan.most_leaves - 1])


def grow(core: Any, labels: Any, sample: Sample, plan: Plan, query: Any) -> None:
    """Grow all trees anew. From the first the label model's numbers are learned, with which the others then grow."""
    first = min(N_TREES, core.n_trees)
    grow_some(core, 0, first, query.n_threads)
    labels.learn_model(core, sample, plan.effort_for(plan.learns_again(core)), query)
    if plan.to_beat is not None and first < core.n_trees:
        _check_worth(core, labels, sample, first, plan.to_beat, query)
    grow_some(core, first, core.n_trees, query.n_threads)
    core.grown()


def slab_predictor(
    settings: ForestSettings,
    labels: Any,
    core: Any,
    scaling: ColumnScaling,
    rows: tuple[Floats, Floats],
    predict_few: Callable[[Any, Floats], Slab],
    n_threads: int,
) -> PredictSlab:
    """Return what grows a few trees, like those of the core, from some rows and predicts others.

    Rows are features and labels as the core takes them; `predict_few` predicts with such a core.
    """
    X, y = rows

    def predict(rest: Places, queries: Places, gaps: Gaps) -> Slab:
        few = labels.new_core({**settings.shape(core.width, core.seed), "n_trees": N_GAP_TREES, "window": 0})
        few.set_scaling(*scaling.arrays)
        few.store(X[rest], y[rest], NO_WEIGHTS)
        few.set_model(*core.model, 1)
        few.grow(0, N_GAP_TREES, n_threads)
        few.grown()
        few.watch_gaps(*gaps)
        return predict_few(few, X[queries])

    return predict


def grow_some(core: Any, first: int, last: int, n_threads: int) -> None:
    """Grow a few trees at a time, between which Python looks for Ctrl-C."""
    together = n_threads * max(1, WORK_AT_A_TIME // max(1, core.n_rows))
    for begin in range(first, last, together):
        report("growing trees", begin, last)
        core.grow(begin, min(begin + together, last), n_threads)


def _check_worth(core: Any, labels: Any, sample: Sample, n_first: int, to_beat: float, query: Any) -> None:
    """Raise NotWorthGrowingError if the first trees, each row left out, do not get below a mean square."""
    residuals, between = labels.left_out(core, n_first, sample.copies.groups, query)
    apart = mean_square(np.sqrt(between), sample.weights) * averaged_out(n_first, core.n_trees)
    if mean_square(residuals, sample.weights) - apart > to_beat:
        raise NotWorthGrowingError


def averaged_out(n_some: int, n_trees: int) -> float:
    """How much of the variance between some trees is no longer in the squared error of the mean over all."""
    return 1.0 / (n_some - 1) - 1.0 / n_trees if n_some < n_trees else 0.0


def weighted_mean(values: Floats, weights: Floats) -> float:
    """Mean; no weights at all are an empty array."""
    return float(np.average(values, weights=weights if weights.size else None))


def mean_square(residuals: Floats, weights: Floats = NO_WEIGHTS) -> float:
    """Weighted mean over the rows of the squares; those of a vector are added up."""
    squares = residuals**2
    return weighted_mean(squares if squares.ndim == 1 else squares.sum(axis=1), weights)
