"""Work that may fail or be interrupted: models as they were before, and Ctrl-C in long work and between its pieces."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
from sklearn.base import clone

from hedgerow import _core

_core.heed_interrupts(threading.main_thread().ident or 0)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _core.heed_interrupts(threading.get_ident()))

P = ParamSpec("P")
R = TypeVar("R")

WORK_AT_A_TIME = 100_000
"""Rows times trees that are learned by one call of the core: a few tenths of a second. Between two calls Python looks
for Ctrl-C."""

PREDICTED_AT_A_TIME = 5 * WORK_AT_A_TIME
"""The same of rows that are predicted."""


def pieces(n_rows: int, n_trees: int, work: int = WORK_AT_A_TIME, most: int | None = None) -> Iterator[slice]:
    """Yield slices of rows whose work takes the core a few tenths of a second; one, which is empty, for no rows.

    If given, `most` is the largest number of rows of a slice.
    """
    step = work // max(1, n_trees)
    step = max(1, step if most is None else min(step, most))
    for begin in range(0, max(1, n_rows), step):
        yield slice(begin, min(begin + step, n_rows))


def compute_in_pieces(compute: Callable[[Any], Any], X: Any, n_trees: int) -> Any:
    """Return the array that the core computes for rows, some of them at a time."""
    parts = [compute(X[rows]) for rows in pieces(X.shape[0], n_trees, PREDICTED_AT_A_TIME)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def all_or_nothing(method: Callable[P, R]) -> Callable[P, R]:
    """If the method fails, or is interrupted, the model has the attributes that it had before the call."""

    @wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        before = dict(vars(args[0]))
        try:
            return method(*args, **kwargs)
        except BaseException:
            _restore(args[0], before)
            raise

    return guarded


def all_rows_or_none(method: Callable[P, R]) -> Callable[P, R]:
    """If rows are refused after others were learned, the model is as it was; learners that may refuse have a mark."""

    @wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        model: Any = args[0]
        before, learner = dict(vars(model)), getattr(model, "_learner", None)
        mark = getattr(learner, "mark", None)
        try:
            return method(*args, **kwargs)
        except ValueError:
            if learner is None:
                _restore(model, before)
            elif mark is not None:
                _restore(model, before)
                learner.go_back(mark)
            raise

    return guarded


def _restore(model: Any, attributes: dict[str, Any]) -> None:
    vars(model).clear()
    vars(model).update(attributes)
    _forget_what_follows(model)


def forget_everything(model: Any) -> None:
    """Leave a model as it was before its first row; its parameters, and what scikit-learn has set, stay."""
    for name in vars(model).keys() - vars(clone(model)).keys():
        delattr(model, name)
    _forget_what_follows(model)


def _forget_what_follows(model: Any) -> None:
    """Have an estimator look at its attributes again; learners keep nothing that follows from theirs."""
    if hasattr(model, "_forget_what_follows"):
        model._forget_what_follows()


@contextmanager
def interrupted_after() -> Iterator[None]:
    """Raise KeyboardInterrupt only when the block is done. Python raises it in the main thread, and nowhere else."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[Any] = []
    previous = signal.signal(signal.SIGINT, lambda *event: received.append(event))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
    if received and callable(previous):
        previous(*received[0])
