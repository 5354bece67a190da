"""Timing on a noisy machine: contestants take turns within each round, and the best turn of each counts."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

Work = Callable[[], object]
Contestant = Callable[[], Work]
"""Called once a round, untimed, to prepare; returns the work that is timed."""


@dataclass(frozen=True)
class Effort:
    """How much work a run may cost."""

    quick: bool = False

    def rows(self, n: int) -> int:
        """Return the number of rows to use where a full run uses `n`."""
        return max(1000, n // 10) if self.quick else n

    def rounds(self, n: int) -> int:
        """Return the number of rounds to use where a full run uses `n`."""
        return min(n, 2) if self.quick else n


@dataclass(frozen=True)
class Timing:
    """Seconds that each turn of one contestant took."""

    seconds: tuple[float, ...]

    @property
    def best(self) -> float:
        return min(self.seconds)

    @property
    def spread(self) -> float:
        """How much longer the median turn took than the best one, as a fraction."""
        return median(self.seconds) / self.best - 1.0

    def per_row(self, n_rows: int) -> str:
        """Return the best turn as microseconds per row, with its spread."""
        return f"{self.best / n_rows * 1e6:.1f} µs/row (+{self.spread:.0%})"

    def __str__(self) -> str:
        shown = f"{self.best:.3g} s" if self.best >= 1 else f"{self.best * 1e3:.3g} ms"
        return f"{shown} (+{self.spread:.0%})"


def interleave(
    contestants: Mapping[str, Contestant], rounds: int, clock: Callable[[], float] = time.process_time
) -> dict[str, Timing]:
    """Time all contestants in turn, `rounds` times.

    The default clock counts the processor time of all threads of this process. Other processes then cost a
    contestant little, and one that starts threads behind the scenes gains nothing. To time threads, pass
    `time.perf_counter`.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, prepare in contestants.items():
            work = prepare()
            gc.collect()
            begin = clock()
            work()
            seconds[name].append(clock() - begin)
    return {name: Timing(tuple(each)) for name, each in seconds.items()}
