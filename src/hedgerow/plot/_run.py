"""Scores of runs over time: what a drift does to a model, and how long it takes to recover."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from hedgerow.plot.style import COLOURS, GREY, explain_lines, pyplot

if TYPE_CHECKING:
    from hedgerow.stream import Run

PANELS = {
    "mean_error_rate": "share of misses",
    "relative_interval_size": "relative interval size",
    "mean_absolute_error": "mean absolute error",
    "accuracy": "accuracy",
    "log_loss": "log loss",
}
"""Scores that are drawn, one panel each, and the labels of their axes."""


class RunDisplay:
    """Scores of one or several runs, window by window, one panel for each score.

    A dashed line marks the nominal miss rate; vertical lines mark known changes of the stream; ticks below the first
    panel mark drifts that the model detected.

    Parameters
    ----------
    runs : sequence of Run
        Runs of one task.
    scores : sequence of str, optional
        What to draw, by the names in the history of the runs. Default: misses, sizes and errors; accuracy and log loss.

    Attributes
    ----------
    axes_, figure_
        Where it was drawn: an axes for each score.
    lines_ : dict from str to list
        For each score a line for each run.

    Examples
    --------
    >>> from hedgerow import MondrianForestRegressor
    >>> from hedgerow.plot import RunDisplay
    >>> from hedgerow.stream import friedman_drift
    >>> stream = friedman_drift("report", n_rows=2000, random_state=0)
    >>> model = MondrianForestRegressor(n_estimators=5, window=500, random_state=0)
    >>> display = RunDisplay.from_estimator(model, stream, window=100)  # doctest: +SKIP
    """

    def __init__(self, runs: Sequence[Run], scores: Sequence[str] | None = None) -> None:
        if not runs:
            raise ValueError("there is no run to draw")
        if len({run.task for run in runs}) > 1:
            raise ValueError("runs of regression and of classification have no score in common; draw them apart")
        known = [name for name in runs[0].history if name not in ("begin", "end")]
        for name in scores or ():
            if name not in known:
                raise ValueError(f"there is no score {name!r}; the first run has {', '.join(known)}")
        self.runs = tuple(runs)
        self.scores = tuple(scores or (name for name in PANELS if any(name in run.history for run in runs)))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        stream: Any,
        *,
        confidence: float = 0.9,
        window: int = 1000,
        scores: Sequence[str] | None = None,
        axes: Any = None,
    ) -> Self:
        """Evaluate a model on a stream, which it learns, and draw.

        Parameters
        ----------
        estimator, stream, confidence, window
            As for `hedgerow.stream.evaluate`.
        scores : sequence of str, optional
            What to draw.
        axes : sequence of matplotlib axes, optional
            Where to draw, one for each score; by default a new figure.

        Returns
        -------
        display : RunDisplay
        """
        from hedgerow.stream import evaluate

        return cls([evaluate(estimator, stream, confidence, window)], scores).plot(axes=axes)

    @classmethod
    def from_runs(cls, *runs: Run, scores: Sequence[str] | None = None, axes: Any = None, **style: Any) -> Self:
        """Draw runs that have been made.

        Parameters
        ----------
        *runs : Run
            What `hedgerow.stream.evaluate` returned.
        scores, axes
            As for `from_estimator`.
        **style
            Passed to `plot`.

        Returns
        -------
        display : RunDisplay
        """
        return cls(runs, scores).plot(axes=axes, **style)

    def plot(self, axes: Any = None, **style: Any) -> Self:
        """Draw a panel for each score, and a line for each run.

        Parameters
        ----------
        axes : sequence of matplotlib axes, optional
            Where to draw, one for each score; by default a new figure.
        **style
            For the lines, as matplotlib's `plot` takes it.

        Returns
        -------
        self
        """
        n, is_own = len(self.scores), axes is None
        if is_own:
            _, grid = pyplot().subplots(
                n, 1, sharex=True, squeeze=False, figsize=(8, 1 + 1.9 * n + 0.16 * len(self.runs)), layout="constrained"
            )
            axes = grid[:, 0]
        self.axes_ = list(axes) if isinstance(axes, Sequence) or hasattr(axes, "__len__") else [axes]
        if len(self.axes_) != n:
            raise ValueError(f"{n} scores need {n} axes, got {len(self.axes_)}")
        self.figure_ = self.axes_[0].figure
        self.lines_ = {name: self._panel(ax, name, style) for name, ax in zip(self.scores, self.axes_, strict=True)}
        self._mark_drifts(self.axes_[0])
        self.axes_[-1].set_xlabel("row")
        self.axes_[-1].xaxis.set_major_formatter(lambda row, _: f"{row:,.0f}")
        if len(self.runs) > 1:
            explain_lines(self.axes_[0], is_own)
        else:
            self.axes_[0].set_title(f"{self.runs[0].name}, {self.runs[0].n_rows:,} rows", loc="left", fontsize="medium")
        return self

    def _panel(self, ax: Any, name: str, style: dict[str, Any]) -> list[Any]:
        lines = []
        for place, run in enumerate(self.runs):
            history = run.history
            if name not in history:
                continue
            middle = (history["begin"] + history["end"]) / 2
            given = {"color": COLOURS[place % len(COLOURS)], "linewidth": 1.4, "label": run.name} | style
            lines += ax.plot(middle, history[name], **given)
        if name == "mean_error_rate":
            for promised in {round(1 - run.confidence, 12) for run in self.runs}:
                ax.axhline(promised, color=GREY, linewidth=1, linestyle=(0, (4, 3)), gid="promised", zorder=1)
        for row in sorted({row for run in self.runs for row in run.change_points}):
            ax.axvline(row, color=GREY, linewidth=0.8, linestyle=":", gid="change", zorder=0)
        if name != "accuracy":
            ax.set_ylim(bottom=0)
        ax.set_ylabel(PANELS.get(name, name.replace("_", " ")))
        ax.spines[["top", "right"]].set_visible(False)
        return lines

    def _mark_drifts(self, ax: Any) -> None:
        for place, run in enumerate(self.runs):
            if run.drifts:
                colour = COLOURS[place % len(COLOURS)]
                ax.plot(run.drifts, [0] * len(run.drifts), "|", color=colour, markersize=9, gid="drifts", clip_on=False)
