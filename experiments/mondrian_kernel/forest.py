"""Figures 9 and 10: joint and independent fits of the leaves, on the same Mondrian samples."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from experiments.mondrian_kernel.widths import Split, relative_error
from hedgerow import MondrianKernelRidge

Floats = npt.NDArray[np.float64]


def errors(data: Split, lifetimes: Floats, n_trees: int = 50) -> dict[str, list[float]]:
    """Test error of both fits at each lifetime, each with its own best ridge by the marginal likelihood."""
    found: dict[str, list[float]] = {"joint": [], "independent": []}
    for lifetime in lifetimes:
        for leaf_fit, curve in found.items():
            model = MondrianKernelRidge(
                n_trees, lifetime=float(lifetime), leaf_fit=leaf_fit, length_scale=1.0, random_state=0
            )
            curve.append(relative_error(model.fit(data.X, data.y).predict(data.X_test), data.y_test))
    return found


def weights(data: Split, lifetime: float, n_trees: int = 50) -> dict[str, Floats]:
    """What each cell adds to a prediction, times the number of trees: Figure 10."""
    found = {}
    for leaf_fit in ("joint", "independent"):
        model = MondrianKernelRidge(
            n_trees, lifetime=lifetime, leaf_fit=leaf_fit, length_scale=1.0, random_state=0
        ).fit(data.X, data.y)
        found[leaf_fit] = n_trees * model._solution.cell_weights()
    return found
