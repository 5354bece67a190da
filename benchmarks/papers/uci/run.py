"""Seven UCI sets with fixed folds: errors and densities next to published tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.accuracy.gradient_boosting import STOPPED
from benchmarks.accuracy.models import BOOSTING, FOREST, NGBOOST
from benchmarks.papers.uci.folds import BLUR, MODELS, Score, measure, read_folds, resolution, split, without_copies
from benchmarks.papers.uci.published import NLL, SETS
from benchmarks.shared.data import Labels, Table, regression_sets
from benchmarks.shared.page import Options, Page
from benchmarks.shared.pictures import BLUE, GREEN, GREY, ORANGE, PINK, YELLOW, subplots
from benchmarks.shared.timing import on_all_cores

SPLITS = "uci_splits.parquet"
WHOLE_NUMBERS = "wine_red"
COARSE = 20
"""A set with fewer distinct targets is drawn with the score to their resolution."""
MEASURED = {
    BOOSTING: "hedgerow boosting",
    FOREST: "hedgerow forest",
    STOPPED: "CatBoost, uncertainty",
    NGBOOST: "NGBoost, 500 rounds",
}
LIBRARIES = {STOPPED: "catboost", NGBOOST: "ngboost"}
COLOURS = {BOOSTING: BLUE, FOREST: ORANGE, STOPPED: YELLOW, NGBOOST: GREEN}
INTRODUCTION = """\
Hernández-Lobato and Adams (2015) compared probabilistic regression on sets of the UCI repository; Gal and Ghahramani \
(2016) published folds of them, 20 a set, each with a tenth of the rows to test. Many papers use these. Here \
are seven of the sets, all folds of each. Our models are at their defaults. CatBoost predicts means and variances \
(`RMSEWithUncertainty`), with the number of rounds that was best for a fifth of the rows, held out of a first fit. \
NGBoost has 500 rounds. All else is at its default, nothing is tuned. Entries are mean ± standard error over the folds.

Published numbers are their authors': Duan and others (2020), who choose the number of rounds by rows held out, and \
Lakshminarayanan, Pritzel and Blundell (2017). Their folds were drawn in the same way but need not be the same. Papers \
do not all state the same kind of spread, so only their means are given."""
ABOUT_NLL = """\
Mean negative log density of the test rows in nats, targets in their own units; lower is better, and **bold** is the \
lowest of a row. Wine has six distinct targets, all whole: a model that finds this out can put its density on them, so \
its NLL has no lower bound, and is not comparable with that of one broad Gaussian. The table below the picture is."""
ABOUT_COPIES = """\
How low it gets is a matter of how narrow the peaks are. {n} rows of Wine are copies of others. If they are hidden \
from boosting by noise of {blur:g} standard deviations, so that it is not stopped from telling a row's target by its \
copies, its NLL is {hidden:.2f} instead of {seen:.2f}, and the score to the resolution {hidden_rounded:.2f} instead \
of {seen_rounded:.2f}."""
ABOUT_ROUNDED = """\
Targets are given to a resolution h. The score is the negative log of (F(y + h/2) - F(y - h/2)) / h, where F is the \
predicted distribution function: the probability of all numbers that round to y, as a density. A peak narrower than h \
gains nothing, and the score cannot fall below log h. Where h is small next to the predicted spread, it is the NLL. \
The published tables do not have this score, but for a Gaussian as broad as theirs the two hardly differ: compare \
NGBoost on Wine in the two tables. Kin8nm has no resolution, for its targets have nine digits. Where the probability \
is less than a billionth, the density at y is taken."""
ABOUT_RMSE = "In the targets' own units."
ABOUT_REST = """\
Coverage is the share of test targets in the central 90 % interval. Times are processor time of a fit on one thread; \
as many fits run at once as there are cores."""

Scores = Mapping[tuple[str, str], Sequence[Score]]


def run(page: Page, options: Options) -> None:
    """Fit all folds, then show one table a score."""
    page.begin("Seven UCI sets with fixed folds", INTRODUCTION, "numpy", "scikit-learn")
    if options.data is None or not (options.data / SPLITS).is_file():
        page.text(f"Skipped: it needs `DATA=folder` with the file `{SPLITS}` and the sets.")
        return
    sets = regression_sets(options.data, names=tuple(SETS))
    page.skipped(SETS, [table.name for table in sets])
    models = [model for model in MODELS if model not in LIBRARIES or page.has(LIBRARIES[model])]
    folds = read_folds(options.data / SPLITS)
    if options.quick:
        folds = {name: tests[:1] for name, tests in folds.items()}
    found = scores(page, sets, models, folds)
    likelihood(page, sets, found, models)
    draw(page, sets, found, models)
    rounded(page, sets, found, models)
    errors(page, sets, found, models)


def scores(page: Page, sets: Sequence[Table], models: Sequence[str], folds: Mapping[str, Sequence[Labels]]) -> Scores:
    """Return what each model reached on each fold, by set and model."""
    tasks = []
    for table in sets:
        unit = resolution(table.y)
        for fold, test in enumerate(folds[table.name]):
            data = split(table, test)
            tasks += [(data, model, fold, unit) for model in models]
            if table.name == WHOLE_NUMBERS:
                tasks.append((split(without_copies(table), test), BOOSTING, fold, unit))
    found: dict[tuple[str, str], list[Score]] = {}
    for score in on_all_cores(measure, tasks):
        page.tell(score)
        found.setdefault((score.data, score.model), []).append(score)
    return found


