"""The page and the picture that the benchmarks on accuracy write."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from benchmarks.accuracy import mean_scores
from benchmarks.accuracy_data import MOST_TEST, MOST_TRAIN, SMALL
from benchmarks.accuracy_models import BOOSTING, CONTESTANTS, EXTRA, FOREST, LEAST_STD, LEVELS, NGBOOST, QUANTILE, Score
from benchmarks.class_report import markdown
from benchmarks.report import HEADINGS, Line, machine, warning

PAGE = Path(__file__).parent / "accuracy.md"
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "accuracy.png"
COLOURS = {FOREST: "#56B4E9", BOOSTING: "#0072B2", EXTRA: "#D55E00", QUANTILE: "#E69F00", NGBOOST: "#009E73"}

HOW_TO_READ = f"""\
Made by `make bench-accuracy`. Of each set at most {MOST_TRAIN:,} rows are drawn to be learned and {MOST_TEST:,} others
are asked about; sets of fewer than {SMALL:,} rows are split twice, and means are shown. Labels are in units of the
standard deviation of those learned, so an RMSE of 1 is that of the mean. hedgerow's forest has 50 trees and learns its
hyper-parameters; boosting is all at its defaults. ExtraTrees and RandomForest have 100 trees, all else at its default;
as their distribution a Gaussian stands in with the mean and the spread of the trees (at least {LEAST_STD}).
quantile-forest is its ExtraTreesQuantileRegressor, 100 trees, three rows a leaf; it has no density. NGBoost has 500
rounds and is not tuned.

NLPD is the mean negative log density in nats. CRPS is twice the mean pinball loss over {len(LEVELS)} quantiles, for all
alike. *Covers* is the share of test labels in the central 90 % interval. Times are processor time on one thread; in the
tables by set two fits ran at once, in the section on time one after another. Forecasts row by row have a
[page of their own](prequential.md)."""


def write(lines: Sequence[Line], scores: Sequence[Score], load: float) -> None:
    """Write the page and draw the picture."""
    parts = ["# Benchmarks on accuracy", machine(), HOW_TO_READ, *filter(None, [warning(load)])]
    for section, members in groupby(lines, key=lambda line: line.section):
        parts.append(f"## {section}\n\n{markdown(HEADINGS, (line.cells for line in members))}")
    parts += ["## by set", "![Errors relative to ExtraTrees](../docs/pictures/accuracy.png)"]
    found = mean_scores(scores)
    names = sorted({score.data for score in scores})
    for title, name, form in (
        ("RMSE", "rmse", "{:.3f}"),
        ("NLPD", "nlpd", "{:.2f}"),
        ("CRPS", "crps", "{:.3f}"),
        ("90 % interval covers", "coverage", "{:.1%}"),
        ("fit, seconds", "fit_seconds", "{:.2f}"),
    ):
        rows = [
            (
                data,
                f"{found[data, FOREST].n_train:,}",
                *(form.format(getattr(found[data, model], name)) for model in CONTESTANTS),
            )
            for data in names
        ]
        parts.append(f"{title}\n\n{markdown(('', 'rows', *CONTESTANTS), rows).replace('nan', '')}")
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    draw(scores)


def draw(scores: Sequence[Score]) -> None:
    """Draw, for each set, RMSE and CRPS relative to ExtraTrees and to quantile-forest, and coverage."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    found = mean_scores(scores)
    names = sorted({score.data for score in scores})
    names.sort(key=lambda name: -found[name, BOOSTING].rmse / found[name, EXTRA].rmse)
    figure, panels = plt.subplots(1, 3, figsize=(12, 1.6 + 0.24 * len(names)), layout="constrained", sharey=True)
    places = range(len(names))
    for axes, title, score, base, shown in (
        (panels[0], "RMSE, ExtraTrees = 1", "rmse", EXTRA, (NGBOOST, FOREST, BOOSTING)),
        (panels[1], "CRPS, quantile-forest = 1", "crps", QUANTILE, (NGBOOST, FOREST, BOOSTING)),
        (panels[2], "90 % interval covers, %", "coverage", None, (NGBOOST, QUANTILE, FOREST, BOOSTING)),
    ):
        for model in shown:
            values = [getattr(found[name, model], score) for name in names]
            bases = [getattr(found[name, base], score) if base else 0.01 for name in names]
            ratios = [value / unit for value, unit in zip(values, bases, strict=True)]
            axes.plot(ratios, places, "o", color=COLOURS[model], markersize=7 if model == BOOSTING else 5, label=model)
        axes.axvline(1.0 if base else 90.0, color="#595959", linewidth=1, zorder=0)
        if base:
            axes.set_xscale("log")
            ticks = [0.4, 0.6, 0.8, 1, 1.5, 2, 3, 4, 6]
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.minorticks_off()
        axes.set_title(title, loc="left", fontsize=11, fontweight="bold")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="#E5E5E5")
        axes.set_axisbelow(True)
    panels[0].set_yticks(places, names)
    handles, labels = panels[2].get_legend_handles_labels()
    figure.legend(handles[::-1], labels[::-1], loc="outside lower center", ncols=len(labels), frameon=False)
    figure.savefig(PICTURE, dpi=110)
    plt.close(figure)
