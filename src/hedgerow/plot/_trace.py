"""The ways of Markov chains, and whether they wander about the same place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from hedgerow.numeric.arrays import Floats
from hedgerow.plot.style import BLUE, GREEN, GREY, ORANGE, PURPLE, pyplot

COLOURS = (BLUE, ORANGE, GREEN, PURPLE)
PANELS = {
    "noise": "noise",
    "log_likelihood": "log-likelihood",
    "n_leaves": "leaves a tree",
    "root_changes": "share of roots changed",
}
"""What can be drawn, and the label of its axis."""


class TraceDisplay:
    """What chains noted down of each draw, a line a chain, and next to it how often each value came.

    Chains that have found the same posterior lie over each other, on both sides.

    Parameters
    ----------
    trace : dict from str to array of shape (n_chains, n_draws)
        As the `trace_` of a model.
    names : sequence of str, optional
        What to draw, a row each. Default: noise, if there is one, and log-likelihood.

    Attributes
    ----------
    axes_, figure_
        Where it was drawn: an array of axes with a row for each name, lines on the left and counts on the right.
    lines_ : dict from str to list
        For each name a line for each chain.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import BARTRegressor
    >>> from hedgerow.plot import TraceDisplay
    >>> X = np.linspace(0, 1, 50).reshape(-1, 1)
    >>> model = BARTRegressor(10, n_chains=1, n_draws=50, n_burn_in=50, random_state=0).fit(X, X[:, 0] ** 2)
    >>> display = TraceDisplay.from_estimator(model)  # doctest: +SKIP
    """

    def __init__(self, trace: dict[str, Floats], names: Sequence[str] | None = None) -> None:
        chosen = [name for name in ("noise", "log_likelihood") if name in trace] if names is None else list(names)
        if not chosen:
            raise ValueError("there is nothing to draw")
        for name in chosen:
            if name not in trace:
                raise ValueError(f"there is no trace of {name!r}; known are {', '.join(map(repr, trace))}")
        self.trace, self.names = trace, tuple(chosen)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, names: Sequence[str] | None = None, axes: Any = None, **style: Any
    ) -> Self:
        """Draw the chains of a fitted `BARTRegressor` or `BARTClassifier`.

        Parameters
        ----------
        estimator : fitted BARTRegressor or BARTClassifier
            Whose chains to draw.
        names : sequence of str, optional
            What to draw: "noise", "log_likelihood", "n_leaves", "root_changes".
        axes : array of matplotlib axes of shape (n_names, 2), optional
            Where to draw; by default a new figure.
        **style
            Passed to `plot`.

        Returns
        -------
        display : TraceDisplay
        """
        return cls(estimator.trace_, names).plot(axes=axes, **style)

    def plot(self, axes: Any = None, **style: Any) -> Self:
        """Draw a row for each name.

        Parameters
        ----------
        axes : array of matplotlib axes of shape (n_names, 2), optional
            Where to draw; by default a new figure.
        **style
            For the lines, as matplotlib's `plot` takes it.

        Returns
        -------
        self
        """
        n = len(self.names)
        if axes is None:
            _, axes = pyplot().subplots(
                n,
                2,
                squeeze=False,
                sharex="col",
                sharey="row",
                figsize=(9, 0.6 + 1.9 * n),
                width_ratios=(4, 1),
                layout="constrained",
            )
        self.axes_ = np.asarray(axes)
        if self.axes_.shape != (n, 2):
            raise ValueError(f"{n} names need axes of shape ({n}, 2), got {self.axes_.shape}")
        self.figure_ = self.axes_[0, 0].figure
        self.lines_ = {name: self._row(row, name, style) for name, row in zip(self.names, self.axes_, strict=True)}
        self.axes_[-1, 0].set_xlabel("draw")
        self.axes_[0, 0].set_title(_count(next(iter(self.trace.values()))), loc="left", fontsize="medium", color=GREY)
        return self

    def _row(self, row: Any, name: str, style: dict[str, Any]) -> list[Any]:
        left, right = row
        draws = self.trace[name]
        edges = np.histogram_bin_edges(draws, bins=30)
        lines = []
        for chain, line in enumerate(draws):
            colour = COLOURS[chain % len(COLOURS)]
            lines += left.plot(line, **({"color": colour, "linewidth": 0.6, "alpha": 0.8} | style))
            right.hist(line, bins=edges, orientation="horizontal", histtype="step", color=colour, linewidth=1.0)
        left.set_ylabel(PANELS.get(name, name.replace("_", " ")))
        left.margins(x=0.01)
        right.set_xticks([])
        right.spines[["top", "right", "bottom"]].set_visible(False)
        left.spines[["top", "right"]].set_visible(False)
        return lines


def _count(draws: Floats) -> str:
    n_chains, n_draws = draws.shape
    return f"{n_chains} chain{'s' if n_chains > 1 else ''} of {n_draws:,} draws"
