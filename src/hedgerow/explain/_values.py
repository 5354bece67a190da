"""Shapley values of the columns of rows, by predicting mixtures of these and background rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hedgerow.explain._coalitions import Coalitions, Masks
from hedgerow.numeric.arrays import Floats

NUMBERS_AT_A_TIME = 2**21
"""Cells of mixtures that are predicted by one call. Between two calls Python looks for Ctrl-C."""

Predict = Callable[[Floats], Floats]
"""What is explained: from rows to one number or one vector each."""


class ShapleyValues(NamedTuple):
    """Values of columns, their standard error, and the mean of the background; the last axis is that of outputs."""

    values: Floats  # (n_rows, n_columns, n_outputs)
    error: Floats
    base: Floats  # (n_outputs,)


def shapley_values(
    predict: Predict, rows: Floats, background: Floats, coalitions: Coalitions, others: Floats | None = None
) -> ShapleyValues:
    """Return the value of each column of each row.

    One background row after another is turned into the row, column by column, as the coalitions order; what a column
    changes is its value, in the mean over background rows. Values add up to the prediction of the row less that
    of the background, in the mean.

    If `others` are given, background rows stand for all rows from which these were drawn too. In the mean over all of
    them every column's value is zero, for turning one row into another undoes turning it back. So what the values of
    `others` are in the mean is an error of the few background rows, for the most part the same for all rows, and is
    subtracted. Values then add up to the prediction of the row less that of `others`, in the mean.
    """
    n, width = rows.shape
    of_background, of_rows = _predict(predict, background), _predict(predict, rows)
    step = _rows_at_a_time(coalitions)
    shift, shift_error, base = _centre(predict, background, coalitions, of_background, others)
    values, error = np.empty((2, n, width, of_rows.shape[1]))
    for begin in range(0, n, step):
        some = slice(begin, begin + step)
        each = _each(predict, rows[some], background, coalitions, of_background, of_rows[some]) - shift
        values[some], error[some] = each.mean(axis=1), np.hypot(_standard_error(each), shift_error)
    return ShapleyValues(values, error, base)


def _centre(
    predict: Predict, background: Floats, coalitions: Coalitions, of_background: Floats, others: Floats | None
) -> tuple[Floats | float, Floats | float, Floats]:
    """Return what values by each background row are in the mean over others, the error of that, and their mean."""
    if others is None:
        return 0.0, 0.0, of_background.mean(axis=0)
    of_others = _predict(predict, others)
    step = _rows_at_a_time(coalitions)
    total, values = 0.0, []
    for begin in range(0, len(others), step):
        some = slice(begin, begin + step)
        each = _each(predict, others[some], background, coalitions, of_background, of_others[some])
        total = total + each.sum(axis=0)
        values.append(each.mean(axis=1))
    error = np.concatenate(values).std(axis=0, ddof=1) / math.sqrt(len(others))
    return total / len(others), error, of_others.mean(axis=0)


def _each(
    predict: Predict, rows: Floats, background: Floats, coalitions: Coalitions, of_background: Floats, of_rows: Floats
) -> Floats:
    """Values by each background row: shape (n_rows, n_background, n_columns, n_outputs)."""
    (n_background, n_mixtures, width), n = coalitions.masks.shape, rows.shape[0]
    step = max(1, NUMBERS_AT_A_TIME // (n * max(1, n_mixtures) * width))
    found = []
    for begin in range(0, n_background, step):
        some = slice(begin, begin + step)
        weights = coalitions.weights[some]
        each = np.einsum("bc,bo->bco", weights[..., -2], of_background[some])
        each = each + np.einsum("bc,no->nbco", weights[..., -1], of_rows)
        if n_mixtures:
            predicted = _predict_mixtures(
                predict, rows, background[some], coalitions.masks[some], of_background[some], of_rows
            )
            each += np.einsum("bcm,nbmo->nbco", weights[..., :-2], predicted)
        found.append(each)
    return np.concatenate(found, axis=1)


def _predict_mixtures(
    predict: Predict, rows: Floats, background: Floats, masks: Masks, of_background: Floats, of_rows: Floats
) -> Floats:
    """Predictions of mixtures: shape (n_rows, n_background, n_mixtures, n_outputs).

    Where a row has the value of a background row, nothing changes as it is replaced, and nothing is predicted again:
    tables with categories and whole numbers have many such cells.
    """
    differs = rows[:, None] != background
    changed = masks & differs[:, :, None]  # the columns that make a mixture differ from the background row
    is_new = np.ones(changed.shape[:3], dtype=bool)
    is_new[:, :, 0] = changed[:, :, 0].any(axis=-1)
    is_new[:, :, 1:] = (changed[:, :, 1:] != changed[:, :, :-1]).any(axis=-1)
    is_row = (changed == differs[:, :, None]).all(axis=-1)
    n_rows, n_background, n_mixtures = is_new.shape
    found = np.empty((n_rows, n_background, n_mixtures, of_rows.shape[1]))
    found[:, :, 0] = of_background  # unless it is predicted, or the row itself
    found[is_row] = np.broadcast_to(of_rows[:, None, None], found.shape)[is_row]
    is_predicted = is_new & ~is_row
    if is_predicted.any():
        row, other, mixture = np.nonzero(is_predicted)
        found[is_predicted] = _predict(predict, np.where(masks[other, mixture], rows[row], background[other]))
    for place in range(1, n_mixtures):
        is_same = ~is_new[:, :, place] & ~is_row[:, :, place]
        found[:, :, place][is_same] = found[:, :, place - 1][is_same]
    return found


def _rows_at_a_time(coalitions: Coalitions) -> int:
    return max(1, NUMBERS_AT_A_TIME // max(1, coalitions.masks.size))


def _standard_error(each: Floats) -> Floats:
    """Return how far the mean over background rows may be off; those whose orders are opposite count as one."""
    n = each.shape[1]
    if n < 4:
        return np.full((each.shape[0], *each.shape[2:]), math.nan)
    even = each[:, : n - n % 2]
    pairs = 0.5 * (even[:, ::2] + even[:, 1::2])
    error: Floats = pairs.std(axis=1, ddof=1) / math.sqrt(pairs.shape[1])
    return error


def _predict(predict: Predict, rows: Floats) -> Floats:
    """Return predictions of rows, one or several numbers each."""
    predicted = predict(np.ascontiguousarray(rows))
    if not np.isfinite(predicted).all():
        raise ValueError(
            "what is to be explained has no end for some rows, so that differences of it mean nothing; intervals are "
            "infinite while too few rows have been scored: let the model learn more, or ask for a lower confidence"
        )
    return predicted.reshape(predicted.shape[0], -1)
