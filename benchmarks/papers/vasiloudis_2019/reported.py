"""What Burns' report on Vasiloudis, De Francisci Morales and Boström (2019) says."""

from __future__ import annotations

from typing import NamedTuple

MONDRIAN, EXACT, APPROXIMATE, QUANTILE = "MondrianForest", "CPExact", "CPApprox", "OnlineQRF"


class Means(NamedTuple):
    """Means over data sets for intervals of confidence 0.9, read off Figures 1 to 3."""

    n_points: int
    """Points that could be told apart in the figures."""
    miss_rate: float
    least: float
    most: float
    n_above: int
    """Points with a miss rate above 0.1."""
    size: float
    loss: float
    utility: float


SMALL_SETS = {
    MONDRIAN: Means(20, 0.129, 0.026, 0.344, 12, 0.312, 0.0371, 0.458),
    EXACT: Means(18, 0.084, 0.054, 0.103, 1, 0.297, 0.0335, 0.721),
    APPROXIMATE: Means(18, 0.064, 0.031, 0.099, 0, 0.330, 0.0360, 0.683),
    QUANTILE: Means(20, 0.061, 0.020, 0.103, 2, 0.343, 0.0355, 0.669),
}
DRIFT = {
    MONDRIAN: (0.015, 0.353, 0.210, 0.354, 0.080, 0.371),
    EXACT: (0.065, 0.228, 0.103, 0.469, 0.088, 0.343),
    APPROXIMATE: (0.045, 0.255, 0.088, 0.488, 0.067, 0.370),
    QUANTILE: (0.019, 0.330, 0.196, 0.338, 0.021, 0.376),
}
"""Miss rate and relative size in windows of 10,000 of a million rows, read off Figures 4 and 5: the last window before
the first change, the first after it, and that 150,000 rows later."""
LATER = 150_000
SECONDS = {
    "small sets, Burns": {MONDRIAN: 185, EXACT: 74, APPROXIMATE: 50, QUANTILE: 49},
    "small sets, Vasiloudis and others": {MONDRIAN: 42, EXACT: 102, APPROXIMATE: 5.7, QUANTILE: 5.4},
    "a million rows, Burns": {MONDRIAN: 9862, EXACT: 9456, APPROXIMATE: 6576, QUANTILE: 6425},
    "a million rows, Vasiloudis and others": {MONDRIAN: 2380, EXACT: 2011, APPROXIMATE: 213, QUANTILE: 114},
}
"""Table 1."""
