"""Names of samplers, and which moves a tree makes in a sweep under each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.numeric.whole import is_whole

MOVES = {
    "grow_prune": "grow_prune",
    "perturb": "perturb",
    "change": "change",
    "swap": "swap",
    "heat_bath": "heat_bath",
    "exchange": "exchange",
    "graft": "graft",
    "graft_alike": "graft_alike",
    "subtree_pg": "subtree_particles",
    "pg": "particles",
}
"""Moves that a mapping may count, and what the core calls them."""

NAMED = {"pg": {"particles": 1}, "cgm": {"cgm": 1}, "grow_prune": {"even_grow_prune": 1}}
"""Samplers of Lakshminarayanan's thesis (2016), section 4.3: one move a tree and sweep."""

ALL_MOVES = {"grow_prune": 5, "heat_bath": 2, "change": 4, "swap": 2, "exchange": 3, "graft": 16}
SOME_MOVES = {"grow_prune": 2, "perturb": 2, "change": 1, "swap": 1, "exchange": 1, "graft": 3}
LOCAL_MOVES = {"grow_prune": 2, "perturb": 1}
"""What "auto" chooses from. A tree among many is small and hardly matters; one of a few must find its way alone."""

GROWING = {"grow_prune", "even_grow_prune", "cgm", "graft", "graft_alike", "subtree_particles", "particles"}
"""Moves that reach every tree from the root alone. Without one of them a chain never leaves it, or not everywhere."""

MOST_MOVES = 100_000


def checked_sampler(name: str, sampler: Any) -> str | dict[str, int]:
    """Return the name of a sampler, or a copy of a mapping that counts moves; ValueError if that makes no sampler."""
    if isinstance(sampler, Mapping):
        return _counted(name, sampler)
    if isinstance(sampler, str) and (sampler == "auto" or sampler in NAMED):
        return sampler
    known = ", ".join(map(repr, NAMED))
    raise ValueError(f"{name} must be one of 'auto', {known} or a mapping of moves to counts, got {sampler!r}")


def moves_for(sampler: str | dict[str, int], n_trees: int, split_decay: float) -> tuple[dict[str, int], int]:
    """Return how often a tree makes each move in a round, by the core's names, and the rounds of a sweep."""
    if isinstance(sampler, dict):
        return _by_core(sampler), sampler.get("rounds", 1)
    return _mixed(n_trees, is_deep=split_decay < 1.0) if sampler == "auto" else (NAMED[sampler], 1)


def _mixed(n_trees: int, is_deep: bool) -> tuple[dict[str, int], int]:
    """Return what mixes best by the second, for so many trees that the prior wants deep or shallow."""
    if n_trees < 10:
        return ALL_MOVES, 10 // n_trees
    if n_trees < 50 or is_deep:
        return SOME_MOVES, 2 if n_trees < 50 else 1
    return LOCAL_MOVES, 1 if n_trees >= 100 else 2


def _counted(name: str, sampler: Mapping[Any, Any]) -> dict[str, int]:
    for move, count in sampler.items():
        if move not in MOVES and move != "rounds":
            raise ValueError(f"{name} has a move {move!r}; known are {', '.join(map(repr, MOVES))}, and 'rounds'")
        if not is_whole(count) or not 0 <= int(count) <= MOST_MOVES:
            raise ValueError(f"{name} must count the move {move!r} by an integer up to {MOST_MOVES}, got {count!r}")
    counted = {move: int(count) for move, count in sampler.items()}
    if not GROWING & _by_core(counted).keys():
        raise ValueError(
            f"{name}={dict(sampler)!r} never grows a tree: count one of 'grow_prune', 'graft', 'subtree_pg', 'pg'"
        )
    if counted.get("rounds") == 0:
        raise ValueError(f"{name} must make at least one round a sweep, got 0")
    return counted


def _by_core(counted: dict[str, int]) -> dict[str, int]:
    return {MOVES[move]: count for move, count in counted.items() if count and move != "rounds"}
