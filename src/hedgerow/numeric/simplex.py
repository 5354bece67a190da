"""Nelder and Mead's search for a minimum, for a few numbers and cheap functions: arrays would cost more."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Point = tuple[float, ...]


def around(start: Sequence[float], steps: Sequence[float]) -> list[Point]:
    """Return the corners of a simplex: the start, and one step away from it along each number."""
    return [
        tuple(number + step * (k == moved) for k, (number, step) in enumerate(zip(start, steps, strict=True)))
        for moved in range(-1, len(start))
    ]


def minimise(f: Callable[[Point], float], simplex: Sequence[Sequence[float]], most_calls: int) -> tuple[Point, float]:
    """Return the best point found, and its value, after so many calls at most.

    Nelder and Mead (1965), The Computer Journal 7(4), with their numbers: reflect by 1, expand by 2, contract and
    shrink by 1/2. `simplex` are the corners to begin with, one more than there are numbers.
    """
    corners = sorted(((f(tuple(corner)), tuple(corner)) for corner in simplex), key=lambda corner: corner[0])
    n_calls, n = len(corners), len(corners) - 1

    while n_calls < most_calls:
        (best, _), (worst, furthest) = corners[0], corners[-1]
        centre = [sum(corner[1][k] for corner in corners[:-1]) / n for k in range(n)]

        def along(share: float, centre: list[float] = centre, towards: Point = furthest) -> tuple[float, Point]:
            point = tuple(c + share * (t - c) for c, t in zip(centre, towards, strict=True))
            return f(point), point

        tried = along(-1.0)
        n_calls += 1
        if tried[0] < best:
            further = along(-2.0)
            n_calls += 1
            tried = min(tried, further)
        elif not tried[0] < corners[-2][0]:
            inside = along(-0.5 if tried[0] < worst else 0.5)
            n_calls += 1
            if not inside[0] < min(tried[0], worst):
                first = corners[0][1]
                shrunk = [tuple(0.5 * (a + b) for a, b in zip(first, corner[1], strict=True)) for corner in corners[1:]]
                corners[1:] = [(f(point), point) for point in shrunk]
                n_calls += n
                corners.sort(key=lambda corner: corner[0])
                continue
            tried = inside
        corners[-1] = tried
        corners.sort(key=lambda corner: corner[0])
    return corners[0][1], corners[0][0]
