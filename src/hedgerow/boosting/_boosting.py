"""What boosted regressors and classifiers share: rows kept, stages learned in batch and online, and what they tell."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from hedgerow._copies import Copies, find_copies, warn_if_doubtful
from hedgerow._kept_rows import KeptRows
from hedgerow._random import draw_seed
from hedgerow._transaction import all_or_nothing, forget_everything, interrupted_after
from hedgerow._validation import (
    NO_WEIGHTS,
    RowReader,
    as_vector,
    check_integer,
    drop_weightless,
    n_threads_of,
)
from hedgerow.boosting._files import BoostingFiles
from hedgerow.boosting._stages import MOST_CHOOSING, Choice, Stages, choose, fit_stages

Floats = npt.NDArray[np.float64]

PIECE = 2000
"""Rows that go through all stages at once; between two pieces Python looks for Ctrl-C."""

PREDICTED_TOGETHER = 20_000


class MondrianBoosting(BoostingFiles, BaseEstimator):  # type: ignore[misc]
    """Base of the boosted models. A subclass says what labels are, and turns what stages say into predictions."""

    n_estimators: int
    max_stages: int
    linear: str | bool
    scaling: str
    n_jobs: int | None
    random_state: Any

    _NUMERIC: ClassVar[bool]  # are labels numbers?

    _stages: Stages
    _choice: Choice
    _rows: KeptRows  # labels as numbers
    _seed: int
    _next_relearn: int

    # What labels are.

    @abstractmethod
    def _checked_labels(self, y: Any) -> Floats:
        """Labels as numbers, or ValueError."""

    @abstractmethod
    def _targets(self, labels: Floats) -> Floats:
        """What the stages learn of these labels: a number or a vector for each."""

    @abstractmethod
    def _calibrate(self, labels: Floats, weights: Floats, copies: Copies) -> None:
        """Learn from leave-one-out how what the stages say becomes a prediction."""

    def _begin_labels(self) -> None:
        """Forget all labels."""

    def _begin_targets(self, labels: Floats, weights: Floats, copies: Copies) -> None:
        """Take bearings from all labels, before the stages are learned from them."""

    @abstractmethod
    def _forecast(self, X: Floats, mean: Floats, doubt: Floats) -> Any:
        """What is predicted of rows when the stages say this of them."""

    @abstractmethod
    def _first_forecast(self) -> Any:
        """What is predicted before the first row."""

    def _compare(self, X: Floats, labels: Floats, mean: Floats, doubt: Floats, weights: Floats) -> Any:
        """Return forecasts of rows, made one after another, each to be compared with its label."""
        return self._forecast(X, mean, doubt)

    def _weigh(self, labels: Floats, weights: Floats, online: bool) -> Floats:
        """Weights of rows that are about to be learned."""
        return weights

    def _weighted(self, labels: Floats, weights: Floats) -> Floats:
        """Weights of rows that may have been learned."""
        return weights

    def _known_labels(self, y: Any) -> Floats:
        """Labels that may have been learned, as numbers."""
        return self._checked_labels(y)

    def _begin_anew(self, labels: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Take bearings from some of the rows as if they came first; return labels and weights as they then are."""
        return labels, weights

    def _weights_of(self, labels: Floats, weights: Floats) -> Floats:
        """Weights with which the stages learn rows."""
        return weights

    def _n_alike(self, labels: Floats) -> int:
        """How many of the rows that come next can be learned by the stages as they are."""
        return labels.size

    def _meet(self, label: float) -> None:
        """A label has come that the stages cannot learn as they are."""

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
            A row of weight w says as much as w rows of weight one. Rows of weight zero are ignored.

        Returns
        -------
        self
        """
        self._begin_labels()
        rows = self._checked_rows(X, y, sample_weight, first=True)
        if rows[0].shape[0] == 0:
            raise ValueError("every sample_weight is zero: there is no row to learn")
        weights = self._weigh(*rows[1:], online=False)
        self._begin(*rows[:2], weights)
        return self

    def learn_one(self, x: Any, y: Any) -> Self:
        """Learn one row: a mapping from feature names to numbers, a sequence or a 1-D array."""
        if self.__sklearn_is_fitted__():
            row = self._reader()(x).reshape(1, -1)
            label = self._checked_label(y)
            self._relearn_if_due()
            self._learn_piece(row, label, self._weigh(label, NO_WEIGHTS, online=True))
        elif isinstance(x, Mapping):
            row = RowReader(len(x), None)(as_vector(list(x.values())))
            self.partial_fit(row.reshape(1, -1), self._as_labels(y))
            self.feature_names_in_ = np.asarray(list(x), dtype=object)
        else:
            self.partial_fit(as_vector(x).reshape(1, -1), self._as_labels(y))
        return self

    def unlearn(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Forget rows: everything is learned anew from the others, with the bits of `fit` on these. Costs a `fit`.

        Parameters
        ----------
        X, y : as given when the rows were learned
            Each row must have been learned, and not unlearned since. If one is not found, none is unlearned.
        sample_weight : array of shape (n_samples,), optional
            Tells rows apart that differ in weight only.

        Returns
        -------
        self
        """
        self._check_learned()
        self._check_parameters()
        X, y = self._validated(X, y, reset=False)
        X, y, weights = drop_weightless(X, y, sample_weight)
        labels = self._known_labels(y)
        return self._forget(X, labels, self._weighted(labels, weights) if weights.size else weights)

    def unlearn_one(self, x: Any, y: Any) -> Self:
        """Forget one row; see `unlearn`."""
        self._check_learned()
        self._check_parameters()
        return self._forget(self._reader()(x).reshape(1, -1), self._known_labels(self._as_labels(y)), NO_WEIGHTS)

    @abstractmethod
    def partial_fit(self, X: Any, y: Any) -> Self:
        """Learn rows online."""

    def _learn_online(self, rows: tuple[Floats, Floats, Floats]) -> Iterator[Any]:
        """Let rows come one after another, and yield what was forecast of them, a piece at a time."""
        begin, n = 0, rows[0].shape[0]
        while begin < n:
            if not self.__sklearn_is_fitted__():
                end, forecast = 1, self._first_forecast()
                self._begin(*(part[:1] for part in rows))
            else:
                self._relearn_if_due()
                due = self._next_relearn - len(self._rows)
                alike = max(1, self._n_alike(rows[1][begin:]))
                end = min(begin + PIECE, begin + due, begin + alike, n)
                forecast = self._learn_piece(*(part[begin:end] for part in rows))
            yield forecast
            begin = end

    # What was learned.

    @property
    def n_stages_(self) -> int:
        """Stages in use."""
        self._check_learned()
        return len(self._stages.forests)

    @property
    def n_samples_seen_(self) -> int:
        """Rows learned so far, and not unlearned."""
        self._check_learned()
        return len(self._rows)

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in what is explained, by the linear part and by each stage."""
        self._check_learned()
        total = np.zeros(self.n_features_in_)
        if self._stages.ridge is not None:
            slopes = self._stages.ridge.slopes.reshape(self.n_features_in_, -1)
            weights = self._rows.weights[: self._stages.residuals.shape[0]]
            total += (weights.sum() if weights.size else len(self._stages.residuals)) * (slopes**2).sum(axis=1)
        for forest in self._stages.forests:
            total += forest.feature_importances_ * forest.label_squares
        shares: Floats = total / total.sum() if total.sum() > 0 else np.full(total.size, 1.0 / total.size)
        return shares

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_stages")

    # Below: private.

    def _check_parameters(self) -> None:
        check_integer("n_estimators", self.n_estimators, least=1)
        check_integer("max_stages", self.max_stages, least=1)
        n_threads_of(self.n_jobs)
        self._check_one_of("linear", "auto", True, False)
        self._check_one_of("scaling", "auto", "range", "half", "rank")

    def _check_one_of(self, name: str, *allowed: Any) -> None:
        if getattr(self, name) not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {getattr(self, name)!r}")

    def _check_learned(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet: call fit, partial_fit or learn_one first."
            )

    @all_or_nothing
    def _checked_rows(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, first: bool
    ) -> tuple[Floats, Floats, Floats]:
        self._check_parameters()
        X, y = self._validated(X, y, reset=first)
        X, y, weights = drop_weightless(X, y, sample_weight)
        return X, self._checked_labels(y), weights

    def _validated(self, X: Any, y: Any, reset: bool) -> tuple[Floats, Any]:
        X, y = validate_data(self, X, y, reset=reset, dtype=np.float64, order="C", y_numeric=self._NUMERIC)
        return X, y

    def _as_labels(self, y: Any) -> Any:
        """One label, as a vector."""
        return [y]

    def _checked_label(self, y: Any) -> Floats:
        return self._checked_labels(self._as_labels(y))

    def _reader(self) -> RowReader:
        return RowReader(self.n_features_in_, getattr(self, "feature_names_in_", None))

    def _asked(self, X: Any) -> Floats:
        """Rows to be predicted, checked."""
        self._check_learned()
        rows: Floats = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        return rows

    def _moments(self, X: Floats) -> tuple[Floats, Floats]:
        """What the stages say of rows."""
        pieces = np.array_split(X, max(1, X.shape[0] // PREDICTED_TOGETHER))
        parts = [self._stages.moments(np.ascontiguousarray(piece)) for piece in pieces]
        mean, doubt = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return mean, doubt

    @all_or_nothing
    def _begin(self, X: Floats, labels: Floats, weights: Floats) -> None:
        self._seed = draw_seed(self.random_state)
        self._rows = KeptRows(X, labels, weights)
        self._relearn()

    @all_or_nothing
    def _relearn(self, online: bool = False) -> None:
        """Everything anew from all rows: choice, stages, calibration.

        Online, stages begin with what those before have learned, and the choice is looked at again at every second
        doubling, as long as it is made from more rows than before.
        """
        X, labels, weights = self._rows.arrays
        is_second_doubling = X.shape[0].bit_length() % 2 == 1  # such as 16, 64 and 256 rows
        seed = int(np.random.SeedSequence(self._seed).generate_state(1)[0])
        copies = find_copies(X, labels)
        warn_if_doubtful(copies, stacklevel=7)
        self._begin_targets(labels, weights, copies)
        targets, weights = self._targets(labels), self._weights_of(labels, weights)
        if not online or (is_second_doubling and X.shape[0] < 2 * MOST_CHOOSING):
            self._choice = choose(X, targets, weights, copies, self.scaling, self.linear, seed, self.n_jobs)
        forest = {"n_estimators": self.n_estimators, "n_jobs": self.n_jobs}
        before = [stage for stage in self._stages.forests if stage.label_shape == targets.shape[1:]] if online else ()
        self._stages = fit_stages(X, targets, weights, copies, self._choice, self.max_stages, seed, before, **forest)
        self._calibrate(labels, weights, copies)
        self._next_relearn = 2 * X.shape[0]

    @all_or_nothing
    def _forget(self, X: Floats, labels: Floats, weights: Floats) -> Self:
        places = self._rows.places_of(X, labels, weights)
        if places.size < X.shape[0]:
            raise ValueError(
                f"row {places.size} of the {X.shape[0]} to be unlearned is not among those learned: it was never "
                "learned, was unlearned before, or differs in a feature or its label; nothing was unlearned"
            )
        rows, labels, weights = (np.delete(part, places, axis=0) if part.size else part for part in self._rows.arrays)
        if labels.size:
            self._rows = KeptRows(rows, *self._begin_anew(labels, weights))
            self._relearn()
        else:
            forget_everything(self)
        return self

    def _relearn_if_due(self) -> None:
        """At doublings; later only if that was interrupted."""
        if len(self._rows) >= self._next_relearn:
            self._relearn(online=True)

    def _learn_piece(self, X: Floats, labels: Floats, weights: Floats) -> Any:
        """Rows that are alike, or a single one that is not: it is learned with all others, anew. Returns forecasts."""
        with interrupted_after():  # or some stages would have learned rows that others have not
            if self._n_alike(labels) == 0:
                forecast = self._forecast(X, *self._stages.moments(X))
                self._meet(float(labels[0]))
                self._rows.append(X, labels, weights)
                self._next_relearn = len(self._rows)
            else:
                own = self._weights_of(labels, weights)
                mean, doubt = self._stages.learn(X, self._targets(labels), own)
                self._rows.append(X, labels, weights)
                forecast = self._compare(X, labels, mean, doubt, own)
        self._relearn_if_due()
        return forecast
