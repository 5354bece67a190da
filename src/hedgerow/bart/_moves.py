"""Names of samplers, and which moves a tree makes in a sweep under each of them."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

from hedgerow import _core

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
"""Samplers of the thesis, section 4.3: one move a tree and sweep."""

ALL_MOVES = {"grow_prune": 5, "heat_bath": 2, "change": 4, "swap": 2, "exchange": 3, "graft": 16}
SOME_MOVES = {"grow_prune": 2, "perturb": 2, "change": 1, "swap": 1, "exchange": 1, "graft": 3}
LOCAL_MOVES = {"grow_prune": 2, "perturb": 1}
"""What "auto" chooses from. A tree among many is small and hardly matters; one of a few must find its way alone."""

GROWING = {"grow_prune", "even_grow_prune", "cgm", "graft", "graft_alike", "subtree_particles", "particles"}
"""Moves that reach every tree from the root alone. Without one of them a chain never leaves it, or not everywhere."""

MOST_MOVES = 100_000


def moves_for(sampler: Any, n_trees: int, split_decay: float) -> tuple[dict[str, int], int]:
    """Return how often a tree makes each move in a round, by the core's names, and the rounds of a sweep.

    ValueError if that makes no sampler.
    """
    if isinstance(sampler, Mapping):
        return _counted(sampler)
    if isinstance(sampler, str) and sampler == "auto":
        return _mixed(n_trees, is_deep=split_decay < 1.0)
    if isinstance(sampler, str) and sampler in NAMED:
        return dict(NAMED[sampler]), 1
    raise ValueError(
        f"sampler must be one of 'auto', {', '.join(map(repr, NAMED))} or a mapping of moves to counts, got {sampler!r}"
    )


def _mixed(n_trees: int, is_deep: bool) -> tuple[dict[str, int], int]:
    """Return what mixes best by the second, for so many trees that the prior wants deep or shallow."""
    if n_trees < 10:
        return dict(ALL_MOVES), 10 // n_trees
    if n_trees < 50 or is_deep:
        return dict(SOME_MOVES), 2 if n_trees < 50 else 1
    return dict(LOCAL_MOVES), 1 if n_trees >= 100 else 2


def checked(moves: Mapping[str, Any]) -> dict[str, int]:
    """Return moves of a file, by the core's names; ValueError if they make no sampler."""
    known = {move.name for move in _core.TreeMove}
    for name, count in moves.items():
        if name not in known or type(count) is not int or not 0 < count <= MOST_MOVES:
            raise ValueError(f"it makes {count!r} moves {name!r}")
    if not GROWING & moves.keys():
        raise ValueError("none of its moves changes the number of leaves")
    return dict(moves)


def _counted(sampler: Mapping[Any, Any]) -> tuple[dict[str, int], int]:
    for name, count in sampler.items():
        if name not in MOVES and name != "rounds":
            raise ValueError(f"sampler has a move {name!r}; known are {', '.join(map(repr, MOVES))}, and 'rounds'")
        if not isinstance(count, Integral) or isinstance(count, bool) or not 0 <= int(count) <= MOST_MOVES:
            raise ValueError(f"sampler must count the move {name!r} by an integer up to {MOST_MOVES}, got {count!r}")
    moves = {MOVES[name]: int(count) for name, count in sampler.items() if count and name != "rounds"}
    if not GROWING & moves.keys():
        raise ValueError(
            f"sampler={dict(sampler)!r} never grows a tree: count one of 'grow_prune', 'graft', 'subtree_pg', 'pg'"
        )
    n_rounds = int(sampler.get("rounds", 1))
    if n_rounds < 1:
        raise ValueError("sampler must make at least one round a sweep, got 0")
    return moves, n_rounds
