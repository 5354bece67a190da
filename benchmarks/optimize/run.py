"""Bayesian optimisation next to Optuna, SMAC3 and random search: values found, and cost as evaluations grow."""

from __future__ import annotations

import pickle
import time
from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.optimize.methods import Method, forest_alone, hedgerow, hedgerow_optimizer, peers, timed
from benchmarks.optimize.problems import Problem, continuous, on_grid, tables
from benchmarks.shared.page import Options, Page

OURS, ALONE = "hedgerow", "hedgerow, forest alone"
SLOW = ("SMAC3", "Optuna GPSampler")
"""Peers that take a third of a second for each suggestion: two seeds, and only the two whole functions."""
PAPER = {"Branin, grid": 0.400, "Hartmann6, grid": -3.247, "SVM-grid": 0.2415, "LDA-grid": 1266.36}
"""Lakshminarayanan and others (2016), Table 3, with the rows of the two tables as the data have them."""
INTRODUCTION = """\
`hedgerow.optimize`, all methods at their defaults; *forest alone* is hedgerow without local searches. Values are to \
be small. Times are processor time a suggestion, with what the function itself and the bookkeeping around it take.

The grids of the two functions have 250,000 points each, random but for one, which is where the function is least. \
hedgerow is given the point that was tried, the nearest that was not yet; Optuna has the value of the nearest point. \
SVM-grid and LDA-grid are tables of measured settings, searched as whole numbers. *Paper* is Table 3 of \
Lakshminarayanan and others (2016), whose grids are not known in full: compare with the peers first."""


def run(page: Page, options: Options) -> None:
    """Cost first, then problem by problem."""
    page.begin("Bayesian optimisation", INTRODUCTION, "numpy")
    methods: dict[str, Method] = {OURS: hedgerow, ALONE: forest_alone, **peers(page)}
    quick = {name: method for name, method in methods.items() if name not in SLOW}
    slow = {name: method for name, method in methods.items() if name in SLOW}
    n_seeds, n = options.pick(1, 15), options.pick(20, 200)
    cost(page, options.pick((20, 40), (50, 200, 1000, 10_000)), options.pick(5, 150))
    for problem in continuous():
        contest(page, [problem], n, quick, n_seeds, {} if options.quick else slow)
        contest(page, [on_grid(problem, seed) for seed in range(options.pick(1, 3))], n, quick, n_seeds)
    for problem in tables(options.data):
        for budget in options.pick((10,), (50, 100)):
            contest(page, [problem], budget, quick, n_seeds)
    if not options.quick:
        long = {name: method for name, method in quick.items() if name in (OURS, "Optuna TPE")}
        contest(page, continuous()[1:], 2000, long, 3)


def contest(
    page: Page,
    problems: Sequence[Problem],
    n: int,
    methods: Mapping[str, Method],
    n_seeds: int,
    slow: Mapping[str, Method] | None = None,
) -> None:
    """All methods, on several versions of a problem in turn."""
    rows = []
    for name, method in {**methods, **(slow or {})}.items():
        seeds = range(min(2, n_seeds) if name in SLOW else n_seeds)
        runs = [timed(method, problems[seed % len(problems)], n, seed) for seed in seeds]
        found = [min(values) for values, _ in runs]
        milliseconds = 1e3 * float(np.mean([seconds for _, seconds in runs]))
        mean = f"{np.mean(found):.6g} ± {np.std(found):.2g}"
        numbers = (f"{np.median(found):.6g}", f"{max(found):.6g}", f"{len(runs)}", f"{milliseconds:.3g}")
        rows.append((name, mean, *numbers))
        page.tell(f"{problems[0].name}, {name}: {mean}")
    headings = ("", "least value found, mean ± sd", "median", "worst", "runs", "ms a suggestion")
    paper = f"; paper: {PAPER[problems[0].name]:g}" if problems[0].name in PAPER else ""
    words = f"The least value there is: {problems[0].least:.6g}{paper}."
    page.table(f"{problems[0].name}, {n:,} evaluations", headings, rows, words)


def cost(page: Page, stops: Sequence[int], n_timed: int) -> None:
    """Early and late suggestions in turn, each from a copy of the search as it was then."""
    problem = continuous()[1]
    optimizer = hedgerow_optimizer(problem, 0)
    kept: dict[int, bytes] = {}
    for n in range(stops[-1] + 1):
        if n in stops:
            kept[n] = pickle.dumps(optimizer)
        point = optimizer.ask()
        optimizer.tell(point, problem.function(point))
    best = dict.fromkeys(kept, np.inf)
    for _ in range(5):
        for n, content in kept.items():
            copy, spent = pickle.loads(content), 0.0
            for _ in range(n_timed):
                began = time.process_time()
                point = copy.ask()
                spent += time.process_time() - began
                value = problem.function(point)
                began = time.process_time()
                copy.tell(point, value)
                spent += time.process_time() - began
            best[n] = min(best[n], 1e3 * spent / n_timed)
    rows = [(f"{n:,}", f"{milliseconds:.2f} ms") for n, milliseconds in best.items()]
    words = f"Hartmann6, hedgerow, without the function: the mean of {n_timed}, the best of five turns."
    page.table("One suggestion and its answer", ("after evaluations", "processor time"), rows, words)
