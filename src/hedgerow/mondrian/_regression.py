"""A Mondrian forest for regression that has learned: what it predicts, of rows to come and of rows left out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.base.rows import NO_WEIGHTS, Floats, Rows
from hedgerow.base.work import PREDICTED_AT_A_TIME, pieces
from hedgerow.mondrian._calibration import Calibration
from hedgerow.mondrian._gaps import Gaps
from hedgerow.mondrian._gaussian import GaussianLabels, origin_for, requested_target
from hedgerow.mondrian._learner import ForestLearner, Surprised, without_summaries
from hedgerow.mondrian._small_forests import small_forest
from hedgerow.mondrian._smoothing import Smoothing
from hedgerow.predictive import LeaveOneOut, NormalMixture
from hedgerow.targets import Target, Untransformed, first_target, is_due, learn_target

ROUNDING = 1e-13
"""By how much, of their size, labels that were brought from one kind of target to another may differ from the given."""

LEFT_OUT_TOGETHER = 20_000

TYPICAL_ROWS = 100
"""Rows from which it is learned how uncertain rows are among others."""


class RegressionForest(ForestLearner):
    """A forest of Gaussians."""

    LABELS = GaussianLabels
    labels: GaussianLabels

    @property
    def is_plain(self) -> bool:
        """Whether targets are learned as they are."""
        return isinstance(self.labels.target, Untransformed)

    def rule(self, query: Smoothing) -> Any:
        """Return how predictions follow from messages."""
        return self.labels.rule(self.core, query)

    # Predicting.

    def means(self, X: Floats, query: Smoothing) -> Floats:
        """Mean of each row."""
        if not self.is_plain:
            return self.of_distributions(X, query, lambda dist, rows: dist.mean())
        return self.labels.origin + self._moments(X, query, 1)[0]

    def moments(self, X: Floats, query: Smoothing) -> tuple[Floats, Floats]:
        """Mean and standard deviation of each row."""
        if not self.is_plain:
            both = self.of_distributions(X, query, lambda dist, rows: np.column_stack([dist.mean(), dist.std()]))
            return both[:, 0], both[:, 1]
        mean, *variances = self._moments(X, query, 4)
        return self.labels.origin + mean, self._std(X, *variances)

    def variance_parts(self, X: Floats, query: Smoothing) -> tuple[Floats, Floats, Floats]:
        """Noise, disagreement of trees and distance from rows: shares of each variance."""
        _, within, between, added = self._moments(X, query, 4)
        factors, noise, calibration = self.variance_factors(X), within, self.labels.calibration
        if self.labels.is_hierarchy:  # or else variances of nodes are those of labels, not of means
            noise = np.minimum(within, self._typical_variance(query))
        return factors * noise, calibration.spread**2 * between, factors * (within - noise + added)

    def mean_one(self, x: Any, query: Smoothing) -> float:
        """Mean at one row, where targets are learned as they are."""
        return float(self.labels.origin + self.core.mean_one(x, self.rule(query)))

    def distributions(self, X: Floats, query: Smoothing) -> Any:
        """Return the predictive distribution of each row."""
        rule = self.rule(query)
        parts = [self.core.mixtures(X[rows], rule, query.n_threads) for rows in pieces(X.shape[0], self.core.n_trees)]
        return self.labels.target.distribution(self._mixture(X, query, *_joined(parts)), X)

    def left_out(self, query: Smoothing, places: npt.NDArray[np.intp] | None = None) -> NormalMixture:
        """The distribution of each label held, or of some, without its row: one component a tree, or a tail of it."""
        rule, labels = self.rule(query), self.labels
        places = np.arange(self.core.n_rows) if places is None else places
        calibration = self._calibration(rule)
        factors = np.ones(places.size)
        if labels.noise is not None:
            factors = labels.noise.left_out_factors(self.core.row_values()[places])
        by_tree = self.core.leave_one_out_by_tree(rule, places.astype(np.uint32), self.groups, query.n_threads)
        means, variances = by_tree[0], factors[:, None] * calibration.variances(by_tree[1])
        centre = means.mean(axis=1, keepdims=True)
        means = labels.origin + centre + calibration.spread * (means - centre)
        n_trees, (weights, ratios) = means.shape[1], calibration.tails
        return NormalMixture(
            np.arange(places.size + 1) * n_trees * ratios.size,
            np.tile(weights / n_trees, places.size * n_trees),
            np.repeat(means, ratios.size),
            np.outer(variances, ratios).ravel(),
            n_threads=query.n_threads,
        )

    def loo_predict(self, query: Smoothing) -> LeaveOneOut:
        """The distribution of each target held without its row."""
        y = self.labels.decode(self.core.row_labels())
        parts = [(dist.mean(), dist.std(), dist.logpdf(y[places])) for places, dist in self._each_left_out(query)]
        came = self.as_they_came
        return LeaveOneOut(*(np.concatenate(vectors)[came] for vectors in zip(*parts, strict=True)))

    def loo_interval(self, query: Smoothing, confidence: float) -> Floats:
        """Central interval of each target held without its row."""
        return np.concatenate([dist.interval(confidence) for _, dist in self._each_left_out(query)])[self.as_they_came]

    def _each_left_out(self, query: Smoothing) -> Iterator[tuple[npt.NDArray[np.intp], Any]]:
        """Yield places of some rows, and the distributions of their targets without them."""
        X = self.core.row_values()
        for places in np.array_split(np.arange(len(X)), 1 + len(X) // LEFT_OUT_TOGETHER):
            yield places, self.labels.target.left_out(self.left_out(query, places), X[places])

    def variance_factors(self, X: Floats) -> Floats:
        """By how much the variances of rows given a tree differ from what they would be if noise did not vary."""
        noise = self.labels.noise
        return np.ones(X.shape[0]) if noise is None else noise.factors(X)

    # Forecasting.

    def forecast_then_learn(self, rows: Rows, query: Smoothing) -> Iterator[Any]:
        """Yield the distributions of rows, each just before it is learned, some rows at a time."""
        before: list[Any] = []
        for part in self._stream(rows, query, lambda x: before.append(self.distributions(x, query))):
            forecast = self._forecast(part, query)
            yield before.pop() if before else forecast

    def moments_then_learn(self, rows: Rows, query: Smoothing) -> Iterator[tuple[Floats, Floats]]:
        """Yield their means and standard deviations."""
        before: list[tuple[Floats, Floats]] = []
        for part in self._stream(rows, query, lambda x: before.append(self.moments(x, query))):
            if self.is_plain:
                parts = self.core.moments_then_learn(*part, self.rule(query), query.n_threads)
                moments = self.labels.origin + parts[0], self._std(part.X, *parts[1:])
            else:
                dist = self._forecast(part, query)
                moments = dist.mean(), dist.std()
            yield before.pop() if before else moments

    def _forecast(self, part: Rows, query: Smoothing) -> Any:
        components = self.core.predict_then_learn(*part, self.rule(query), query.n_threads)
        return self.labels.target.distribution(self._mixture(part.X, query, *components), part.X)

    # Targets.

    def check(self, y: Floats, query: Smoothing) -> None:
        """Raise ValueError unless these targets can be learned; a kind of target that was learned can be given up."""
        requested = requested_target(self.settings, query)
        is_learned = isinstance(requested, str) and requested == "auto"
        if not is_learned or self.labels.target.admits(y).all():
            self.labels.check(y)

    def _arrive(self, rows: Rows, query: Smoothing, surprised: Surprised | None = None) -> Rows:
        target, first = self.labels.target, rows.y[:1]
        if not (target.admits(first) & target.reaches(first)).all():
            if surprised is not None and not self.is_empty:
                surprised(rows.X[:1])
            held = self.labels.decode(self.core.row_labels())
            is_far = target.admits(first).all()
            self._reencode(first_target(target.name, np.append(held, first)) if is_far else Untransformed(), query)
            self.review(query, keeps_target=True)
            return self.labels.encoded(rows.part(slice(1)))
        fits = target.admits(rows.y) & target.reaches(rows.y)
        return self.labels.encoded(rows.part(slice(None if fits.all() else int(np.argmin(fits)))))

    def learn_one(self, x: Any, y: float, weight: float, query: Smoothing) -> None:
        """Learn one row, and nothing if it is not a vector of finite numbers."""
        label = y - self.labels.origin
        if not self.is_plain:
            self.check(np.array([y]), query)
            part = self._arrive(Rows(np.empty((1, 0)), np.array([y]), np.array([weight])), query)
            label, weight = float(part.y[0]), float(part.weights[0])
        self.core.learn_one(x, label, weight)

    def _nearest_held(self, known: Rows) -> Rows:
        """Labels that were brought from one kind of target to another have been rounded on the way."""
        held = np.unique(self.core.row_labels())
        above = held[np.searchsorted(held, known.y).clip(max=held.size - 1)]
        below = held[(np.searchsorted(held, known.y, side="right") - 1).clip(min=0)]
        nearest = np.where(np.abs(above - known.y) < np.abs(below - known.y), above, below)
        size = abs(self.labels.origin) + np.abs(known.y) + np.abs(held).max()
        return known._replace(y=np.where(np.abs(nearest - known.y) <= ROUNDING * size, nearest, known.y))

    def _review_target(self, query: Smoothing) -> bool:
        n, requested = self.core.n_rows, requested_target(self.settings, query)
        if not isinstance(requested, str) or requested == "real" or not is_due(n):
            return False
        y, weights = self.labels.decode(self.core.row_labels()), self.core.row_weights()
        weights = self.labels.target.unweigh(y, weights if weights.size else np.ones(n))
        self._reencode(learn_target(requested, self.core.row_values(), y, weights, small_forest(query)), query)
        return False

    def _reencode(self, target: Target, query: Smoothing) -> None:
        """Bring all labels held to another kind of target. Trees have not looked at labels, and stay."""
        if isinstance(target, Untransformed) and self.is_plain:
            return
        if self.is_empty:
            self.labels = replace(self.labels, target=target, origin=0.0, gaps=Gaps())
            return
        arrays, before, old = self.core.archive(), self.core, self.labels
        y, weights, freed = self.labels.given(arrays["rows.labels"]), arrays["rows.weights"], arrays["rows.freed"]
        y[freed] = np.delete(y, freed)[0]  # places without a row hold anything, such as what no map admits
        weights = target.weigh(y, old.target.unweigh(y, weights if weights.size else np.ones(y.size)))
        origin = origin_for(self.settings, target.encode(self.labels.given(before.row_labels())))
        labels = target.encode(y) - origin
        held, heavy = (np.delete(part, freed) for part in (labels, weights))
        mean = float(np.average(held, weights=heavy))
        arrays["seen.labels"] = np.array([heavy.sum(), mean, float(heavy @ (held - mean) ** 2)])
        arrays["rows.labels"], arrays["rows.weights"] = labels, weights if (weights != 1.0).any() else NO_WEIGHTS
        core = old.new_core(self.settings.shape(before.width, before.seed))
        core.restore(without_summaries(arrays))
        if old.is_hierarchy:
            core.set_model(*before.model, query.n_threads)
        self.core, self.labels = core, replace(old, target=target, origin=origin, gaps=Gaps())

    # Below: private.

    def _calibration(self, rule: Any) -> Calibration:
        """Return what turns beliefs into predictions; before it is learned, what the model has."""
        calibration = self.labels.calibration
        return Calibration(*self.core.query(rule)[1:]) if math.isnan(calibration.variance) else calibration

    def _typical_variance(self, query: Smoothing) -> float:
        """Variance within trees of rows that are held, each without itself, noise included: the median over some."""
        rule, n = self.rule(query), self.core.n_rows
        places = np.unique(np.linspace(0, n - 1, TYPICAL_ROWS).astype(np.uint32))
        by_tree = self.core.leave_one_out_by_tree(rule, places, self.groups, query.n_threads)
        return float(np.median(self._calibration(rule).variances(by_tree[1]).mean(axis=1)))

    def _moments(self, X: Floats, query: Smoothing, n_parts: int) -> list[Floats]:
        """Mean and, if requested, variance within and between trees and what gaps add, from the origin."""
        rule = self.rule(query)
        parts = [
            self.core.moments(X[rows], rule, query.n_threads)
            for rows in pieces(X.shape[0], self.core.n_trees, PREDICTED_AT_A_TIME)
        ]
        return [np.concatenate([part[k] for part in parts]) for k in range(n_parts)]

    def _std(self, X: Floats, within: Floats, between: Floats, added: Floats) -> Floats:
        return np.sqrt(self.variance_factors(X) * (within + added) + self.labels.calibration.spread**2 * between)

    def _mixture(
        self,
        X: Floats,
        query: Smoothing,
        first: npt.NDArray[np.int64],
        weights: Floats,
        means: Floats,
        variances: Floats,
    ) -> NormalMixture:
        """Return the core's predictions for rows, with noise that varies and with tails."""
        noise, (of_tails, ratios) = self.labels.noise, self.labels.calibration.tails
        if noise is not None:
            variances = variances * np.repeat(noise.factors(X), np.diff(first))
        if ratios.size > 1:
            weights, variances = np.outer(weights, of_tails).ravel(), np.outer(variances, ratios).ravel()
            first, means = ratios.size * first, np.repeat(means, ratios.size)
        return NormalMixture(first, weights, self.labels.origin + means, variances, n_threads=query.n_threads)


def _joined(parts: list[Any]) -> Any:
    """Return mixtures of some rows after another as those of all: where each begins, weights, means and variances."""
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([0, *(part[0][-1] for part in parts)])
    first = [part[0][:-1] + end for part, end in zip(parts, ends, strict=False)]
    return np.concatenate([*first, ends[-1:]]), *(np.concatenate([part[k] for part in parts]) for k in (1, 2, 3))
