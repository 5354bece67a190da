"""Forgetting rows, for models that can."""

from __future__ import annotations

from typing import Any

from hedgerow.base.columns import Cells
from hedgerow.base.rows import NO_WEIGHTS, Floats, Rows, drop_weightless
from hedgerow.base.work import all_or_nothing, forget_everything


class Unlearning:
    """The part of an estimator that forgets rows. Its learner has `forget`, or at least `without` and `seed`."""

    def _unlearn(self: Any, X: Any, y: Any, sample_weight: Any, relearn: bool) -> Any:
        self._check_learned()
        cells, y = self._read(X, y, False)
        values, y, weights = drop_weightless(cells.values, y, sample_weight)
        rows = Rows(self._held(values), self._known(y), weights)
        return self._forget(self._weighed_known(rows), relearn)

    def _unlearn_one(self: Any, x: Any, y: Any, relearn: bool) -> Any:
        self._check_learned()
        values = self._current.reader.values(x).reshape(1, -1)
        return self._forget(Rows(self._held(values), self._known(self._as_vector(y)), NO_WEIGHTS), relearn)

    def _held(self: Any, values: Floats) -> Floats:
        """Return what the learner has seen of rows, or raise ValueError if it cannot have seen one of them."""
        strange = self._columns.are_strange(values)
        if strange.any():
            check_found(int(strange.argmax()), strange.size)
        axes: Floats = self._columns.axes(values)
        return axes

    @all_or_nothing
    def _forget(self: Any, rows: Rows, relearn: bool) -> Any:
        query, learner = self._QUERY.of(self), self._learner
        if not relearn:
            learner.forget(rows, query)
            return self
        self._check_unchanged()
        left = learner.without(rows)
        if left.y.size:
            values = self._columns.values(left.X)
            self._take_columns(Cells(self._columns.words, values), is_batch=True)
            rows = self._anew(left._replace(X=self._columns.axes(values)))
            kind = self._learner_of(rows)
            self._learner = kind.begin(rows, learner.settings, learner.seed, query, **self._described())
        else:
            forget_everything(self)
        return self

    # What a regressor does; a classifier knows classes by name.

    def _known(self: Any, y: Any) -> Any:
        """Targets that may have been learned."""
        return self._encode(y, False)

    def _weighed_known(self, rows: Rows) -> Rows:
        """Return rows that may have been learned with the weights that the learner has seen."""
        return rows

    def _anew(self, rows: Rows) -> Rows:
        """Return rows that the learner gave back as if they came first."""
        return rows


def check_found(n_found: int, n_rows: int) -> None:
    """Raise ValueError unless all rows that are to be unlearned were found."""
    if n_found < n_rows:
        raise ValueError(
            f"row {n_found} of the {n_rows} to be unlearned is not among those learned: it was never learned, was "
            "unlearned before, or differs in a feature or its target; nothing was unlearned"
        )
