"""Matrix products on one thread: how many threads share one decides how it is rounded, and so would bits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_limits: list[Any] = []
"""The limit of the process, as often as there are blocks within it: the first sets it and the last takes it back."""


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """While it lasts, BLAS and LAPACK do not start threads. Python threads may be within it at the same time."""
    with _lock:
        _limits.append(_limits[0] if _limits else _controller().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            limit = _limits.pop()
            if not _limits:
                limit.restore_original_limits()


@cache
def _controller() -> Any:
    return ThreadpoolController()
