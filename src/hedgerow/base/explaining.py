"""How all models explain what they predict."""

from __future__ import annotations

import numbers
from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from hedgerow.base.columns import Cells
from hedgerow.base.columns.table import NUMBERS, python_columns
from hedgerow.base.rows import Floats, read
from hedgerow.base.seed import draw_seed
from hedgerow.explain import Explanation, all_coalitions, random_orders, shapley_values
from hedgerow.predictive._distribution import confidence_of

N_BACKGROUND = 32
"""Background rows by default."""

N_OTHERS = 4
"""For each of them, rows whose values show how far the background is from the rows that it was drawn from."""

MOST_EXACT, MOST_EXACT_REQUESTED = 4, 12
"""Columns of which all sets are looked at by default: 14 predictions for each background row; and at most."""

OUTPUTS, METHODS = ("mean", "width"), ("auto", "exact", "sampled")


class Explained:
    """The part of a model that explains which columns have moved a prediction."""

    def explain(
        self: Any,
        X: Any,
        output: str = "mean",
        *,
        confidence: float = 0.9,
        background: Any = N_BACKGROUND,
        method: str = "auto",
        random_state: Any = 0,
    ) -> Explanation:
        """Say how far each column has moved the prediction of each row: Shapley values, also called SHAP values.

        A background row is turned into the row that is explained, one column after another, and what the prediction
        changes at a column is that column's value, in the mean over background rows and over orders of the columns. The
        values of a row add up to its prediction less the mean prediction of the background. Columns are those of X,
        whatever the model makes of them; rows that mix X and background need not be likely.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Rows.
        output : {"mean", "width"}, default="mean"
            What is explained: the mean, or the probability of each class; or how wide the prediction interval is.
        confidence : float, default=0.9
            Of the interval, if its width is explained.
        background : int, array or frame, default=32
            Rows to compare with, or how many of them to draw: from the rows that the model holds, or from X if it holds
            none. Time is proportional to their number, and errors to one over its root. If rows are drawn, values are
            those with all rows as background, estimated: for each row drawn, four others are explained too, and the
            mean of their values, which is zero for all rows, is subtracted.
        method : {"auto", "exact", "sampled"}, default="auto"
            "exact" takes the mean over all orders of the columns, of which there may be 12. "sampled" draws one order
            for each background row; every second is the one before it backwards. "auto" is "exact" up to 4 columns.
        random_state : int, RandomState or None, default=0
            Random seed of orders and background rows. All rows of X share them.

        Returns
        -------
        explanation : Explanation
            With `values`, `base_values`, `data`, `error`, a `sentence` for each row, and `to_shap`.
        """
        self._check_learned()
        predict = self._explained(_one_of("output", output, OUTPUTS), confidence_of(confidence))
        cells = read(self, X, reset=False)[0]
        width = len(cells.kinds)
        is_exact = _one_of("method", method, METHODS) == "exact" or (method == "auto" and width <= MOST_EXACT)
        if is_exact and width > MOST_EXACT_REQUESTED:
            raise ValueError(
                f"method='exact' looks at all sets of columns, of which {width} columns have too many: it takes at "
                f"most {MOST_EXACT_REQUESTED}; use 'sampled' with more background rows"
            )
        rng = np.random.default_rng(draw_seed(random_state))
        rows, others = self._background(background, cells, rng)
        coalitions = all_coalitions(width, len(rows)) if is_exact else random_orders(width, len(rows), rng)
        found = shapley_values(lambda mixed: predict(Cells(cells.kinds, mixed)), cells.values, rows, coalitions, others)
        names = self._output_names()
        one = slice(None) if names is not None else 0
        return Explanation(
            values=found.values[..., one],
            base_values=np.tile(found.base, (len(cells.values), 1))[:, one],
            data=_data(X, cells),
            error=found.error[..., one],
            feature_names=self._feature_names(),
            output_names=names,
            output=output,
            confidence=float(confidence),
            of_classes=is_classifier(self),
        )

    @abstractmethod
    def _explained(self, output: str, confidence: float) -> Any:
        """Return what is to be explained, as a function of cells."""

    @abstractmethod
    def _output_names(self) -> list[Any] | None:
        """Return the names of outputs, if there are several."""

    def _background(self: Any, background: Any, cells: Cells, rng: np.random.Generator) -> tuple[Floats, Floats | None]:
        """Return the rows to compare with, as one number a cell, and others that they stand for."""
        if not isinstance(background, numbers.Integral):
            return read(self, background, reset=False)[0].values, None
        if isinstance(background, bool) or background < 1:
            raise ValueError(f"background must be rows, or how many of them to draw, at least 1; got {background!r}")
        held = getattr(self._learner, "row_axes", None)
        if held is None and len(cells.values) < 2:
            raise ValueError(
                f"this {type(self).__name__} holds no rows to compare with; pass rows as background, or explain more "
                "than one row"
            )
        n = int(background)
        rows = cells.values if held is None else held
        drawn = rng.permutation(len(rows))[: (1 + N_OTHERS) * n]
        chosen: Floats = rows[drawn] if held is None else self._columns.values(rows[drawn])
        if len(rows) <= n:
            return chosen, None
        return chosen[:n], chosen if len(chosen) == len(rows) else chosen[n:]


def _one_of(name: str, given: Any, known: tuple[str, ...]) -> str:
    if not isinstance(given, str) or given not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {given!r}")
    return given


def _data(X: Any, cells: Cells) -> Any:
    """Return rows as they were given: numbers, or Python values if there are others."""
    if set(cells.kinds) <= set(NUMBERS):
        return cells.values
    data = np.empty(cells.values.shape, dtype=object)
    for c, column in enumerate(python_columns(X)):
        data[:, c] = column
    return data
