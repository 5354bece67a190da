"""Boosting of Mondrian forests on exact leave-one-out residuals."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hedgerow._copies import Copies, find_copies
from hedgerow._persistence import Arrays
from hedgerow._regressing import Regressing
from hedgerow.boosting import _reshaping as reshaping
from hedgerow.boosting._boosting import MondrianBoosting
from hedgerow.boosting._calibration import Calibration, calibrate, with_distance
from hedgerow.boosting._reshaping import Reshaping
from hedgerow.boosting._reshaping_files import ReshapingFiles
from hedgerow.boosting._stage import NumberStage, mean_square, weighted_mean
from hedgerow.mondrian._gaps import Ask, Gaps, Places, Slab, learn_gaps
from hedgerow.mondrian._learning import Sample
from hedgerow.mondrian._regressor import N_SMALL_TREES, SmallForest
from hedgerow.predictive import Forecasts, LeaveOneOut, LocationScale
from hedgerow.predictive._forecasts import check_returns
from hedgerow.predictive._shapes import NormalShape
from hedgerow.targets import (
    Target,
    Untransformed,
    check_target,
    first_target,
    is_due,
    learn_target,
    target_from_description,
)

Floats = npt.NDArray[np.float64]


class MondrianBoostingRegressor(Regressing, ReshapingFiles, MondrianBoosting):
    """Stages of Mondrian forests, each on the exact leave-one-out residuals of the stages before.

    The residuals are honest: each row is predicted by trees that have not seen its label. So there is no learning rate
    to choose and no over-fitting to fear; stages are added until the leave-one-out error stops falling. The predictive
    distribution is calibrated on the same residuals.

    Parameters
    ----------
    n_estimators : int, default=50
        Trees a stage.
    max_stages : int, default=4
        Stages, at most.
    linear : {"auto", True, False}, default="auto"
        Whether a ridge regression comes before the first stage. "auto" chooses by leave-one-out.
    scaling : {"auto", "range", "half", "rank"}, default="auto"
        How columns are scaled: by their range, by ranks, or halfway. "auto" chooses by leave-one-out.
    tail : {"student", "normal", "empirical"}, default="student"
        Shape of the predictive distribution: Student's t fitted to the leave-one-out residuals, a Gaussian, or the
        residuals themselves, smoothed.
    shape : {"auto", "common"}, default="auto"
        Whether that shape is learned row by row too, wherever leave-one-out says that it differs (skewed here, heavy
        on one side there, discrete), or is common to all rows.
    target : {"auto", "real", "positive", "count"} or tuple of functions, default="auto"
        What targets can be: any number, numbers above 0, or whole numbers from 0 on; then predictions are that too.
        "auto" learns it by leave-one-out, online at every second doubling of the rows. Three functions are a map onto
        the whole line, which rises, its inverse, and the logarithm of its derivative.
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Where the randomness starts.

    Attributes
    ----------
    target_ : str
        What targets are: "real", "positive", "count" or "functions".
    n_stages_ : int
        Stages in use.
    loo_score_ : float
        R^2 of the leave-one-out predictions when the stages were last learned.
    feature_importances_ : array
        Share of each column in what the stages explain.
    n_samples_seen_ : int
        Rows learned so far.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from hedgerow import MondrianBoostingRegressor
    >>> X, y = make_friedman1(500, random_state=0)
    >>> model = MondrianBoostingRegressor(n_estimators=20, random_state=0).fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.9
    True
    >>> mean, std = model.predict(X[400:], return_std=True)
    >>> model.predict_interval(X[400:], confidence=0.9).shape
    (100, 2)
    """

    _target: Target
    _calibration: Calibration
    _reshaping: Reshaping | None

    _NUMERIC = True
    _STAGE = NumberStage

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        max_stages: int = 4,
        linear: str | bool = "auto",
        scaling: str = "auto",
        tail: str = "student",
        shape: str = "auto",
        target: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_stages = max_stages
        self.linear = linear
        self.scaling = scaling
        self.tail = tail
        self.shape = shape
        self.target = target
        self.n_jobs = n_jobs
        self.random_state = random_state

    # Learning.

    def partial_fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn rows online, one after another: each stage is told what the ones before left over.

        Whenever the number of rows has doubled, everything is learned anew from all rows. The result does not depend on
        how rows are dealt to calls. Ctrl-C leaves a model that has learned the first ``n_samples_seen_`` rows.
        """
        rows = self._checked_rows(X, y, sample_weight, first=not self.__sklearn_is_fitted__())
        for _ in self._learn_online(rows):
            pass
        return self

    def predict_then_learn(
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        *,
        returns: str = "dist",
        confidence: float = 0.9,
    ) -> Any:
        """Predict each row just before learning it: an honest forecast of every row of a stream, in one call.

        The same as a loop over `predict_dist` and `learn_one`, bit for bit, only faster. Before the very first row
        nothing is known, and the forecast is the standard normal distribution.

        Parameters
        ----------
        X, y, sample_weight
            As for `partial_fit`. Rows of weight zero are neither predicted nor learned.
        returns : {"dist", "std", "interval"}, default="dist"
            What is forecast: whole distributions; mean and standard deviation; or these two and the central interval.
        confidence : float, default=0.9
            Of the interval.

        Returns
        -------
        forecasts : Forecasts
            If `returns` is "dist": one distribution a row; its shape is learned anew whenever everything is.
        mean, std : arrays of shape (n_samples,)
            Otherwise.
        interval : array of shape (n_samples, 2)
            Only if `returns` is "interval".
        """
        check_returns(returns, confidence)
        rows = self._checked_rows(X, y, sample_weight, first=not self.__sklearn_is_fitted__())
        said = Forecasts(list(self._learn_online(rows)))
        if returns == "dist":
            return said
        moments = said.mean(), said.std()
        return moments if returns == "std" else (*moments, said.interval(confidence))

    # Predicting.

    def predict_one(self, x: Any) -> float:
        """Mean at one point: a mapping, a sequence or a 1-D array; 0 before the first row."""
        if not self.__sklearn_is_fitted__():
            return 0.0
        row = self._reader()(x).reshape(1, -1)
        return float(self._forecast(row, *self._stages.moments(row)).mean()[0])

    def predict_dist(self, X: Any) -> Any:
        """Return the predictive distribution of each row, whole: moments, density, quantiles, draws.

        A `LocationScale`; that seen through a map, `Mapped`, or in cells, `Counts`, where targets are not real.
        """
        X = self._asked(X)
        return self._forecast(X, *self._moments(X))

    def loo_predict(self) -> LeaveOneOut:
        """Predict each row as if it had not been learned, as of when the stages were last learned.

        The first stage's predictions are exact; later stages learn residuals that have met the row through the others'
        predictions, which was found to matter little.
        """
        self._check_learned()
        labels, dist = self._left_out()
        return LeaveOneOut(dist.mean(), dist.std(), dist.logpdf(labels))

    @property
    def target_(self) -> str:
        """What targets are: "real", "positive", "count" or "functions"."""
        self._check_learned()
        return self._target.name

    @property
    def loo_score_(self) -> float:
        """R^2 of the leave-one-out predictions when the stages were last learned."""
        self._check_learned()
        labels, dist = self._left_out()
        weights = self._rows.weights[: labels.size]
        total = mean_square(labels - weighted_mean(labels, weights), weights)
        return 1.0 - mean_square(labels - dist.mean(), weights) / total if total > 0 else math.nan

    # Below: private.

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_one_of("tail", "student", "normal", "empirical")
        self._check_one_of("shape", "auto", "common")
        check_target(self.target)

    def _checked_labels(self, y: Any) -> Floats:
        try:
            labels = np.ascontiguousarray(y, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"a label must be a number, got {y!r}") from None
        if labels.size and not np.abs(labels).max() <= 1e150:
            raise ValueError("labels must be finite numbers within 1e150 of zero; divide y by a constant")
        if labels.size and self.target not in ("auto", "real"):
            first_target(self.target, labels)
        return labels

    def _begin_labels(self) -> None:
        self._target = Untransformed()

    def _begin_anew(self, labels: Floats, weights: Floats) -> tuple[Floats, Floats]:
        self._begin_labels()
        del self._next_relearn
        return labels, weights

    def _begin_targets(self, labels: Floats, weights: Floats, copies: Copies) -> None:
        is_first = not hasattr(self, "_next_relearn")
        if is_first or is_due(labels.size) or not self._target.admits(labels).all():
            self._target = learn_target(self.target, self._rows.arrays[0], labels, weights, self._new_small_forest)

    def _targets(self, labels: Floats) -> Floats:
        return self._target.encode(labels)

    def _weights_of(self, labels: Floats, weights: Floats) -> Floats:
        return self._target.weigh(labels, weights)

    def _n_alike(self, labels: Floats) -> int:
        admitted = self._target.admits(labels)
        return labels.size if admitted.all() else int(np.argmin(admitted))

    def _new_small_forest(self) -> SmallForest:
        return SmallForest(N_SMALL_TREES, n_jobs=self.n_jobs, random_state=0)

    def _calibrate(self, labels: Floats, weights: Floats, copies: Copies) -> None:
        labels = self._targets(labels)
        _, _, residuals, doubts = self._stages
        found = calibrate(residuals, doubts, weights, self.tail)
        variance = mean_square(labels - weighted_mean(labels, weights), weights)
        mean_weight = (weights.sum() if weights.size else labels.size) / copies.n_units
        of_one_row = sum(stage.doubt_of_one_row(mean_weight) for stage in self._stages.forests)
        largest = sum(stage.largest_doubt for stage in self._stages.forests)
        self._calibration = with_distance(found, doubts, variance, of_one_row, largest)
        self._stages.forests[0].watch_gaps(self._learn_gaps(labels, weights, copies))
        self._reshaping = None
        if self.shape == "auto" and copies.n_units >= reshaping.FEWEST_ROWS:
            self._learn_shapes(labels, weights, copies)

    def _learn_gaps(self, labels: Floats, weights: Floats, copies: Copies) -> Gaps:
        """Learn them with the linear part and the first stage: what comes after adds little where no rows are."""
        ridge, first = self._stages.ridge, self._stages.forests[0]
        units, _ = Sample(self._rows.arrays[0], labels, weights, copies).units
        X, labels = self._rows.arrays[0][units], labels[units]
        ask_first: Ask = first.asking_slabs(X, labels if ridge is None else labels - ridge(X))

        def ask(rest: Places, asked: Places, gaps: Gaps) -> Slab:
            said = ask_first(rest, asked, gaps)
            if ridge is None:
                return said
            inside = np.clip(X[asked], X[rest].min(axis=0), X[rest].max(axis=0))
            return said._replace(means=said.means + ridge(inside))

        return learn_gaps(X, labels, self.feature_importances_, ask, self._seed)

    def _learn_shapes(self, labels: Floats, weights: Floats, copies: Copies) -> None:
        """Learn shapes from what is said of rows without their fold."""
        X = self._rows.arrays[0]
        seeds = np.random.SeedSequence([self._seed, 2]).generate_state(2).tolist()
        drawn = reshaping.draw(labels.size, reshaping.MOST_ROWS, seeds[0])
        folds = reshaping.folds_of(drawn, copies, labels.size, seeds[1])
        n_trees = max(1, self.n_estimators // 2)
        said = self._stages.without_blocks(X, labels, weights, folds, reshaping.N_FOLDS, n_trees)
        mean, doubt = (part[drawn] for part in said)
        X, labels, weights = X[drawn], labels[drawn], weights[drawn] if weights.size else weights
        dist = calibrate(labels - mean, doubt, weights, self.tail).distribution(mean, doubt)
        forest: dict[str, Any] = {"n_estimators": max(1, self.n_estimators // 2), "n_jobs": self.n_jobs}
        sample = copies.of(drawn), dist, drawn
        self._reshaping = reshaping.fit_reshaping(X, labels, weights, *sample, self._seed, **forest)

    def _left_out(self) -> tuple[Floats, Any]:
        """Labels and distributions of the rows when the stages were last learned."""
        _, _, residuals, doubts = self._stages
        X, labels = (part[: residuals.size] for part in self._rows.arrays[:2])
        dist = self._calibration.distribution(self._targets(labels) - residuals, doubts)
        if self._reshaping is not None:
            copies = find_copies(X, labels)
            dist = self._reshaping.apply_left_out(dist, X, self._calibration.spread(doubts), copies)
        return labels, self._target.left_out(dist, X)

    def _forecast(self, X: Floats, mean: Floats, doubt: Floats, inflation: Floats | None = None) -> Any:
        dist = self._calibration.distribution(mean, doubt, inflation)
        if self._reshaping is not None:
            dist = self._reshaping.apply(dist, X, self._calibration.spread(doubt))
        return self._target.distribution(dist, X)

    def _first_forecast(self) -> LocationScale:
        return LocationScale(np.zeros(1), np.ones(1), NormalShape())

    def _compare(self, X: Floats, labels: Floats, mean: Floats, doubt: Floats, weights: Floats) -> Any:
        self._calibration, inflation = self._calibration.after(self._targets(labels) - mean, doubt, weights)
        return self._forecast(X, mean, doubt, inflation)

    # Files.

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        state = super()._fitted_state()
        if state is not None:
            reshaping, arrays = self._described_reshaping()
            target, of_target = self._target.described()
            state[0].update(self._calibration.described(), reshaping=reshaping, target=target)
            state[1].update(arrays | of_target)
        return state

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        super()._restore_fitted_state(numbers, arrays)
        new_forest, width = self._new_small_forest, self.n_features_in_
        self._target = target_from_description(numbers["target"], arrays, new_forest, width)
        self._target.check(self._rows.labels)
        self._calibration = Calibration.from_description(numbers)
        self._reshaping = self._restored_reshaping(numbers["reshaping"], arrays)
