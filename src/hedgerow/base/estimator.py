"""What every model is to its user: parameters, one door for rows, and a learner that holds what has been learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from hedgerow.base.columns import Cells, Columns, Selection
from hedgerow.base.guard import Guarded
from hedgerow.base.progress import progress
from hedgerow.base.rows import Floats, NextRows, RowReader, Rows, drop_weightless, read
from hedgerow.base.seed import draw_seed
from hedgerow.base.settings import Query, Settings
from hedgerow.base.summary import Summarised, name_of
from hedgerow.base.work import all_or_nothing
from hedgerow.files import Saveable, Stored

WIDEST = 2**31 - 1
WIDEST_UNMAPPED = 2**16
"""Columns of a file that does not describe them one by one: only this many are believed to be there."""


@dataclass(slots=True)
class Current:
    """What follows from the parameters as they are now; made anew when one of them is set."""

    query: Any
    reader: RowReader
    is_unchanged: bool = False  # whether it is known that no parameter that shapes learning has been changed


class Estimator(Guarded, Saveable, Summarised, BaseEstimator):  # type: ignore[misc]
    """Base of all models. A model names its settings, its query and its learner, and defines what is predicted."""

    _SETTINGS: ClassVar[type[Settings]]
    _QUERY: ClassVar[type[Settings]] = Query
    _LEARNER: ClassVar[Any]
    _Y_CHECKS: ClassVar[dict[str, Any]] = {}
    _N_PLACES: ClassVar[int] = 3  # axes of a column of categories

    categorical_features: Any
    random_state: Any
    n_features_in_: int

    _columns: Columns  # absent before the first row, as is what was learned
    _chosen: Any  # `categorical_features` when learning began
    _learner: Any

    # What follows from the parameters is kept until one of them is set. It is no attribute of the model.
    __slots__ = ("_kept",)
    _kept: Current | None

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn all rows in batch, forgetting whatever was learned before.

        Parameters
        ----------
        X : array, frame, sparse matrix or dictionary of columns, of shape (n_samples, n_features)
            Numbers, categories, dates, durations; values may be missing.
        y : array of shape (n_samples,)
            Targets, or labels of classes. Several targets, where a model takes them: (n_samples, n_targets).
        sample_weight : array of shape (n_samples,), optional
            A row of weight w counts as w rows of weight one. Rows of weight zero are ignored. Weights are at most
            1e30, and zero below 1e-30.

        Returns
        -------
        self
        """
        settings, query = self._SETTINGS.of(self), self._QUERY.of(self)
        rows = self._batch(X, y, sample_weight)
        learner = self._learner_of(rows)
        with progress(f"fitting {type(self).__name__}", getattr(self, "progress", None)):
            self._learner = learner.begin(rows, settings, draw_seed(self.random_state), query, **self._described())
        return self

    @property
    def column_kinds_(self) -> dict[str, str]:
        """What each column was taken for: "number", "boolean", "category", "date", "time" or "duration"."""
        self._check_fitted()
        return dict(zip(self._feature_names(), self._columns.words, strict=True))

    @property
    def axis_names_(self) -> list[str]:
        """What trees cut, in the order of `axis_rates_`: columns, parts of dates, places of categories, absence."""
        self._check_fitted()
        return self._columns.axis_names(self._feature_names())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "_learner" in vars(self)

    def __setattr__(self, name: str, value: Any) -> None:
        """Look at the parameters again before the next call if one is set."""
        if name[0] == "_":
            super().__setattr__(name, value)
            return
        with self._changing:
            super().__setattr__(name, value)
            self._forget_what_follows()

    def __sizeof__(self) -> int:
        """Bytes, those of the core included: Python sees nothing of them."""
        own: int = super().__sizeof__()
        return own + int(getattr(self._learner, "n_bytes", 0)) if self.__sklearn_is_fitted__() else own

    # The door.

    def _checked(self, X: Any, y: Any, sample_weight: Any, *, first: bool, **announced: Any) -> NextRows:
        """Rows to be learned, checked. If they are the first, the model takes number and names of columns from them."""
        cells, y = self._read(X, y, first)
        values, y, weights = drop_weightless(cells.values, y, sample_weight)
        return NextRows(cells._replace(values=values), self._encode(y, first, **announced), weights)

    def _batch(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        """Return what the learner sees of the rows of a batch, from which columns and classes are taken."""
        cells, labels, weights = self._checked(X, y, sample_weight, first=True)
        if labels.shape[0] == 0:
            raise ValueError("every sample_weight is zero: there is no row to learn")
        self._take_columns(cells, is_batch=True)
        self._target_name = name_of(y)
        return self._weighed(Rows(self._columns.axes(cells.values), labels, weights), online=False)

    def _read(self, X: Any, y: Any, reset: bool) -> tuple[Cells, Any]:
        return read(self, X, y, reset=reset, **self._Y_CHECKS)

    def _take_columns(self, cells: Cells, is_batch: bool) -> None:
        """Take the map of columns from the first rows."""
        self._columns = Columns.of(cells, is_batch=is_batch, n_places=self._N_PLACES)
        self._chosen = self.categorical_features
        self._forget_what_follows()

    def _check_unchanged(self) -> None:
        """Raise ValueError if a parameter that shapes learning has been changed since it began."""
        self._learner.settings.check_unchanged(self._SETTINGS.of(self))
        Selection.check_unchanged(self._chosen, self.categorical_features)

    def _update_columns(self, cells: Cells) -> None:
        """Update the map of columns with rows that come; axes that are new are constant in all rows before."""
        columns, constants = self._columns.updated(cells, may_widen=hasattr(self._learner, "widened"))
        if columns != self._columns:
            self._columns, described = columns, self._described()
            if constants.size or described:
                self._learner = self._learner.widened(constants)
            for name, value in described.items():
                setattr(self._learner, name, value)
            self._forget_what_follows()

    def _described(self) -> dict[str, Any]:
        """Return what a learner must know of the columns."""
        return {}

    def _encode(self, y: Any, first: bool) -> Floats:
        """What learners learn of targets or labels."""
        raise NotImplementedError

    def _weighed(self, rows: Rows, online: bool) -> Rows:
        """Return rows with the weights that the learner sees."""
        return rows

    def _learner_of(self, rows: Rows) -> Any:
        """Return the class of what learns such rows."""
        return self._LEARNER

    def _learner_in(self, stored: Stored) -> Any:
        """Return the class of the learner that a file holds."""
        return self._LEARNER

    def _query_rows(self, X: Any) -> Floats:
        """Rows of a query, checked, unless they come as cells, which have been."""
        self._check_learned()
        cells = X if isinstance(X, Cells) else read(self, X, reset=False)[0]
        return self._columns.axes(cells.values)

    def _one_row(self, x: Any) -> Floats:
        """One row of a query, checked, as a table."""
        self._check_learned()
        return self._current.reader(x).reshape(1, -1)

    def _check_learned(self) -> None:
        self._check_fitted()
        if getattr(self._learner, "is_empty", False):
            raise NotFittedError(f"This {type(self).__name__} has unlearned all its rows: let it learn some first.")

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            first = "fit, partial_fit or learn_one" if hasattr(self, "partial_fit") else "fit"
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet: call {first} first.")

    @property
    def _current(self) -> Current:
        """What follows from the parameters now."""
        kept = self._kept
        if kept is None:
            kept = self._kept = self._following_from(self._QUERY.of(self))
        return kept

    def _forget_what_follows(self) -> None:
        self._kept = None

    def _following_from(self, query: Any) -> Current:
        names = getattr(self, "feature_names_in_", None)
        return Current(query, RowReader(names, self.n_features_in_, self._columns))

    def _feature_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    # Files.

    def _check_parameters(self) -> None:
        self._SETTINGS.of(self)
        self._QUERY.of(self)
        check_random_state(self.random_state)
        Selection.of(self.categorical_features)

    def _state(self) -> dict[str, Any] | None:
        if not self.__sklearn_is_fitted__():
            return None
        names = self._feature_names() if hasattr(self, "feature_names_in_") else None
        columns: dict[str, Any] = {"width": int(self.n_features_in_), "names": names, "map": self._columns.state()}
        columns |= {} if self._target_name is None else {"target": self._target_name}
        return {"columns": columns, "settings": self._learner.settings.state(), "learner": self._learner.state()}

    def _restore(self, stored: Stored) -> None:
        columns = stored.part("columns")
        width, names = columns.integer("width", 1, WIDEST), columns.any("names")
        if names is not None:
            if not isinstance(names, list) or len(names) != width:
                raise ValueError("it names another number of features than it has")
            self.feature_names_in_ = np.asarray([str(name) for name in names], dtype=object)
        self.n_features_in_, self._chosen = width, self.categorical_features
        known = "map" in columns  # in the first files there were numbers only
        if not known and width > WIDEST_UNMAPPED:
            raise ValueError("it has no description of its columns")
        self._columns = Columns.from_state(columns.part("map"), width) if known else Columns.of_numbers(width)
        self._target_name = str(columns.any("target")) if "target" in columns else None
        settings = self._SETTINGS.from_state(stored.part("settings"))
        learner = stored.part("learner")
        self._learner = self._learner_in(learner).from_state(learner, settings, self._columns.width)
