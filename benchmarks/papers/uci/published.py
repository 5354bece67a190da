"""Numbers that others have published for these folds, and the names that the sets have in their tables."""

from __future__ import annotations

SETS = {
    "boston": "Boston",
    "concrete": "Concrete",
    "energy_efficiency": "Energy",
    "kin8nm": "Kin8nm",
    "power_plant": "Power",
    "wine_red": "Wine",
    "yacht": "Yacht",
}
"""Files, in the order of the tables."""

NLL = {
    "NGBoost, Duan and others (2020)": (2.43, 3.04, 0.60, -0.49, 2.79, 0.91, 0.20),
    "deep ensembles, Lakshminarayanan and others (2017)": (2.41, 3.06, 1.38, -1.20, 2.79, 0.94, 1.18),
}
"""Mean negative log density of the test rows."""
