"""A Mondrian forest for several targets that has learned: shared trees, joint distributions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from hedgerow.base.kept_rows import KeptRows
from hedgerow.base.rows import NO_WEIGHTS, Floats, Rows
from hedgerow.base.unlearning import check_found
from hedgerow.base.work import PREDICTED_AT_A_TIME, pieces
from hedgerow.files import Stored
from hedgerow.mondrian._joint_calibration import variances_of
from hedgerow.mondrian._joint_labels import JointLabels
from hedgerow.mondrian._learner import ForestLearner, Surprised
from hedgerow.mondrian._smoothing import Smoothing
from hedgerow.predictive import Joint, LeaveOneOut
from hedgerow.targets import Standardised


class JointForest(ForestLearner):
    """A forest of vectors, one component for each target."""

    LABELS = JointLabels
    labels: JointLabels
    is_plain = True  # targets are real

    @property
    def n_targets(self) -> int:
        """Targets of a row."""
        return self.labels.units.n_targets

    @property
    def noise_covariance(self) -> Floats:
        """Covariance of the noise."""
        return self.labels.calibration.noise_covariance(self.labels.units)

    # Predicting.

    def means(self, X: Floats, query: Smoothing) -> Floats:
        """Means of each row."""
        return self.labels.units.decode(self._moments(X, query)[0])

    def mean_one(self, x: Any, query: Smoothing) -> Floats:
        """Means at one row."""
        means: Floats = self.means(self._one_row(x), query)[0]
        return means

    def moments(self, X: Floats, query: Smoothing) -> tuple[Floats, Floats]:
        """Means and standard deviations of each row."""
        dist = self.distributions(X, query)
        return dist.mean(), dist.std()

    def distributions(self, X: Floats, query: Smoothing) -> Joint:
        """Return the joint distribution of each row."""
        return self._joint(self.labels.calibration.factors(X), *self._moments(X, query))

    def variance_parts(self, X: Floats, query: Smoothing) -> tuple[Floats, Floats, Floats]:
        """Noise, disagreement of trees and distance from rows: shares of each variance."""
        _, within, between = self.core.leave_one_out(self.core.n_trees, self.groups, query.n_threads)
        typical = np.median(variances_of(within, between, 0.0)[..., 0], axis=0)
        _, within, between, added = self._moments(X, query)
        return self.labels.calibration.parts(variances_of(within, between, added), typical)

    def variance_factors(self, X: Floats) -> Floats:
        """By how much variances of rows differ from what they would be if noise did not vary: the mean over targets."""
        return np.asarray(self.labels.calibration.factors(X).mean(axis=1))

    def loo_predict(self, query: Smoothing) -> LeaveOneOut:
        """The distribution of each row held without it."""
        dist = self._left_out(query)
        targets = self.labels.given(self.core.row_labels()[self.as_they_came])
        return LeaveOneOut(dist.mean(), dist.std(), dist.logpdf(targets))

    def loo_interval(self, query: Smoothing, confidence: float) -> Floats:
        """Central interval of each target held without its row."""
        return self._left_out(query).interval(confidence)

    def _left_out(self, query: Smoothing) -> Joint:
        found = self.core.leave_one_out(self.core.n_trees, self.groups, query.n_threads)
        factors = self.labels.calibration.factors(self.core.row_values(), are_left_out=True)
        factors, mean, within, between = (array[self.as_they_came] for array in (factors, *found))
        return self._joint(factors, mean, within, between, 0.0)

    def forecast_then_learn(self, rows: Rows, query: Smoothing) -> Iterator[Joint]:
        """Yield the distributions of rows, each just before it is learned, some rows at a time."""
        for part in self._stream(rows, query):
            factors = self.labels.calibration.factors(part.X)
            with self._arriving(part.y):
                moments = self.core.moments_then_learn(*part, query.n_threads)
            yield self._joint(factors, *moments)

    def _moments(self, X: Floats, query: Smoothing) -> list[Floats]:
        parts = [
            self.core.moments(X[rows], query.n_threads)
            for rows in pieces(X.shape[0], self.core.n_trees, PREDICTED_AT_A_TIME)
        ]
        return [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]

    def _joint(self, factors: Floats, mean: Floats, within: Floats, between: Floats, added: Floats | float) -> Joint:
        labels = self.labels
        return labels.calibration.distribution(labels.units, mean, variances_of(within, between, added), factors)

    # Learning.

    def check(self, y: Floats, query: Smoothing) -> None:
        """Raise ValueError unless these targets can be learned."""
        self.labels.check(y)

    def learn(self, rows: Rows, query: Smoothing) -> None:
        """Learn rows, one after another."""
        for part in self._stream(rows, query):
            with self._arriving(part.y):
                self.core.learn(*part, query.n_threads)

    def learn_one(self, x: Any, y: Any, weight: float, query: Smoothing) -> None:
        """Learn one row, and nothing if it is not a vector of finite numbers."""
        row = self._one_row(x)
        numbers = self.labels.encoded(Rows(row, np.reshape(y, (1, -1)))).y
        with self._arriving(numbers):
            self.core.learn_one(row[0], numbers[0], weight)

    @contextmanager
    def _arriving(self, numbers: Floats) -> Iterator[None]:
        """Keep nothing of the targets of rows that the core was to learn, and has not."""
        n_before = self.core.arrivals
        try:
            yield
        finally:
            if self.core.arrivals == n_before:
                self.labels.take_back(numbers)

    def _one_row(self, x: Any) -> Floats:
        row: Floats = np.asarray(x, dtype=np.float64)
        if row.shape != (self.core.width,) or not np.isfinite(row).all():
            raise ValueError("a row must be a vector of finite numbers, as many as there are columns")
        return row.reshape(1, -1)

    def _arrive(self, rows: Rows, query: Smoothing, surprised: Surprised | None = None) -> Rows:
        return self.labels.encoded(rows)

    def _review_target(self, query: Smoothing) -> bool:
        """Take units from the rows held, and number these anew; trees must grow after that."""
        n = self.core.n_rows
        if n == 0:
            return False
        y, weights = self.labels.given(self.core.row_labels()), self.core.row_weights()
        labels = JointLabels.empty(self.settings, Standardised.of(y, weights))
        numbers = labels.encoded(Rows(np.empty((n, 0)), y)).y
        core = self.core.rescaled(*self.scaling.arrays)
        core.relabel(labels.vectors, numbers)
        self.core, self.labels = core, labels
        return True

    # Unlearning.

    def forget(self, rows: Rows, query: Smoothing) -> None:
        """Take rows out of the trees, or none and ValueError if one is not there."""
        known = self._known(rows)
        numbers = self.core.find(*known)
        check_found(numbers.size, rows.X.shape[0])
        for part in pieces(numbers.size, self.core.n_trees):
            self.core.forget(numbers[part], query.n_threads)
            self.labels.erase(known.y[part])

    def _known(self, rows: Rows) -> Rows:
        """Return rows with the numbers of their targets in place of these."""
        numbers = self.core.row_labels()
        held = KeptRows(self.core.row_values(), self.labels.given(numbers), self.core.row_weights())
        places = held.places_of(*rows)
        check_found(places.size, rows.X.shape[0])
        return Rows(rows.X, numbers[places], rows.weights if rows.weights.size else NO_WEIGHTS)

    # Files.

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {**super().state(), "n_targets": self.n_targets}

    @classmethod
    def from_state(cls, stored: Stored, settings: Any, width: int) -> Self:
        """Take back what `state` gave."""
        learner = super().from_state(stored, settings, width)
        if stored.any("n_targets") != learner.n_targets:
            raise ValueError("its units are those of another number of targets")
        return learner
