"""Timing on a noisy machine: contestants take turns within each round, and the best turn of each counts."""

from __future__ import annotations

import gc
import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from statistics import median
from typing import Any

Work = Callable[[], object]
Contestant = Callable[[], Work]
"""Called before each turn, untimed, to prepare; returns the work that is timed."""


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
        return f"{self.best / n_rows * 1e6:.1f} µs (+{self.spread:.0%})"

    def __str__(self) -> str:
        shown = f"{self.best:.3g} s" if self.best >= 1 else f"{self.best * 1e3:.3g} ms"
        return f"{shown} (+{self.spread:.0%})"


HOW_TIMED = """\
Contestants take turns; the best turn of each counts, and the percentage in brackets is how much longer the median \
turn took."""


def interleave(
    contestants: Mapping[str, Contestant],
    rounds: int,
    clock: Callable[[], float] = time.process_time,
    turns: Mapping[str, int] | None = None,
) -> dict[str, Timing]:
    """Time all contestants in turn, `rounds` times; each has one turn a round, or as many as `turns` says.

    The default clock counts the processor time of all threads of this process. Other processes then cost a
    contestant little, and one that starts threads behind the scenes gains nothing. To time threads, pass
    `time.perf_counter`.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, prepare in contestants.items():
            for _ in range((turns or {}).get(name, 1)):
                work = prepare()
                gc.collect()
                begin = clock()
                work()
                seconds[name].append(clock() - begin)
    return {name: Timing(tuple(each)) for name, each in seconds.items()}


def on_all_cores(function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Yield results as they are done. One process a core, one thread each: not for times that are compared."""
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with ProcessPoolExecutor(n_cores, mp_context=multiprocessing.get_context("spawn")) as pool:
        for done in as_completed([pool.submit(function, *task) for task in tasks]):
            yield done.result()
