"""Parameters with declared constraints: checked once, frozen, and compared when learning goes on."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any, Self

import numpy as np

from hedgerow.base.targets import LARGEST_TARGET, LEAST_TARGET, read_target
from hedgerow.files import Stored
from hedgerow.numeric.whole import is_whole

Check = Callable[[str, Any], Any]
"""From the name and the value of a parameter to the value that is kept, or ValueError."""


@dataclass(frozen=True)
class Settings:
    """What shapes learning, as it was when learning began. Fields have the names of the model's parameters."""

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, each.metadata["check"](each.name, getattr(self, each.name)))
        self._check_together()

    def _check_together(self) -> None:
        """Raise ValueError for values that do not go with each other."""

    @classmethod
    def of(cls, model: Any) -> Self:
        """Return the settings that a model's parameters are now, or raise ValueError."""
        return cls(**{each.name: getattr(model, each.name) for each in fields(cls)})

    def check_unchanged(self, now: Settings) -> None:
        """Raise ValueError if a parameter has been changed since learning began."""
        for each in fields(self):
            if not each.metadata["is_compared"]:
                continue
            before, after = getattr(self, each.name), getattr(now, each.name)
            if before != after:
                raise ValueError(
                    f"{each.name} was {before!r} when learning began and is {after!r} now; call fit to begin anew, or "
                    "set it back"
                )

    def state(self) -> dict[str, Any]:
        """Return them by name, for a file."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Take back what `state` gave, or ValueError."""
        return cls(**{each.name: stored.any(each.name) for each in fields(cls)})


# Constraints of fields.


def checked(check: Check, is_compared: bool = True) -> Any:
    """Return a field whose values go through a function of its name and its value, and are compared by default."""
    return field(metadata={"check": check, "is_compared": is_compared})


MOST = 2**53
"""Integers up to here are numbers of the core, too, whatever type it keeps them in."""


def integer(least: int, most: int = MOST, or_none: bool = False) -> Any:
    """Return a field for an integer."""

    def check(name: str, value: Any) -> int | None:
        if or_none and value is None:
            return None
        check_integer(name, value, least, most)
        return int(value)

    return checked(check)


def positive(
    least: float = LEAST_TARGET,
    most: float = LARGEST_TARGET,
    *,
    or_none: bool = False,
    or_infinite: bool = False,
    or_zero: bool = False,
) -> Any:
    """Return a field for a positive number; by default in the range of targets."""

    def check(name: str, value: Any) -> float | None:
        if or_zero and isinstance(value, Real) and value == 0:
            return 0.0
        check_positive(name, value, or_none, or_infinite, least=least, most=most)
        return None if value is None else float(value)

    return checked(check)


def within(least: float, most: float, words: str, *others: str | None) -> Any:
    """Return a field for a number from `least` to `most`, in `words`, or for one of some other values."""

    def check(name: str, value: Any) -> float | str | None:
        if isinstance(value, str | None) and value in others:
            return value
        check_within(name, value, least, most, words)
        return float(value)

    return checked(check)


def variance(or_none: bool = False) -> Any:
    """Return a field for a variance of targets: in the range of their squares."""
    return positive(LEAST_TARGET**2, LARGEST_TARGET**2, or_none=or_none)


def target_like() -> Any:
    """Return a field for a number that targets are near to, or None."""

    def check(name: str, value: Any) -> float | None:
        if value is None:
            return None
        if not abs(_as_float(value)) <= LARGEST_TARGET:
            raise ValueError(f"{name} must be a finite number within 1e100 of zero, or None, got {value!r}")
        return read_target(value)

    return checked(check)


def one_of(*allowed: Any) -> Any:
    """Return a field for one of a few values."""

    def check(name: str, value: Any) -> Any:
        if not isinstance(value, str | bool | None) or value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
        return value

    return checked(check)


def flag() -> Any:
    """Return a field for True or False."""

    def check(name: str, value: Any) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name} must be True or False, got {value!r}")
        return bool(value)

    return checked(check)


# The checks themselves.


def check_integer(name: str, value: object, least: int, most: int | None = None) -> None:
    """Raise ValueError unless ``value`` is an integer from ``least`` to ``most``."""
    if not is_whole(value) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {value!r}")


def check_positive(
    name: str,
    value: object,
    or_none: bool = False,
    or_infinite: bool = False,
    *,
    least: float = LEAST_TARGET,
    most: float = LARGEST_TARGET,
) -> None:
    """Raise ValueError unless ``value`` is a positive number from ``least`` to ``most``."""
    if or_none and value is None:
        return
    is_infinite = isinstance(value, float) and value == math.inf  # not an integer beyond all numbers of the core
    if not (least <= _as_float(value) <= most or (or_infinite and is_infinite)):
        others = [word for word, is_allowed in (("infinite", or_infinite), ("None", or_none)) if is_allowed]
        words = ", ".join([f"from {least:g} to {most:g}", *(f"or {word}" for word in others)])
        raise ValueError(f"{name} must be a positive number {words}, got {value!r}")


def check_within(name: str, value: object, least: float, most: float, words: str) -> None:
    """Raise ValueError unless ``value`` is a finite number from ``least`` to ``most``, in ``words``."""
    number = _as_float(value)
    if not math.isfinite(number) or not least <= number <= most:
        raise ValueError(f"{name} must be a number {words}, got {value!r}")


def _as_float(value: object) -> float:
    """Return a number as one of the core's; NaN if it is none, an infinity if it is an integer beyond all of them."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]


THREADS_A_CORE = 4
"""More threads than this do not make anything faster, and each takes memory."""


def n_threads_of(n_jobs: int | None) -> int:
    """scikit-learn's ``n_jobs`` as a number of threads: None is one, -1 all cores, -2 all but one.

    There are never more than a few a core: a file, or a slip, may ask for a billion.
    """
    if n_jobs is None:
        return 1
    if not is_whole(n_jobs) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None, a number of threads or -1 for all cores, got {n_jobs!r}")
    if n_jobs > 0:
        return min(int(n_jobs), THREADS_A_CORE * (os.cpu_count() or 1))
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, n_cores + 1 + int(n_jobs))


@dataclass(frozen=True)
class Query(Settings):
    """Parameters that take effect at once: what has been learned does not depend on them."""

    n_jobs: int = checked(lambda name, value: n_threads_of(value))

    @property
    def n_threads(self) -> int:
        """Threads; the result does not depend on their number."""
        return self.n_jobs
