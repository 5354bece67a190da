"""What an evaluation found: scores of each window and of the whole stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hedgerow.base.settings import check_integer
from hedgerow.files import Saveable, Stored
from hedgerow.files.container import to_bytes
from hedgerow.metrics import ClassTally, DistributionTally, ErrorTally, IntervalTally, Windowed
from hedgerow.metrics._checks import check_confidence
from hedgerow.metrics._tally import Tally
from hedgerow.numeric.arrays import Floats

TASKS = ("regression", "classification")
MOST_ROWS = 2**63 - 1
N_RECENT = 120
"""Rows whose intervals a run keeps."""


class Run(Saveable):
    """Scores of a model on a stream, forecast by forecast; made by `evaluate`.

    Parameters
    ----------
    name : str
        Name of the model.
    task : {"regression", "classification"}
        What was forecast.
    confidence : float
        Nominal confidence of the intervals.
    window : int
        Rows in a window of the history.
    scored : str
        What was scored, separated by spaces: "intervals", "errors", "distributions", "classes".

    Attributes
    ----------
    n_rows : int
        Rows forecast.
    seconds : float
        Time that forecasting and learning took.
    scores : dict
        Scores of the whole run, by name.
    history : dict of arrays
        For each window ``begin`` and ``end`` (rows) and each score; the last window may be shorter.
    change_points : tuple of int
        Rows at which the distribution of the stream is known to have changed.
    drifts : tuple of int
        Rows at which the model had noticed another drift; at the end of a chunk, for models that count ``n_drifts_``.
    recent : dict of arrays
        The latest rows, their targets and their intervals.
    """

    def __init__(self, name: str, task: str, confidence: float, window: int, scored: str) -> None:
        if task not in TASKS:
            raise ValueError(f"task must be one of {TASKS}, got {task!r}")
        if not isinstance(name, str) or not isinstance(scored, str):
            raise ValueError(f"name and scored must be texts, got {name!r} and {scored!r}")
        check_integer("window", window, least=1)
        check_confidence(confidence)
        self.name, self.task, self.confidence, self.window, self.scored = name, task, confidence, window, scored
        makers: dict[str, Callable[[], Tally]] = {
            "intervals": lambda: IntervalTally(confidence),
            "errors": ErrorTally,
            "distributions": DistributionTally,
            "classes": ClassTally,
        }
        if not scored.split() or not set(scored.split()) <= set(makers):
            raise ValueError(f"scored must name some of {', '.join(makers)}, got {scored!r}")
        self._windowed = {part: Windowed(makers[part], window) for part in scored.split()}
        self.n_rows = 0
        self.seconds = 0.0
        self.change_points: tuple[int, ...] = ()
        self.drifts: tuple[int, ...] = ()
        self._recent: Floats = np.empty((0, 3))  # target, lower and upper end

    def update(self, columns: dict[str, tuple[Any, ...]]) -> Self:
        """Add rows: for each thing scored what its tally takes."""
        for part, windowed in self._windowed.items():
            windowed.update(*columns[part])
        if "intervals" in columns:
            rows = np.column_stack(columns["intervals"]).astype(np.float64)
            self._recent = np.concatenate([self._recent, rows])[-N_RECENT:]
        self.n_rows += len(next(iter(columns.values()))[0])
        return self

    @property
    def recent(self) -> dict[str, npt.NDArray[Any]]:
        """The latest rows as ``row``, ``target``, ``lower`` and ``upper``; empty if no intervals were scored."""
        columns = self._recent.T.copy()
        rows = np.arange(self.n_rows - columns.shape[1], self.n_rows)
        return {"row": rows, **dict(zip(("target", "lower", "upper"), columns, strict=True))}

    @property
    def scores(self) -> dict[str, float]:
        """Scores of the whole run, by name."""
        return {name: value for windowed in self._windowed.values() for name, value in windowed.total.scores().items()}

    @property
    def history(self) -> dict[str, npt.NDArray[Any]]:
        """Scores of each window, by name, with the rows at which it begins and ends."""
        return self.windows()

    def windows(self, last: int | None = None) -> dict[str, npt.NDArray[Any]]:
        """Return the last windows of the history, or all."""
        n_full = self.n_rows // self.window
        n = n_full + (self.n_rows % self.window > 0)
        first = 0 if last is None else max(0, n - last)
        begin = np.arange(first, n) * self.window
        columns: dict[str, npt.NDArray[Any]] = {"begin": begin, "end": np.minimum(begin + self.window, self.n_rows)}
        for windowed in self._windowed.values():
            parts = windowed.history[first:] + ([windowed.current.scores()] if windowed.n_current else [])
            for name in windowed.total.scores():
                columns[name] = np.array([part[name] for part in parts], dtype=np.float64)
        return columns

    def to_frame(self) -> Any:
        """Return the history as a pandas frame, a row for each window."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(
                "to_frame needs pandas: pip install 'hedgerow[tables]'; `history` has the same as arrays"
            ) from None
        return pd.DataFrame(self.history)

    def plot(self, **style: Any) -> Any:
        """Draw the history; see `hedgerow.plot.RunDisplay`."""
        from hedgerow.plot import RunDisplay

        return RunDisplay.from_runs(self, **style)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value:.4g}" for name, value in self.scores.items())
        return f"<Run of {self.name} over {self.n_rows:,} rows: {shown}>"

    def __eq__(self, other: object) -> bool:
        """Whether all scores have the same bits. The time that it took does not count."""
        if not isinstance(other, Run) or self.get_params() != other.get_params():
            return NotImplemented if not isinstance(other, Run) else False
        mine, theirs = (to_bytes({**run._state(), "seconds": 0}) for run in (self, other))
        return mine == theirs

    __hash__ = None  # type: ignore[assignment]

    # Files.

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """What the run was made with."""
        return {name: getattr(self, name) for name in ("name", "task", "confidence", "window", "scored")}

    def _state(self) -> dict[str, Any]:
        return {
            "n_rows": self.n_rows,
            "seconds": self.seconds,
            "change_points": list(self.change_points),
            "drifts": list(self.drifts),
            "scores": {part: _sums(windowed) for part, windowed in self._windowed.items()},
            "recent": self._recent,
        }

    def _restore(self, stored: Stored) -> None:
        self.n_rows, self.seconds = stored.integer("n_rows", 0, MOST_ROWS), stored.number("seconds", least=0.0)
        self.change_points, self.drifts = (
            tuple(map(int, stored.sequence(name))) for name in ("change_points", "drifts")
        )
        recent = stored.any("recent") if "recent" in stored else self._recent
        is_table = isinstance(recent, np.ndarray) and recent.dtype == np.float64 and recent.ndim == 2
        if not is_table or recent.shape[1] != 3 or len(recent) > min(N_RECENT, self.n_rows):
            raise ValueError(f"its latest intervals are more than {N_RECENT} rows, or no table of three columns")
        if np.isnan(recent).any() or not np.isfinite(recent[:, 0]).all():
            raise ValueError("its latest intervals or targets are not numbers")
        self._recent = recent
        for part, windowed in self._windowed.items():
            names, sums = list(windowed.total.scores()), stored.part("scores").arrays(part)
            history = sums["history"]
            if history.dtype != np.float64 or history.shape != (self.n_rows // self.window, len(names)):
                raise ValueError(f"its history of {part} has the shape {history.shape}")
            windowed.history = [dict(zip(names, row, strict=True)) for row in history.tolist()]
            windowed.total.restore(sums["total"])
            windowed.current.restore(sums["current"])
            windowed.n_current = self.n_rows % self.window


def _sums(windowed: Windowed) -> dict[str, Floats]:
    names = windowed.total.scores()
    history = [[scores[name] for name in names] for scores in windowed.history]
    return {
        "history": np.array(history, dtype=np.float64).reshape(-1, len(names)),
        "total": windowed.total.state,
        "current": windowed.current.state,
    }
