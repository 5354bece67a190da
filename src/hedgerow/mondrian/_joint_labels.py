"""The label model of several targets: standardised, as vectors that share the smoothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow import _core
from hedgerow.base.copies import Copies, Numbers, find_copies
from hedgerow.base.kept_rows import GrowingArray
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.targets import LARGEST_TARGET, read_targets
from hedgerow.files import Stored
from hedgerow.files.codec import Arrays
from hedgerow.mondrian._gaps import Gaps, Slab, learn_gaps
from hedgerow.mondrian._growing import averaged_out, slab_predictor
from hedgerow.mondrian._joint_calibration import Evidence, JointCalibration, calibrate_jointly, variances_of
from hedgerow.mondrian._learning import Effort, Sample
from hedgerow.mondrian._new_categories import (
    MOST_ROWS,
    CategoriesLeftOut,
    NewCategories,
    learn_new_categories,
    n_trees_used,
)
from hedgerow.mondrian._noise import learn_noise
from hedgerow.mondrian._scaling import ColumnScaling
from hedgerow.mondrian._settings import RegressionSettings
from hedgerow.mondrian._small_forests import noise_forest
from hedgerow.mondrian._smoothing import Smoothing
from hedgerow.mondrian._vector_forest import VectorLabels
from hedgerow.targets import Standardised

ONE_TARGET_ONLY = ("prior_mean", "drift_variance", "noise_variance")


@dataclass(frozen=True)
class JointLabels(VectorLabels):
    """Vectors of standardised targets; beside them, under the same numbers, the targets as they were given."""

    settings: RegressionSettings
    units: Standardised
    targets: GrowingArray
    calibration: JointCalibration
    gaps: Gaps = Gaps()

    @classmethod
    def empty(cls, settings: RegressionSettings, units: Standardised) -> JointLabels:
        """Return labels of no row yet, in these units."""
        k = units.n_targets
        targets = GrowingArray(np.empty((0, k)))
        return cls(_core.LabelVectors(k), settings, units, targets, JointCalibration.unknown(k))

    @classmethod
    def of_first(cls, first: Rows, settings: RegressionSettings, query: Smoothing) -> JointLabels:
        """Return the labels of a stream that begins with this row, of which no units can be learned."""
        return cls.empty(settings, Standardised.unknown(first.y.shape[1]))

    @classmethod
    def of_batch(cls, rows: Rows, recent: slice, settings: Any, query: Smoothing) -> tuple[JointLabels, Rows]:
        """Return the labels of a batch, and its recent rows as the core takes them."""
        few = rows.part(recent)
        labels = cls.empty(settings, Standardised.of(few.y, few.weights))
        labels.check(few.y)
        return labels, labels.encoded(few)

    def check(self, y: Floats) -> None:
        """Raise ValueError unless these targets can be learned."""
        read_targets(y)

    def encoded(self, rows: Rows) -> Rows:
        """Return rows as the core takes them; their targets are kept."""
        n = len(self.vectors)
        self.targets.cut(n)  # there are more if this was interrupted between the two
        try:
            self.targets.append(rows.y)
            return super().encoded(rows._replace(y=self.units.encode(rows.y)))
        except BaseException:
            self.targets.cut(n)
            self.vectors.cut(n)
            raise

    def given(self, numbers: Floats) -> Floats:
        """Targets of rows that the core holds."""
        found: Floats = self.targets.array[numbers.astype(np.intp)]
        return found

    def copies(self, X: Floats, numbers: Floats) -> Copies:
        """Return which rows are copies."""
        return find_copies(X, self.given(numbers))

    def as_given(self, held: Rows) -> Rows:
        """Return rows that the core holds as they were given."""
        return held._replace(y=self.given(held.y))

    def take_back(self, numbers: Floats) -> None:
        """Keep nothing of targets that came last."""
        n = int(numbers[0])
        self.vectors.cut(n)
        self.targets.cut(n)

    def erase(self, numbers: Floats) -> None:
        """Keep nothing of targets that were forgotten."""
        for number in numbers.astype(np.intp).tolist():
            self.targets.array[number] = 0.0
            self.vectors.clear(number)

    def calibrated(
        self, core: Any, sample: Sample, scaling: ColumnScaling, effort: Effort, query: Smoothing
    ) -> JointLabels:
        """Return the same with what is learned by leaving rows out of all trees; the core has these rows."""
        units, weights = sample.units
        standardised = self.units.encode(self.given(sample.labels))
        groups, n_threads = sample.copies.groups, query.n_threads
        mean, within, between = core.leave_one_out(core.n_trees, groups, n_threads)
        k, residuals = self.units.n_targets, standardised - mean
        evidence = Evidence(
            residuals[units],
            variances_of(within, between, 0.0)[units],
            weights,
            standardised.var(axis=0),
            np.full(k, 1.0 / (core.model[1] * sample.mean_weight)),
            np.ones(k),
        )
        X, y = sample.X[units], sample.labels[units]
        calibration = calibrate_jointly(
            evidence, "student", lambda squares: learn_noise(X, squares, weights, noise_forest(query), core.seed)
        )
        rates = scaling.rates_of(core.width)

        def predict_few(few: Any, queries: Floats) -> Slab:
            moments = few.moments(queries, n_threads)
            return Slab(moments[0], moments[3])

        predict = slab_predictor(self.settings, self, core, scaling, (X, y), predict_few, n_threads)
        gaps = learn_gaps(X, standardised[units], rates, predict, core.seed)
        if sample.categories:
            new = self._new_categories(core, sample, rates, calibration, query)
            gaps = gaps.and_new(new, sample.categories)
        core.watch_gaps(*gaps)
        return replace(self, calibration=calibration, gaps=gaps)

    def _new_categories(
        self, core: Any, sample: Sample, rates: Floats, found: JointCalibration, query: Smoothing
    ) -> NewCategories:
        """Learn by how much the targets of categories that no row has vary."""
        units, n_trees, n_threads = sample.units[0], n_trees_used(core.n_trees, core.n_rows), query.n_threads
        some = np.unique(np.linspace(0, units.size - 1, min(units.size, MOST_ROWS)).astype(np.intp))
        places, averaged = units[some], averaged_out(n_trees, core.n_trees)
        X, standardised = sample.X[places], self.units.encode(self.given(sample.labels[places]))
        factors = found.factors(X, are_left_out=True)

        def predicted(X: Floats) -> Floats:
            _, within, between, _ = core.moments(X, n_threads)
            return factors * found.variances_of_targets(variances_of(within, between, 0.0))

        def leave_out(blocks: Numbers, n_blocks: int) -> Floats:
            moments = core.leave_blocks_out(n_trees, blocks, n_blocks, n_threads)
            mean, _, between = (part[places] for part in moments)
            return np.asarray((standardised - mean) ** 2 - averaged * between)

        left_out = CategoriesLeftOut(X, places, sample.copies.groups, predicted, leave_out)
        return learn_new_categories(left_out, sample.categories, rates, sample.X, core.seed)

    # Files.

    def state(self, core: Any) -> dict[str, Any]:
        """Return what a file keeps: of the targets, those of rows held."""
        targets, held = np.zeros_like(self.targets.array), core.row_labels().astype(np.intp)
        targets[held] = self.targets.array[held]
        return {
            "model": list(core.model),
            "targets": targets,
            "units": self.units.state(),
            "calibration": self.calibration.state(),
            "gaps": self.gaps.described(),
        }

    @classmethod
    def from_state(cls, stored: Stored, settings: Any, width: int) -> JointLabels:
        """Take back what `state` gave."""
        units = Standardised.from_state(stored.part("units"))
        targets = stored.array("targets", (None, units.n_targets))
        if not np.abs(targets).max(initial=0.0) <= LARGEST_TARGET:
            raise ValueError("its targets are too large")
        labels = cls.empty(settings, units)
        labels.encoded(Rows(np.empty((0, width)), targets))
        calibration = JointCalibration.from_state(stored.part("calibration"), units.n_targets, width)
        gaps = Gaps.from_description(stored.sequence("gaps"), width)
        return replace(labels, calibration=calibration, gaps=gaps)

    def check_numbers(self, core: Any) -> None:
        """Raise ValueError if targets are kept of rows that the core does not hold."""
        if np.delete(self.targets.array, core.row_labels().astype(np.intp), axis=0).any():
            raise ValueError("it keeps targets of rows that it does not hold")

    def restored_core(self, stored: Stored, shape: dict[str, Any], arrays: Arrays) -> Any:
        """Return the native forest that a file holds."""
        core = super().restored_core(stored, shape, arrays)
        core.watch_gaps(*self.gaps)
        return core


def check_settings(settings: RegressionSettings, query: Smoothing) -> None:
    """Raise ValueError for parameters that are for one target."""
    if not settings.learns or settings.smoothing != "hierarchy":
        raise ValueError(
            f"several targets are learned with hyperparameters='learned' and smoothing='hierarchy', got "
            f"{settings.hyperparameters!r} and {settings.smoothing!r}; fit one model for each target"
        )
    given = [name for name in ONE_TARGET_ONLY if getattr(query, name) is not None]
    if given:
        raise ValueError(f"{given[0]} is in the units of one target, and y has several; leave it at None")
