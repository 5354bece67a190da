"""Sweeps in pieces: short enough for Ctrl-C to be noticed and for a bar to move, with the bits of one long run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Any

from hedgerow.base.progress import progress as watched
from hedgerow.base.progress import report

SECONDS_A_PIECE = 0.1
MOST_SWEEPS_A_PIECE = 10_000


def next_piece(done: int, n_burn_in: int, thin: int, goal: int, most: int) -> tuple[int, int]:
    """Return how many sweeps to make next, at most `most` of them, and every how many of these a state is kept.

    A state is kept after sweep s if s > n_burn_in and thin divides s - n_burn_in, however the work is cut.
    """
    if done < n_burn_in:
        return min(most, n_burn_in - done), 0
    since_kept = (done - n_burn_in) % thin
    if since_kept == 0 and most >= thin:
        return max(min(most, goal - done) // thin, 1) * thin, thin
    n_sweeps = min(most, thin - since_kept)
    return n_sweeps, n_sweeps if since_kept + n_sweeps == thin else 0


def run(sampler: Any, n_burn_in: int, thin: int, goal: int, n_threads: int) -> Iterator[int]:
    """Sweep until `goal` sweeps are done in all; yield the number done after each piece."""
    most = 1
    while sampler.n_sweeps < goal:
        n_sweeps, keep_every = next_piece(sampler.n_sweeps, n_burn_in, thin, goal, most)
        begin = monotonic()
        sampler.run(n_sweeps, keep_every, n_threads)
        seconds = (monotonic() - begin) / n_sweeps
        most = int(min(2 * most, max(SECONDS_A_PIECE / max(seconds, 1e-9), 1), MOST_SWEEPS_A_PIECE))
        yield sampler.n_sweeps


def sample(
    sampler: Any,
    *,
    n_burn_in: int,
    thin: int,
    goals: Sequence[int],
    n_threads: int,
    progress: bool | None,
    is_enough: Callable[[], bool] = lambda: False,
    console: Any = None,
) -> int:
    """Sweep until as many sweeps are done in all as the last goal, until `is_enough` at another, or until Ctrl-C.

    Return the goal that was reached, or that was next. Ctrl-C before the first draw is not caught: there is nothing to
    keep.
    """
    goal = goals[0]
    try:
        with watched("sampling", progress, console):
            for goal in goals:
                for done in run(sampler, n_burn_in, thin, goal, n_threads):
                    report("burning in" if done < n_burn_in else "drawing", done, goals[-1])
                if is_enough():
                    break
    except KeyboardInterrupt:
        if sampler.n_draws == 0:
            raise
    return goal
