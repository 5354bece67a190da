"""Models as they were: after calls that fail, after work that Ctrl-C might cut in two, and before their first row."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from sklearn.base import clone

P = ParamSpec("P")
R = TypeVar("R")


def all_or_nothing(method: Callable[P, R]) -> Callable[P, R]:
    """If the method fails, or is interrupted, the model has the attributes that it had before the call."""

    @wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        attributes = vars(args[0])
        before = dict(attributes)
        try:
            return method(*args, **kwargs)
        except BaseException:
            attributes.clear()
            attributes.update(before)
            raise

    return guarded


def forget_everything(model: Any) -> None:
    """Leave a model as it was before its first row; its parameters, and what scikit-learn has set, stay."""
    for name in vars(model).keys() - vars(clone(model)).keys():
        delattr(model, name)


@contextmanager
def interrupted_after() -> Iterator[None]:
    """Hear Ctrl-C only when the block is done. Python hears it in the main thread, and nowhere else."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[Any] = []
    previous = signal.signal(signal.SIGINT, lambda *event: heard.append(event))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
    if heard and callable(previous):
        previous(*heard[0])
