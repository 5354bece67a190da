"""A model that learns row by row: batches, single rows, and what rows that bring something new lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hedgerow.base.columns import Cells, Selection
from hedgerow.base.estimator import Current, Estimator
from hedgerow.base.guard import guards_itself
from hedgerow.base.rows import NextRows, Rows, first_row
from hedgerow.base.seed import draw_seed
from hedgerow.base.summary import name_of
from hedgerow.base.work import all_or_nothing, all_rows_or_none, forget_everything


class OnlineEstimator(Estimator):
    """A model that learns row by row."""

    _NATIVE_ROWS: ClassVar[bool] = False  # whether the core itself refuses rows that are no finite vectors of its width

    @all_rows_or_none
    def partial_fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn rows online, one after another.

        The result does not depend on how rows are split into batches. Ctrl-C, or memory that runs out, leaves a model
        that has learned the first ``n_samples_seen_`` rows; any other error leaves it as it was.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.

        Returns
        -------
        self
        """
        for rows in self._in_turn(self._next_rows(X, y, sample_weight)):
            self._learner.learn(rows, self._current.query)
        return self

    @guards_itself
    def learn_one(self, x: Any, y: Any) -> Self:
        """Learn one row: a mapping from feature names to values, a sequence or a 1-D array.

        The first row may be the first call; a mapping then names the features. What each column is taken for follows
        from it: text is a category. A value that is missing is None or NaN.
        """
        with self._changing:
            current = self._kept
            if current is None or not current.is_unchanged:
                if not self.__sklearn_is_fitted__():
                    row = self._first_row(x, y)
                    self._learner.learn(row, self._current.query)
                    return self
                current = self._unchanged
            self._with_row(self._learner.learn_one, x, *self._encode_one(y), current.query, learns=True)
            self._learner.review_if_due(current.query)
            return self

    @property
    def n_samples_seen_(self) -> int:
        """Number of rows ever learned, weightless ones left out. `fit` and relearning begin to count anew."""
        self._check_learned()
        return int(self._learner.n_seen)

    # Below: private.

    def _encode_one(self, y: Any) -> tuple[float, float]:
        """What the learner learns of one target or label, and the row's weight."""
        raise NotImplementedError

    @all_or_nothing
    def _next_rows(self, X: Any, y: Any, sample_weight: Any, **announced: Any) -> NextRows:
        """Rows to be learned online, checked; if they are the first, there is an empty learner for them now.

        What is announced are classes that may come.
        """
        first = not self.__sklearn_is_fitted__()
        settings, query = self._SETTINGS.of(self), self._QUERY.of(self)
        if not first:
            self._check_unchanged()
        rows = self._checked(X, y, sample_weight, first=first, **announced)
        if first:
            self._take_columns(rows.cells.part(slice(1)), is_batch=False)
            self._target_name = name_of(y)
        rows = rows._replace(weights=self._weighed(self._seen(rows), online=True).weights)
        if first and rows.y.shape[0]:
            seed, opening = draw_seed(self.random_state), self._seen(rows.part(slice(1)))
            self._learner = self._learner_of(opening).open(opening, settings, seed, query, **self._described())
        elif first:
            forget_everything(self)  # rows without weight are as if they had never come, columns and classes included
        return rows

    def _seen(self, rows: NextRows) -> Rows:
        """Return what the learner sees of rows, as far as the map of columns knows them."""
        return Rows(self._columns.axes(rows.cells.values), rows.y, rows.weights)

    def _in_turn(self, rows: NextRows) -> Iterator[Rows]:
        """Yield rows to be learned before the next are read: those that bring something new begin a piece."""
        begin, n, may_widen = 0, rows.y.shape[0], hasattr(getattr(self, "_learner", None), "widened")
        while begin < n:
            end = begin + self._columns.n_unsurprising(rows.cells.part(slice(begin, n)), may_widen)
            if end == begin:
                self._update_columns(rows.cells.part(slice(begin, begin + 1)))
                end += 1 + self._columns.n_unsurprising(rows.cells.part(slice(begin + 1, n)), may_widen)
            yield self._seen(rows.part(slice(begin, end)))
            begin = end

    @all_or_nothing
    def _first_row(self, x: Any, y: Any) -> Rows:
        """The very first row, and an empty learner for it."""
        settings, query = self._SETTINGS.of(self), self._QUERY.of(self)
        names, cells = first_row(x, Selection.of(self.categorical_features))
        labels = self._encode(self._as_vector(y), True)
        self.n_features_in_ = len(cells.kinds)
        if names is not None:
            self.feature_names_in_ = names
        self._take_columns(cells, is_batch=False)
        self._target_name = None
        rows = self._weighed(Rows(self._columns.axes(cells.values), labels), online=True)
        seed = draw_seed(self.random_state)
        self._learner = self._learner_of(rows).open(rows, settings, seed, query, **self._described())
        return rows

    def _as_vector(self, y: Any) -> Any:
        """One target or label, as a vector."""
        return [y]

    @property
    def _unchanged(self) -> Current:
        """What follows from the parameters; ValueError if one that shapes learning has been changed."""
        current = self._current
        if not current.is_unchanged:
            self._check_unchanged()
            current.is_unchanged = True
        return current

    def _with_row(self, call: Callable[..., Any], x: Any, *rest: Any, learns: bool = False) -> Any:
        """Call the learner with one row, checked.

        An array or a dictionary of numbers is handed to the core unchecked if the core raises ValueError or TypeError,
        and changes nothing, where it is not a vector of finite numbers.
        """
        kept = self._kept
        reader = (self._current if kept is None else kept).reader
        if self._NATIVE_ROWS and reader.columns.is_plain:
            try:
                if type(x) is np.ndarray:
                    return call(x, *rest)
                if type(x) is dict:
                    return call(reader.quickly(x), *rest)
            except (KeyError, TypeError, ValueError, OverflowError):
                pass  # reading it with care either mends it or raises with the reason
        if learns:
            cells = reader.cells(x)
            if not reader.columns.n_unsurprising(cells, hasattr(self._learner, "widened")):
                return self._learn_surprise(call, cells, *rest)
        return call(reader(x), *rest)

    @all_or_nothing
    def _learn_surprise(self, call: Callable[..., Any], cells: Cells, *rest: Any) -> Any:
        """Learn one row that brings something that the map of columns does not know."""
        before = self._learner
        self._update_columns(cells)
        call = call if self._learner is before else self._learner.learn_one
        return call(self._columns.axes(cells.values)[0], *rest)
