"""Single values from sane to hostile, drawn from a seeded generator."""

from __future__ import annotations

import datetime
import decimal
import fractions
import math
from random import Random
from typing import Any

import numpy as np

SANE = (0.0, 1.0, -1.0, 0.5, 2.0, 7.25, -3.5, 100.0, 1e-3, 1e4)
EXTREME = (
    *(-0.0, 5e-324, 1e-310, 2.3e-308, 1e-200, 1e-160, 1e-100, 1e-39, 1e-30, 1e-16),
    *(1e9, 2.0**31, 2.0**53 + 2, 2.0**63, 2.0**64, 1e20, 1e30, 1e38, 3.5e38, 1e39, 1e77, 1e100),
    *(1e150, 1.3e154, 1e155, 1e200, 1e299, 1e300, 8e307, 1.7976931348623157e308),
)
NO_NUMBERS = (math.nan, math.inf, -math.inf)
INTEGERS = (0, 1, 2, 3, 7, -1, -2, 63, 64, 1000, *(2**power - less for power in (31, 53, 63, 64) for less in (0, 1)))
HUGE_INTEGERS = (10**30, -(10**30), 10**400)
TEXTS = ("", "a", "blue", "red", "nan", "1e5", "12", "None", "\0", "ä€𝄞", "\ud800", "x" * 3000, "2024-02-30", "true")
MOMENTS = (
    datetime.date(2024, 2, 29),
    datetime.datetime(1, 1, 1),
    datetime.datetime(9999, 12, 31, 23, 59, 59, 999999),
    datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC),
    datetime.time(23, 59),
    datetime.timedelta.max,
    datetime.timedelta(microseconds=-1),
    np.datetime64("NaT"),
    np.datetime64(2**62, "s"),
    np.timedelta64(5, "ns"),
)


def number(rng: Random, wild: float = 0.3) -> float:
    """Return a number: sane, or, with a probability, extreme, or none at all."""
    if rng.random() >= wild:
        return rng.choice(SANE) if rng.random() < 0.5 else rng.uniform(-10, 10)
    found = rng.choice(EXTREME if rng.random() < 0.8 else NO_NUMBERS)
    return -found if rng.random() < 0.4 else found


def integer(rng: Random) -> int:
    """Return a whole number of any size."""
    return rng.choice(INTEGERS if rng.random() < 0.9 else HUGE_INTEGERS)


def anything(rng: Random) -> Any:
    """Return any object that a user might hand in by mistake, or to do harm."""
    draw = rng.random()
    if draw < 0.25:
        return number(rng, 0.7)
    if draw < 0.45:
        return integer(rng)
    if draw < 0.6:
        return rng.choice(TEXTS)
    if draw < 0.65:
        return rng.choice(MOMENTS)
    return rng.choice(MAKERS)(rng)


MAKERS = (
    lambda rng: None,
    lambda rng: rng.random() < 0.5,
    lambda rng: Nothing(),
    lambda rng: Unfriendly(),
    lambda rng: b"bytes",
    lambda rng: 1j,
    lambda rng: decimal.Decimal(rng.choice(["1.5", "NaN", "1e999", "sNaN"])),
    lambda rng: fractions.Fraction(1, 3),
    lambda rng: [],
    lambda rng: {},
    lambda rng: (),
    lambda rng: {1, 2},
    lambda rng: range(3),
    lambda rng: iter([1.0, 2.0]),
    lambda rng: len,
    lambda rng: int,
    lambda rng: [number(rng) for _ in range(rng.randint(1, 4))],
    lambda rng: [[number(rng)], [number(rng), number(rng)]],
    lambda rng: {"a": number(rng), 1: "b"},
    lambda rng: np.array(number(rng)),
    lambda rng: np.array([]),
    lambda rng: np.array([number(rng) for _ in range(3)]),
    lambda rng: np.zeros((2, 0)),
    lambda rng: np.zeros((2, 2, 2)),
    lambda rng: np.array(["a", "b"]),
    lambda rng: np.array([None, 1.0], dtype=object),
    lambda rng: np.float32(number(rng)) if abs(number(rng)) < 1e38 else np.float16(1.0),
    lambda rng: np.int64(rng.randint(-5, 5)),
    lambda rng: np.uint64(2**63 + 1),
    lambda rng: np.bool_(True),
    lambda rng: np.longdouble("1e4000"),
    lambda rng: np.ma.masked,
    lambda rng: np.zeros(2, dtype=[("a", float), ("b", int)]),
)


class Nothing:
    """An object that is nothing but itself; a pickled one is the same."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Nothing)

    def __hash__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return "Nothing()"


class Unfriendly:
    """An object that answers every question with an error."""

    def __float__(self) -> float:
        raise TypeError("this object is of no use")

    __int__ = __index__ = __len__ = __iter__ = __bool__ = __hash__ = __float__  # type: ignore[assignment]
