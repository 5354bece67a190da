"""The report about a model: data, accuracy beside a baseline, calibration, effects of columns, and single rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from hedgerow.cli._columns import KINDS
from hedgerow.cli._honest import Honest
from hedgerow.cli._scores import beside_baseline, too_good
from hedgerow.cli._training import Training
from hedgerow.cli.report._chart import reach, reach_of_shares
from hedgerow.cli.report._effects import Effects
from hedgerow.cli.report._html import Markup, beside, cards, element, figures, page, section, table
from hedgerow.cli.report._importances import importances_of
from hedgerow.cli.report._pictures import (
    bars_figure,
    confusion_figure,
    effect_figure,
    pair_figures,
    scatter_figure,
    target_figure,
)
from hedgerow.cli.report._reliability import calibration_figure, groups_figure, groups_of
from hedgerow.cli.report._rows import examples_section, unsure_section
from hedgerow.cli.report._words import listed, percent
from hedgerow.numeric.words import words_for

N_EFFECTS = 6
N_BARS = 15
N_GROUPED = 3
MOST_CLASSES = 20
"""With more, there is no confusion matrix."""
LEAST_SHARE = 0.005
"""Columns that matter less are drawn only if hardly any matters more."""


@dataclass(frozen=True)
class Subject:
    """What a page is about."""

    model: Any
    name: str
    """Of the model's file."""
    source: str
    """Of the file of rows."""
    rows: Training
    honest: Honest
    confidence: float

    @property
    def label(self) -> Any:
        """The class whose probability is shown: the second of two, the commonest of more, none of numbers."""
        if self.rows.task == "regression":
            return None
        labels, counts = np.unique(self.rows.y, return_counts=True)
        known = self.model.classes_
        return known[1] if len(known) == 2 else labels[np.argmax(counts)]


def model_page(subject: Subject) -> str:
    """Return the page."""
    model, rows, target = subject.model, subject.rows, subject.rows.target
    scores = beside_baseline(model, subject.honest, subject.confidence)
    importances = importances_of(model, rows.X, rows.task)
    strongest = [
        name for place, (name, share) in enumerate(importances.ranked) if share > (LEAST_SHARE if place > 2 else 0)
    ]
    effects = Effects(model, rows.X, rows.kinds, subject.label, subject.confidence)
    sections = [
        _in_short(subject, scores, strongest, too_good(scores, importances.ranked, target)),
        _data(rows),
        _errors(subject, scores),
        _promises(subject, strongest[:N_GROUPED]),
        section(
            "Column importance",
            figures(bars_figure("Share of each column", importances.ranked[:N_BARS], in_percent=True)),
            about=importances.about,
        ),
        _effects(subject, effects, strongest),
        unsure_section(subject, effects, strongest),
        examples_section(subject, strongest),
        parameters_section(model),
    ]
    words = f"{type(model).__name__} in {subject.name}, {len(rows):,} rows of {subject.source}"
    return page(f"How well {target} is predicted", words, sections)


def _in_short(subject: Subject, scores: Sequence[dict[str, Any]], strongest: Sequence[str], suspicion: str) -> Markup:
    own, baseline = scores
    if subject.rows.task == "regression":
        facts = [
            ("Error (RMSE)", own["RMSE"], f"predicting the mean: {words_for(baseline['RMSE'])}"),
            ("Explained (R²)", percent(own["R2"], 1), "of the variance"),
            (f"Coverage of {percent(subject.confidence)} intervals", percent(own["coverage"], 1), "of actual values"),
            ("Mean width of intervals", own["width"], f"without columns: {words_for(baseline['width'])}"),
        ]
    else:
        facts = [
            ("Accuracy", percent(own["accuracy"], 1), f"most frequent class: {percent(baseline['accuracy'], 1)}"),
            ("Log loss", own["log loss"], f"class frequencies: {words_for(baseline['log loss'])}"),
            *_ranking(subject.honest),
            ("Classes", len(subject.model.classes_), listed([words_for(label) for label in subject.model.classes_])),
        ]
    if strongest:
        facts.append(("Most important column", strongest[0], f"then {listed(strongest[1:3])}" if strongest[1:] else ""))
    words = [
        element("p", _verdict(subject, own, baseline)),
        *([element("p", element("b", suspicion))] if suspicion else []),
    ]
    return section("Summary", cards(facts), *words)


def _ranking(honest: Honest) -> list[tuple[str, Any, str]]:
    """Return how well two classes are separated, which is of use where one is so rare that it is never predicted."""
    is_second = honest.y == honest.classes[-1]
    if len(honest.classes) != 2 or is_second.all() or not is_second.any():
        return []
    share = roc_auc_score(is_second, honest.probabilities[:, 1])
    return [
        (
            "AUC",
            percent(share, 1),
            f"for {words_for(honest.classes[1])}; 50 % is chance",
        )
    ]