def values(found: Scores, name: str, model: str, what: str) -> tuple[float, float]:
    """Return mean and standard error over the folds."""
    each = np.array([getattr(score, what) for score in found[name, model]])
    return float(each.mean()), float(each.std(ddof=1) / np.sqrt(each.size)) if each.size > 1 else 0.0


def cells(pairs: Sequence[tuple[float, float | None]]) -> list[str]:
    """Return means with their errors, the lowest mean in bold."""
    means = [f"{mean:.2f}" for mean, _ in pairs]
    least = min(map(float, means))
    shown = [f"**{mean}**" if float(mean) == least else mean for mean in means]
    errors = ["" if error is None else f" ± {error:.2f}" for _, error in pairs]
    return [mean + error for mean, error in zip(shown, errors, strict=True)]


def likelihood(page: Page, sets: Sequence[Table], found: Scores, models: Sequence[str]) -> None:
    """Show densities next to published ones."""
    rows = []
    for table in sets:
        place = list(SETS).index(table.name)
        pairs: list[tuple[float, float | None]] = [values(found, table.name, model, "nll") for model in models]
        pairs += [(numbers[place], None) for numbers in NLL.values()]
        n_folds = len(found[table.name, models[0]])
        rows.append((SETS[table.name], f"{table.y.size:,}", f"{n_folds}", *cells(pairs)))
    headings = ("", "rows", "folds", *(MEASURED[model] for model in models), *NLL)
    page.table("Negative log likelihood", headings, rows, " ".join([ABOUT_NLL, *about_copies(sets, found)]))


def about_copies(sets: Sequence[Table], found: Scores) -> Iterator[str]:
    """Say what boosting makes of copies of a row, if the set that has them is there."""
    for table in sets:
        if table.name == WHOLE_NUMBERS:
            seen, hidden = table.name, without_copies(table).name
            yield ABOUT_COPIES.format(
                n=len(table.X) - len(np.unique(table.X, axis=0)),
                blur=BLUR,
                seen=values(found, seen, BOOSTING, "nll")[0],
                hidden=values(found, hidden, BOOSTING, "nll")[0],
                seen_rounded=values(found, seen, BOOSTING, "rounded_nll")[0],
                hidden_rounded=values(found, hidden, BOOSTING, "rounded_nll")[0],
            )


def rounded(page: Page, sets: Sequence[Table], found: Scores, models: Sequence[str]) -> None:
    """Show the score that peaks narrower than the resolution do not improve."""
    rows = []
    for table in sets:
        unit = resolution(table.y)
        if unit is not None:
            pairs = [values(found, table.name, model, "rounded_nll") for model in models]
            rows.append((SETS[table.name], f"{unit:g}", f"{np.unique(table.y).size:,}", *cells(pairs)))
    headings = ("", "h", "distinct targets", *(MEASURED[model] for model in models))
    page.table("The same, to the resolution of the targets", headings, rows, ABOUT_ROUNDED)


def errors(page: Page, sets: Sequence[Table], found: Scores, models: Sequence[str]) -> None:
    """Show errors of means, coverage and time."""
    rows, others = [], []
    for table in sets:
        pairs = [values(found, table.name, model, "rmse") for model in models]
        digits = 3 if pairs[0][0] < 1 else 2
        rows.append((SETS[table.name], *(f"{mean:.{digits}f} ± {error:.{digits}f}" for mean, error in pairs)))
        covered = (f"{values(found, table.name, model, 'coverage')[0]:.1%}" for model in models)
        times = (f"{values(found, table.name, model, 'seconds')[0]:.2f} s" for model in models)
        others.append((SETS[table.name], *covered, *times))
    names = [MEASURED[model] for model in models]
    page.table("RMSE", ("", *names), rows, ABOUT_RMSE)
    headings = ("", *(f"coverage, {name}" for name in names), *(f"fit, {name}" for name in names))
    page.table("Coverage of 90 % intervals, and time", headings, others, ABOUT_REST)


def draw(page: Page, sets: Sequence[Table], found: Scores, models: Sequence[str]) -> None:
    """Draw a panel a set: likelihood measured and published."""
    labels = [*(MEASURED[model] for model in models), *(name.partition(",")[0] + ", published" for name in NLL)]
    figure, panels = subplots(2, 4, figsize=(12, 5.2), sharey=True)
    flat: list[Any] = list(panels.flat)
    for axes, table in zip(flat, sets, strict=False):
        place = list(SETS).index(table.name)
        is_coarse = np.unique(table.y).size < COARSE
        pairs = [values(found, table.name, model, "rounded_nll" if is_coarse else "nll") for model in models]
        for y, ((mean, error), model) in enumerate(zip(pairs, models, strict=True)):
            axes.errorbar(mean, y, xerr=error, fmt="o", color=COLOURS[model], markersize=7, capsize=3)
        for y, numbers in enumerate(NLL.values(), start=len(models)):
            axes.plot(numbers[place], y, "D", color=(GREY, PINK)[y % 2], markersize=6)
        title = SETS[table.name] + (f", at resolution {resolution(table.y):g}" if is_coarse else "")
        axes.set_title(title, loc="left", fontsize=11, fontweight="bold")
        axes.grid(axis="both", color="#E5E5E5")
        axes.set_axisbelow(True)
        axes.margins(x=0.12)
        axes.locator_params(axis="x", nbins=5)
    for axes in flat[len(sets) :]:
        axes.set_axis_off()
    flat[0].set_yticks(range(len(labels)), labels)
    flat[0].set_ylim(len(labels) - 0.5, -0.5)
    figure.supxlabel("negative log likelihood: further left is better; bars are standard errors", fontsize=10)
    page.picture(figure, "likelihood.png", "Negative log likelihood by set, measured and published")
