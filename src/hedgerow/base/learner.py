"""What a learner is: a protocol that the learners of all models follow, written down."""

from __future__ import annotations

from typing import Any, Protocol, Self

from hedgerow.base.rows import Rows
from hedgerow.files import Stored


class Learner(Protocol):
    """What has been learned. It knows no user: rows, settings and queries are checked before they come here."""

    settings: Any

    @classmethod
    def begin(cls, rows: Rows, settings: Any, seed: int, query: Any) -> Self:
        """Learn all rows of a batch."""

    def state(self) -> dict[str, Any]:
        """Return all of it, as a tree of plain values and arrays."""

    @classmethod
    def from_state(cls, stored: Stored, settings: Any, width: int) -> Self:
        """Take back what `state` gave, or raise ValueError."""


class OnlineLearner(Learner, Protocol):
    """What can go on learning."""

    @classmethod
    def open(cls, first: Rows, settings: Any, seed: int, query: Any) -> Self:
        """Return a learner that has learned nothing yet, for a stream that begins with this row."""

    def learn(self, rows: Rows, query: Any) -> None:
        """Learn rows, one after another, whatever the calls that bring them."""

    def learn_one(self, x: Any, y: float, weight: float, query: Any) -> None:
        """Learn one row; or raise ValueError or TypeError, and nothing has changed."""

    def review_if_due(self, query: Any) -> None:
        """Look at what is learned from many rows at once, if enough have come since the last time."""
