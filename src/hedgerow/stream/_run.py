"""What an evaluation found: scores of each window and of the whole stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hedgerow._persistence import Arrays, Saveable
from hedgerow._validation import check_integer
from hedgerow.metrics import ClassTally, DistributionTally, ErrorTally, IntervalTally, Windowed
from hedgerow.metrics._checks import check_confidence
from hedgerow.metrics._tally import Tally

Floats = npt.NDArray[np.float64]
TASKS = ("regression", "classification")


class Run(Saveable):
    """Scores of a model on a stream, forecast by forecast; made by `evaluate`.

    Parameters
    ----------
    name : str
        Name of the model.
    task : {"regression", "classification"}
        What was forecast.
    confidence : float
        What the intervals promised.
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
        Rows at which the stream is known to have changed its law.
    drifts : tuple of int
        Rows at which the model had noticed another drift; at the end of a chunk, for models that count ``n_drifts_``.
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

    def update(self, columns: dict[str, tuple[Any, ...]]) -> Self:
        """Add rows: for each thing scored what its tally takes."""
        for part, windowed in self._windowed.items():
            windowed.update(*columns[part])
        self.n_rows += len(next(iter(columns.values()))[0])
        return self

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
            raise ImportError("to_frame needs pandas: pip install pandas; `history` has the same as arrays") from None
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
        mine, theirs = self._fitted_state(), other._fitted_state()
        return mine[0] | {"seconds": 0} == theirs[0] | {"seconds": 0} and all(
            array.tobytes() == theirs[1][name].tobytes() for name, array in mine[1].items()
        )

    __hash__ = None  # type: ignore[assignment]

    # Files.

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """What the run was made with."""
        return {name: getattr(self, name) for name in ("name", "task", "confidence", "window", "scored")}

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays]:
        numbers = {
            "n_rows": self.n_rows,
            "seconds": self.seconds,
            "change_points": list(self.change_points),
            "drifts": list(self.drifts),
        }
        arrays: Arrays = {}
        for part, windowed in self._windowed.items():
            names = windowed.total.scores()
            history = [[scores[name] for name in names] for scores in windowed.history]
            arrays[f"{part}.history"] = np.array(history, dtype=np.float64).reshape(-1, len(names))
            arrays[f"{part}.total"] = windowed.total.state
            arrays[f"{part}.current"] = windowed.current.state
        return numbers, arrays

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        self.n_rows, self.seconds = int(numbers["n_rows"]), float(numbers["seconds"])
        self.change_points, self.drifts = (tuple(map(int, numbers[name])) for name in ("change_points", "drifts"))
        if self.n_rows < 0 or not 0 <= self.seconds < float("inf"):
            raise ValueError("its number of rows or its time is out of range")
        for part, windowed in self._windowed.items():
            names = list(windowed.total.scores())
            history = arrays[f"{part}.history"]
            if history.dtype != np.float64 or history.shape != (self.n_rows // self.window, len(names)):
                raise ValueError(f"its history of {part} has the shape {history.shape}")
            windowed.history = [dict(zip(names, row, strict=True)) for row in history.tolist()]
            windowed.total.restore(arrays[f"{part}.total"])
            windowed.current.restore(arrays[f"{part}.current"])
            windowed.n_current = self.n_rows % self.window
