"""CapyMOA's adaptive prediction intervals (AdaPI) around its adaptive random forest; they run in a Java machine."""

from __future__ import annotations

import shutil

import numpy as np

from benchmarks.shared.data import Floats
from benchmarks.shared.page import Page

N_TREES = 10
NAME = "AdaPI around an adaptive random forest, CapyMOA"


def is_there(page: Page) -> bool:
    """Return whether the library is installed, and Java."""
    return page.has("capymoa") and shutil.which("java") is not None


def adapi(X: Floats, y: Floats, seed: int, confidence: float) -> Floats:
    """Return the interval of each row before it was learned; all but the number of trees is at its default."""
    from capymoa.regressor import AdaptiveRandomForestRegressor
    from capymoa.stream import NumpyStream
    from capymoa.uncertainty import AdaPI

    rows = NumpyStream(X, y, target_type="numeric")
    schema = rows.get_schema()
    forest = AdaptiveRandomForestRegressor(schema=schema, ensemble_size=N_TREES, random_seed=seed + 1)
    model = AdaPI(schema=schema, base_learner=forest, confidence_level=confidence)
    found = np.full((y.size, 2), (-np.inf, np.inf))
    for interval in found:
        row = rows.next_instance()
        if (said := model.predict(row)) is not None:
            interval[:] = said[0], said[2]
        model.train(row)
    return found
