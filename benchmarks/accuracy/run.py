"""Errors, densities and coverage of forest and boosting next to other forests and gradient boosting."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, geometric_mean

from benchmarks.accuracy.forecasts import LEVELS
from benchmarks.accuracy.gradient_boosting import (
    CATBOOST,
    DEPTHS,
    HISTOGRAM,
    LEAF_ROWS,
    LEAVES,
    LIGHTGBM,
    LIGHTGBM_TUNED,
    MOST_ROUNDS,
    N_TRIED,
    PENALTIES,
    RATES,
    SHARES,
    STOPPED,
    UNCERTAIN,
    XGBOOST,
    XGBOOST_TUNED,
)
from benchmarks.accuracy.growth import growth
from benchmarks.accuracy.models import (
    BOOSTING,
    CONTESTANTS,
    EXTRA,
    FOREST,
    LEAST_STD,
    NGBOOST,
    QUANTILE,
    RANDOM,
    Score,
    measure,
)
from benchmarks.shared.data import Table, friedman, regression_sets
from benchmarks.shared.held_out import PATIENCE
from benchmarks.shared.page import Options, Page, ratio
from benchmarks.shared.pictures import BLUE, GREEN, GREY, ORANGE, PINK, SKY, YELLOW, subplots
from benchmarks.shared.timing import on_all_cores

MOST_TRAIN, MOST_TEST, SMALL = 8000, 3000, 2000
SIZES = (1000, 10_000, 100_000)
"""Rows of the section Growth."""
COLOURS = {FOREST: SKY, BOOSTING: BLUE, EXTRA: ORANGE, QUANTILE: YELLOW, NGBOOST: GREEN, CATBOOST: PINK}
NEAR = 1.02
"""Times the lowest RMSE, up to which another is near it."""
SLOW = (XGBOOST_TUNED, LIGHTGBM_TUNED, NGBOOST)
HEADS = {
    FOREST: "forest", BOOSTING: "boosting", EXTRA: "ET", RANDOM: "RF", QUANTILE: "QF", NGBOOST: "NGB",
    HISTOGRAM: "HGB", LIGHTGBM: "LGB", LIGHTGBM_TUNED: "LGB+", XGBOOST: "XGB", XGBOOST_TUNED: "XGB+",
    CATBOOST: "CB", UNCERTAIN: "CB±", STOPPED: "CB± stopped",
}  # fmt: skip
"""Of the tables by set, which have a column a model."""
INTRODUCTION = f"""\
Of each set at most {MOST_TRAIN:,} rows are drawn to be learned and {MOST_TEST:,} others are predicted; sets of fewer \
than {SMALL:,} rows are split twice, and means are shown. Targets are in units of the standard deviation of those \
learned, so predicting the mean has an RMSE of 1. hedgerow's forest (50 trees) and boosting are at their defaults. \
ExtraTrees and RandomForest have 100 trees, all else at its default; a Gaussian with the mean and the spread of their \
trees (at least {LEAST_STD}) stands in for their distribution. quantile-forest is its ExtraTreesQuantileRegressor, 100 \
trees, three rows a leaf; it has no density. NGBoost has 500 rounds and is not tuned.

HistGradientBoosting, LightGBM, XGBoost and CatBoost are at their defaults. Tuned is the best of {N_TRIED} random \
configurations: learning rate {RATES[0]:g} to {RATES[1]:g}, rows of a leaf at least {LEAF_ROWS[0]} to {LEAF_ROWS[1]}, \
L2 penalty {PENALTIES[0]:g} to {PENALTIES[1]:g}, leaves of LightGBM {LEAVES[0]} to {LEAVES[1]}, all log-uniform, depth \
of XGBoost {DEPTHS[0]} to {DEPTHS[1]}, shares of rows and of columns {SHARES[0]:g} to {SHARES[1]:g}. Each predicts a \
fifth of the rows that is held out, and has rounds added until it does not get better for {PATIENCE}, {MOST_ROUNDS:,} \
at most; the best is fitted to all rows with its best number of rounds. These models predict means. Their distribution \
is that of split conformal prediction, the mean and the quantiles of the residuals of a fifth of the rows, held out of \
a first fit; tuned models use the rows that chose them. It has no density. CatBoost with uncertainty is its default \
with the loss RMSEWithUncertainty, a Gaussian a row; stopped, it has the number of rounds that was best for a fifth of \
the rows, held out of a first fit. Fit times are of all that the distribution needs, so they have the first fit or the \
search in them; the section Growth has times of one fit.

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
    growth(page, sets, models, options.pick((300, 1000), SIZES, (*SIZES, 1_000_000)))
    found = scores(page, sets[: options.pick(3, len(sets))], models, options.pick(1000, MOST_TRAIN))
    summary(page, found, models)
    against(page, found, models)
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
        (table.split(seed, most_train, MOST_TEST).in_target_units(), model, seed)
        for model in sorted(models, key=lambda model: model not in SLOW)
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


