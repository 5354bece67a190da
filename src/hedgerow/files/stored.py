"""The content of a file, read with suspicion: each value is checked as it is taken."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.files.codec import Arrays


class Stored:
    """A part of a file. Taking what is not there, or is not what it should be, raises ValueError.

    What is our own comes from a pickle or a copy, whose author could run any code anyway: checks that cost as much as
    learning are left out.
    """

    def __init__(self, values: Any, name: str = "its description", is_own: bool = False) -> None:
        if not isinstance(values, Mapping):
            raise ValueError(f"{name} is malformed")
        self._values, self.is_own = values, is_own

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def any(self, name: str) -> Any:
        """Return a value as it is; the caller checks it."""
        if name not in self._values:
            raise ValueError(f"its {_words(name)} is missing")
        return self._values[name]

    def integer(self, name: str, least: int, most: int) -> int:
        """Return an integer from `least` to `most`."""
        value = self.any(name)
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"its {_words(name)} is out of range")
        return value

    def number(self, name: str, least: float = -math.inf, most: float = math.inf) -> float:
        """Return a finite number from `least` to `most`."""
        value = self.any(name)
        if type(value) not in (int, float) or not (math.isfinite(value) and least <= value <= most):
            raise ValueError(f"its {_words(name)} is out of range")
        return float(value)

    def positive(self, name: str) -> float:
        """Return a finite number above 0."""
        return self.number(name, least=math.ulp(0.0))

    def flag(self, name: str) -> bool:
        """Return True or False."""
        value = self.any(name)
        if type(value) is not bool:
            raise ValueError(f"its {_words(name)} is neither true nor false")
        return value

    def word(self, name: str, *allowed: str) -> str:
        """Return one of some words."""
        value = self.any(name)
        if not isinstance(value, str) or value not in allowed:
            raise ValueError(f"its {_words(name)} is not known")
        return value

    def sequence(self, name: str) -> list[Any]:
        """Return a list of anything."""
        value = self.any(name)
        if not isinstance(value, list):
            raise ValueError(f"its {_words(name)} is not a list")
        return value

    def array(self, name: str, shape: tuple[int | None, ...] = (None,), dtype: type = np.float64) -> npt.NDArray[Any]:
        """Return an array of this type and shape, where None is any length; floating-point numbers are finite."""
        value = self.any(name)
        if not isinstance(value, np.ndarray) or value.dtype != dtype or value.ndim != len(shape):
            raise ValueError(f"its {_words(name)} is not an array of the right kind")
        if any(wanted is not None and wanted != length for wanted, length in zip(shape, value.shape, strict=True)):
            raise ValueError(f"its {_words(name)} has shape {value.shape}, expected {shape}")
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            raise ValueError(f"its {_words(name)} is not finite")
        return value

    def part(self, name: str) -> Stored:
        """Return a part that has parts."""
        return Stored(self.any(name), f"its {_words(name)}", self.is_own)

    def parts(self, name: str) -> list[Stored]:
        """Return a list of such parts."""
        return [Stored(value, f"its {_words(name)}", self.is_own) for value in self.sequence(name)]

    def arrays(self, name: str) -> Arrays:
        """Return arrays by name, as the core takes them; the core checks them."""
        value = self.any(name)
        if not isinstance(value, dict) or not all(isinstance(part, np.ndarray) for part in value.values()):
            raise ValueError(f"its {_words(name)} is not made of arrays")
        return value


def _words(name: str) -> str:
    return name.replace("_", " ")
