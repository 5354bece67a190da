"""The one number from which all randomness of a model starts."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state


def draw_seed(random_state: object) -> int:
    """Draw one 64-bit seed. Everything random afterwards is a function of it and of counts of events."""
    rng = check_random_state(random_state)
    high, low = rng.randint(0, 2**32, size=2, dtype=np.uint64)
    return (int(high) << 32) | int(low)