def summary(page: Page, found: Scores, models: Sequence[str]) -> None:
    """Compare over all sets."""
    names = list(dict.fromkeys(name for name, _ in found))
    peers = [model for model in models if CONTESTANTS[model][0] != "hedgerow"]

    def lowest(what: str, among: Sequence[str]) -> list[float]:
        each = ([getattr(found[name, model], what) for model in among] for name in names)
        return [min(value for value in values if not math.isnan(value)) for values in each]

    def mean(what: str, model: str, *base: str) -> str:
        pairs = zip(lowest(what, [model]), lowest(what, base), strict=True)
        return f"{geometric_mean(ours / theirs for ours, theirs in pairs):.3f}"

    def near(what: str, model: str, factor: float = 1.0) -> str:
        values = [getattr(found[name, model], what) for name in names]
        if any(map(math.isnan, values)):
            return ""
        return f"{sum(value <= least * factor for value, least in zip(values, lowest(what, models), strict=True))}"

    bases = [base for base in (EXTRA, CATBOOST) if base in models]
    rows = [
        (
            model,
            *(mean("rmse", model, base) for base in bases),
            near("rmse", model),
            near("rmse", model, NEAR),
            mean("crps", model, *peers),
            near("crps", model),
            near("nlpd", model),
            f"{sum(0.87 <= found[name, model].coverage <= 0.94 for name in names)}",
            mean("seconds", model, EXTRA),
        )
        for model in models
    ]
    headings = (
        *("", *(f"RMSE, {base} = 1" for base in bases), "RMSE lowest on", f"within {NEAR - 1:.0%} of it on"),
        *("CRPS, best peer = 1", "CRPS lowest on", "NLPD lowest on", "coverage is 87 % to 94 % on"),
        f"fit time, {EXTRA} = 1",
    )
    words = (
        f"RMSE, CRPS and fit time are geometric means of ratios; the best peer is on each set the one of {len(peers)} "
        f"whose CRPS is lowest there. Other columns count sets, of {len(names)}: those on which a model is the best of "
        "all, or near it, and those on which its interval covers about what it should."
    )
    page.table(f"All {len(names)} sets", headings, rows, words)


def against(page: Page, found: Scores, models: Sequence[str]) -> None:
    """Count the sets on which boosting is better than each of the others."""
    names = list(dict.fromkeys(name for name, _ in found))

    def won(what: str, model: str) -> str:
        pairs = [(getattr(found[name, BOOSTING], what), getattr(found[name, model], what)) for name in names]
        return "" if any(math.isnan(theirs) for _, theirs in pairs) else f"{sum(a < b for a, b in pairs)}"

    measures = ("rmse", "nlpd", "crps")
    rows = [(model, *(won(what, model) for what in measures)) for model in models if model != BOOSTING]
    page.table(f"Sets, of {len(names)}, on which boosting is better", ("than", *map(str.upper, measures)), rows)


def by_set(page: Page, found: Scores, models: Sequence[str]) -> None:
    """Show everything; fit times are of as many fits at once as there are cores."""
    words = "Columns: " + ", ".join(f"{HEADS[model]} is {model}" for model in models) + "."
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
        page.table(title, ("", "rows", *(HEADS[model] for model in models)), rows, words)
        words = ""


def draw(page: Page, found: Scores, models: Sequence[str]) -> None:
    """Draw, for each set, RMSE and CRPS relative to a peer, and coverage."""
    names = list(dict.fromkeys(name for name, _ in found))
    names.sort(key=lambda name: -found[name, BOOSTING].rmse / found[name, EXTRA].rmse)
    figure, panels = subplots(1, 3, figsize=(12, 1.6 + 0.24 * len(names)), sharey=True)
    bases = {"rmse": EXTRA, "crps": QUANTILE if QUANTILE in models else EXTRA, "coverage": ""}
    for axes, (what, base) in zip(panels, bases.items(), strict=True):
        units = [getattr(found[name, base], what) if base else 0.01 for name in names]
        for model in (NGBOOST, QUANTILE, CATBOOST, FOREST, BOOSTING):
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
