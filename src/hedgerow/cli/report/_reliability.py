"""Whether predictions keep what they promise, overall and by group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.cli._honest import Honest
from hedgerow.cli.report._chart import DASHED, Chart, percent_ticks, reach_of_shares, rows_chart
from hedgerow.cli.report._html import Markup, figure
from hedgerow.cli.report._words import percent
from hedgerow.numeric.words import words_for
from hedgerow.plot.style import BLUE, GREY, ORANGE

LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
N_BINS = 10
N_GROUPS = 6
LEAST_IN_GROUP = 10
Z = 1.96
"""Ranges hold the true share with a probability of 95 %."""


@dataclass(frozen=True)
class Group:
    """Rows of a kind: how many, what was promised, what came, and the range in which the true share lies."""

    name: str
    n: int
    promised: float
    share: float
    low: float
    high: float

    @property
    def is_off(self) -> bool:
        """Whether chance does not explain the difference."""
        return not self.low <= self.promised <= self.high


def calibration_figure(honest: Honest) -> Markup:
    """Return the figure of promised and observed shares."""
    if honest.task == "regression":
        points = [_group(percent(level), level, _covered(honest, level)) for level in LEVELS]
        title, across, up = "Coverage at all levels", "nominal coverage", "observed coverage"
        caption = "Dashed: observed and nominal coverage agree. Above it intervals are too wide, below too narrow."
    else:
        points = list(_probability_bins(honest))
        title, across, up = "Reliability", "mean predicted probability", "observed frequency"
        what = f"of {words_for(honest.classes[1])}" if len(honest.classes) == 2 else "of the most probable class"
        caption = f"Probabilities {what}, in {len(points)} groups of rows. Dashed: frequencies and probabilities agree."
    both = reach_of_shares([end for point in points for end in (point.promised, point.high)])
    chart = Chart(both, both, across, up, percent_ticks(*both), percent_ticks(*both))
    chart.segment(both, both, GREY, dash=DASHED)
    for point in points:
        chart.segment((point.promised, point.promised), (point.low, point.high), BLUE, 1.5)
    chart.line([point.promised for point in points], [point.share for point in points])
    chart.dots([point.promised for point in points], [point.share for point in points], radius=3.5, opacity=1)
    return figure(title, chart.svg(), f"{caption} Vertical lines: 95 % confidence intervals.")


def groups_of(honest: Honest, columns: Sequence[str], kinds: Any, confidence: float) -> dict[str, list[Group]]:
    """Return groups of rows by the prediction itself and by some columns."""
    if honest.task == "regression":
        kept, promised = _covered(honest, confidence), np.full(len(honest.y), confidence)
        by = {"prediction": honest.mean}
    else:
        best = honest.probabilities.argmax(axis=1)
        kept, promised = honest.classes[best] == honest.y, honest.probabilities.max(axis=1)
        by = {"predicted class": honest.classes[best]}
    found = {}
    for name, values in [*by.items(), *((name, honest.X[name]) for name in columns)]:
        kind = kinds.get(name, "number" if name == "prediction" else "category")
        groups = [
            _group(label, float(promised[which].mean()), kept[which])
            for label, which in _split(values, kind)
            if which.sum() >= LEAST_IN_GROUP
        ]
        if len(groups) > 1:
            found[name] = groups
    return found


def groups_figure(name: str, groups: Sequence[Group]) -> Markup:
    """Return shares by group, with what was promised."""
    low = min(0.5, min(group.low for group in groups))
    chart = rows_chart([group.name for group in groups], (low, 1.0), "", percent_ticks(low, 1.0))
    for place, group in enumerate(groups):
        up = len(groups) - place - 0.5
        colour = ORANGE if group.is_off else BLUE
        chart.segment((group.low, group.high), (up, up), colour, 2)
        chart.dots([group.share], [up], colour, radius=4, opacity=1)
        chart.segment((group.promised, group.promised), (up - 0.32, up + 0.32), GREY, 2)
    return figure(f"By {name}", chart.svg())


def _covered(honest: Honest, level: float) -> Any:
    ends = honest.interval(level)
    return (ends[:, 0] <= honest.y) & (honest.y <= ends[:, 1])


def _probability_bins(honest: Honest) -> Iterator[Group]:
    """Return groups of rows with like probabilities: of the second of two classes, or of the most probable one."""
    if len(honest.classes) == 2:
        predicted, came = honest.probabilities[:, 1], honest.y == honest.classes[1]
    else:
        predicted = honest.probabilities.max(axis=1)
        came = honest.classes[honest.probabilities.argmax(axis=1)] == honest.y
    order = np.argsort(predicted, kind="stable")
    for which in np.array_split(order, min(N_BINS, max(1, len(order) // LEAST_IN_GROUP))):
        yield _group("", float(predicted[which].mean()), came[which])


def _group(name: str, promised: float, kept: Any) -> Group:
    """Return a group with the interval of Wilson (1927)."""
    n, share = len(kept), float(np.mean(kept))
    centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * np.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return Group(name, n, promised, share, float(centre - half), float(centre + half))


def _split(values: Any, kind: str) -> Iterator[tuple[str, Any]]:
    """Groups of rows: thirds of what is ordered, the commonest of the rest, and rows in which it is missing."""
    import pandas as pd

    column = pd.Series(np.asarray(values) if not isinstance(values, pd.Series) else values.to_numpy())
    known = column.notna().to_numpy()
    if kind in ("number", "date", "duration") and column[known].nunique() > N_GROUPS:
        edges = column[known].quantile([1 / 3, 2 / 3]).to_list()
        words = (f"to {_word(edges[0])}", "between", f"above {_word(edges[1])}")
        parts = (column <= edges[0], (column > edges[0]) & (column <= edges[1]), column > edges[1])
        yield from ((word, known & part.to_numpy(dtype=bool)) for word, part in zip(words, parts, strict=True))
    else:
        common = column[known].value_counts().index[:N_GROUPS]
        for value in sorted(common) if kind in ("number", "date", "duration") else common:
            yield _word(value), known & (column == value).to_numpy(dtype=bool)
    yield "missing", ~known


def _word(value: Any) -> str:
    return str(value)[:10] if hasattr(value, "year") else words_for(value)
