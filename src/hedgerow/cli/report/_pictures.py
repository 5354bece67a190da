"""Charts of a model's page: targets, predictions, effects of columns, intervals of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgerow.cli.report._chart import (
    DASHED,
    LINE,
    MOST_ROOM,
    WIDTH,
    Chart,
    Range,
    Ticks,
    between_white_and,
    percent_ticks,
    reach,
    room_for,
    rows_chart,
    short,
)
from hedgerow.cli.report._effects import Effect, PairEffect
from hedgerow.cli.report._html import Markup, element, figure
from hedgerow.cli.report._words import percent
from hedgerow.numeric.words import words_for
from hedgerow.plot.style import BLUE, GREY, ORANGE

MOST_DOTS = 400
MOST_BARS = 20
N_CLASSES = 12
MOST_COUNTED, FEW_CLASSES = 12, 5
"""Classes up to which there is room for numbers in a map, and for large ones."""


def target_figure(y: Any, task: str, target: str) -> Markup:
    """Return the distribution of the target."""
    if task == "classification":
        common = Counter(words_for(label) for label in y.tolist()).most_common(N_CLASSES)
        return bars_figure(f"Frequencies of {target}", [(label, n / len(y)) for label, n in common], in_percent=True)
    low, high = np.quantile(y, [0.005, 0.995])
    edges = np.linspace(low, high, MOST_BARS + 1) if high > low else np.array([low - 0.5, low + 0.5])
    counts = np.histogram(y, edges)[0]
    chart = Chart((float(edges[0]), float(edges[-1])), (0, 1.05 * max(counts)), target, "rows")
    for left, right, n in zip(edges[:-1], edges[1:], counts, strict=True):
        chart.box((left, right), (0, n))
    n_beyond = len(y) - int(counts.sum())
    ends = f"the minimum is {words_for(y.min())}, the maximum {words_for(y.max())}"
    beyond = f"{n_beyond:,} rows are outside this range; {ends}." if n_beyond else ""
    return figure(f"Distribution of {target}", chart.svg(), beyond)


def bars_figure(title: str, bars: Sequence[tuple[str, float]], caption: str = "", in_percent: bool = False) -> Markup:
    """Return a bar for each label, with its length in words; long labels stand above their bars."""
    longest = max((value for _, value in bars), default=1.0) or 1.0
    is_above = any(room_for(label) > MOST_ROOM for label, _ in bars)
    labels = ["" if is_above else label for label, _ in bars]
    chart = rows_chart(labels, (0.0, 1.25 * longest), x_ticks=[], line=2 * LINE if is_above else LINE)
    for place, (label, value) in enumerate(bars):
        up = len(bars) - place - 0.5
        middle, half = (up - 0.22, 0.2) if is_above else (up, 0.36)
        if is_above:
            chart.word(0.0, up + 0.2, short(label, WIDTH - 2 * LINE))
        chart.box((0.0, value), (middle - half, middle + half))
        chart.word(value, middle, percent(value, 1) if in_percent else words_for(value))
    return figure(title, chart.svg(), caption)


def scatter_figure(y: Any, mean: Any, target: str) -> Markup:
    """Return targets over predictions."""
    which = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST_DOTS])
    both = reach(np.quantile(y, [0.002, 0.998]), np.quantile(mean, [0.002, 0.998]))
    chart = Chart(both, both, "predicted", f"actual {target}")
    chart.segment(both, both, GREY, dash=DASHED)
    chart.dots(mean[which], y[which])
    words = f"A random sample of {MOST_DOTS} of {len(y):,} rows." if len(y) > MOST_DOTS else "Each dot is a row."
    return figure("Actual against predicted", chart.svg(), words)


def effect_figure(effect: Effect, of: str, in_percent: bool, between: Range) -> Markup:
    """Return what a column does, on an axis between two values."""
    ticks = percent_ticks(*between) if in_percent else None
    if not effect.is_ordered:
        chart = rows_chart([words_for(value) for value in effect.values], between, of, ticks)
        for place, (low, middle, high) in enumerate(zip(effect.low, effect.middle, effect.high, strict=True)):
            up = len(effect.values) - place - 0.5
            chart.segment((low, high), (up, up), BLUE, 2)
            chart.dots([middle], [up], radius=4, opacity=1)
        return figure(effect.column, chart.svg())
    places = [_place(value) for value in effect.values]
    span = (min(places), max(places))
    chart = Chart(span, between, effect.column, of, _ticks(effect, span), ticks)
    chart.band(places, effect.low, effect.high)
    chart.line(places, effect.middle)
    return figure(effect.column, chart.svg())


def pair_figures(pair: PairEffect, of: str, in_percent: bool) -> list[Markup]:
    """Return maps of the mean prediction and of the width of intervals."""
    maps = [(of, pair.middle)] + ([] if pair.width is None else [("width of the interval", pair.width)])
    return [_map_figure(pair, title, values, in_percent) for title, values in maps]


def intervals_figure(labels: Sequence[str], y: Any, mean: Any, ends: Any, target: str) -> Markup:
    """Return the interval of each of some rows, with the prediction and the actual value."""
    chart = rows_chart(labels, reach(ends, y), target)
    for place, (low, high) in enumerate(ends):
        up = len(labels) - place - 0.5
        chart.segment((low, high), (up, up), BLUE, 3)
        chart.dots([mean[place]], [up], BLUE, radius=4, opacity=1)
        chart.segment((y[place], y[place]), (up - 0.38, up + 0.38), ORANGE, 3)
    return figure("Intervals", chart.svg(), "Blue: prediction and interval. Orange: actual value.")


def confusion_figure(counts: Any, classes: Sequence[str]) -> Markup:
    """Return a map of how often rows of each class, from above, were predicted as each, from the left."""
    n = len(classes)
    is_short = all(room_for(name) < (WIDTH - MOST_ROOM) / n for name in classes)  # else columns have numbers
    names = list(classes) if is_short else [f"{place} {name}" for place, name in enumerate(classes, 1)]
    labels = [(n - place - 0.5, name) for place, name in enumerate(names)]
    heads = [(place + 0.5, names[place] if is_short else str(place + 1)) for place in range(0, n, 1 if n < 10 else 2)]
    line, size = (34, 12) if n <= FEW_CLASSES else (20, 9)
    chart = Chart((0, n), (0, n), "predicted class", "actual class", heads, labels, 68 + line * n)
    for row, column in np.ndindex(n, n):
        share = float(counts[row, column]) / max(1, int(counts[row].sum()))
        up = n - row
        chart.box((column, column + 1), (up - 1, up), between_white_and(BLUE, 0.04 + 0.96 * share), gap=0.3)
        if counts[row, column] and n <= MOST_COUNTED:
            colour = "#fff" if share > 0.5 else "#1c1c1c"
            chart.word_within(column + 0.5, up - 0.5, str(counts[row, column]), colour, size)
    return figure("Confusion matrix", chart.svg(), "Numbers of rows. Darker: a larger share of the rows of a class.")


def _map_figure(pair: PairEffect, title: str, values: Any, in_percent: bool) -> Markup:
    across, up = pair.first, pair.second
    n, m = values.shape
    x_ticks: Ticks = [(place + 0.5, short(words_for(across.values[place])[:10], 90)) for place in _some(n, 3)]
    y_ticks: Ticks = [(place + 0.5, words_for(up.values[place])[:10]) for place in _some(m, 5 if up.is_ordered else m)]
    chart = Chart((0, n), (0, m), across.column, up.column, x_ticks, y_ticks)
    low, high = float(values.min()), float(values.max())
    for place in np.ndindex(n, m):
        depth = 0.06 + 0.94 * float(values[place] - low) / (high - low) if high > low else 0.5
        chart.box((place[0], place[0] + 1), (place[1], place[1] + 1), between_white_and(BLUE, depth), gap=0.3)
    ends = [percent(end, 1) if in_percent else words_for(end) for end in (low, high)]
    scale = element(
        "span",
        style="display:inline-block;width:6em;height:.8em;margin:0 .4em;background:"
        "linear-gradient(to right,#f0f7fb,#0072b2)",
    )
    return element("figure", element("h3", title), chart.svg(), element("figcaption", ends[0], scale, ends[1]))


def _some(n: int, most: int) -> list[int]:
    return sorted({round(place) for place in np.linspace(0, n - 1, min(n, most))})


def _place(value: Any) -> float:
    """Return where a number, a date (in days) or a duration (in seconds) is on an axis."""
    if hasattr(value, "timestamp"):
        return float(value.timestamp()) / 86400
    return float(value.total_seconds() if hasattr(value, "total_seconds") else value)


def _ticks(effect: Effect, span: tuple[float, float]) -> Ticks | None:
    if effect.kind != "date":
        return None
    import pandas as pd

    length = 10 if span[1] - span[0] < 1500 else 7
    places = np.linspace(*span, 3)
    return [(place, str(pd.Timestamp(place * 86400, unit="s"))[:length]) for place in places]
