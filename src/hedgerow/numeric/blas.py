"""Matrix products on one thread: how many threads share one decides how it is rounded, and so would bits."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> Any:
    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[Any]:
    """While it lasts, BLAS and LAPACK do not start threads."""
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limit
