"""What online regressors have in common: rows that come in calls of any size, and what is asked of a prediction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from hedgerow._persistence import Arrays, Saveable, encode_parameter
from hedgerow._regressing import Regressing
from hedgerow._transaction import all_or_nothing
from hedgerow._validation import RowReader, as_vector, drop_weightless, n_threads_of

Floats = npt.NDArray[np.float64]

LARGEST_LABEL = 1e150
"""Labels further than this from zero would overflow when squared."""
PIECE = 4096
"""Rows between two chances to hear Ctrl-C."""


class OnlineRegressor(Regressing, Saveable, BaseEstimator):  # type: ignore[misc]
    """Base of the online regressors. A subclass says what it is made of, how it learns and what it predicts."""

    n_jobs: int | None
    n_features_in_: int

    _core: Any
    _shaped_by: dict[str, Any]
    _read_row: RowReader
    _SHAPING: ClassVar[tuple[str, ...]]
    """Parameters that cannot change while the model learns."""

    # What a subclass decides.

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise ValueError for parameters that cannot be."""

    @abstractmethod
    def _begin(self, width: int) -> None:
        """Make an empty model for rows of that width."""

    @abstractmethod
    def _learn(self, X: Floats, y: Floats, weights: Floats) -> None:
        """Learn a piece of the stream, row by row."""

    @abstractmethod
    def _learn_row(self, x: Any, y: float) -> None:
        """Learn one row; raise ValueError or TypeError, and change nothing, if it is not a vector of finite numbers."""

    @abstractmethod
    def _mean_row(self, x: Any) -> float:
        """Mean at one row; raise likewise."""

    @abstractmethod
    def predict_dist(self, X: Any) -> Any:
        """Return the predictive distribution of each row."""

    # Learning.

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Forget whatever was learned and learn all rows in the order given, in one pass.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Numbers, all finite.
        y : array of shape (n_samples,)
            Labels.
        sample_weight : array of shape (n_samples,), optional
            How much each row counts. Rows of weight zero are ignored.

        Returns
        -------
        self
        """
        rows = self._checked_rows(X, y, sample_weight, reset=True)
        if rows[0].shape[0] == 0:
            raise ValueError("every sample_weight is zero: there is no row to learn")
        self._start(rows[0].shape[1])
        for piece in pieces(*rows):
            self._learn(*piece)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn rows online, one after another.

        The result does not depend on how rows are dealt to calls. Ctrl-C leaves a model that has learned the first
        ``n_samples_seen_`` rows; any other error leaves it as it was.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.

        Returns
        -------
        self
        """
        for piece in pieces(*self._prepared(X, y, sample_weight)):
            self._learn(*piece)
        return self

    def learn_one(self, x: Any, y: Any) -> Self:
        """Learn one row: a mapping from feature names to numbers, a sequence or a 1-D array.

        The first row may be the first call; a mapping then names the features.
        """
        label = checked_label(y)
        if not self.__sklearn_is_fitted__():
            x = self._prepared_first(x)
        self._with_row(self._learn_row, x, label)
        return self

    # Predicting.

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Mean of the predictive distribution and, if asked, its standard deviation.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Query points.
        return_std : bool, default=False
            Whether to return the standard deviation of a new label too.

        Returns
        -------
        mean : array of shape (n_samples,)
        std : array of shape (n_samples,), only if `return_std`
        """
        X = self._query_rows(X)
        means: Floats = self._core.means(X, n_threads_of(self.n_jobs))
        return (means, self._std(X)) if return_std else means

    def predict_one(self, x: Any) -> float:
        """Mean at one row: a mapping, a sequence or a 1-D array; 0 before the first row."""
        return float(self._with_row(self._mean_row, x)) if self.__sklearn_is_fitted__() else 0.0

    @property
    def n_samples_seen_(self) -> int:
        """Number of rows learned, weightless ones left out."""
        self._check_learned()
        return int(self._core.arrivals)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_core")

    def __sizeof__(self) -> int:
        """Bytes, those of the core included: Python sees nothing of them."""
        own: int = super().__sizeof__()
        return own + int(self._core.n_bytes) if self.__sklearn_is_fitted__() else own

    # Below: private.

    def _std(self, X: Floats) -> Floats:
        spread: Floats = self.predict_dist(X).std()
        return spread

    def _check_learned(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet: call fit, partial_fit or learn_one first."
            )

    def _check_unchanged(self) -> None:
        for name, value in self._shaped_by.items():
            if getattr(self, name) != value:
                raise ValueError(
                    f"{name} was {value!r} when the model began and is {getattr(self, name)!r} now; "
                    "call fit to begin anew, or set it back"
                )

    def _query_rows(self, X: Any) -> Floats:
        self._check_learned()
        rows: Floats = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        return rows

    def _checked_rows(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, reset: bool
    ) -> tuple[Floats, Floats, Floats]:
        self._check_parameters()
        X, y = validate_data(self, X, y, reset=reset, dtype=np.float64, order="C", y_numeric=True)
        X, y, weights = drop_weightless(X, y, sample_weight)
        labels = np.ascontiguousarray(y, dtype=np.float64)
        if labels.size and not np.abs(labels).max() <= LARGEST_LABEL:
            raise ValueError(f"labels must lie within {LARGEST_LABEL:g} of zero; divide y by a constant")
        return X, labels, weights

    def _start(self, width: int) -> None:
        self._begin(width)
        self._shaped_by = {name: getattr(self, name) for name in self._SHAPING}
        self._read_row = RowReader(width, getattr(self, "feature_names_in_", None))

    @all_or_nothing
    def _prepared(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None) -> tuple[Floats, Floats, Floats]:
        """Rows to be learned online, checked; if they are the first, there is an empty model for them now."""
        first = not self.__sklearn_is_fitted__()
        rows = self._checked_rows(X, y, sample_weight, reset=first)
        if not first:
            self._check_unchanged()
        elif rows[0].shape[0] > 0:
            self._start(rows[0].shape[1])
        return rows

    @all_or_nothing
    def _prepared_first(self, x: Any) -> Floats:
        """The very first row, and an empty model for it."""
        self._check_parameters()
        names = np.asarray(list(x), dtype=object) if isinstance(x, Mapping) else None
        row = as_vector(list(x.values()) if isinstance(x, Mapping) else x)
        if row.size == 0:
            raise ValueError("a row must have at least one feature")
        row = RowReader(row.size, names)(row)
        self.n_features_in_ = row.size
        if names is not None:
            self.feature_names_in_ = names
        self._start(row.size)
        return row

    def _with_row(self, call: Callable[..., Any], x: Any, *rest: Any) -> Any:
        """Call the core with one row: an array or a dictionary, unchecked, or else whatever can be read as one."""
        if type(x) is np.ndarray or type(x) is dict:
            try:
                return call(self._read_row.quickly(x), *rest)
            except (KeyError, TypeError, ValueError):
                pass  # reading it with care either mends it or says what is wrong
        return call(self._read_row(x), *rest)

    # Files.

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        if not self.__sklearn_is_fitted__():
            return None
        names = getattr(self, "feature_names_in_", None)
        numbers: dict[str, Any] = {
            "width": int(self.n_features_in_),
            "shaped_by": {name: encode_parameter(name, value) for name, value in self._shaped_by.items()},
            "feature_names": None if names is None else [str(name) for name in names],
        }
        return numbers, {}

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        width, names, shaped_by = int(numbers["width"]), numbers["feature_names"], numbers["shaped_by"]
        if set(shaped_by) != set(self._SHAPING):
            raise ValueError("its parameters are not those of this class")
        if not 1 <= width <= 10**7 or (names is not None and len(names) != width):
            raise ValueError("its width is out of range, or it names another number of features than it has")
        now = {name: getattr(self, name) for name in self._SHAPING}
        for name, value in shaped_by.items():
            setattr(self, name, value)
        self._check_parameters()
        self._restore_core(width, numbers, arrays)
        self.n_features_in_ = width
        if names is not None:
            self.feature_names_in_ = np.asarray([str(name) for name in names], dtype=object)
        self._shaped_by = shaped_by
        self._read_row = RowReader(width, getattr(self, "feature_names_in_", None))
        for name, value in now.items():
            setattr(self, name, value)

    @abstractmethod
    def _restore_core(self, width: int, numbers: dict[str, Any], arrays: Arrays) -> None:
        """Make the core from a file that nobody vouches for."""


def pieces(X: Floats, y: Floats, weights: Floats) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield rows a few thousand at a time."""
    for begin in range(0, X.shape[0], PIECE):
        piece = slice(begin, begin + PIECE)
        yield X[piece], y[piece], weights[piece]


def checked_label(y: Any) -> float:
    """One label as a number, or ValueError."""
    try:
        label = float(y)
    except (TypeError, ValueError):
        raise ValueError(f"a label must be a number, got {y!r}") from None
    if not abs(label) <= LARGEST_LABEL:
        raise ValueError(f"a label must be a finite number within {LARGEST_LABEL:g} of zero, got {y!r}")
    return label
