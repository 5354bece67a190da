"""Boosting of Mondrian forests on exact leave-one-out residuals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from hedgerow._kept_rows import KeptRows
from hedgerow._random import draw_seed
from hedgerow._transaction import all_or_nothing, interrupted_after
from hedgerow._validation import NO_WEIGHTS, RowReader, as_vector, check_integer, drop_weightless, n_threads_of
from hedgerow.boosting._calibration import Calibration, calibrate
from hedgerow.boosting._files import BoostingFiles
from hedgerow.boosting._stages import Choice, Stages, choose, fit_stages, mean_square
from hedgerow.predictive import LeaveOneOut, LocationScale

Floats = npt.NDArray[np.float64]

PIECE = 2000
"""Rows that go through all stages at once; between two pieces Python looks for Ctrl-C."""


class MondrianBoostingRegressor(RegressorMixin, BoostingFiles, BaseEstimator):  # type: ignore[misc]
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
    n_jobs : int, optional
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Where the randomness starts.

    Attributes
    ----------
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

    _stages: Stages
    _calibration: Calibration
    _choice: Choice
    _rows: KeptRows
    _seed: int
    _next_relearn: int

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        max_stages: int = 4,
        linear: str | bool = "auto",
        scaling: str = "auto",
        tail: str = "student",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_stages = max_stages
        self.linear = linear
        self.scaling = scaling
        self.tail = tail
        self.n_jobs = n_jobs
        self.random_state = random_state

    # Learning.

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn all rows in batch, forgetting whatever was learned before.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Numbers, all finite.
        y : array of shape (n_samples,)
            Labels.
        sample_weight : array of shape (n_samples,), optional
            A row of weight w counts as w equal rows. Rows of weight zero are ignored.

        Returns
        -------
        self
        """
        rows = self._checked_rows(X, y, sample_weight, reset=True)
        if rows[0].shape[0] == 0:
            raise ValueError("every sample_weight is zero: there is no row to learn")
        self._seed = draw_seed(self.random_state)
        self._rows = KeptRows(*rows)
        self._relearn()
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn rows online, one after another: each stage is told what the ones before left over.

        Whenever the number of rows has doubled, everything is learned anew from all rows. The result does not depend on
        how rows are dealt to calls. Ctrl-C leaves a model that has learned the first ``n_samples_seen_`` rows.
        """
        first = not self.__sklearn_is_fitted__()
        rows = self._checked_rows(X, y, sample_weight, reset=first)
        begin = 0
        while begin < rows[0].shape[0]:
            if not self.__sklearn_is_fitted__():
                self._begin(*(part[:1] for part in rows))
                end = 1
            else:
                self._relearn_if_due()
                due = self._next_relearn - len(self._rows)
                end = min(begin + PIECE, begin + due, rows[0].shape[0])
                self._learn_piece(*(part[begin:end] for part in rows))
            begin = end
        return self

    def learn_one(self, x: Any, y: Any) -> Self:
        """Learn one row: a mapping from feature names to numbers, a sequence or a 1-D array."""
        if not self.__sklearn_is_fitted__():
            if isinstance(x, Mapping):
                row = RowReader(len(x), None)(as_vector(list(x.values())))
                self.partial_fit(row.reshape(1, -1), [y])
                self.feature_names_in_ = np.asarray(list(x), dtype=object)
            else:
                self.partial_fit(as_vector(x).reshape(1, -1), [y])
            return self
        label = np.array([self._checked_label(y)])
        self._relearn_if_due()
        self._learn_piece(self._reader()(x).reshape(1, -1), label, NO_WEIGHTS)
        return self

    # Predicting.

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Mean and, if asked, standard deviation of each row's label."""
        dist = self.predict_dist(X)
        return (dist.mean(), dist.std()) if return_std else dist.mean()

    def predict_one(self, x: Any) -> float:
        """Mean at one point: a mapping, a sequence or a 1-D array; 0 before the first row."""
        if not self.__sklearn_is_fitted__():
            return 0.0
        return float(self._stages.moments(self._reader()(x).reshape(1, -1))[0][0])

    def predict_dist(self, X: Any) -> LocationScale:
        """Return the predictive distribution of each row, whole: moments, density, quantiles, draws."""
        self._check_learned()
        X = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        pieces = np.array_split(X, max(1, X.shape[0] // 20_000))
        parts = [self._stages.moments(np.ascontiguousarray(piece)) for piece in pieces]
        mean, doubt = (np.concatenate(vectors) for vectors in zip(*parts, strict=True))
        return self._calibration.distribution(mean, doubt)

    def predict_interval(self, X: Any, confidence: float = 0.9) -> Floats:
        """Central prediction interval of each row: shape (n_samples, 2)."""
        return self.predict_dist(X).interval(confidence)

    def predict_quantiles(self, X: Any, quantiles: npt.ArrayLike) -> Floats:
        """Quantiles of each row's label: shape (n_samples, n_quantiles)."""
        return self.predict_dist(X).ppf(np.atleast_1d(np.asarray(quantiles, dtype=np.float64)))

    def log_density(self, X: Any, y: npt.ArrayLike) -> Floats:
        """Log of the predictive density of each label: shape (n_samples,)."""
        self._check_learned()
        X, labels = validate_data(self, X, y, reset=False, dtype=np.float64, order="C", y_numeric=True)
        return self.predict_dist(X).logpdf(np.asarray(labels, dtype=np.float64))

    def loo_predict(self) -> LeaveOneOut:
        """Predict each row as if it had not been learned, as of when the stages were last learned.

        The first stage's predictions are exact; later stages learn residuals that have met the row through the others'
        predictions, which was found to matter little.
        """
        self._check_learned()
        n = self._stages.residuals.size
        dist = self._calibration.distribution(self._rows.labels[:n] - self._stages.residuals, self._stages.doubts)
        return LeaveOneOut(dist.mean(), dist.std(), dist.logpdf(self._rows.labels[:n]))

    # What was learned.

    @property
    def n_stages_(self) -> int:
        """Stages in use."""
        self._check_learned()
        return len(self._stages.forests)

    @property
    def n_samples_seen_(self) -> int:
        """Rows learned so far."""
        self._check_learned()
        return len(self._rows)

    @property
    def loo_score_(self) -> float:
        """R^2 of the leave-one-out predictions when the stages were last learned."""
        self._check_learned()
        n = self._stages.residuals.size
        labels, weights = self._rows.labels[:n], self._rows.weights[:n]
        mean = float(np.average(labels, weights=weights if weights.size else None))
        total = mean_square(labels - mean, weights)
        return 1.0 - mean_square(self._stages.residuals, weights) / total if total > 0 else math.nan

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in what is explained, by the linear part and by each stage."""
        self._check_learned()
        total = np.zeros(self.n_features_in_)
        if self._stages.ridge is not None:
            weight = self._stages.forests[0]._core.label_moments[0]
            total += weight * self._stages.ridge.slopes**2
        for forest in self._stages.forests:
            total += forest.feature_importances_ * forest._core.label_moments[2]
        shares: Floats = total / total.sum() if total.sum() > 0 else np.full(total.size, 1.0 / total.size)
        return shares

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_stages")

    # Below: private.

    def _check_parameters(self) -> None:
        check_integer("n_estimators", self.n_estimators, least=1)
        check_integer("max_stages", self.max_stages, least=1)
        n_threads_of(self.n_jobs)
        for name, allowed in (
            ("linear", ("auto", True, False)),
            ("scaling", ("auto", "range", "half", "rank")),
            ("tail", ("student", "normal", "empirical")),
        ):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {getattr(self, name)!r}")

    def _check_learned(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet: call fit, partial_fit or learn_one first."
            )

    @all_or_nothing
    def _checked_rows(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, reset: bool
    ) -> tuple[Floats, Floats, Floats]:
        self._check_parameters()
        X, y = validate_data(self, X, y, reset=reset, dtype=np.float64, order="C", y_numeric=True)
        X, y, weights = drop_weightless(X, y, sample_weight)
        labels = np.ascontiguousarray(y, dtype=np.float64)
        if labels.size and not np.abs(labels).max() <= 1e150:
            raise ValueError("labels must lie within 1e150 of zero; divide y by a constant")
        return X, labels, weights

    @staticmethod
    def _checked_label(y: Any) -> float:
        try:
            label = float(y)
        except (TypeError, ValueError):
            raise ValueError(f"a label must be a number, got {y!r}") from None
        if not abs(label) <= 1e150:
            raise ValueError(f"a label must be a finite number within 1e150 of zero, got {y!r}")
        return label

    def _reader(self) -> RowReader:
        return RowReader(self.n_features_in_, getattr(self, "feature_names_in_", None))

    @all_or_nothing
    def _begin(self, X: Floats, y: Floats, weights: Floats) -> None:
        self._seed = draw_seed(self.random_state)
        self._rows = KeptRows(X, y, weights)
        self._relearn()

    @all_or_nothing
    def _relearn(self) -> None:
        """Everything anew from all rows: choice, stages, calibration."""
        X, y, weights = self._rows.arrays
        seed = int(np.random.SeedSequence(self._seed).generate_state(1)[0])
        self._choice = choose(X, y, weights, self.scaling, self.linear, seed, self.n_jobs)
        forest = {"n_estimators": self.n_estimators, "n_jobs": self.n_jobs}
        self._stages = fit_stages(X, y, weights, self._choice, self.max_stages, seed, **forest)
        self._calibration = calibrate(self._stages.residuals, self._stages.doubts, weights, self.tail)
        self._next_relearn = 2 * X.shape[0]

    def _relearn_if_due(self) -> None:
        """At doublings; later only if that was interrupted."""
        if len(self._rows) >= self._next_relearn:
            self._relearn()

    def _learn_piece(self, X: Floats, y: Floats, weights: Floats) -> None:
        with interrupted_after():  # or some stages would have learned rows that others have not
            mean, doubt = self._stages.learn(X, y, weights)
            self._rows.append(X, y, weights)
            self._calibration = self._calibration.after(y - mean, doubt, weights)
        self._relearn_if_due()
