"""Single rows of a model's page: those it is least sure of, and examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgerow.cli.report._effects import Effects
from hedgerow.cli.report._html import Markup, figures, section, table
from hedgerow.cli.report._pictures import intervals_figure
from hedgerow.cli.report._words import percent
from hedgerow.numeric.words import words_for

N_UNSURE = 8
N_EXAMPLES = 10
N_COLUMNS = 5
LEAST_GAIN = 0.02
"""A column that narrows an interval by less is no reason."""


def unsure_section(subject: Any, effects: Effects, strongest: Sequence[str]) -> Markup:
    """Return the rows with the widest intervals, or the least probable best class, and the column responsible."""
    honest = subject.honest
    if honest.task == "regression":
        ends = honest.interval(subject.confidence)
        uncertainty, what = ends[:, 1] - ends[:, 0], "narrower"
    else:
        uncertainty, what = 1.0 - honest.probabilities.max(axis=1), "less uncertain"
    chosen = np.argsort(-uncertainty, kind="stable")[:N_UNSURE]
    listed = []
    for place in chosen:
        found = effects.narrowest_column(honest.X.index[place])
        reason = "no single column"
        if found is not None and found[2] >= LEAST_GAIN:
            reason = f"{found[0]}: {percent(found[2])} {what} with {words_for(found[1])}"
        listed.append({**_row(subject, place, strongest), "mainly due to": reason})
    about = "The rows with the widest intervals" if honest.task == "regression" else "The least certain rows"
    about += (
        ", and for each the column whose typical value would reduce the uncertainty most. Row 1 follows the header."
    )
    return section("Least certain predictions", table(listed), about=about)


def examples_section(subject: Any, strongest: Sequence[str]) -> Markup:
    """Return some rows, from the lowest prediction to the highest."""
    honest = subject.honest
    by = honest.mean if honest.task == "regression" else honest.probabilities[:, -1]
    order = np.argsort(by, kind="stable")
    places = np.unique(np.linspace(0, len(order) - 1, min(N_EXAMPLES, len(order))).round().astype(int))
    chosen = order[places]
    listed = [_row(subject, place, strongest) for place in chosen]
    pictures = []
    if honest.task == "regression":
        labels = [f"row {honest.X.index[place] + 1}" for place in chosen]
        ends = honest.interval(subject.confidence)
        pictures = [intervals_figure(labels, honest.y[chosen], honest.mean[chosen], ends[chosen], subject.rows.target)]
    about = "From the lowest prediction to the highest."
    return section("Example predictions", *([figures(*pictures)] if pictures else []), table(listed), about=about)


def _row(subject: Any, place: int, strongest: Sequence[str]) -> dict[str, Any]:
    honest = subject.honest
    found: dict[str, Any] = {"row": str(honest.X.index[place] + 1)}
    if honest.task == "regression":
        low, high = honest.interval(subject.confidence)[place]
        found |= {"predicted": float(honest.mean[place]), "interval": f"{words_for(low)} to {words_for(high)}"}
    else:
        best = int(np.argmax(honest.probabilities[place]))
        found |= {
            "predicted": words_for(honest.classes[best]),
            "probability": percent(honest.probabilities[place, best], 1),
        }
    truth = honest.y[place]
    found["actual"] = float(truth) if honest.task == "regression" else words_for(truth)
    for name in strongest[:N_COLUMNS]:
        found[name] = words_for(honest.X[name].iloc[place])
    return found