def _verdict(subject: Subject, own: dict[str, Any], baseline: dict[str, Any]) -> str:
    measure = "RMSE" if subject.rows.task == "regression" else "log loss"
    ratio = own[measure] / baseline[measure] if baseline[measure] > 0 else 1.0
    gain = (
        f"{percent(1 - ratio)} lower than that of the baseline, which uses no columns"
        if ratio < 0.995
        else "no lower than that of the baseline, which uses no columns"
    )
    if ratio > 0.95:
        gain += ": the columns explain little or nothing of the target"
    return f"All scores are {_honestly(subject)}. The {measure} is {gain}.{_never_predicted(subject.honest)}"


def _never_predicted(honest: Honest) -> str:
    """Return words on classes that are never the most probable one."""
    if honest.task == "regression":
        return ""
    best = np.bincount(honest.probabilities.argmax(axis=1), minlength=len(honest.classes))
    never = [words_for(label) for label, n in zip(honest.classes, best, strict=True) if n == 0]
    if not never:
        return ""
    return f" {listed(never)} is never the most probable class; the probabilities still show where it is more likely."


def _honestly(subject: Subject) -> str:
    how = {"leave-one-out": "by leave-one-out: each row is predicted as if it had not been learned"}
    return how.get(subject.honest.how, subject.honest.how)


def _data(rows: Training) -> Markup:
    n = len(rows)
    columns = [
        {
            "column": column.name,
            "taken for": KINDS.get(column.kind, column.kind),
            "missing": percent(column.missing / n, 1) if column.missing else "",
            "values": column.notes,
        }
        for column in rows.columns
    ]
    about = f"{n:,} rows with a target; {len(rows.kinds)} of {len(rows.columns)} columns are used."
    return section("Data", beside(target_figure(rows.y, rows.task, rows.target), table(columns)), about=about)


def _errors(subject: Subject, scores: Sequence[dict[str, Any]]) -> Markup:
    honest = subject.honest
    parts = [table(scores)]
    if honest.task == "regression":
        parts.insert(0, scatter_figure(honest.y, honest.mean, subject.rows.target))
    elif len(honest.classes) <= MOST_CLASSES:
        predicted = honest.classes[honest.probabilities.argmax(axis=1)]
        counts = np.array(
            [[np.sum((honest.y == true) & (predicted == other)) for other in honest.classes] for true in honest.classes]
        )
        parts.append(figures(confusion_figure(counts, [words_for(label) for label in honest.classes])))
    about = f"Scores of {len(honest.y):,} rows, {_honestly(subject)}."
    return section("Accuracy", beside(*parts), about=about)


def _promises(subject: Subject, columns: Sequence[str]) -> Markup:
    groups = groups_of(subject.honest, columns, subject.rows.kinds, subject.confidence)
    off = [f"{group.name} ({name})" for name, found in groups.items() for group in found if group.is_off]
    if subject.rows.task == "regression":
        about = (
            f"How often {percent(subject.confidence)} intervals contain the actual value, overall and by group. Dots "
        )
        about += "are observed coverage; grey marks are the nominal coverage."
    else:
        about = "Whether predicted probabilities agree with observed frequencies, overall and by group. Dots are the "
        about += "shares of correct predictions; grey marks are the mean predicted probabilities."
    about += " Lines are 95 % confidence intervals"
    about += f", orange where they exclude the grey mark: {listed(off)}." if off else "; all include the grey mark."
    pictures = [groups_figure(name, found) for name, found in groups.items()]
    return section("Calibration", figures(calibration_figure(subject.honest), *pictures), about=about)


def _effects(subject: Subject, effects: Effects, strongest: Sequence[str]) -> Markup:
    if not strongest:
        return Markup("")
    is_class = subject.label is not None
    of = f"probability of {words_for(subject.label)}" if is_class else f"predicted {subject.rows.target}"
    found = [effects.of(name) for name in strongest[:N_EFFECTS]]
    ends = [end for effect in found for end in (effect.low, effect.high)]
    between = reach_of_shares(*ends) if is_class else reach(*ends)
    content = [figures(*(effect_figure(effect, of, is_class, between) for effect in found))]
    pair = effects.strongest_pair(strongest)
    if pair is not None:
        title = f"{pair.first.column} and {pair.second.column} together"
        content += [element("h3", title), figures(*pair_figures(pair, of, is_class))]
    about = "Partial dependence: a column is set to each value in turn, and predictions for rows of the table are "
    about += "averaged. Bands and bars "
    about += "contain four fifths of the rows" if is_class else f"are mean {percent(subject.confidence)} intervals"
    about += ". This shows how the model uses a column, not what would happen if its value were changed in reality."
    return section("Column effects", *content, about=about)


def parameters_section(model: Any) -> Markup:
    """Return the parameters of a model."""
    given = [{"parameter": name, "value": repr(value)[:80]} for name, value in model.get_params(deep=False).items()]
    return section("The model", table(given), about=f"{type(model).__name__}, with these parameters.")
