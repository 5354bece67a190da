"""The label model of regression: targets brought to the whole line, and the hyper-parameters of Gaussians."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow import _core
from hedgerow.base.copies import Copies, Numbers, find_copies
from hedgerow.base.rows import NO_WEIGHTS, Floats, Rows
from hedgerow.files import Stored
from hedgerow.files.codec import Arrays
from hedgerow.mondrian._calibration import FEWEST_ROWS as FEWEST_FAR
from hedgerow.mondrian._calibration import Calibration, LeftOut, learn_calibration, with_distance, with_tails
from hedgerow.mondrian._gaps import Gaps, PredictSlab, Slab, learn_gaps
from hedgerow.mondrian._growing import averaged_out, slab_predictor
from hedgerow.mondrian._learning import FEWEST_ROWS, Effort, Sample, learn_smoothing
from hedgerow.mondrian._new_categories import CategoriesLeftOut, NewCategories, learn_new_categories, n_trees_used
from hedgerow.mondrian._noise import FEWEST_ROWS as FEWEST_NOISY
from hedgerow.mondrian._noise import Noise, learn_noise, with_groups
from hedgerow.mondrian._scaling import ColumnScaling
from hedgerow.mondrian._settings import RegressionSettings
from hedgerow.mondrian._small_forests import SmallForest, noise_forest, small_forest
from hedgerow.mondrian._smoothing import Smoothing, paper_ratio, smoothing_in
from hedgerow.targets import Target, Untransformed, first_target, learn_target, target_from_state

FARTHEST = 1e120
"""Labels lie within this of their origin: targets in their range, what stages of boosting leave over of them, and what
maps make of them. Their squares, weighed and added up, are finite."""

DIGITS = 14
"""Targets that were given with so many at most come back as they were from a map and its inverse."""

LARGE_OFFSET = 64
"""Labels have an origin other than 0 if it is so many times further from 0 than they typically are from it."""

N_ROUNDS = 3
"""Factors of groups multiply the part of the variance that is not between trees; so many steps make up for the rest."""


@dataclass(frozen=True)
class GaussianLabels:
    """What a forest learns of targets: labels, numbers anywhere on the line, counted from an origin."""

    settings: RegressionSettings
    target: Target
    origin: float
    calibration: Calibration = Calibration()
    gaps: Gaps = Gaps()
    noise: Noise | None = None  # None where it does not vary
    noise_ratio: float = math.nan  # K where the core has no hierarchy to keep it

    # Labels.

    @classmethod
    def of_first(cls, first: Rows, settings: RegressionSettings, query: Smoothing) -> GaussianLabels:
        """Return the labels of a stream that begins with these targets."""
        requested = requested_target(settings, query)
        return cls.of_target(
            settings, Untransformed() if requested == "auto" else first_target(requested, first.y), first.y
        )

    @classmethod
    def of_batch(
        cls, rows: Rows, recent: slice, settings: RegressionSettings, query: Smoothing
    ) -> tuple[GaussianLabels, Rows]:
        """Return the labels of a batch, and its recent rows as the core takes them."""
        labels, requested = cls.of_first(rows, settings, query), requested_target(settings, query)
        if requested != "real":
            few = rows.part(recent)
            labels = cls.of_target(settings, learn_target(requested, *few, small_forest(query)), few.y)
        return labels, labels.encoded(rows).part(recent)

    @classmethod
    def of_target(cls, settings: RegressionSettings, target: Target, y: Floats) -> GaussianLabels:
        """Return the labels of a kind of target, with an origin taken from some."""
        return cls(settings, target, origin_for(settings, target.encode(y)))

    def under(self, settings: RegressionSettings) -> GaussianLabels:
        """Return the same labels under other settings."""
        return replace(self, settings=settings)

    def check(self, y: Floats) -> None:
        """Raise ValueError unless these targets can be learned."""
        self.target.check(y)
        self._shifted(self.target.encode(y[self.target.reaches(y)]))

    def encoded(self, rows: Rows) -> Rows:
        """Return rows as the core takes them."""
        self.target.check(rows.y)
        labels = self._shifted(self.target.encode(rows.y))
        return Rows(rows.X, labels, self.target.weigh(rows.y, rows.weights))

    def copies(self, X: Floats, labels: Floats) -> Copies:
        """Return which rows are copies."""
        return find_copies(X, labels)

    def known(self, rows: Rows) -> Rows:
        """Return rows as the core may hold them already; weights only if there are any."""
        found = self.encoded(rows)
        return found if rows.weights.size else found._replace(weights=NO_WEIGHTS)

    def as_given(self, held: Rows) -> Rows:
        """Return rows that the core holds as they were given."""
        y = self.given(held.y)
        return Rows(held.X, y, self.target.unweigh(y, held.weights) if held.weights.size else held.weights)

    def decode(self, labels: Floats) -> Floats:
        """Targets of labels that the core holds."""
        return self.target.decode(self.origin + labels)

    def given(self, labels: Floats) -> Floats:
        """Targets of labels, of which a map and its inverse have lost the last digit: most were given with fewer.

        What is taken for the target has the same label.
        """
        y = self.decode(labels)
        if isinstance(self.target, Untransformed):
            return y
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            digits = DIGITS - 1 - np.floor(np.log10(np.abs(y)))
            up, down = 10.0 ** np.clip(digits, 0, 300), 10.0 ** np.clip(-digits, 0, 300)
            rounded = np.round(y * up / down) / up * down
            return np.where(self.target.encode(rounded) - self.origin == labels, rounded, y)

    def _shifted(self, labels: Floats) -> Floats:
        """Labels from the origin, so that a large offset costs no precision."""
        if labels.size and not np.abs(labels - self.origin).max() <= FARTHEST:
            raise ValueError(f"what the map given as target makes of targets must lie within {FARTHEST:g} of zero")
        shifted: Floats = labels - self.origin
        return shifted

    # The native forest.

    def new_core(self, shape: dict[str, Any]) -> Any:
        """Return an empty native forest."""
        if self.settings.smoothing == "moments":
            return _core.MomentsForest(**shape)
        return (_core.ExponentialForest if self.settings.learns else _core.HierarchyForest)(**shape)

    @property
    def is_hierarchy(self) -> bool:
        """Whether messages are passed, or each node predicts with the moments of its own labels."""
        return self.settings.smoothing == "hierarchy"

    def rule(self, core: Any, query: Smoothing, calibration: Calibration | None = None) -> _core.QueryRule:
        """Return how predictions follow from messages; calibrated as they are, unless a calibration is given."""
        settings, calibration = self.settings, self.calibration if calibration is None else calibration
        if not self.is_hierarchy:
            return query.moments_rule(self.noise_ratio, self.origin, settings.learns)
        if settings.learns:
            return query.learned_rule(core.model, calibration, self.origin, settings.lifetime)
        return query.hierarchy_rule(core.model, self.origin, settings.lifetime)

    def set_model(self, core: Any, query: Smoothing) -> GaussianLabels:
        """Set hyper-parameters to what is known before trees have grown."""
        weight, _, squares = core.label_moments
        if not self.is_hierarchy:
            ratio = paper_ratio(weight) if query.signal_to_noise is None else query.signal_to_noise
            return replace(self, noise_ratio=ratio)
        if self.settings.learns:
            numbers = query.first_guess() if core.generation == 0 else core.model
        else:
            rate = query.rate(core.width, weight)
            variance = squares / weight if weight > 0 else 1.0
            numbers = rate, query.ratio(rate, weight, variance, self.settings.lifetime)
        if numbers != core.model:
            core.set_model(*numbers, query.n_threads)
        return self

    def give_model(self, core: Any, before: Any) -> None:
        """Set them to those of another forest."""
        if self.is_hierarchy:
            core.set_model(*before.model, 1)
        core.watch_gaps(*self.gaps)

    def learn_model(self, core: Any, sample: Sample, effort: Effort, query: Smoothing) -> None:
        """Learn them from leave-one-out in the first trees, as soon as these have grown."""
        if not self.settings.learns or not self.is_hierarchy or sample.copies.n_units < FEWEST_ROWS:
            return
        numbers = learn_smoothing(
            core.smoothing_problem(effort.n_smoothing(core.n_rows), sample.copies.groups),
            core.query(self.rule(core, query, Calibration()))[0],
            sample.mean_weight,
            (query.drift_rate, query.known_ratio()),
            effort.n_searches,
        )
        core.set_model(*numbers, query.n_threads)

    def left_out(self, core: Any, n_trees: int, groups: Numbers, query: Smoothing) -> tuple[Floats, Floats]:
        """Labels less their leave-one-out means over the first trees, and the variance between the trees."""
        mean, _, between = core.leave_one_out(self.rule(core, query, Calibration()), n_trees, groups, query.n_threads)
        return core.row_labels() - mean, between

    def calibrated(
        self, core: Any, sample: Sample, scaling: ColumnScaling, effort: Effort, query: Smoothing
    ) -> GaussianLabels:
        """Return the same with what is learned by leaving rows out of all trees; the core has these rows."""
        plain = replace(self, calibration=Calibration(), gaps=Gaps(), noise=None)
        most, n_units = effort.most_calibrating, sample.copies.n_units
        if not self.settings.learns or not self.is_hierarchy or n_units < FEWEST_ROWS or most == 0:
            return plain
        rule, n_threads = plain.rule(core, query), query.n_threads
        units, of_units = sample.units
        some = np.unique(np.linspace(0, n_units - 1, min(n_units, most)).astype(np.intp))
        places, weights = units[some].astype(np.uint32), _of(of_units, some)
        moments = core.leave_one_out_by_tree(rule, places, sample.copies.groups, n_threads)
        rows = LeftOut(sample.labels[places], weights, *moments)
        fixed, known_ratio = (query.drift_variance, query.noise_variance), query.signal_to_noise
        is_free = fixed == (None, None) and known_ratio is None
        weight, _, squares = core.label_moments
        variance = squares / weight
        learns_distance = is_free and n_units >= FEWEST_FAR
        found = learn_calibration(rows, fixed, known_ratio, 0.0 if learns_distance else variance)
        if math.isnan(found.variance) or not learns_distance:
            return replace(plain, calibration=found)
        found = with_distance(found, rows, variance, 1.0 / (core.model[1] * sample.mean_weight))
        X, labels = sample.X[units], sample.labels[units]
        gaps = Gaps()
        if effort.learns_gaps:
            rates = scaling.rates_of(core.width)
            gaps = learn_gaps(X, labels, rates, self.slab_predictor(core, scaling, X, labels, query), core.seed)
        noise, factors = None, np.ones(n_units)
        if n_units >= FEWEST_NOISY:
            mean, within, between = core.leave_one_out(rule, core.n_trees, sample.copies.groups, n_threads)
            squares = (sample.labels - mean)[units] ** 2
            of_trees, of_means = found.variances(within)[units], found.spread**2 * between[units]
            noise, factors = learn_noise(X, squares / (of_trees + of_means), of_units, noise_forest(query), core.seed)
            for _ in range(N_ROUNDS):
                errors = squares / (factors * of_trees + of_means)
                noise, groups = with_groups(noise, X, errors, of_units)
                factors = factors * np.exp(groups.logs_of(X))
        calibrated = replace(plain, calibration=with_tails(found, rows, factors[some]), gaps=gaps, noise=noise)
        if sample.categories:
            new = calibrated.new_categories(core, sample, scaling, rule, (units[some], factors[some]), query)
            calibrated = replace(calibrated, gaps=gaps.and_new(new, sample.categories))
        core.watch_gaps(*calibrated.gaps)
        return calibrated

    def new_categories(
        self,
        core: Any,
        sample: Sample,
        scaling: ColumnScaling,
        plain: _core.QueryRule,
        some: tuple[npt.NDArray[np.intp], Floats],
        query: Smoothing,
    ) -> NewCategories:
        """Learn by how much the targets of categories that no row has vary.

        `plain` is the rule without the calibration; `some` are places of rows, and by how much their noise differs.
        """
        rule, n_trees, n_threads = self.rule(core, query), n_trees_used(core.n_trees, core.n_rows), query.n_threads
        places, factors = some
        averaged, of_means = averaged_out(n_trees, core.n_trees), self.calibration.spread**2

        def predicted(X: Floats) -> Floats:
            _, within, between, _ = core.moments(X, rule, n_threads)
            return np.asarray(factors * within + of_means * between)

        def leave_out(blocks: Numbers, n_blocks: int) -> Floats:
            mean, _, between = core.leave_blocks_out(plain, n_trees, blocks, n_blocks, n_threads)
            return np.asarray(((sample.labels - mean) ** 2 - averaged * between)[places])

        left_out = CategoriesLeftOut(sample.X[places], places, sample.copies.groups, predicted, leave_out)
        return learn_new_categories(left_out, sample.categories, scaling.rates_of(core.width), sample.X, core.seed)

    def slab_predictor(
        self, core: Any, scaling: ColumnScaling, X: Floats, labels: Floats, query: Smoothing
    ) -> PredictSlab:
        """Return what grows a few trees, like those of the core, from some rows and predicts others."""

        def predict_few(few: Any, queries: Floats) -> Slab:
            means, _, _, squares = few.moments(queries, self.rule(few, query, Calibration()), 1)
            return Slab(means, squares)

        return slab_predictor(self.settings, self, core, scaling, (X, labels), predict_few, query.n_threads)

    # Files.

    def state(self, core: Any) -> dict[str, Any]:
        """Return what a file keeps."""
        return {
            "origin": self.origin,
            "model": list(core.model) if self.is_hierarchy else [self.noise_ratio],
            "calibration": None if math.isnan(self.calibration.variance) else list(self.calibration),
            "gaps": self.gaps.described(),
            "noise": None if self.noise is None else self.noise.state(),
            "target": self.target.state(),
        }

    @classmethod
    def from_state(cls, stored: Stored, settings: RegressionSettings, width: int) -> GaussianLabels:
        """Take back what `state` gave; the core's own numbers are set when it is restored."""
        calibration, noise = Calibration(), None
        if "calibration" in stored:
            calibration = Calibration.from_numbers(stored.sequence("calibration"))
        if "noise" in stored:
            noise = Noise.from_state(stored.part("noise"), width)
        gaps = Gaps.from_description(stored.sequence("gaps"), width)
        target = target_from_state(stored.part("target"), width, SmallForest.from_state)
        origin = stored.number("origin", -FARTHEST, FARTHEST)
        return cls(settings, target, origin, calibration, gaps, noise, smoothing_in(stored)[0])

    def restored_core(self, stored: Stored, shape: dict[str, Any], arrays: Arrays) -> Any:
        """Return the native forest that a file holds."""
        core, model = self.new_core(shape), smoothing_in(stored)
        if len(model) != (2 if self.is_hierarchy else 1):
            raise ValueError("its smoothing is not that of its settings")
        if self.is_hierarchy:
            core.set_model(*model, 1)
        (core.restore_own if stored.is_own else core.restore)(arrays)
        core.watch_gaps(*self.gaps)
        return core


