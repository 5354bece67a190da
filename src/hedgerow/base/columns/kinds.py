"""Kinds of columns. Each turns the values of a column, one number a row, into axes that trees can cut.

The first axis of every kind is the value itself, less an origin, so that values follow from axes. A missing value is
NaN; on the axes it is a fixed number, and a further axis may show that a value is missing.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from hedgerow.files import Stored
from hedgerow.numeric.arrays import Floats

When = Literal["batch", "first", "later"]
"""When rows come: all at once, at the beginning of a stream, or after others."""

LARGEST = float(np.finfo(np.float64).max)

MOST_PLACES = 16
ENOUGH = 10_000
"""Rows from which the value that stands for missing ones is taken."""

DAY, WEEK, YEAR = 86_400.0, 7 * 86_400.0, 365.2425 * 86_400.0
MONDAY = 4 * DAY
"""The first Monday after the epoch, in seconds."""
CIRCLES = {"day": (DAY, 0.0), "week": (WEEK, MONDAY), "year": (YEAR, 0.0)}
"""Length and beginning of each circle of the calendar."""


@dataclass(frozen=True)
class Number:
    """One axis."""

    word: ClassVar[str] = "number"

    origin: float = 0.0  # not 0 only if rows came before the first value: all of them have 0 on the axis
    fill: float = 0.0  # what stands for a missing value on the axis
    is_met: bool = False  # whether a value has come

    n_axes: ClassVar[int] = 1

    def fitted(self, values: Floats, when: When) -> Self:
        """Return the kind after the first values: the middle of a batch, or the first of a stream, fills gaps."""
        if self.is_met:
            return self
        present = values[~np.isnan(values)]
        if not present.size:
            return self
        if when == "batch":
            return replace(self, fill=float(middle_of(present[:, None])[0]), is_met=True)
        if when == "later" or np.isnan(values[0]):
            return replace(self, origin=float(present[0]), is_met=True)
        return replace(self, fill=float(present[0]), is_met=True)

    def axes(self, values: Floats) -> list[Floats]:
        """Return the axes of values."""
        with np.errstate(over="ignore"):
            moved = np.clip(values - self.origin, -LARGEST, LARGEST)
        return [np.where(np.isnan(values), self.fill, moved)]

    def names(self, name: str) -> list[str]:
        """Return the axes by name."""
        return [name]

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"kind": self.word, **vars(self)}

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Take back what `state` gave."""
        return cls(stored.number("origin"), stored.number("fill"), stored.flag("is_met"))


class Boolean(Number):
    """False is 0, true is 1."""

    word = "boolean"


class Duration(Number):
    """Seconds."""

    word = "duration"


