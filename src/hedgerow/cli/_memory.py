"""How many rows fit into the memory that a model may take, and random samples of files that have more."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import TypeVar

from hedgerow.base.room import bytes_a_row, read_amount, rows_within
from hedgerow.cli._output import UsageError

Item = TypeVar("Item")


@dataclass(frozen=True)
class Budget:
    """Memory that reading a table and fitting a model may take."""

    n_bytes: int
    model: str
    """The word for it."""
    trees: int = 0
    """In which it keeps its rows."""
    seed: int = 0

    @classmethod
    def parse(cls, text: str, model: str, trees: int, seed: int) -> Budget:
        """Read an amount such as 4GB, 500 MB or 2.5G."""
        try:
            return cls(read_amount(text), model, trees, seed)
        except ValueError as error:
            raise UsageError(f"--max-memory: {error}") from None

    def rows(self, n_columns: int, task: str) -> int:
        """Return how many rows fit."""
        try:
            return rows_within(self.n_bytes, bytes_a_row(self.model, task, self.trees, n_columns))
        except ValueError as error:
            raise UsageError(f"--max-memory is {error}") from None


def sample(items: Iterable[Item], n: int, seed: int) -> tuple[list[Item], int]:
    """Return n items, each set of n being equally likely, in the order in which they came, and how many there were.

    The number of items need not be known, and those passed over cost next to nothing: Algorithm L of Li (1994).
    """
    rng, rest = Random(seed), iter(items)
    kept = list(enumerate(islice(rest, n)))
    n_seen = len(kept)
    if n_seen < n:
        return [item for _, item in kept], n_seen
    largest = rng.random() ** (1 / n)
    while True:
        n_skipped = int(math.log(1.0 - rng.random()) / math.log1p(-largest))
        n_passed, item = _after(rest, n_skipped)
        n_seen += n_passed
        if item is None:
            break
        kept[rng.randrange(n)] = (n_seen - 1, item)
        largest *= rng.random() ** (1 / n)
    return [item for _, item in sorted(kept, key=lambda pair: pair[0])], n_seen


def _after(items: Iterator[Item], n_skipped: int) -> tuple[int, Item | None]:
    """Return how many items were taken, and the last of them if that is the one behind n others."""
    n, item = 0, None
    for item in islice(items, n_skipped + 1):  # noqa: B007
        n += 1
    return n, item if n == n_skipped + 1 else None


def records(lines: Iterable[str]) -> Iterator[str]:
    """Yield the records of a CSV file: lines, put together where a value in quotation marks has a line break."""
    record: list[str] = []
    is_open = False
    for line in lines:
        record.append(line)
        is_open ^= line.count('"') % 2 == 1
        if not is_open:
            if line.strip():
                yield "".join(record)
            record = []
    if record:
        yield "".join(record)