def requested_target(settings: RegressionSettings, query: Smoothing) -> Any:
    """Return the kind of target requested: "auto" is "real" if numbers for labels are given, or as in the paper."""
    numbers = query.prior_mean, query.drift_variance, query.noise_variance
    is_plain = not settings.learns or settings.smoothing != "hierarchy" or numbers != (None, None, None)
    is_auto = isinstance(settings.target, str) and settings.target == "auto"
    return "real" if is_plain and is_auto else settings.target


def origin_for(settings: RegressionSettings, labels: Floats) -> float:
    """Return where labels are counted from: see `origin_of`. With keyed cuts it does not depend on the first row."""
    return 0.0 if settings.is_fixed or (settings.is_keyed and labels.size == 1) else origin_of(labels)


def origin_of(labels: Floats) -> float:
    """A middle of the labels that no outlier moves, if they lie close to it next to how large it is, or else 0.

    Then labels less their origin are exact, outliers apart: what is within a factor two of the origin has no rounding.
    """
    half = float(np.median(labels / 2))
    spread = float(np.median(np.abs(labels / 2 - half)))
    return 2 * half if abs(half) > LARGE_OFFSET * spread else 0.0


def _of(weights: Floats, places: npt.NDArray[np.intp]) -> Floats:
    return weights[places] if weights.size else weights
