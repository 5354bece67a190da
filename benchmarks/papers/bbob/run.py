"""Noiseless BBOB functions in 100 evaluations, next to Optuna's TPE and Gaussian process, and random search."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from statistics import geometric_mean
from typing import NamedTuple

import numpy as np

from benchmarks.optimize.methods import Method, chance, gaussian_process, hedgerow, tpe
from benchmarks.optimize.problems import Problem
from benchmarks.shared.data import Floats
from benchmarks.shared.page import Options, Page
from benchmarks.shared.pictures import BLUE, GREEN, GREY, ORANGE, subplots
from benchmarks.shared.timing import on_all_cores

OURS, TPE, GP, CHANCE = "hedgerow", "Optuna TPE", "Optuna GPSampler", "random search"
METHODS: dict[str, Method] = {OURS: hedgerow, TPE: tpe, GP: gaussian_process, CHANCE: chance}
COLOURS = {OURS: BLUE, TPE: ORANGE, GP: GREEN, CHANCE: GREY}
FUNCTIONS = {
    1: "sphere",
    3: "Rastrigin, separable",
    8: "Rosenbrock",
    10: "ellipsoid, rotated",
    15: "Rastrigin, rotated",
    21: "Gallagher, 101 peaks",
}
DIMENSIONS = (2, 5)
N_EVALUATIONS = 100
SMALLEST = 1e-8
"""Errors below count as this one, as on BBOB's own pages."""
INTRODUCTION = """\
BBOB is the test bed of the COCO platform (Hansen and others 2021): 24 noiseless functions, each in instances that \
differ by shifts and rotations. Here are six of them, of all five groups, as the package `ioh` has them, in two and \
in five dimensions, each parameter in [-5, 5]. Every method has {n} evaluations, starts from nothing and is at its \
defaults; an instance is met with its number as random seed. Instances 1 to {most}, for the Gaussian process, which \
takes longest for a suggestion, 1 to {few}.

COCO counts evaluations until an error is reached, with far larger budgets. With so few, errors are compared: the \
least value found, less the least there is; below {least:g} they count as that."""
ABOUT_ALL = """\
Errors, those of hedgerow on the same instances = 1: geometric means. Below 1 is better than hedgerow. *Better on* \
counts runs with a smaller error than hedgerow's, half if both are equal. Times are processor time of a suggestion, \
measured while as many runs as cores went on at once: an order of magnitude."""
ABOUT_EACH = """\
Median error over the instances, of the Gaussian process over its own; the lowest of a row is **bold**. hedgerow goes \
on from good points by fitting quadratics to what is around them, which is all that the sphere and the ellipsoid are: \
from the sphere, where errors are smallest, comes much of the quotients above."""


class Run(NamedTuple):
    """The least error after each evaluation, and the processor time of a suggestion."""

    function: int
    dimension: int
    instance: int
    method: str
    errors: Floats
    seconds: float


def run(page: Page, options: Options) -> None:
    """Run everything on all cores, then show it together, by function and as curves."""
    most, few = options.pick(1, 5, 15), options.pick(1, 2, 15)
    n = options.pick(15, N_EVALUATIONS)
    words = INTRODUCTION.format(n=n, most=most, few=few, least=SMALLEST)
    page.begin("BBOB functions in few evaluations", words, "numpy")
    if not page.has("ioh"):
        page.text("Skipped: it needs the package `ioh`.")
        return
    needs = {TPE: ("optuna",), GP: ("optuna", "torch")}
    methods = [name for name in METHODS if all(page.has(library) for library in needs.get(name, ()))]
    tasks = [
        (function, dimension, instance, method, n)
        for method in methods
        for instance in range(1, 1 + (few if method == GP else most))
        for dimension in DIMENSIONS
        for function in list(FUNCTIONS)[: options.pick(2, len(FUNCTIONS))]
    ]
    runs = []
    for each in on_all_cores(measure, tasks[::-1]):  # the slow ones first
        page.tell(f"f{each.function} in {each.dimension}, {each.instance}, {each.method}: {each.errors[-1]:.3g}")
        runs.append(each)
    together(page, runs, methods)
    by_function(page, runs, methods)
    draw(page, runs, methods)


