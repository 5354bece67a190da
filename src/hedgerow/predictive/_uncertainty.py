"""Where the entropy of a class prediction comes from."""

from __future__ import annotations

from typing import NamedTuple

from hedgerow.numeric.arrays import Floats


class Uncertainty(NamedTuple):
    """Entropy of class predictions, in nats, one number a row: ``total = noise + disagreement + distance``.

    Attributes
    ----------
    total : array
        Entropy of `predict_proba`. At most ``log(n_classes)``.
    noise : array
        What remains when the row lies inside a leaf: rows of several classes share its place. Mean over the trees.
    disagreement : array
        How much the trees contradict each other: total less the mean entropy of the trees.
    distance : array
        What a tree's entropy owes to the row's lying outside its data. Grows to ``log(n_classes)`` far away.
    """

    total: Floats
    noise: Floats
    disagreement: Floats
    distance: Floats