@dataclass(frozen=True)
class Date(Number):
    """Seconds since 1970, and places on circles: the time of the day, the day of the week, the season."""

    word: ClassVar[str] = "date"

    circles: tuple[str, ...] = tuple(CIRCLES)

    @property
    def n_axes(self) -> int:  # type: ignore[override]
        """The trend, and two axes a circle."""
        return 1 + 2 * len(self.circles)

    def fitted(self, values: Floats, when: When) -> Self:
        """Return the kind after the first values; a batch shows which circles they go around."""
        kind = super().fitted(values, when)
        present = values[~np.isnan(values)]
        if when != "batch" or not present.size:
            return kind
        span = float(np.ptp(present))
        turns = {"day": bool((present % DAY != present[0] % DAY).any()), "week": span >= WEEK, "year": span >= YEAR / 2}
        return replace(kind, circles=tuple(circle for circle in self.circles if turns[circle]))

    def axes(self, values: Floats) -> list[Floats]:
        """Return the axes of values; one that is missing is in the middle of the circles."""
        found = super().axes(values)
        for length, begin in (CIRCLES[circle] for circle in self.circles):
            angle = 2.0 * np.pi * (((values - begin) % length) / length)
            found += [np.nan_to_num(np.sin(angle)), np.nan_to_num(np.cos(angle))]
        return found

    def names(self, name: str) -> list[str]:
        """Return the axes by name."""
        return [name, *(f"{name} ({circle}, {part})" for circle in self.circles for part in ("sine", "cosine"))]

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {**super().state(), "circles": list(self.circles)}

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Take back what `state` gave."""
        circles = stored.sequence("circles")
        if not all(isinstance(circle, str) for circle in circles) or len(set(circles)) < len(circles):
            raise ValueError("the circles of a column are not names")
        if not set(circles) <= set(cls.circles):
            raise ValueError("a column goes around circles that are not known")
        return replace(super().from_state(stored), circles=tuple(circles))


@dataclass(frozen=True)
class Time(Date):
    """Seconds since midnight, and the place on the circle of the day."""

    word: ClassVar[str] = "time"

    circles: tuple[str, ...] = ("day",)


@dataclass(frozen=True)
class Unknown:
    """A column without a value so far: one axis, on which all rows have 0. The first value shows what it is."""

    word: ClassVar[str] = "unknown"
    n_axes: ClassVar[int] = 1

    def fitted(self, values: Floats, when: When) -> Self:
        """Return the same: missing values show nothing."""
        return self

    def turned(self, word: str, values: Floats) -> Kind:
        """Return the kind that values of another kind make of it. It has one axis, on which rows before have 0."""
        if word == "category":
            return Category(1, MISSING)
        kind: Number = KINDS[word](circles=()) if issubclass(KINDS[word], Date) else KINDS[word]()
        return kind.fitted(values, "later")

    def axes(self, values: Floats) -> list[Floats]:
        """Return the axis of values."""
        return [np.zeros(values.size)]

    def names(self, name: str) -> list[str]:
        """Return the axis by name."""
        return [name]

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"kind": self.word}

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Take back what `state` gave."""
        return cls()


@dataclass(frozen=True)
class Category:
    """Random places, drawn from the name: a cut between places is a cut between two random sets of categories.

    Nothing has to be learned, so a category may be new at any time. A missing value is a category of its own.
    """

    word: ClassVar[str] = "category"

    n_places: int
    origin: float = 0.0  # not 0 only if rows came before the first value: all of them have 0 on the axis

    @property
    def n_axes(self) -> int:
        """How many places each category has."""
        return self.n_places

    def fitted(self, values: Floats, when: When) -> Self:
        """Return the kind after the first values: two categories are separated by one place, three by two."""
        if when != "batch":
            return self
        return replace(self, n_places=max(1, min(self.n_places, np.unique(values).size - 1)))

    def axes(self, values: Floats) -> list[Floats]:
        """Return the axes of values, which are the first places themselves."""
        return [values - self.origin, *(_mixed(values, number) for number in range(1, self.n_places))]

    def names(self, name: str) -> list[str]:
        """Return the axes by name."""
        return [name, *(f"{name} (place {number + 1})" for number in range(1, self.n_places))]

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"kind": self.word, **vars(self)}

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Take back what `state` gave."""
        return cls(stored.integer("n_places", 1, MOST_PLACES), stored.number("origin", 0.0, 1.0))


Kind = Number | Category | Unknown
KINDS: dict[str, type[Any]] = {kind.word: kind for kind in (Number, Boolean, Duration, Date, Time, Category, Unknown)}


def middle_of(values: Floats) -> Floats:
    """Return a middle of each column that is one of its values: the mean of two may overflow."""
    some = values[:: max(1, values.shape[0] // ENOUGH)]
    middle = (some.shape[0] - 1) // 2
    found: Floats = np.partition(some, middle, axis=0)[middle]
    return found


def place_of(name: bytes) -> float:
    """Return the first place of a category: a number in [0, 1), drawn from its name."""
    return float(int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little") >> 11) / 2.0**53


MISSING = place_of(b"missing")
"""The place of values that are missing; names have a prefix, so no other category has it."""


def _mixed(places: Floats, number: int) -> Floats:
    """Return other places, drawn from the first (splitmix64)."""
    state = (places * 2.0**53).astype(np.uint64) + np.uint64(number * 0x9E3779B97F4A7C15 % 2**64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        state = (state ^ (state >> np.uint64(shift))) * np.uint64(factor)
    mixed: Floats = ((state ^ (state >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) / 2.0**53
    return mixed
