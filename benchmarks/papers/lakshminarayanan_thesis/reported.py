"""Numbers that Lakshminarayanan (2016) prints."""

from __future__ import annotations

ESS_ON_CUBES = {
    2: (751.66, 473.57, 259.11),
    3: (762.96, 285.2, 666.71),
    4: (14.01, 11.76, 686.79),
    5: (2.92, 1.35, 667.27),
    7: (1.16, 1.78, 422.96),
}
"""Table 4.1: effective sample size of the log-likelihood by CGM, GrowPrune and PG, by dimension."""
ESS_A_SECOND_ON_CUBES = {
    2: (157.67, 114.81, 7.69),
    3: (93.01, 26.94, 11.025),
    4: (0.961, 0.569, 5.394),
    5: (0.130, 0.071, 1.673),
    7: (0.027, 0.039, 0.273),
}
"""Table 4.2: the same a second."""
REAL_SETS = {
    "CaliforniaHouses": (2000, 5000, 6),
    "YearPredictionMSD": (2000, 51_630, 90),
    "CTslices": (2000, 24_564, 384),
}
"""Table 4.3: rows to learn, rows to test, columns."""
ESS_ON_REAL_SETS = {
    "CaliforniaHouses": (18.956, 34.849, 76.819),
    "YearPredictionMSD": (29.215, 21.656, 76.766),
    "CTslices": (2.511, 5.025, 11.838),
}
"""Table 4.4."""
ESS_A_SECOND_ON_REAL_SETS = {
    "CaliforniaHouses": (1.967e-3, 48.799e-3, 16.743e-3),
    "YearPredictionMSD": (2.018e-3, 7.029e-3, 14.070e-3),
    "CTslices": (0.080e-3, 0.615e-3, 2.115e-3),
}
"""Table 4.5."""
DEPTHS = {
    "usps": (7291, 19.1, 1.3),
    "satimage": (3104, 17.4, 1.6),
    "letter": (15_000, 23.2, 1.8),
    "dna": (1400, 12.0, 0.3),
}
"""Table 5.1: rows to learn, depth and its standard deviation."""
