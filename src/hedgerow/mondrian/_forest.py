"""What Mondrian forests have in common: batch, online and backward learning, scaling, reviews, files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from hedgerow._copies import warn_if_doubtful
from hedgerow._random import draw_seed
from hedgerow._transaction import all_or_nothing
from hedgerow._validation import (
    NO_WEIGHTS,
    RowReader,
    as_vector,
    check_integer,
    check_positive,
    drop_weightless,
    n_threads_of,
)
from hedgerow.mondrian._learning import FEWEST_IN_BLOCK
from hedgerow.mondrian._reviews import WORK_BETWEEN_SIGNALS, ReviewedForest
from hedgerow.mondrian._scaling import ColumnScaling

Floats = npt.NDArray[np.float64]


class MondrianForest(ReviewedForest, BaseEstimator):  # type: ignore[misc]
    """Base of all Mondrian forests. A subclass brings the label model: what labels are, and what is predicted."""

    n_estimators: int
    lifetime: float
    window: int | None
    n_jobs: int | None
    random_state: Any

    _SHAPING: ClassVar[tuple[str, ...]] = (
        "n_estimators",
        "min_samples_split",
        "lifetime",
        "scaling",
        "hyperparameters",
        "window",
    )

    # What the label model decides.

    @abstractmethod
    def _begin_labels(self, y: Any) -> None:
        """Take bearings from the first labels: all of a batch, or the very first of a stream."""

    @abstractmethod
    def _encode_labels(self, y: Any) -> Floats:
        """Labels as the core takes them."""

    def _encode_known_labels(self, y: Any) -> Floats:
        """Return labels as the core may hold them already."""
        return self._encode_labels(y)

    def _read_labels(self, y: Any) -> Floats:
        """Return labels that are about to come in a stream, checked."""
        return self._encode_labels(y)

    def _arrive(self, labels: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Return the next of the labels read, as the core takes them, and weights: one, and as many as are alike."""
        return labels, weights

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
        self._check_parameters()
        X, y = self._validated(X, y, reset=True)
        X, y, weights = drop_weightless(X, y, sample_weight)
        if X.shape[0] == 0:
            raise ValueError("every sample_weight is zero: there is no row to learn")
        recent = slice(None if self.window is None else -self.window, None)
        self._begin_labels(y)
        self._begin_target(X[recent], y[recent], weights[recent])
        labels = self._encode_labels(y)
        weights = self._weigh(labels, weights, online=False)
        self._warn_if_light(weights, X.shape[0])
        sample = self._sample(X[recent], labels[recent], weights[recent])
        warn_if_doubtful(sample.copies)
        self._learn_batch(sample, draw_seed(self.random_state))
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn rows online, one after another, in time that grows like the depth of the trees.

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
        return self._learn_stream(self._stream(X, y, sample_weight))

    def learn_one(self, x: Any, y: Any) -> Self:
        """Learn one row: a mapping from feature names to numbers, a sequence or a 1-D array.

        The first row may be the first call; a mapping then names the features.
        """
        if self.__sklearn_is_fitted__():
            label = self._encode_label(y)
            self._with_row(self._core.learn_one, x, label, self._weigh_one(label))
        else:
            row, label, weight = self._prepared_first(x, y)
            self._core.learn_one(row, label, weight)
        self._review_if_due()
        return self

    def unlearn(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, *, relearn: bool = False) -> Self:
        """Take rows out of the trees, or forget them altogether.

        Given the units of the columns and the hyper-parameters, the trees become trees that have never seen the rows,
        in distribution. What the rows have taught units and hyper-parameters stays. With `relearn` that goes too: the
        result is what `fit` on the rows left, in the order in which they are held, would give with the same seed.

        Parameters
        ----------
        X, y : as given when the rows were learned
            Each row must have been learned, and not unlearned since. If one is not found, none is unlearned.
        sample_weight : array of shape (n_samples,), optional
            Tells rows apart that differ in weight only.
        relearn : bool, default=False
            Learn everything anew from the rows left: ranges and ranks of the columns, how fast they are cut, smoothing,
            intervals, classes. Costs a `fit`. `n_samples_seen_` then counts the rows left only; if none is, the model
            is as it was before its first row.

        Returns
        -------
        self
        """
        self._check_learned()
        X, y = self._validated(X, y, reset=False)
        X, y, weights = drop_weightless(X, y, sample_weight)
        labels = self._encode_known_labels(y)
        return self._forget(X, labels, self._weighted(labels, weights) if weights.size else weights, relearn)

    def unlearn_one(self, x: Any, y: Any, *, relearn: bool = False) -> Self:
        """Forget one row; see `unlearn`."""
        self._check_learned()
        row, label = self._read_row(x).reshape(1, -1), np.array([self._encode_known_label(y)])
        return self._forget(row, label, NO_WEIGHTS, relearn)

    def apply(self, X: Any) -> npt.NDArray[np.uint32]:
        """Return the number of the leaf in which each row falls, per tree: shape (n_samples, n_estimators)."""
        X = self._query_rows(X)
        return np.asarray(self._core.leaves(X, n_threads_of(self.n_jobs)))

    def cells(self, X: Any) -> Floats:
        """Return the cell of each row in each tree: shape (n_samples, n_estimators, n_features, 2).

        A cell lies between the last cuts below and above the row on its way to a leaf; where nothing was cut its bound
        is infinite. Rows in the open interior of one cell fall in the same leaf.
        """
        X = self._query_rows(X)
        return np.asarray(self._core.cells(X, n_threads_of(self.n_jobs)))

    @property
    def axis_rates_(self) -> Floats:
        """How fast each column is cut, per unit of its scaled length; the fastest at 1. All 1 unless learned."""
        self._check_learned()
        rates: Floats = self._scaling.rates if self._scaling.rates.size else np.ones(self._core.width)
        return rates

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in how much labels change across the cuts of the trees, less what noise explains."""
        self._check_learned()
        gains = self._core.contrasts(FEWEST_IN_BLOCK, self._groups_held())[0].clip(min=0.0)
        shares: Floats = gains / gains.sum() if gains.sum() > 0 else np.full(gains.size, 1.0 / gains.size)
        return shares

    @property
    def n_nodes_(self) -> int:
        """Number of nodes in all trees together."""
        self._check_learned()
        return int(self._core.n_nodes)

    @property
    def depth_(self) -> int:
        """Length of the longest way from a root to a leaf."""
        self._check_learned()
        return int(self._core.depth)

    @property
    def n_samples_seen_(self) -> int:
        """Number of rows ever learned, weightless ones left out. `fit` and relearning begin to count anew."""
        self._check_learned()
        return int(self._core.arrivals)

    @property
    def n_samples_(self) -> int:
        """Number of rows held now: learned, not unlearned, within the window."""
        self._check_learned()
        return int(self._core.n_rows)

    def check_structure(self) -> list[str]:
        """Check every tree against the definition of a Mondrian tree.

        Returns
        -------
        broken : list of str
            A sentence for each rule that is broken. Always empty, or there is a bug.
        """
        self._check_learned()
        return list(self._core.broken_rules())

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_core")

    def __sizeof__(self) -> int:
        """Bytes, those of the core included: Python sees nothing of them."""
        own: int = super().__sizeof__()
        return own + int(self._core.n_bytes) if self.__sklearn_is_fitted__() else own

    # Below: private.

    def _check_parameters(self) -> None:
        check_integer("n_estimators", self.n_estimators, least=1)
        check_integer("min_samples_split", self._least_split, least=2)
        if self.hyperparameters not in ("paper", "learned"):
            raise ValueError(f"hyperparameters must be 'learned' or 'paper', got {self.hyperparameters!r}")
        if self.window is not None:
            check_integer("window", self.window, least=1)
        check_positive("lifetime", self.lifetime, or_infinite=True)
        n_threads_of(self.n_jobs)
        if self.scaling not in ("auto", "range", "half", "rank", "none"):
            raise ValueError(f"scaling must be 'auto', 'range', 'half', 'rank' or 'none', got {self.scaling!r}")

    def _check_unchanged(self) -> None:
        if not self.__sklearn_is_fitted__():
            return
        for name, value in self._shaped_by.items():
            if getattr(self, name) != value:
                raise ValueError(
                    f"{name} was {value!r} when the forest began and is {getattr(self, name)!r} now; "
                    "call fit to begin anew, or set it back"
                )

    def _forget(self, X: Floats, labels: Floats, weights: Floats, relearn: bool) -> Self:
        if relearn:
            self._check_parameters()
            self._check_unchanged()
            places = self._core.locate(X, labels, weights)
            n_found = places.size
        else:
            n_found = self._core.forget(X, labels, weights, n_threads_of(self.n_jobs))
        if n_found < X.shape[0]:
            raise ValueError(
                f"row {n_found} of the {X.shape[0]} to be unlearned is not in the forest: it was never learned, was "
                "unlearned before, or differs in a feature or its label; nothing was unlearned"
            )
        if relearn:
            self._learn_without(places)
        return self

    def _check_learned(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet: call fit, partial_fit or learn_one first."
            )
        if self._core.n_rows == 0:
            raise NotFittedError(f"This {type(self).__name__} has unlearned all its rows: let it learn some first.")

    def _validated(self, X: Any, y: Any, reset: bool) -> tuple[Floats, Any]:
        X, y = validate_data(self, X, y, reset=reset, dtype=np.float64, order="C", **self._y_checks())
        return X, y

    def _y_checks(self) -> dict[str, Any]:
        return {}

    def _query_rows(self, X: Any) -> Floats:
        self._check_learned()
        rows: Floats = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        return rows

    def _encode_label(self, y: Any) -> float:
        return float(self._encode_labels([y])[0])

    def _encode_known_label(self, y: Any) -> float:
        return self._encode_label(y)

    def _adopt(self, core: Any, scaling: ColumnScaling) -> None:
        self._core = core
        self._scaling = scaling
        self._shaped_by = {name: getattr(self, name) for name in self._SHAPING}
        self._read_row = RowReader(core.width, getattr(self, "feature_names_in_", None))

    def _begin(self, first_row: Floats) -> None:
        """An empty forest, in units taken from the first row alone; the first reviews will correct them."""
        core = self._empty_core(first_row.size, draw_seed(self.random_state))
        scaling = self._choose_scaling(first_row, first_row, lambda: (first_row.reshape(1, -1), NO_WEIGHTS))
        core.set_scaling(*scaling.arrays)
        self._set_label_model(core)
        self._adopt(core, scaling)

    def _with_row(self, call: Callable[..., Any], x: Any, *rest: Any) -> Any:
        """Call the core with one row: an array or a dictionary, unchecked, or else whatever can be read as one."""
        if type(x) is np.ndarray or type(x) is dict:
            try:
                return call(self._read_row.quickly(x), *rest)
            except (KeyError, TypeError, ValueError):
                pass  # reading it with care either mends it or says what is wrong
        return call(self._read_row(x), *rest)

    @all_or_nothing
    def _prepared_first(self, x: Any, y: Any) -> tuple[Floats, float, float]:
        """The very first row with its label and weight, and an empty forest for it."""
        self._check_parameters()
        names = np.asarray(list(x), dtype=object) if isinstance(x, Mapping) else None
        row = as_vector(list(x.values()) if isinstance(x, Mapping) else x)
        if row.size == 0:
            raise ValueError("a row must have at least one feature")
        row = RowReader(row.size, names)(row)
        self._begin_labels([y])
        label = self._encode_label(y)
        weight = self._weigh_one(label)
        self.n_features_in_ = row.size
        if names is not None:
            self.feature_names_in_ = names
        self._begin(row)
        return row, label, weight

    @all_or_nothing
    def _prepared(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, announced: Any
    ) -> tuple[Floats, Floats, Floats]:
        """Rows to be learned online, checked; if they are the first, there is an empty forest for them now.

        `announced` are labels that may come, or None.
        """
        self._check_parameters()
        first = not self.__sklearn_is_fitted__()
        self._check_unchanged()
        X, y = self._validated(X, y, reset=first)
        X, y, weights = drop_weightless(X, y, sample_weight)
        if X.shape[0] == 0:
            return X, NO_WEIGHTS, NO_WEIGHTS
        if first:
            self._begin_labels(y[:1])
        if announced is not None:
            self._encode_labels(announced)
        labels = self._read_labels(y)
        weights = self._weigh(labels, weights, online=True)
        if first:
            self._begin(X[0])
        return X, labels, weights

    def _stream(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, announced: Any = None
    ) -> Iterator[tuple[Floats, Floats, Floats]]:
        """Yield rows to be learned online, in pieces that end where a review is due, and hold the review."""
        X, labels, weights = self._prepared(X, y, sample_weight, announced)
        begin = 0
        while begin < X.shape[0]:
            self._review_if_due()
            longest = max(1, WORK_BETWEEN_SIGNALS // self._core.n_trees)
            end = min(begin + longest, X.shape[0], begin + self._core.next_review - self._core.arrivals)
            arriving = self._arrive(labels[begin:end], weights[begin:end])
            end = begin + arriving[0].shape[0]
            yield X[begin:end], *arriving
            begin = end
        if begin > 0:
            self._review_if_due()

    def _learn_stream(self, stream: Iterator[tuple[Floats, Floats, Floats]]) -> Self:
        for rows in stream:
            self._core.learn(*rows, n_threads_of(self.n_jobs))
        return self
