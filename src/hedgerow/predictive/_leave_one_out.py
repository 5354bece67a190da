"""Predictions of rows by a model that has not seen them."""

from __future__ import annotations

from typing import NamedTuple

from hedgerow.numeric.arrays import Floats


class LeaveOneOut(NamedTuple):
    """What a model would predict for each of its rows had it not learned that row.

    Attributes
    ----------
    mean, std : array
        Of the predictive distribution.
    log_density : array
        Log of the predictive density of the row's target.
    """

    mean: Floats
    std: Floats
    log_density: Floats
