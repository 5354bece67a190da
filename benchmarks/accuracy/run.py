"""Errors, densities and coverage of forest and boosting next to scikit-learn, quantile-forest and NGBoost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, geometric_mean

from benchmarks.accuracy.models import (
    BOOSTING,
    CONTESTANTS,
    EXTRA,
    FOREST,
    LEAST_STD,
    LEVELS,
    NGBOOST,
    QUANTILE,
    Score,
    measure,
)
from benchmarks.shared.data import Split, Table, friedman, regression_sets
from benchmarks.shared.page import Options, Page, ratio
from benchmarks.shared.pictures import BLUE, GREEN, GREY, ORANGE, SKY, YELLOW, subplots
from benchmarks.shared.timing import on_all_cores

MOST_TRAIN, MOST_TEST, SMALL = 8000, 3000, 2000
COLOURS = {FOREST: SKY, BOOSTING: BLUE, EXTRA: ORANGE, QUANTILE: YELLOW, NGBOOST: GREEN}
INTRODUCTION = f"""\
Of each set at most {MOST_TRAIN:,} rows are drawn to be learned and {MOST_TEST:,} others are predicted; sets of fewer \
than {SMALL:,} rows are split twice, and means are shown. Targets are in units of the standard deviation of those \
learned, so predicting the mean has an RMSE of 1. hedgerow's forest (50 trees) and boosting are at their defaults. \
ExtraTrees and RandomForest have 100 trees, all else at its default; a Gaussian with the mean and the spread of their \
trees (at least {LEAST_STD}) stands in for their distribution. quantile-forest is its ExtraTreesQuantileRegressor, 100 \
trees, three rows a leaf; it has no density. NGBoost has 500 rounds and is not tuned.

NLPD is the mean negative log density in nats. CRPS is twice the mean pinball loss over {len(LEVELS)} quantiles. \
Coverage is the share of test targets in the central 90 % interval. Times are processor time on one thread. Forecasts \
row by row have a [page of their own](../prequential/report.md)."""

Scores = Mapping[tuple[str, str], Score]


def run(page: Page, options: Options) -> None:
    """Measure times first, while nothing else of ours is running."""
    page.begin("Accuracy of regression", INTRODUCTION, "scikit-learn", "numpy")
    models = [model for model, (library, _, _) in CONTESTANTS.items() if page.has(library)]
    one_set(page, options.pick(1000, 8000), options.pick(1, 3))
    one_set(page, options.pick(2000, 100_000), 1)
    sets = regression_sets(options.data, options.pick(800, 4000))
    found = scores(page, sets[: options.pick(3, len(sets))], models, options.pick(1000, MOST_TRAIN))
    summary(page, found, models)
    draw(page, found, models)
    by_set(page, found, models)


def one_set(page: Page, n_rows: int, rounds: int) -> None:
    """Fit Friedman's first function in turns, of which the best counts, and score it in its own units."""
    data, models = friedman(n_rows), (FOREST, BOOSTING, EXTRA)
    found = [{model: measure(data, model, 0) for model in models} for _ in range(rounds)]
    seconds = {model: min(turn[model].seconds for turn in found) for model in models}
    rows = []
    for model, score in found[0].items():
        numbers = (f"{score.rmse:.3f}", f"{score.nlpd:.3f}", f"{score.coverage:.1%}", f"{seconds[model]:.3g} s")
        rows.append((model, *numbers, ratio(seconds[model] / seconds[EXTRA])))
    headings = ("", "RMSE", "NLPD", "coverage", "fit", "fit, ExtraTrees = 1")
    words = "Ten columns, noise of standard deviation 1, which no RMSE on new rows can be much below."
    page.table(f"Friedman's first function, {n_rows:,} rows", headings, rows, words)


def scores(page: Page, sets: Sequence[Table], models: Sequence[str], most_train: int) -> Scores:
    """Return the mean over the splits, for each set and model."""
    tasks = [
        (standardised(table.split(seed, most_train, MOST_TEST)), model, seed)
        for model in models
        for table in sets
        for seed in range(2 if table.y.size < SMALL else 1)
    ]
    groups: dict[tuple[str, str], list[Score]] = {}
    for score in on_all_cores(measure, tasks):
        page.tell(score)
        groups.setdefault((score.data, score.model), []).append(score)
    measures = ("rmse", "nlpd", "crps", "coverage", "seconds")
    return {
        key: replace(members[0], **{name: fmean(getattr(one, name) for one in members) for name in measures})
        for key, members in sorted(groups.items())
    }


