"""What counts as a whole number."""

from __future__ import annotations

from numbers import Integral
from typing import Any, TypeGuard

import numpy as np


def is_whole(value: Any) -> TypeGuard[int]:
    """Return whether a value is an integer of Python or NumPy: no bool, and no span of time, which NumPy calls one."""
    return isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64)
