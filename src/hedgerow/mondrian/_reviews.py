"""How a Mondrian forest keeps its units and its smoothing in step with the rows that come: reviews at doublings."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hedgerow._copies import NO_GROUPS, Copies, Numbers, find_copies
from hedgerow._transaction import all_or_nothing, forget_everything
from hedgerow._validation import NO_WEIGHTS, n_threads_of
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
from hedgerow.mondrian._widening import WideningForest

Floats = npt.NDArray[np.float64]

WORK_BETWEEN_SIGNALS = 200_000
"""Rows times trees handed to the core at once; between two such pieces Python looks for Ctrl-C."""


class ReviewedForest(WideningForest):
    """The part of a Mondrian forest that chooses its units, looks at them again, and grows trees anew."""

    scaling: str
    hyperparameters: str
    n_jobs: int | None

    _EFFORT: ClassVar[Effort] = Effort()
    _LEARNED_SCALING: ClassVar[str] = "half"  # what "auto" means when rates are learned

    # What the label model decides.

    @abstractmethod
    def _set_label_model(self, core: Any) -> None:
        """Set the label model's hyper-parameters to what can be said before trees have grown."""

    def _review_target(self) -> None:
        """Look again at what labels are, and bring those held to that."""

    def _begin_anew(self, X: Floats, labels: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Take bearings from rows of the core as if they came first; labels and weights as the core then takes them."""
        return labels, weights

    def _learn_label_model(self, core: Any, sample: Sample) -> None:
        """Learn them from leave-one-out in the first trees, as soon as these have grown."""

    def _calibrated(self, core: Any, sample: Sample, scaling: ColumnScaling) -> dict[str, Any]:
        """Return attributes that are learned by leaving rows out of all trees; the core has these rows."""
        return {}

    def _begin_target(self, X: Floats, y: Any, weights: Floats) -> None:
        """Take bearings from a batch, features included."""

    def _warn_if_light(self, weights: Floats, n_rows: int) -> None:
        """Warn of weights that add up to too little, where that matters."""

    def _weigh(self, labels: Floats, weights: Floats, online: bool) -> Floats:
        """Weights of rows that are about to be learned."""
        return weights

    def _weigh_one(self, label: float) -> float:
        """The weight of a single row that is about to be learned."""
        return 1.0

    def _weighted(self, labels: Floats, weights: Floats) -> Floats:
        """Weights of rows that may have been learned."""
        return weights

    # Effort.

    def _effort(self, again: bool) -> Effort:
        return self._EFFORT._replace(**AGAIN) if again else self._EFFORT

    def _learns_again(self, core: Any) -> bool:
        """Whether a review has taken these rows over from trees that were here before, and they are many."""
        return bool(core.generation > 0 and core.n_rows >= FEWEST_AGAIN)

    # Units.

    @property
    def _learns(self) -> bool:
        return self.hyperparameters == "learned"

    def _choose_scaling(self, lower: Floats, upper: Floats, rows: Any) -> ColumnScaling:
        """Columns in comparable lengths, before any rates."""
        kind = self.scaling if self.scaling != "auto" else self._LEARNED_SCALING if self._learns else "range"
        if kind == "range":
            return range_scaling(lower, upper)
        if kind == "none":
            return no_scaling(lower)
        return rank_scaling(*rows()) if kind == "rank" else half_scaling(*rows())

    def _learn_units(
        self, sample: Sample, scaling: ColumnScaling, seed: int, arrivals: int, before: Floats = NO_WEIGHTS
    ) -> ColumnScaling:
        """Return the scaling with a rate for each column, if rates are to be learned; `before` are those in use."""
        if not self._learns or sample.copies.n_units < FEWEST_ROWS:
            return scaling
        seeds = np.random.SeedSequence([seed, arrivals]).generate_state(8, np.uint64).tolist()
        n_threads = n_threads_of(self.n_jobs)

        def grow(rows: Sample, units: ColumnScaling, which: int) -> Any:
            core = self._new_core(
                width=rows.X.shape[1],
                n_trees=N_TREES,
                min_samples_split=FEWEST_IN_BLOCK,
                lifetime=float(self.lifetime),
                seed=seeds[which],
                window=0,
            )
            core.set_scaling(*units.arrays)
            core.store(*rows[:3])
            core.grow(0, N_TREES, n_threads)
            core.grown()
            return core

        again = before.size > 0 and sample.labels.size >= FEWEST_AGAIN
        effort, few = self._effort(again), sample.merged().few(self._EFFORT.most_rows, seeds[-1])
        first = before if again else np.ones(sample.X.shape[1])
        return scaling.at_rates(learn_rates(grow, few, scaling, effort.n_rounds, first))

    # Growing.

    def _find_copies(self, X: Floats, labels: Floats) -> Copies:
        """Tell which rows leave-one-out leaves out together."""
        return find_copies(X, labels)

    def _sample(self, X: Floats, labels: Floats, weights: Floats) -> Sample:
        copies = self._find_copies(X, labels) if self._learns else Copies(NO_GROUPS, labels.size)
        return Sample(X, labels, weights, copies)

    def _groups_held(self) -> Numbers:
        """Copies among the rows that are held."""
        return self._find_copies(self._core.row_values(), self._core.row_labels()).groups

    def _grow(self, core: Any, sample: Sample) -> None:
        """All trees anew. The first are asked for the label model's numbers, with which the others then grow."""
        first = min(N_TREES, core.n_trees)
        self._grow_some(core, 0, first)
        self._learn_label_model(core, sample)
        self._grow_some(core, first, core.n_trees)
        core.grown()

    def _grow_some(self, core: Any, first: int, last: int) -> None:
        """A few trees at a time, so that Ctrl-C is heard between them."""
        n_threads = n_threads_of(self.n_jobs)
        together = max(n_threads, 10 * WORK_BETWEEN_SIGNALS // max(1, core.n_rows))
        for begin in range(first, last, together):
            core.grow(begin, min(begin + together, last), n_threads)

    def _pieces(self, n_rows: int) -> list[slice]:
        """Rows in pieces between which Ctrl-C is heard."""
        step = max(1000, 10 * WORK_BETWEEN_SIGNALS // self._core.n_trees)
        return [slice(begin, begin + step) for begin in range(0, max(1, n_rows), step)]

    # In batch.

    def _learn_batch(self, sample: Sample, seed: int) -> None:
        """Everything from these rows alone."""
        core = self._empty_core(sample.X.shape[1], seed)
        scaling = self._choose_scaling(*column_range(sample.X), lambda: (sample.X, sample.weights))
        scaling = self._learn_units(sample, scaling, seed, 0)
        core.set_scaling(*scaling.arrays)
        core.store(*sample[:3])
        self._set_label_model(core)
        self._grow(core, sample)
        core.next_review = core.arrivals + core.n_rows
        self._adopt(core, scaling)
        self.__dict__.update(self._calibrated(core, sample, scaling))

    @all_or_nothing
    def _learn_without(self, places: Numbers) -> None:
        """Everything anew, as `fit` would learn it from the rows held but for those at `places`."""
        core = self._core
        X, labels, weights = (
            np.delete(part, places, axis=0) if part.size else part
            for part in (core.row_values(), core.row_labels(), core.row_weights())
        )
        if labels.size:
            labels, weights = self._begin_anew(X, labels, weights)
            self._learn_batch(self._sample(X, labels, weights), core.seed)
        else:
            forget_everything(self)

    # Reviews.

    def _review_if_due(self) -> None:
        """Whenever as many rows have come as were held at the last review, look at the units and at the smoothing.

        What is learned is learned again, and units that have changed are brought to the trees by growing them afresh
        from the rows that are held: given the units they are Mondrian trees as before. A review costs about as much as
        a fit, and comes after as many rows as there are.
        """
        if self._core.arrivals >= self._core.next_review:
            self._review()

    @all_or_nothing
    def _review(self, keeps_target: bool = False) -> None:
        if not keeps_target:
            self._review_target()
        core, scaling = self._core, self._scaling
        if core.n_rows > 0 and (self.scaling != "none" or self._learns):
            rows = self._sample(core.row_values(), core.row_labels(), core.row_weights())
            suggested = self._choose_scaling(*column_range(rows.X), lambda: (rows.X, rows.weights))
            if self._learns:
                suggested = self._learn_units(rows, suggested, core.seed, core.arrivals, scaling.rates)
            if suggested.rates.size or scaling.is_far_from(suggested):
                core, scaling = core.rescaled(*suggested.arrays), suggested
        self._set_label_model(core)
        learned: dict[str, Any] = {}
        if core is not self._core:
            self._grow(core, rows)
            learned = self._calibrated(core, rows, scaling)
        core.next_review = core.arrivals + max(1, core.n_rows)
        self._core, self._scaling = core, scaling
        self.__dict__.update(learned)