def standardised(data: Split) -> Split:
    """Return it with targets in units of those to learn."""
    centre, scale = data.y.mean(), data.y.std()
    return replace(data, y=(data.y - centre) / scale, y_test=(data.y_test - centre) / scale)


def summary(page: Page, found: Scores, models: Sequence[str]) -> None:
    """Compare over all sets."""
    names = list(dict.fromkeys(name for name, _ in found))

    def mean(what: str, model: str) -> str:
        return f"{geometric_mean(getattr(found[n, model], what) / getattr(found[n, EXTRA], what) for n in names):.3f}"

    def won(what: str, model: str) -> str:
        pairs = [(getattr(found[name, BOOSTING], what), getattr(found[name, model], what)) for name in names]
        return "" if any(math.isnan(theirs) for _, theirs in pairs) else f"{sum(a < b for a, b in pairs)}"

    rows = []
    for model in models:
        inside = sum(0.87 <= found[name, model].coverage <= 0.94 for name in names)
        wins = [won(what, model) if model != BOOSTING else "" for what in ("rmse", "nlpd", "crps")]
        rows.append((model, *(mean(what, model) for what in ("rmse", "crps", "seconds")), f"{inside}", *wins))
    headings = ("", "RMSE", "CRPS", "fit time", "coverage is 87 % to 94 % on")
    words = (
        f"RMSE, CRPS and fit time are geometric means relative to ExtraTrees. The last columns count the sets, "
        f"of {len(names)}, on which the interval covers about what it should and on which boosting is better."
    )
    better = tuple(f"boosting has the lower {what} on" for what in ("RMSE", "NLPD", "CRPS"))
    page.table(f"All {len(names)} sets", (*headings, *better), rows, words)


def by_set(page: Page, found: Scores, models: Sequence[str]) -> None:
    """Show everything; fit times are of as many fits at once as there are cores."""
    for title, what, form in (
        ("RMSE by set", "rmse", "{:.3f}"),
        ("NLPD by set", "nlpd", "{:.2f}"),
        ("CRPS by set", "crps", "{:.3f}"),
        ("Coverage of the 90 % interval by set", "coverage", "{:.1%}"),
        ("Fit by set, seconds", "seconds", "{:.2f}"),
    ):
        rows = []
        for name in dict.fromkeys(name for name, _ in found):
            cells = (form.format(getattr(found[name, model], what)).replace("nan", "") for model in models)
            rows.append((name, f"{found[name, EXTRA].n_train:,}", *cells))
        page.table(title, ("", "rows", *models), rows)


def draw(page: Page, found: Scores, models: Sequence[str]) -> None:
    """Draw, for each set, RMSE and CRPS relative to a peer, and coverage."""
    names = list(dict.fromkeys(name for name, _ in found))
    names.sort(key=lambda name: -found[name, BOOSTING].rmse / found[name, EXTRA].rmse)
    figure, panels = subplots(1, 3, figsize=(12, 1.6 + 0.24 * len(names)), sharey=True)
    bases = {"rmse": EXTRA, "crps": QUANTILE if QUANTILE in models else EXTRA, "coverage": ""}
    for axes, (what, base) in zip(panels, bases.items(), strict=True):
        units = [getattr(found[name, base], what) if base else 0.01 for name in names]
        for model in (NGBOOST, QUANTILE, FOREST, BOOSTING):
            if model in models and model != base:
                values = [getattr(found[name, model], what) / unit for name, unit in zip(names, units, strict=True)]
                size = 7 if model == BOOSTING else 5
                axes.plot(values, range(len(names)), "o", color=COLOURS[model], markersize=size, label=model)
        title = f"{what.upper()}, {base} = 1" if base else "coverage of 90 % intervals"
        axes.axvline(1.0 if base else 90.0, color=GREY, linewidth=1, zorder=0)
        if base:
            axes.set_xscale("log")
            ticks = [0.4, 0.6, 0.8, 1, 1.5, 2, 3]
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.minorticks_off()
        axes.set_title(title, loc="left", fontsize=11, fontweight="bold")
        axes.grid(axis="y", color="#E5E5E5")
        axes.set_axisbelow(True)
    panels[0].set_yticks(range(len(names)), names)
    handles, labels = panels[2].get_legend_handles_labels()
    figure.legend(handles[::-1], labels[::-1], loc="outside lower center", ncols=len(labels), frameon=False)
    page.picture(figure, "accuracy.png", "Errors relative to a peer, and coverage, by set")