def measure(function: int, dimension: int, instance: int, method: str, n: int) -> Run:
    """Run one method on one instance."""
    problem = bbob(function, dimension, instance)
    began = time.process_time()
    values = METHODS[method](problem, n, instance)
    seconds = (time.process_time() - began) / n
    errors = np.maximum(np.minimum.accumulate(values) - problem.least, SMALLEST)
    return Run(function, dimension, instance, method, errors, seconds)


def bbob(function: int, dimension: int, instance: int) -> Problem:
    """Return an instance, on the unit cube."""
    import ioh

    found = ioh.get_problem(function, instance=instance, dimension=dimension, problem_class=ioh.ProblemClass.BBOB)

    def of_unit_cube(x: Sequence[float]) -> float:
        return float(found(10.0 * np.asarray(x, dtype=np.float64) - 5.0))

    return Problem(FUNCTIONS[function], of_unit_cube, (None,) * dimension, float(found.optimum.y))


def last_errors(runs: Sequence[Run]) -> Mapping[tuple[str, int, int, int], float]:
    """Return the error at the end of each run."""
    return {(run.method, run.function, run.dimension, run.instance): float(run.errors[-1]) for run in runs}


def together(page: Page, runs: Sequence[Run], methods: Sequence[str]) -> None:
    """Show how methods compare with hedgerow over all functions."""
    errors = last_errors(runs)
    rows = []
    for method in methods:
        cells = []
        for dimension in DIMENSIONS:
            met = [key[1:] for key in errors if key[0] == method and key[2] == dimension]
            pairs = [(errors[method, *key], errors[OURS, *key]) for key in met]
            quotient = geometric_mean(theirs / ours for theirs, ours in pairs)
            won = sum((theirs < ours) + 0.5 * (theirs == ours) for theirs, ours in pairs)
            cells += [two_digits(quotient), "" if method == OURS else f"{won:g} of {len(pairs)}"]
        milliseconds = 1e3 * float(np.mean([run.seconds for run in runs if run.method == method]))
        rows.append((method, *cells, f"{two_digits(milliseconds)} ms"))
    headings = ["", *(f"{what} {d}" for d in DIMENSIONS for what in ("error, dimension", "better on, dimension"))]
    page.table("All functions", [*headings, "a suggestion"], rows, ABOUT_ALL)


def two_digits(value: float) -> str:
    """Return two significant digits, of large numbers without a power of ten."""
    return f"{float(f'{value:.2g}'):,.0f}" if value >= 100 else f"{value:.2g}"


def by_function(page: Page, runs: Sequence[Run], methods: Sequence[str]) -> None:
    """Show the median error of each function."""
    errors, rows = last_errors(runs), []
    for function, dimension in sorted({(run.function, run.dimension) for run in runs}, key=lambda each: each[::-1]):
        medians = [
            float(np.median([error for key, error in errors.items() if key[:3] == (method, function, dimension)]))
            for method in methods
        ]
        shown = [f"**{two_digits(each)}**" if each == min(medians) else two_digits(each) for each in medians]
        rows.append((f"f{function}, {FUNCTIONS[function]}", f"{dimension}", *shown))
    page.table("By function", ("", "dimension", *methods), rows, ABOUT_EACH)


def draw(page: Page, runs: Sequence[Run], methods: Sequence[str]) -> None:
    """Draw the median error against evaluations, a panel a function and dimension."""
    functions = sorted({run.function for run in runs})
    figure, panels = subplots(
        len(DIMENSIONS), len(functions), figsize=(2.4 * len(functions), 5.4), sharex=True, squeeze=False
    )
    for row, dimension in enumerate(DIMENSIONS):
        for column, function in enumerate(functions):
            axes = panels[row, column]
            for method in methods:
                curves = [
                    r.errors for r in runs if (r.function, r.dimension, r.method) == (function, dimension, method)
                ]
                median = np.median(curves, axis=0)
                axes.plot(np.arange(1, median.size + 1), median, color=COLOURS[method], label=method, linewidth=1.6)
            axes.set_yscale("log")
            axes.set_title(f"f{function}, dimension {dimension}", fontsize=10, loc="left")
            axes.tick_params(labelsize=8)
            axes.tick_params(axis="y", which="minor", labelleft=False)
    figure.supxlabel("evaluations", fontsize=10)
    figure.supylabel("median error", fontsize=10)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False)
    page.picture(figure, "errors.png", "Median error against evaluations, by function and dimension")
