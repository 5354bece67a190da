"""Calls that leave a model as it was unless they succeed."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

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
