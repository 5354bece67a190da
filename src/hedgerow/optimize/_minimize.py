"""Minimise a function in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from hedgerow.base.progress import progress, report
from hedgerow.base.settings import check_integer
from hedgerow.optimize._optimizer import Optimizer
from hedgerow.optimize._result import Result


def minimize(
    f: Callable[[Any], float | None],
    bounds: Any,
    n_calls: int = 100,
    random_state: Any = None,
    *,
    x0: Any = None,
    catch: type[Exception] | tuple[type[Exception], ...] = (),
    callback: Callable[[Result], Any] | None = None,
    **parameters: Any,
) -> Result:
    """Look for the least value of a function that is expensive to evaluate.

    Parameters
    ----------
    f : callable
        The function: takes a point, returns a number. None, NaN and infinity say that it failed.
    bounds : mapping, sequence, scipy.optimize.Bounds or Space
        What may be varied; see `Space`. By name, and `f` gets a dictionary; in order, and it gets an array, or a list
        if not all are numbers.
    n_calls : int, default=100
        How often `f` may be called.
    random_state : int, RandomState or None
        Random seed.
    x0 : list of points, optional
        Points to begin with, such as settings that are known to be fair.
    catch : exception or tuple of exceptions, default=()
        Raised by `f`, these count as failed evaluations. Others end the search.
    callback : callable, optional
        Called after each evaluation with the result so far; if it returns true, the search ends.
    **parameters
        As for `Optimizer`.

    Returns
    -------
    result : Result

    Examples
    --------
    >>> from hedgerow.optimize import minimize
    >>> def valley(x):
    ...     return (1 - x[0]) ** 2 + 5 * (x[1] - x[0] ** 2) ** 2
    >>> result = minimize(valley, [(-2, 2), (-2, 2)], n_calls=100, random_state=0)
    >>> result.x.round(2)
    array([1., 1.])
    """
    check_integer("n_calls", n_calls, least=1)
    if not callable(f) or not (callback is None or callable(callback)):
        raise TypeError(f"f, and callback unless it is None, must be functions, got {f!r} and {callback!r}")
    if not (x0 is None or isinstance(x0, Iterable)):
        raise TypeError(f"x0 must be a list of points, got {x0!r}")
    optimizer = Optimizer(bounds, random_state=random_state, **parameters)
    given = [] if x0 is None else list(x0)
    for point in given:
        optimizer.space.encode(point)  # before f is called at all
    with progress("minimising"):
        for call in range(n_calls):
            report("evaluations", call, n_calls)
            point = given[call] if call < len(given) else optimizer.ask()
            try:
                value = f(point)
            except catch:
                value = None
            optimizer.tell(point, value)
            if callback is not None and callback(optimizer.result()):
                break
    return optimizer.result()
