"""Which columns of a row are mixed into background rows, and what each mixture counts in the value of each column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import comb

from hedgerow.numeric.arrays import Floats

Masks = npt.NDArray[np.bool_]


class Coalitions(NamedTuple):
    """For each background row, the mixtures that are predicted besides the background row and the row itself.

    Attributes
    ----------
    masks : array of shape (n_background, n_mixtures, n_columns)
        Which columns a mixture has of the row that is explained. The others are those of the background row.
    weights : array of shape (n_background, n_columns, n_mixtures + 2)
        A column's value is the sum of the predictions of the mixtures, of the background row and of the row itself, in
        this order, times these.
    """

    masks: Masks
    weights: Floats


def all_coalitions(n_columns: int, n_background: int) -> Coalitions:
    """Return every set of columns, with the weights of Shapley (1953)."""
    numbers = np.arange(1, 2**n_columns - 1)
    inner = (numbers[:, None] >> np.arange(n_columns)) & 1 > 0
    masks = np.concatenate([inner, np.zeros((1, n_columns), dtype=bool), np.ones((1, n_columns), dtype=bool)])
    sizes = masks.sum(axis=1, keepdims=True)
    with_column = 1.0 / (n_columns * comb(n_columns - 1, np.maximum(sizes - 1, 0)))
    without = 1.0 / (n_columns * comb(n_columns - 1, np.minimum(sizes, n_columns - 1)))
    weights = np.where(masks, with_column, -without).T
    return Coalitions(*(np.broadcast_to(part, (n_background, *part.shape)) for part in (inner, weights)))


def random_orders(n_columns: int, n_background: int, rng: np.random.Generator) -> Coalitions:
    """Return, for each background row, the sets that arise as its columns are replaced one by one in a random order.

    Every second order is the one before it backwards, so that a column that came late comes early: what two columns do
    together is then shared more evenly (Mitchell and others 2022).
    """
    orders = rng.permuted(np.tile(np.arange(n_columns), ((n_background + 1) // 2, 1)), axis=1)
    orders = np.stack([orders, orders[:, ::-1]], axis=1).reshape(-1, n_columns)[:n_background]
    turns = np.argsort(orders, axis=1)  # when each column is replaced
    masks = turns[:, None, :] < np.arange(1, n_columns)[None, :, None]
    # Mixtures stand between the background row, before the first of them, and the row itself, behind the last.
    place = np.concatenate([[n_columns - 1], np.arange(n_columns - 1), [n_columns]])
    weights = np.zeros((n_background, n_columns, n_columns + 1))
    rows, columns = np.indices(turns.shape)
    weights[rows, columns, place[turns + 1]] = 1.0
    weights[rows, columns, place[turns]] = -1.0
    return Coalitions(masks, weights)
