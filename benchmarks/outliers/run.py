"""Outlier scores of Mondrian forests, next to isolation forests and robust random cut forests."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score

from benchmarks.outliers.random_cuts import RandomCutForest
from benchmarks.shared.data import Floats, Table, class_sets
from benchmarks.shared.page import Options, Page
from hedgerow import MondrianForestClassifier, MondrianForestRegressor

OUTLIERS: dict[str, tuple[tuple[int, ...], tuple[int, ...] | None]] = {
    "shuttle": ((1, 2, 4, 5, 6), (0,)),
    "satimage": ((1,), None),
    "breast_w": ((1,), (0,)),
    "pendigits": ((0,), None),
    "letter": ((25,), (0, 1, 2)),
    "waveform40": ((0,), None),
    "spambase": ((1,), (0,)),
    "magic04": ((1,), (0,)),
    "digits": ((0,), None),
    "breast_cancer": ((0,), (1,)),
    "wine": ((2,), None),
}
"""Classes of outliers and of the others, by set: labels count from 0; None is all others."""

SHARE = 0.05
"""Outliers among the rows that are asked about, at most, relative to the rows that are learned."""

INTRODUCTION = """\
Rows of one class, or of several rare ones, are the outliers; entries are areas under the ROC curve of \
`score_samples`, in the mean over {n_seeds} draw{plural} of rows. At most {most:,} rows are learned. Mondrian forests \
have 50 trees and are otherwise at their defaults; *regressor* is fitted to zeros, so it sees no labels, *classifier* \
to the classes of the rows, with `pause_pure=False`, where these are of several. IsolationForest has its 100 trees of \
256 rows, rrcf 10 of as many, with columns in units of their standard deviation; its score is the collusive \
displacement of a row that is inserted for the question."""
NEW = "The rows learned are free of outliers; rows that were not learned are scored, {share:.0%} as many outliers as \
were learned at most."
AMONG = "All rows are learned, outliers among them, and all are scored: each has a leaf of its own. rrcf, which \
inserts them a second time, is left out."


@dataclass(frozen=True)
class Problem:
    """Rows to learn with their classes, and rows to be asked about, the outliers among them marked."""

    name: str
    X: Floats
    classes: Any
    asked: Floats
    is_outlier: Any

    @classmethod
    def drawn(cls, table: Table, seed: int, most: int, most_asked: int) -> Problem:
        """Draw one with other rows to be asked about than those that are learned."""
        rng = np.random.default_rng(seed)
        outliers, others = OUTLIERS[table.name]
        is_out = np.isin(table.y, outliers)
        usual = rng.permutation(np.flatnonzero(~is_out if others is None else np.isin(table.y, others)))
        n = min(most, 2 * usual.size // 3)
        rare = rng.permutation(np.flatnonzero(is_out))[: max(10, int(SHARE * n))]
        asked = np.concatenate([usual[n : n + most_asked], rare])
        return cls(table.name, table.X[usual[:n]], table.y[usual[:n]], table.X[asked], is_out[asked])

    def mixed(self) -> Problem:
        """Return one in which outliers are learned, and the rows learned are asked about."""
        X = np.concatenate([self.X, self.asked[self.is_outlier]])
        is_outlier = np.arange(len(X)) >= len(self.X)
        return Problem(self.name, X, np.where(is_outlier, 0, 1), X, is_outlier)


def unlabelled(problem: Problem, seed: int) -> Any:
    return MondrianForestRegressor(random_state=seed).fit(problem.X, np.zeros(len(problem.X)))


def labelled(problem: Problem, seed: int) -> Any:
    if np.unique(problem.classes).size < 2:
        return None
    return MondrianForestClassifier(pause_pure=False, random_state=seed).fit(problem.X, problem.classes)


def isolation_forest(problem: Problem, seed: int) -> Any:
    return IsolationForest(random_state=seed).fit(problem.X)


def random_cuts(problem: Problem, seed: int) -> Any:
    return RandomCutForest(seed).fit(problem.X)


Contestants = Mapping[str, Callable[[Problem, int], Any]]


def compare(page: Page, problems: list[list[Problem]], contestants: Contestants, title: str, words: str) -> None:
    """Add a table: a line a set, a column a contestant, and how long a row takes to be scored."""
    rows, micro = [], {name: list[float]() for name in contestants}
    for draws in problems:
        cells = []
        for name, fit in contestants.items():
            areas = []
            for seed, problem in enumerate(draws):
                model = fit(problem, seed)
                if model is None:
                    continue
                begin = time.process_time()
                scores = model.score_samples(problem.asked)
                micro[name].append((time.process_time() - begin) / len(scores) * 1e6)
                areas.append(roc_auc_score(~problem.is_outlier, scores))
            cells.append(float(np.mean(areas)) if areas else np.nan)
        best = float(np.nanmax(cells))
        shown = ["" if np.isnan(cell) else f"**{cell:.3f}**" if cell > best - 5e-4 else f"{cell:.3f}" for cell in cells]
        one = draws[0]
        rows.append((one.name, f"{len(one.X):,}", str(one.X.shape[1]), str(one.is_outlier.sum()), *shown))
        page.tell(rows[-1])
    rows.append(("µs a row, median", "", "", "", *(f"{np.median(each):,.0f}" for each in micro.values())))
    page.table(title, ("set", "learned", "columns", "outliers", *contestants), rows, words)


def run(page: Page, options: Options) -> None:
    """Score rows that were not learned, then rows that were."""
    n_seeds, most, most_asked = options.pick((1, 300, 100), (1, 600, 150), (10, 4000, 1000))
    words = INTRODUCTION.format(n_seeds=n_seeds, plural="s" * (n_seeds > 1), most=most)
    page.begin("Outliers", words, "numpy", "scikit-learn")
    tables = [table for table in class_sets(options.data, tuple(OUTLIERS)) if table.name in OUTLIERS]
    problems = [[Problem.drawn(table, seed, most, most_asked) for seed in range(n_seeds)] for table in tables]
    contestants: dict[str, Callable[[Problem, int], Any]] = {
        "regressor": unlabelled,
        "classifier": labelled,
        "IsolationForest": isolation_forest,
    }
    if page.has("rrcf"):
        contestants["rrcf"] = random_cuts
    compare(page, problems, contestants, "Rows that were not learned", NEW.format(share=SHARE))
    del contestants["classifier"]
    contestants.pop("rrcf", None)
    mixed = [[problem.mixed() for problem in draws] for draws in problems]
    compare(page, mixed, contestants, "Rows among which there are outliers", AMONG)
