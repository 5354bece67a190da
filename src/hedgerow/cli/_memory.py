"""How many rows fit into the memory that a model may take, and random samples of files that have more."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import TypeVar

from hedgerow.cli._output import UsageError

Item = TypeVar("Item")

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
PROCESS = 330_000_000
"""Bytes of Python and the libraries, whatever the rows."""
ROW_IN_TREE = 80
CELL_IN_TREE = 3
"""Bytes at the peak of a fit of a Mondrian forest: a row in each tree, and each of its columns."""
CELL = 110
"""Bytes of a value in the table and in its copies, while a model is fitted."""
TIMES = {("boosting", "regression"): 2.5, ("boosting", "classification"): 5.0, ("forest", "classification"): 2.0}
"""What other models take, as multiples of a forest."""
FEWEST = 100
"""Rows below which it is not worth while to learn."""


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
        found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kmgt]?)i?b?\s*", text.lower())
        if not found:
            raise UsageError(f"--max-memory is an amount such as 4GB or 500MB, got {text!r}")
        return cls(int(float(found[1]) * UNITS[found[2]]), model, trees, seed)

    def rows(self, n_columns: int, task: str) -> int:
        """Return how many rows fit."""
        in_tree = TIMES.get((self.model, task), 1.0) * (ROW_IN_TREE + CELL_IN_TREE * n_columns)
        per_row = n_columns * CELL + self.trees * in_tree
        n = int((self.n_bytes - PROCESS) / per_row)
        if n < FEWEST:
            least = math.ceil((PROCESS + FEWEST * per_row) / 1e6)
            raise UsageError(f"--max-memory is too small to learn anything: {least} MB are the least for this table")
        return n


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
