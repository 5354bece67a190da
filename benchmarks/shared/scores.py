"""Scores that several topics share."""

from __future__ import annotations

import numpy as np

from benchmarks.shared.data import Floats


def pinball(quantiles: Floats, levels: Floats, y: Floats) -> float:
    """Return the continuous ranked probability score: twice the mean loss of the quantiles."""
    above = y[:, None] - quantiles
    return 2.0 * float(np.mean(np.maximum(levels * above, (levels - 1.0) * above)))
