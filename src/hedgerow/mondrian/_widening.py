"""More columns for a forest that has rows already, each with one value for all of these rows.

A column that is constant has no length, so a Mondrian process never cuts it. The trees are therefore those that would
have been grown had the column been there from the first row on, and none has to be grown again.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from hedgerow._persistence import Arrays
from hedgerow._validation import NO_WEIGHTS
from hedgerow.mondrian._files import ForestFiles
from hedgerow.mondrian._scaling import ColumnScaling

Floats = npt.NDArray[np.float64]


class WideningForest(ForestFiles):
    """The part of a Mondrian forest that takes more columns. It changes what would be written to a file."""

    @abstractmethod
    def _choose_scaling(self, lower: Floats, upper: Floats, rows: Any) -> ColumnScaling:
        """Return the units that columns of this range, or with these rows, are to have."""

    def _widened(self, values: Floats) -> Self:
        """Return a forest for wider rows: the same trees; in the added columns, all rows held have `values`.

        For forests that know their columns by number. This one stays as it is.
        """
        state = self._fitted_state()
        if state is None or hasattr(self, "feature_names_in_"):
            raise ValueError("only a forest that has learned rows without names can be widened")
        numbers, arrays = state
        added = self._choose_scaling(values, values, lambda: (values.reshape(1, -1), NO_WEIGHTS))
        wider: Self = clone(self)
        width = numbers["width"] + values.size
        wider._restore_fitted_state({**numbers, "width": width}, with_constant_columns(arrays, added))
        return wider


def with_constant_columns(arrays: Arrays, added: ColumnScaling) -> Arrays:
    """Return a core's arrays with columns added in which all rows have the value that `added` maps to 0."""
    n_rows, width, n_added = arrays["rows.labels"].size, arrays["scaling.slopes"].size, added.slopes.size
    narrow = arrays["rows.features"].reshape(n_rows, width)
    as_given = arrays["rows.given"].reshape(n_rows, width)
    first_knot = arrays["scaling.first_knot"]
    rates = arrays["scaling.rates"]
    wider = {
        "scaling.rates": np.concatenate([rates, np.ones(n_added)]) if rates.size else rates,
        "rows.given": np.column_stack([as_given, np.broadcast_to(added.values, (n_rows, n_added))]).ravel(),
        "rows.features": np.pad(narrow, ((0, 0), (0, n_added))).ravel(),
        "scaling.first_knot": np.concatenate([first_knot, first_knot[-1] + added.first_knot[1:]]),
        "scaling.values": np.concatenate([arrays["scaling.values"], added.values]),
        "scaling.images": np.concatenate([arrays["scaling.images"], added.images]),
        "scaling.slopes": np.concatenate([arrays["scaling.slopes"], added.slopes]),
    }
    return {**arrays, **wider}
