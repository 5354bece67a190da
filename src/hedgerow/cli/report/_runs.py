"""The page about runs: scores of streams, forecast by forecast, over time and with marks of drift."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from hedgerow.cli._runs import names_of, scores_rows, with_meanings
from hedgerow.cli.report._chart import COLOURS, DASHED, DOTTED, Chart, key, percent_ticks, reach
from hedgerow.cli.report._html import Markup, cards, element, figure, figures, page, section, table
from hedgerow.cli.report._words import listed, percent
from hedgerow.plot.style import BLUE, GREY, ORANGE
from hedgerow.stream import Run

CURVES = {
    "mean_error_rate": "targets within intervals",
    "relative_interval_size": "width of intervals, relative to the range of targets",
    "interval_score": "interval score",
    "root_mean_squared_error": "RMSE",
    "mean_absolute_error": "MAE",
    "accuracy": "accuracy",
    "log_loss": "log loss",
    "crps": "CRPS",
}
"""Scores drawn over time, and what they are called."""
COVERAGE = "mean_error_rate"
PALE = "#9ecae8"
FEW_WINDOWS = 40
"""Points of so many windows, or fewer, are drawn as dots too."""


def runs_page(runs: Sequence[Run]) -> str:
    """Return the page."""
    named = list(zip(names_of(runs), runs, strict=True))
    sections = [
        section("Summary", cards([_card(name, run) for name, run in named]), table(with_meanings(scores_rows(runs)))),
        _over_time(named),
        *_latest(named),
        _changes(named),
    ]
    what = "intervals" if runs[0].task == "regression" else "classes"
    words = f"Each row was forecast, then learned: {listed(f'{run.n_rows:,} rows by {name}' for name, run in named)}"
    return page(f"How well {what} were forecast on a stream", words, sections)


def _card(name: str, run: Run) -> tuple[str, Any, str]:
    scores = run.scores
    if COVERAGE in scores:
        return name, percent(1 - scores[COVERAGE], 1), f"of targets within {percent(run.confidence)} intervals"
    return name, percent(scores["accuracy"], 1), "of rows predicted correctly"


def _over_time(named: Sequence[tuple[str, Run]]) -> Markup:
    pictures = [
        _curves(score, words, [(name, run) for name, run in named if score in run.history])
        for score, words in CURVES.items()
        if any(score in run.history for _, run in named)
    ]
    windows = sorted({run.window for _, run in named})
    about = f"Each point is the mean over {listed(f'{window:,}' for window in windows)} rows. "
    about += "Dashed lines mark known changes of the stream, dotted lines drifts that a model detected."
    colours = [(name, COLOURS[place % len(COLOURS)]) for place, (name, _) in enumerate(named)]
    return section("Over time", key(*colours), figures(*pictures), about=about)


def _curves(score: str, words: str, named: Sequence[tuple[str, Run]]) -> Markup:
    is_share = score in (COVERAGE, "accuracy")
    drawn = [(run.history["end"], _values(run, score), run) for _, run in named]
    promised = [run.confidence for _, run in named] if score == COVERAGE else []
    low, high = reach(*(values for _, values, _ in drawn), promised)
    between = (max(0.0, low), min(1.0, high)) if is_share else (low, high)
    last = max(run.n_rows for _, run in named)
    chart = Chart((0, last), between, "rows", "", None, percent_ticks(*between) if is_share else None)
    for level in sorted(set(promised)):
        chart.segment((0, last), (level, level), GREY, 1.5)
    for place, (_, run) in enumerate(named):
        colour = COLOURS[place % len(COLOURS)]
        for row in run.drifts:
            chart.segment((row, row), between, colour, 1, dash=DOTTED)
    for row in sorted({row for _, run in named for row in run.change_points}):
        chart.segment((row, row), between, GREY, 1.5, dash=DASHED)
    for place, (ends, values, _) in enumerate(drawn):
        chart.line(ends, values, COLOURS[place % len(COLOURS)])
        if len(ends) <= FEW_WINDOWS:
            chart.dots(ends, values, COLOURS[place % len(COLOURS)], radius=3, opacity=1)
    caption = (
        f"Grey: nominal coverage, {listed(percent(level) for level in sorted(set(promised)))}." if promised else ""
    )
    return figure(words[0].upper() + words[1:], chart.svg(), caption)


def _latest(named: Sequence[tuple[str, Run]]) -> list[Markup]:
    """Return the intervals of the latest rows, if there are any."""
    pictures = []
    for name, run in named:
        recent = run.recent
        is_known = np.isfinite(recent["lower"]) & np.isfinite(recent["upper"])
        row, target, low, high = (recent[part][is_known] for part in ("row", "target", "lower", "upper"))
        if not row.size:
            continue
        chart = Chart((row[0], row[-1]), reach(low, high, target), "row")
        for place, *ends in zip(row, low, high, strict=True):
            chart.segment((place, place), (ends[0], ends[1]), PALE, 2)
        for is_miss, colour in ((False, BLUE), (True, ORANGE)):
            which = ((target < low) | (target > high)) == is_miss
            chart.dots(row[which], target[which], colour, radius=2, opacity=1)
        pictures.append(figure(name, chart.svg(), f"Nominal coverage: {percent(run.confidence)}."))
    about = "Forecast intervals of the last rows. Dots are actual values; orange dots lie outside their interval."
    return [section("Latest forecasts", figures(*pictures), about=about)] if pictures else []


def _values(run: Run, score: str) -> Any:
    values = run.history[score]
    return 1.0 - values if score == COVERAGE else np.asarray(values)


def _changes(named: Sequence[tuple[str, Run]]) -> Markup:
    rows: list[dict[str, Any]]
    known = sorted({row for _, run in named for row in run.change_points})
    rows = [{"row": row, "what": "known change of the stream", "run": "all"} for row in known]
    rows += [{"row": row, "what": "drift detected", "run": name} for name, run in named for row in run.drifts]
    if not rows:
        return section("Drift", element("p", "No known change of the stream, and no drift detected."))
    most = 30
    more = [element("p", f"and {len(rows) - most:,} more")] if len(rows) > most else []
    return section("Drift", table(sorted(rows, key=itemgetter("row"))[:most]), *more)
