"""Threads that share a model: those that read it go together, one that changes it goes alone, the others wait."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any, Self, TypeVar

from hedgerow import _core

F = TypeVar("F", bound=Callable[..., Any])

CHANGES = {
    "fit",
    "fit_predict",
    "fit_transform",
    "partial_fit",
    "learn_one",
    "predict_then_learn",
    "unlearn",
    "unlearn_one",
    "continue_sampling",
    "set_params",
    "ask",
    "tell",
    "_review",
}
"""Methods that change a model. All other public ones only read it."""

READS = {"__getstate__", "__sizeof__", "__sklearn_clone__", "_widened"}
"""Methods that are not public and read it too."""

MOST_SECONDS_AT_EXIT = 5.0
"""How long the end of a process waits for what its daemon threads do with models: cut off, it would be a crash."""

atexit.register(_core.close_guards, MOST_SECONDS_AT_EXIT)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_core.note_fork)


class Guarded:
    """Something whose public methods and properties wait for their turn.

    They are wrapped when a class is made, inherited ones too, so that no method has to think of it. A thread may call
    them from within each other, but for changing what it is just reading, which is a RuntimeError.
    """

    __slots__ = ("_changing", "_reading")
    _changing: Any
    _reading: Any

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Return an object with a guard, before its constructor sets parameters."""
        self = super().__new__(cls)
        self._reading, self._changing = _core.new_guard()
        return self

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in dir(cls):
            home = next(base for base in cls.__mro__ if name in vars(base))
            is_new = home is cls or not issubclass(home, Guarded)
            if is_new and (name[0] != "_" or name in READS or name in CHANGES):
                setattr(cls, name, _guarded(vars(home)[name], name in CHANGES))


def guards_itself(method: F) -> F:
    """Leave a method as it is: one so quick that another call around it would be felt."""
    method.guards_itself = True  # type: ignore[attr-defined]
    return method


def _guarded(found: Any, changes: bool) -> Any:
    """Return what stands in a class, with the guard around it if it is a method or a property."""
    if isinstance(found, property):
        return property(_reading(found.fget), found.fset, found.fdel, found.__doc__)
    if not isinstance(found, FunctionType) or hasattr(found, "guards_itself"):
        return found
    return _changing(found) if changes else _reading(found)


def _reading(method: Any) -> Callable[..., Any]:
    @wraps(method)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._reading:
            return method(self, *args, **kwargs)

    return guarded


def _changing(method: Any) -> Callable[..., Any]:
    @wraps(method)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._changing:
            return method(self, *args, **kwargs)

    return guarded
