"""Matrix products on one thread: how many threads share one decides how it is rounded, and so would bits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_within: list[list[int]] = []
"""Threads that each library had before, as often as there are blocks: the first sets one, the last takes it back."""


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """While it lasts, BLAS and LAPACK do not start threads. Python threads may be within it at the same time."""
    with _lock:
        _within.append(_within[0] if _within else _set([1] * len(_libraries())))
    try:
        yield
    finally:
        with _lock:
            before = _within.pop()
            if not _within:
                _set(before)


def _set(n_threads: list[int]) -> list[int]:
    """Set the threads of each library, and return how many they had.

    threadpoolctl lets a single Python thread change OpenBLAS, the first that did, and ignores the others silently:
    two of them must not restore each other's limits. Here they wait for each other, so the libraries are set directly.
    """
    before = [library.get_num_threads() for library in _libraries()]
    for library, n in zip(_libraries(), n_threads, strict=True):
        getattr(library, "_real_set_num_threads", library.set_num_threads)(n)
    return before


@cache
def _libraries() -> list[Any]:
    return [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]
