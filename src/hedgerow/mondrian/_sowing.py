"""A batch before its trees: rows as the core takes them, and units of columns.

Trees are a function of it alone, so they can be grown from it in parts, in any order and in any process.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from hedgerow import _core
from hedgerow.base.copies import NO_GROUPS, Copies, Numbers, warn_if_ambiguous
from hedgerow.base.rows import NO_WEIGHTS, Rows
from hedgerow.base.seed import draw_seed
from hedgerow.files.codec import Arrays
from hedgerow.mondrian._growing import Plan, choose_scaling, grow_some, learn_units, lifetime_of
from hedgerow.mondrian._learning import Sample
from hedgerow.mondrian._new_categories import CategoryAxes
from hedgerow.mondrian._scaling import ColumnScaling


class Trees(NamedTuple):
    """Some trees of a forest, as another process takes them."""

    first: int
    last: int
    arrays: Arrays
    model: tuple[float, ...] | None = None  # numbers of the label model, if they were learned from these trees


@dataclass(frozen=True)
class Sown:
    """All that the trees of a forest are a function of."""

    settings: Any
    labels: Any  # before anything is learned from trees
    seed: int
    rows: Rows
    came: Numbers  # where rows are, in the order in which they came; of keyed cuts only
    copies: Copies
    scaling: ColumnScaling
    plan: Plan
    categories: CategoryAxes = ()

    @classmethod
    def of(
        cls,
        kind: Any,
        rows: Rows,
        settings: Any,
        seed: int,
        query: Any,
        plan: Plan | None,
        categories: CategoryAxes = (),
    ) -> Sown:
        """Take the rows of a batch that the window has room for; `kind` is the class of labels."""
        recent = slice(None if settings.window is None else -settings.window, None)
        came = NO_GROUPS
        if settings.is_keyed:
            rows, came = as_set(rows, recent)
        labels, rows = kind.of_batch(rows, recent, settings, query)
        if settings.is_keyed:  # the core's order is one of rows as it takes them
            rows, places = as_set(rows)
            came = places[came]
        copies = None if plan is None else plan.copies
        if copies is None:
            copies = labels.copies(rows.X, rows.y) if settings.learns else Copies(NO_GROUPS, rows.X.shape[0])
        if plan is None:
            warn_if_ambiguous(copies, stacklevel=7)
        sample, plan = Sample(*rows, copies), plan or Plan()
        scaling = choose_scaling(settings, sample)
        scaling = learn_units(settings, labels, sample, scaling, (seed, 0), NO_WEIGHTS, plan, query.n_threads)
        lifetime = lifetime_of(settings, labels, rows, scaling, plan)
        if lifetime != settings.lifetime:
            settings = replace(settings, lifetime=lifetime)
            labels = labels.under(settings)
        return cls(settings, labels, seed, rows, came, copies, scaling, plan, categories)

    @property
    def sample(self) -> Sample:
        """The rows, to be learned from."""
        return Sample(*self.rows, self.copies, self.categories)

    def planted(self, query: Any) -> tuple[Any, Any]:
        """Return a native forest that has the rows and no trees yet, and its labels."""
        core = self.labels.new_core(self.settings.shape(self.rows.X.shape[1], self.seed))
        core.set_scaling(*self.scaling.arrays)
        core.store(*self.rows)
        if self.settings.is_keyed:
            core.set_arrivals(self.came)
        return core, self.labels.set_model(core, query)

    # In parts.

    @property
    def n_first(self) -> int:
        """How many trees the numbers of the label model are learned from, at most."""
        return min(self.plan.effort.n_smoothing(self.rows.y.size), int(self.settings.n_estimators))

    def first_trees(self, query: Any) -> Trees:
        """Grow the first trees, and learn the numbers of the label model from them."""
        core, labels = self.planted(query)
        grow_some(core, 0, self.n_first, query.n_threads)
        labels.learn_model(core, self.sample, self.plan.effort, query)
        return Trees(0, self.n_first, core.archive_trees(0, self.n_first), getattr(core, "model", None))

    def trees(self, first: int, last: int, query: Any) -> Trees:
        """Grow trees from one number to another."""
        core, _ = self.planted(query)
        grow_some(core, first, last, query.n_threads)
        return Trees(first, last, core.archive_trees(first, last))

    def gathered(self, parts: list[Trees], query: Any) -> tuple[Any, Any]:
        """Return the native forest with all its trees, which were grown in parts, and its labels."""
        core, labels = self.planted(query)
        for part in parts:
            if part.model is not None:
                labels.give_model(core, SimpleNamespace(model=part.model))
        for first, last, arrays, _ in parts:
            core.take_trees(arrays, first, last, query.n_threads)
        core.grown()
        return core, labels


@dataclass(frozen=True)
class SownModel:
    """A model that has read the rows of a batch, and grown no tree yet. Any process can hold it."""

    kind: type[Any]
    attributes: dict[str, Any]  # of the estimator: parameters, columns, classes
    learner: Any  # its class
    query: Any
    sown: Sown

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, sample_weight: Any) -> SownModel:
        """Let a copy of a model read rows."""
        new = clone(model)
        settings, query = new._SETTINGS.of(new), new._QUERY.of(new)
        rows = new._batch(X, y, sample_weight)
        learner = new._learner_of(rows)
        seed = draw_seed(new.random_state)
        sown = Sown.of(learner.LABELS, rows, settings, seed, query, None, new._columns.category_axes)
        return cls(type(model), dict(vars(new)), learner, query, sown)

    def first_trees(self) -> Trees:
        """Grow the first trees, and learn smoothing from them."""
        return self.sown.first_trees(self.query)

    def share(self, number: int, n_shares: int) -> Trees:
        """Grow one of so many shares of the other trees; it may be none."""
        n_first, n_trees = self.sown.n_first, int(self.sown.settings.n_estimators)
        first, last = (n_first + (n_trees - n_first) * end // n_shares for end in (number, number + 1))
        return self.sown.trees(first, last, self.query)

    def grown(self, parts: list[Trees], n_threads: int = 1) -> Any:
        """Return the model that `fit` would have given; parts are all its trees. So many threads are idle."""
        model, query = self.kind(), replace(self.query, n_jobs=max(n_threads, self.query.n_threads))
        vars(model).update(self.attributes)
        model._learner = self.learner.of_grown(self.sown, *self.sown.gathered(parts, query), query)
        model._forget_what_follows()
        return model


def as_set(rows: Rows, recent: slice = slice(None)) -> tuple[Rows, Numbers]:
    """Return rows with the recent ones in an order that follows from what they are, and where each of those is now."""
    order = np.arange(rows.y.shape[0])
    X, y, weights = rows.part(recent)
    if y.ndim == 2:
        X, y = np.column_stack([X, y[:, :-1]]), np.ascontiguousarray(y[:, -1])
    among_recent = _core.order_as_set(X, y, weights)
    order[recent] = order[recent][among_recent]
    return rows.part(order), np.argsort(among_recent).astype(np.uint32)
