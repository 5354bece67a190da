"""A Mondrian forest that has learned: batch, online and backward learning, reviews, files. It knows no user."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hedgerow.base.copies import NO_GROUPS, Copies, Numbers
from hedgerow.base.rows import NO_WEIGHTS, Floats, Rows
from hedgerow.base.settings import MOST
from hedgerow.base.unlearning import check_found
from hedgerow.base.work import WORK_AT_A_TIME, all_or_nothing, pieces
from hedgerow.files import Stored
from hedgerow.files.codec import Arrays
from hedgerow.mondrian._growing import Plan, choose_scaling, grow, grow_some, learn_units
from hedgerow.mondrian._learning import FEWEST_IN_BLOCK, Sample
from hedgerow.mondrian._new_categories import CategoryAxes, category_axes_in
from hedgerow.mondrian._scaling import ColumnScaling
from hedgerow.mondrian._sowing import Sown, as_set

SCALING_PARTS = ("first_knot", "values", "images", "slopes")

Surprised = Callable[[Floats], None]
"""Is given the columns of a row before the model changes what it takes targets for."""


class ForestLearner:
    """A native forest, the units of its columns, and its label model. A subclass defines which, and what is predicted.

    The label model never changes: another one takes its place when everything else has succeeded.
    """

    LABELS: ClassVar[Any]

    def __init__(
        self, settings: Any, labels: Any, core: Any, scaling: ColumnScaling, category_axes: CategoryAxes = ()
    ) -> None:
        self.settings, self.labels, self.core, self.scaling = settings, labels, core, scaling
        self.category_axes = category_axes
        self.parts: frozenset[str] = frozenset()  # names of those that it was merged from, if it was

    # Learning.

    @classmethod
    def begin(
        cls,
        rows: Rows,
        settings: Any,
        seed: int,
        query: Any,
        plan: Plan | None = None,
        category_axes: CategoryAxes = (),
    ) -> Self:
        """Learn all rows of a batch; those that the window has room for."""
        sown = Sown.of(cls.LABELS, rows, settings, seed, query, plan, category_axes)
        core, labels = sown.planted(query)
        grow(core, labels, sown.sample, sown.plan, query)
        return cls.of_grown(sown, core, labels, query)

    @classmethod
    def of_grown(cls, sown: Sown, core: Any, labels: Any, query: Any) -> Self:
        """Learn from trees that have grown what is learned from all of them."""
        core.next_review = core.arrivals + core.n_rows
        labels = labels.calibrated(core, sown.sample, sown.scaling, sown.plan.effort, query)
        return cls(sown.settings, labels, core, sown.scaling, sown.categories)

    @classmethod
    def open(cls, first: Rows, settings: Any, seed: int, query: Any, category_axes: CategoryAxes = ()) -> Self:
        """Return an empty forest, in units taken from the first row alone; the first reviews will correct them."""
        labels = cls.LABELS.of_first(first, settings, query)
        core = labels.new_core(settings.shape(first.X.shape[1], seed))
        scaling = choose_scaling(settings, Sample(first.X, first.y, NO_WEIGHTS, Copies(NO_GROUPS, 1)))
        core.set_scaling(*scaling.arrays)
        return cls(settings, labels.set_model(core, query), core, scaling, category_axes)

    def learn(self, rows: Rows, query: Any) -> None:
        """Learn rows, one after another."""
        for part in self._stream(rows, query):
            self.core.learn(*part, query.n_threads)

    def learn_one(self, x: Any, y: float, weight: float, query: Any) -> None:
        """Learn one row, and nothing if it is not a vector of finite numbers."""
        self.core.learn_one(x, y, weight)

    def take(self, rows: Rows, query: Any) -> None:
        """Learn rows, all or none, into a forest of which nothing else is learned from rows."""
        known: Rows = self.labels.known(rows)
        self.core.learn(*known, query.n_threads)
        try:
            self.labels = self.labels.set_model(self.core, query)
        except BaseException:
            self.core.forget(self.core.find(*known), query.n_threads)
            raise
        self.core.next_review = self.core.arrivals + self.core.n_rows

    def review_if_due(self, query: Any) -> None:
        """Whenever as many rows have come as were held at the last review, look at the units and at the smoothing.

        What is learned is learned again, and units that have changed are brought to the trees by growing them afresh
        from the rows that are held: given the units they are Mondrian trees as before. A review costs about as much as
        a fit, and comes after as many rows as there are.
        """
        core = self.core
        if core.arrivals >= core.next_review:
            self.review(query)

    @all_or_nothing
    def review(self, query: Any, keeps_target: bool = False) -> None:
        """Look at the units and at the smoothing now."""
        must_grow = not keeps_target and self._review_target(query)
        settings, labels, core, scaling = self.settings, self.labels, self.core, self.scaling
        sample: Sample | None = None
        if core.n_rows > 0 and (settings.scaling != "none" or settings.learns):
            held = core.row_values(), core.row_labels(), core.row_weights()
            copies = labels.copies(*held[:2]) if settings.learns else Copies(NO_GROUPS, core.n_rows)
            sample = Sample(*held, copies, self.category_axes)
            key, n_threads = (core.seed, core.arrivals), query.n_threads
            found = choose_scaling(settings, sample)
            found = learn_units(settings, labels, sample, found, key, scaling.rates, Plan(), n_threads)
            if must_grow or found.rates.size or scaling.is_far_from(found):
                core, scaling = core.rescaled(*found.arrays), found
        labels = labels.set_model(core, query)
        if core is not self.core and sample is not None:
            grow(core, labels, sample, Plan(), query)
            labels = labels.calibrated(core, sample, scaling, Plan().effort, query)
        core.next_review = core.arrivals + max(1, core.n_rows)
        self.core, self.scaling, self.labels = core, scaling, labels

    # Unlearning.

    def forget(self, rows: Rows, query: Any) -> None:
        """Take rows out of the trees, or none and ValueError if one is not there.

        An interruption leaves a forest without the first of them.
        """
        known = self._known(rows)
        numbers = self.core.find(*known)
        if numbers.size < rows.y.size:
            numbers = self.core.find(*self._nearest_held(known))
        check_found(numbers.size, rows.y.size)
        for part in pieces(numbers.size, self.core.n_trees):
            self.core.forget(numbers[part], query.n_threads)

    def without(self, rows: Rows) -> Rows:
        """Return the rows held but for these, as they were given; ValueError if one of these is not there."""
        known = self._known(rows)
        places = self.core.locate(*known)
        if places.size < known.y.size:
            places = self.core.locate(*self._nearest_held(known))
        check_found(places.size, known.y.size)
        is_left = np.ones(self.core.n_rows, dtype=bool)
        is_left[places] = False
        came = self.as_they_came
        return self._given(came[is_left[came]])

    def held(self) -> Rows:
        """Return all rows, as they were given, in the order in which they came."""
        return self._given(self.as_they_came)

    @property
    def as_they_came(self) -> npt.NDArray[np.intp]:
        """Where rows stand among all that are held, in the order in which they came."""
        places = self.core.places_as_they_came() if self.settings.is_keyed else np.arange(self.core.n_rows)
        return np.asarray(places, dtype=np.intp)

    # What is predicted, where that is a distribution.

    def distributions(self, X: Floats, query: Any) -> Any:
        """Return the predictive distribution of each row."""
        raise NotImplementedError

    def of_distributions(self, X: Floats, query: Any, compute: Callable[[Any, slice], Floats]) -> Floats:
        """Compute distributions of some rows at a time: whole, they take far more room than the result."""
        parts = pieces(X.shape[0], self.core.n_trees)
        return np.concatenate([compute(self.distributions(X[part], query), part) for part in parts])

    # What was learned.

    @property
    def is_empty(self) -> bool:
        """Whether no row is held."""
        return bool(self.core.n_rows == 0)

    @property
    def seed(self) -> int:
        """From which everything random follows."""
        return int(self.core.seed)

    @property
    def n_seen(self) -> int:
        """Rows ever learned."""
        return int(self.core.arrivals)

    @property
    def n_bytes(self) -> int:
        """Memory of the core."""
        return int(self.core.n_bytes)

    @property
    def groups(self) -> Numbers:
        """Copies among the rows that are held, which leave-one-out leaves out together."""
        groups: Numbers = self.labels.copies(self.core.row_values(), self.core.row_labels()).groups
        return groups

    @property
    def row_axes(self) -> Floats:
        """What it sees of the rows that it holds."""
        values: Floats = self.core.row_values()
        return values

    def importances(self, groups: Numbers) -> Floats:
        """Share of each column in how much labels change across the cuts of the trees, less what noise explains."""
        gains = self.core.contrasts(FEWEST_IN_BLOCK, groups)[0].clip(min=0.0)
        shares: Floats = gains / gains.sum() if gains.sum() > 0 else np.full(gains.size, 1.0 / gains.size)
        return shares

    # Below: private.

    def _stream(self, rows: Rows, query: Any, surprised: Surprised | None = None) -> Iterator[Rows]:
        """Yield rows as the core takes them, in pieces that end where a review is due, and hold the review.

        A row whose target cannot be learned as those before it comes alone, after a call of `surprised`.
        """
        begin = 0
        while begin < rows.X.shape[0]:
            self.review_if_due(query)
            longest = max(1, WORK_AT_A_TIME // self.core.n_trees)
            end = min(begin + longest, rows.X.shape[0], begin + self.core.next_review - self.core.arrivals)
            part = self._arrive(rows.part(slice(begin, end)), query, surprised)
            yield part
            begin += part.X.shape[0]
        if begin > 0:
            self.review_if_due(query)

    def _given(self, places: npt.NDArray[np.intp]) -> Rows:
        """Return the rows at some places, as they were given."""
        held = Rows(self.core.row_values(), self.core.row_labels(), self.core.row_weights()).part(places)
        given: Rows = self.labels.as_given(held)
        return given

    def _arrive(self, rows: Rows, query: Any, surprised: Surprised | None = None) -> Rows:
        """Return the next of some rows as the core takes them: one, and as many as are alike."""
        return rows

    def _known(self, rows: Rows) -> Rows:
        """Return rows as the core may hold them already."""
        known: Rows = self.labels.known(rows)
        return known

    def _nearest_held(self, known: Rows) -> Rows:
        """Return rows with the labels that the core holds in the place of theirs, if these differ by rounding only."""
        return known

    def _review_target(self, query: Any) -> bool:
        """Look again at what targets are, and bring those held to that. Returns whether trees must grow anew."""
        return False

    # Files and pickles.

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), self.settings, int(self.core.width), self.state())

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        labels, arrays = self.labels.state(self.core), self.core.archive()
        some: dict[str, Any] = {"parts": sorted(self.parts)} if self.parts else {}
        if self.category_axes:
            some["category_axes"] = [list(own) for own in self.category_axes]
        return {"seed": self.core.seed, "rates": self.scaling.rates, "labels": labels, "core": arrays, **some}

    @classmethod
    def from_state(cls, stored: Stored, settings: Any, width: int) -> Self:
        """Take back what `state` gave."""
        seed, arrays = stored.integer("seed", 0, 2**64 - 1), stored.arrays("core")
        if arrays["scaling.slopes"].size != width or arrays["trees.n_cuts"].size != settings.n_estimators:
            raise ValueError("its arrays do not have the size that its description gives")
        if arrays["counters"].max(initial=0) > MOST:
            raise ValueError("it has counted more rows than there can be")
        of_labels = stored.part("labels")
        labels = cls.LABELS.from_state(of_labels, settings, width)
        core = labels.restored_core(of_labels, settings.shape(width, seed), arrays)
        rates = stored.array("rates")
        if rates.size not in (0, width) or not (rates > 0).all():
            raise ValueError("its axis rates are not one positive number a column")
        first_knot, values, images, slopes = (arrays[f"scaling.{part}"] for part in SCALING_PARTS)
        axes = category_axes_in(stored.sequence("category_axes"), width) if "category_axes" in stored else ()
        learner = cls(settings, labels, core, ColumnScaling(first_knot, values, images, slopes, rates), axes)
        if "parts" in stored:
            learner.parts = frozenset(str(name) for name in stored.sequence("parts"))
        return learner

    def widened(self, values: Floats) -> Self:
        """Return a forest for wider rows: the same trees; in the added columns, all rows held have `values`.

        A column that is constant has no length, so a Mondrian process never cuts it. The trees are therefore those that
        would have been grown had the column been there from the first row on.
        """
        if not values.size:
            return copy(self)
        one = Sample(values.reshape(1, -1), NO_WEIGHTS, NO_WEIGHTS, Copies(NO_GROUPS, 1))
        added = choose_scaling(self.settings, one)
        if self.settings.is_keyed:
            return self._regrown(values, added)
        wider, state = self.scaling.beside(added), self.state()
        state["core"] = _with_constant_columns(state["core"], values, wider)
        state["rates"] = wider.rates
        return type(self).from_state(Stored(state), self.settings, int(self.core.width) + values.size)

    def _regrown(self, values: Floats, added: ColumnScaling) -> Self:
        """Return the same for keyed cuts, which lie elsewhere where there are more columns: trees grow anew."""
        scaling, before = self.scaling.beside(added), self.core
        shape = self.settings.shape(scaling.slopes.size, before.seed)
        core = self.labels.new_core({**shape, "close": before.is_close})
        core.set_scaling(*scaling.arrays)
        held = Rows(before.row_values(), before.row_labels(), before.row_weights()).part(self.as_they_came)
        wide = np.column_stack([held.X, np.broadcast_to(values, (held.y.size, values.size))])
        rows, came = as_set(held._replace(X=wide))
        core.store(*rows)
        core.set_arrivals(came)
        self.labels.give_model(core, before)
        grow_some(core, 0, core.n_trees, 1)
        core.grown()
        core.count_on(before)
        return type(self)(self.settings, self.labels, core, scaling, self.category_axes)


def _unpickled(kind: type[ForestLearner], settings: Any, width: int, state: dict[str, Any]) -> ForestLearner:
    return kind.from_state(Stored(state, is_own=True), settings, width)


def without_summaries(arrays: Arrays) -> Arrays:
    """Return a core's arrays for other labels: all nodes have the labels of their rows."""
    return arrays | {
        "trees.n_summaries": np.zeros_like(arrays["trees.n_summaries"]),
        "summaries.node": np.empty(0, dtype=np.uint32),
        "summaries.values": np.empty(0),
    }


def _with_constant_columns(arrays: Arrays, values: Floats, wider: ColumnScaling) -> Arrays:
    """Return a core's arrays with columns added in which all rows have a value, which the wider scaling maps to 0."""
    n_rows, n_added = arrays["rows.labels"].size, values.size
    narrow, as_given = (arrays[f"rows.{part}"].reshape(n_rows, -1) for part in ("features", "given"))
    return {
        **arrays,
        "rows.given": np.column_stack([as_given, np.broadcast_to(values, (n_rows, n_added))]).ravel(),
        "rows.features": np.pad(narrow, ((0, 0), (0, n_added))).ravel(),
        **{f"scaling.{part}": array for part, array in zip(SCALING_PARTS, wider.arrays, strict=True)},
    }
