"""How fast optimisations found what they found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hedgerow.plot.style import COLOURS, GREY, ORANGE, axes_or_new, explain_lines

if TYPE_CHECKING:
    from hedgerow.optimize import Result


class ConvergenceDisplay:
    """The least value found, over evaluations: a line for each result, and a dot for each evaluation of the first.

    Parameters
    ----------
    results : sequence of Result
        What optimisations of one function found.
    labels : sequence of str, optional
        Their names.
    optimum : float, optional
        The least value there is, where it is known. Then the distance from it is drawn, on a log scale.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    lines_ : list
        A line for each result.

    Examples
    --------
    >>> from hedgerow.optimize import minimize
    >>> from hedgerow.plot import ConvergenceDisplay
    >>> result = minimize(lambda x: x[0] ** 2, [(-1, 1)], n_calls=20, random_state=0)
    >>> display = ConvergenceDisplay.from_results(result)  # doctest: +SKIP
    """

    def __init__(
        self, results: Sequence[Result], labels: Sequence[str] | None = None, optimum: float | None = None
    ) -> None:
        if not results:
            raise ValueError("there is no result to draw")
        if labels is not None and len(labels) != len(results):
            raise ValueError(f"there must be one label a result, got {len(labels)} for {len(results)}")
        self.results, self.labels, self.optimum = tuple(results), labels, optimum

    @classmethod
    def from_results(
        cls,
        *results: Result,
        labels: Sequence[str] | None = None,
        optimum: float | None = None,
        ax: Any = None,
        **style: Any,
    ) -> Self:
        """Draw what `minimize` or `Optimizer.result` returned.

        Parameters
        ----------
        *results : Result
            One or several.
        labels, optimum
            As for the class.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **style
            Passed to `plot`.

        Returns
        -------
        display : ConvergenceDisplay
        """
        return cls(results, labels, optimum).plot(ax=ax, **style)

    def plot(self, ax: Any = None, **style: Any) -> Self:
        """Draw a line for each result.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **style
            For the lines, as matplotlib's `plot` takes it.

        Returns
        -------
        self
        """
        is_own, self.ax_ = ax is None, axes_or_new(ax)
        self.figure_ = self.ax_.figure
        self.lines_ = []
        floor = 0.0 if self.optimum is None else self.optimum
        first = self.results[0]
        calls = np.arange(1, first.n_calls + 1)
        found = ~np.isnan(first.values)
        self.ax_.plot(calls[found], first.values[found] - floor, ".", color=GREY, markersize=4, alpha=0.5)
        for number, result in enumerate(self.results):
            best = result.best_so_far - floor
            name = None if self.labels is None else self.labels[number]
            looks = {"color": COLOURS[number % len(COLOURS)], "linewidth": 2.0, "label": name} | style
            known = np.isfinite(best)
            (line,) = self.ax_.step(np.arange(1, best.size + 1)[known], best[known], where="post", **looks)
            self.lines_.append(line)
        failed = calls[~found]
        if failed.size:
            self.ax_.plot(
                failed, np.full(failed.size, 0.02), "x", color=ORANGE, transform=self.ax_.get_xaxis_transform()
            )
        self.ax_.set(xlabel="evaluations", ylabel="value" if self.optimum is None else "distance from the least value")
        if self.optimum is not None:
            self.ax_.set_yscale("log")
        if self.labels is not None:
            explain_lines(self.ax_, is_own)
        return self
