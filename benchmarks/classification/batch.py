"""Class probabilities of boosting and of the forest next to others: log loss on new rows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.ensemble import ExtraTreesClassifier
from threadpoolctl import threadpool_limits

from benchmarks.classification import gradient_boosting
from benchmarks.classification.scores import accuracy, aligned, log_loss
from benchmarks.shared.data import Floats, Split, Table
from benchmarks.shared.page import Page
from benchmarks.shared.peers import as_mappings, learn_each, river_amf, river_probabilities
from benchmarks.shared.timing import on_all_cores
from hedgerow import MondrianBoostingClassifier, MondrianForestClassifier

FOREST, BOOSTING, EXTRA, CALIBRATED = "hedgerow forest", "hedgerow boosting", "ExtraTrees", "ExtraTrees, calibrated"
RIVER = "river's AMF"
WIDEST_FOR_RIVER = 100
"""Its nodes hold dictionaries with an entry a column: on wider sets it would take more memory than there is."""
WORDS = f"""\
Of each set at most {{most_train:,}} rows are learned and {{most_test:,}} others predicted, by its own split where it \
has one. hedgerow's models and ExtraTrees (100 trees) are at their defaults. ExtraTrees' probabilities are calibrated \
by max(p, floor) ^ power, as boosting's are, with the two numbers from what a bootstrapped forest predicts for rows \
out of bag; the time of that is not counted. CatBoost and LightGBM are at their defaults; "tuned" is the best of \
{gradient_boosting.N_TRIED} random settings by log loss on a fifth of the rows, with early stopping, fitted again to \
all. river's AMF has 10 trees, its default, and is left out on sets of more \
than {WIDEST_FOR_RIVER} columns, for memory. Log loss, accuracy and times by set are below; times are processor time \
on one thread, as many fits at once as there are cores."""


@dataclass(frozen=True)
class Loss:
    """What one contestant reached on one set."""

    data: str
    model: str
    loss: float
    accuracy: float
    seconds: float

    def __str__(self) -> str:
        return f"{self.data}, {self.model}: log loss {self.loss:.3f}"


def compare(page: Page, sets: Sequence[Table], most_train: int, most_test: int) -> None:
    """Fit all models to all sets."""
    peers = [name for name, (library, _) in gradient_boosting.NEW.items() if page.has(library)]
    models = [FOREST, BOOSTING, EXTRA, CALIBRATED, *peers, *([RIVER] if page.has("river") else [])]
    splits = [table.split(0, most_train, most_test).in_unit_range() for table in sets]
    tasks = [(s, m) for s in splits for m in models if m != RIVER or s.X.shape[1] <= WIDEST_FOR_RIVER]
    found: dict[tuple[str, str], Loss] = {}
    for loss in on_all_cores(measure, tasks):
        page.tell(loss)
        found[loss.data, loss.model] = loss
    names = sorted(table.name for table in sets)

    rows = []
    for model in models:
        met = [name for name in names if (name, model) in found]
        cells = []
        for what in ("loss", "seconds"):
            quotients = (getattr(found[name, model], what) / getattr(found[name, EXTRA], what) for name in met)
            cells.append(f"{geometric_mean(quotients):.3f}")
        wins = sum(found[name, BOOSTING].loss < found[name, model].loss for name in met)
        rows.append((model, *cells, "" if model == BOOSTING else f"{wins} of {len(met)}"))
    words = WORDS.format(most_train=most_train, most_test=most_test)
    lowest = [
        min((model for model in models if (name, model) in found), key=lambda model: found[name, model].loss)
        for name in names
    ]
    rows = [(*row, str(lowest.count(row[0]))) for row in rows]
    headings = (
        "",
        "log loss, ExtraTrees = 1",
        "fit time, ExtraTrees = 1",
        "boosting has the lower log loss on",
        "has the lowest of all on",
    )
    page.table("Batch: class probabilities, geometric means over the sets", headings, rows, words)
    for title, cell in (
        ("Log loss", "{.loss:.3f}"),
        ("Accuracy", "{.accuracy:.3f}"),
        ("Fit, seconds", "{.seconds:.2f}"),
    ):
        shown = [
            (name, *(cell.format(found[name, model]) if (name, model) in found else "" for model in models))
            for name in names
        ]
        page.table(f"{title} by set", ("", *models), shown)


def measure(data: Split, model: str) -> Loss:
    """Fit, on one thread, and ask."""
    with threadpool_limits(1):
        begin = time.process_time()
        if model == RIVER:
            forest = river_amf(classes=True)
            learn_each(forest, as_mappings(data.X), data.y.tolist())
            seconds = time.process_time() - begin
            probabilities = river_probabilities(forest, data.X_test, data.n_classes)
        else:
            fitted = new(model).fit(data.X, data.y)
            seconds = time.process_time() - begin
            probabilities = aligned(fitted, fitted.predict_proba(data.X_test), data.n_classes)
            if model == CALIBRATED:
                probabilities = calibrated(data, probabilities)
    loss, right = log_loss(probabilities, data.y_test), accuracy(probabilities, data.y_test)
    return Loss(data.name, model, loss, right, seconds)


def new(model: str) -> Any:
    """Return a contestant that is fitted in batch."""
    if model == FOREST:
        return MondrianForestClassifier(n_jobs=1, random_state=0)
    if model == BOOSTING:
        return MondrianBoostingClassifier(n_jobs=1, random_state=0)
    if model in gradient_boosting.NEW:
        return gradient_boosting.NEW[model][1]()
    return ExtraTreesClassifier(100, n_jobs=1, random_state=0)


def calibrated(data: Split, probabilities: Floats) -> Floats:
    """Calibrate by max(p, floor) ^ power, as boosting is, on what a bootstrapped forest predicts out of bag."""
    bagged = ExtraTreesClassifier(100, bootstrap=True, oob_score=True, n_jobs=1, random_state=0).fit(data.X, data.y)
    out_of_bag = aligned(bagged, np.nan_to_num(bagged.oob_decision_function_), probabilities.shape[1])

    def powers(given: Floats, logs: Floats) -> Floats:
        floor, power = np.exp(np.clip(logs, -14.0, 3.0))
        raised = np.maximum(given, floor) ** power
        shares: Floats = raised / raised.sum(axis=1, keepdims=True)
        return shares

    def loss(logs: Floats) -> float:
        return log_loss(powers(out_of_bag, logs), data.y)

    starts = [[np.log(floor), np.log(power)] for floor in (1e-3, 1e-2) for power in (1.0, 2.0)]
    tries = [minimize(loss, start, method="Nelder-Mead") for start in starts]
    return powers(probabilities, min(tries, key=lambda found: float(found.fun)).x)
