"""Bayesian optimisation next to its peers: Table 3 of document 000, whole domains, and cost as evaluations grow."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.optimize_methods import Method, forest_alone, hedgerow, hedgerow_optimizer, peers, timed
from benchmarks.optimize_problems import Problem, continuous, on_grid, tables
from benchmarks.report import Line

OURS, ALONE = "hedgerow", "hedgerow, forest alone"
N_SEEDS = 15
FEWER = {"SMAC3": 2, "Optuna GPSampler": 2}
"""Seeds of peers that take a third of a second for each suggestion; they meet only the two whole functions."""

PAPER = {
    ("Branin, grid", 200): 0.400,
    ("Hartmann6, grid", 200): -3.247,
    ("SVM-grid", 50): 0.2415,
    ("SVM-grid", 100): 0.2415,
    ("LDA-grid", 50): 1266.36,
    ("LDA-grid", 100): 1266.36,
}
"""Document 000, Table 3, with the rows of the two tables as the data have them, and values to be small.

It has each at one budget, and which is not sure; 0.2415 would be printed as its 24.1."""

WHOLE = {("Branin", 200): 0.397887 + 0.002, ("Hartmann6", 200): -3.28}
TABLE = "Table 3 of document 000: mean of the least value; the target is what the paper reached"
DOMAIN = "whole domains, 200 evaluations: mean of the least value"
LONG = "Hartmann6, 2000 evaluations: mean of the least value, next to Optuna's TPE"
COST = "processor time of one suggestion and its answer, Hartmann6"
EARLY, LATE = 200, 10_000


@dataclass(frozen=True)
class Score:
    """What one method found in several runs of one problem."""

    problem: str
    n: int
    method: str
    found: tuple[float, ...]
    least: float
    milliseconds: float

    @property
    def mean(self) -> float:
        return float(np.mean(self.found))

    def __str__(self) -> str:
        spread = f"{self.mean:.5g} ± {np.std(self.found):.2g}"
        return (
            f"{self.problem}, {self.n}: {self.method}: {spread} in {len(self.found)} runs, {self.milliseconds:.3g} ms"
        )


def run(data: Path | None, quick: bool) -> Iterator[Line | Score]:
    """Yield scores and lines as they are measured."""
    others, missing = peers()
    for sentence in missing:
        print(sentence)
    methods: dict[str, Method] = {OURS: hedgerow, ALONE: forest_alone, **others}
    quicker = {name: method for name, method in methods.items() if name not in FEWER}
    n_seeds = 2 if quick else N_SEEDS
    yield from cost(1000 if quick else LATE)
    for problem in continuous():
        yield from contest([problem], 200, quicker, n_seeds)
        yield from contest([on_grid(problem, seed) for seed in range(3)], 200, quicker, n_seeds)
    for problem in tables(data):
        for n in (50, 100):
            yield from contest([problem], n, quicker, n_seeds)
    if quick:
        return
    long = {name: method for name, method in quicker.items() if name in (OURS, "Optuna TPE")}
    yield from contest(continuous()[1:], 2000, long, 3)
    for name, n_few in FEWER.items():
        for problem in reversed(continuous()):
            yield from contest([problem], 200, {name: methods[name]} if name in methods else {}, n_few)


def contest(problems: Sequence[Problem], n: int, methods: dict[str, Method], n_seeds: int) -> Iterator[Score]:
    """All methods, on several versions of a problem in turn."""
    for name, method in methods.items():
        runs = [timed(method, problems[seed % len(problems)], n, seed) for seed in range(n_seeds)]
        found = tuple(min(values) for values, _ in runs)
        milliseconds = 1e3 * float(np.mean([seconds for _, seconds in runs]))
        yield Score(problems[0].name, n, name, found, problems[0].least, milliseconds)


def cost(late: int) -> Iterator[Line]:
    """Early and late suggestions in turn, each from a copy of the search as it was then."""
    problem = continuous()[1]
    optimizer = hedgerow_optimizer(problem, 0)
    kept: dict[int, bytes] = {}
    for n in range(late + 1):
        if n in (50, EARLY, 1000, late):
            kept[n] = pickle.dumps(optimizer)
        point = optimizer.ask()
        optimizer.tell(point, problem.function(point))
    best = dict.fromkeys(kept, np.inf)
    for _ in range(5):
        for n, content in kept.items():
            copy = pickle.loads(content)
            spent = 0.0
            for _ in range(150):
                began = time.process_time()
                point = copy.ask()
                spent += time.process_time() - began
                value = problem.function(point)
                began = time.process_time()
                copy.tell(point, value)
                spent += time.process_time() - began
            best[n] = min(best[n], 1e3 * spent / 150)
    for n, milliseconds in best.items():
        what = f"after {n:,} evaluations, mean of 150"
        yield Line(COST, what, f"{milliseconds:.2f} ms", "", milliseconds, 5.0, at_most=True, unit=" ms")
    ratio = best[late] / best[EARLY]
    yield Line(COST, f"after {late:,} over after {EARLY}", "", "", ratio, 1.5, at_most=True)


def verdicts(scores: Iterable[Score]) -> Iterator[Line]:
    """What the scores amount to."""
    by_name = {(score.problem, score.n, score.method): score for score in scores}
    for (name, n, method), score in by_name.items():
        if method != OURS:
            continue
        tpe = by_name.get((name, n, "Optuna TPE"))
        peer = "" if tpe is None else f"{tpe.mean:.5g} (TPE)"
        mine = f"{score.mean:.6g} ± {np.std(score.found):.2g}"
        if (name, n) in WHOLE:
            yield Line(DOMAIN, name, mine, peer, score.mean, WHOLE[name, n], at_most=True, unit="")
        elif n == 2000:
            target = None if tpe is None else tpe.mean
            yield Line(LONG, name, mine, peer, score.mean, target, at_most=True, unit="")
        else:
            what = f"{name}, {n} evaluations; the least there is: {score.least:.6g}"
            yield Line(TABLE, what, mine, peer, score.mean, PAPER.get((name, n)), at_most=True, unit="")
