"""The Mondrian kernel: speed of features and sweeps, exactness, and the figures of its paper."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from experiments.mondrian_kernel import approximation, forest, widths

from benchmarks.report import Line
from benchmarks.timing import interleave
from hedgerow import MondrianFeatures, MondrianKernelRidge, _core
from hedgerow._blas import one_blas_thread
from hedgerow.kernel import _iterative, _selection
from hedgerow.kernel._dense import Spectrum, criteria_at
from hedgerow.kernel._problem import Problem

Floats = npt.NDArray[np.float64]

TRANSFORM = "transform of 100,000 rows of 10 columns, 100 trees; the peer is scikit-learn's RandomTreesEmbedding"
EVENTS = "an event of the sweep, 1,000 rows, 50 trees, 2 columns, in milliseconds"
SCRATCH = "the same sweep against its criteria from scratch at 30 lifetimes; reached is our time over that"
EXACT = "largest relative error of a criterion on the path, against matrices from scratch at 10 events"
FIGURE_5 = (
    "Figure 5: largest error of the kernel, lifetime 10, 100 rows in the unit square; reached is theirs over ours"
)
FIGURE_7 = "Figure 7: the lifetime chosen where 10 is true, median of five samples; reached is the factor between"
FIGURE_8 = "Figure 8: cpu_act, 350 features a row, seconds to the best validation error; reached is theirs over ours"
FIGURE_6 = "Figure 6: cpu_act, test error in percent; the peer is the exact Laplace kernel; reached is ours over its"
FIGURE_9 = "Figure 9: cpu_act, 50 trees, least test error over lifetimes in percent; the peer fits each tree alone"
NAN = float("nan")


@dataclass
class Figures:
    """Curves for the picture."""

    curves: dict[str, dict[str, Any]] = field(default_factory=dict)


def run(folder: Path | None, quick: bool, figures: Figures) -> Iterator[Line]:
    """Yield what is measured, as it is measured."""
    yield transform(10_000 if quick else 100_000, 2 if quick else 5)
    yield from sweeps(300 if quick else 1000)
    yield from kernel_errors([10, 40] if quick else [10, 30, 100, 300, 1000, 3000], figures)
    yield from recovered(1 if quick else 5)
    if folder is None:
        return
    if not (folder / "cpu_act.parquet").is_file():
        raise FileNotFoundError(f"{folder} has no cpu_act.parquet. {HELP}")
    data = widths.cpu_act(folder)
    yield from searches(data, figures)
    yield from test_errors(data)
    yield leaf_fits(data, figures)


def transform(n_rows: int, rounds: int) -> Line:
    """Our features against the trees that scikit-learn offers for the purpose, fitted on the same rows."""
    from sklearn.ensemble import RandomTreesEmbedding

    X = np.random.default_rng(0).uniform(size=(n_rows, 10))
    ours = MondrianFeatures(100, 1.0, random_state=0).fit(X)
    theirs = RandomTreesEmbedding(100, random_state=0).fit(X)
    times = interleave(
        {"ours": lambda: lambda: ours.transform(X), "theirs": lambda: lambda: theirs.transform(X)}, rounds
    )
    ratio = times["theirs"].best / times["ours"].best
    return Line(TRANSFORM, "lifetime 1", str(times["ours"]), str(times["theirs"]), ratio, 5.0)


def sweep_problem(n: int) -> tuple[Problem, _core.Sweep]:
    """About 5,300 events at 1,000 rows: labels drawn with the Laplace kernel of lifetime 10, and noise."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n, 2))
    kernel = np.exp(-10.0 * np.abs(X[:, None] - X[None]).sum(axis=2))
    y = np.linalg.cholesky(kernel + 1e-10 * np.eye(n)) @ rng.normal(size=n) + 0.1 * rng.normal(size=n)
    points = np.ascontiguousarray(11.0 * (X - 0.5))
    problem = Problem(points, (y - y.mean()) / y.std(), np.ones(n), 0, 50, 1, 1)
    return problem, _core.Sweep(points, n_trees=50, seed=1, n_threads=1)


def sweeps(n: int) -> Iterator[Line]:
    """Time of the sweep at one ridge and with the joint choice, exact and iterative; and how exact the path is."""
    problem, sweep = sweep_problem(n)
    n_events, rule = sweep.times().size, _selection.Rule("marginal_likelihood")
    grid = _selection.time_grid(sweep, 30)

    def joint() -> object:
        alpha = _selection.choose_alpha(problem, sweep, rule, _selection.time_grid(sweep, _selection.N_COARSE))
        return _selection.follow_events(problem, sweep, alpha)

    def iterative() -> object:
        times = _selection.time_grid(sweep, _iterative.N_TIMES)
        return _iterative.iterative_path(problem, sweep, rule, None, times, 1.0)

    def scratch() -> object:
        return [criteria_at(problem, *at[1:], 0.03) for at in _selection.partitions_at(problem, sweep, grid)]

    def all_ridges() -> object:
        alphas = _selection.ALPHAS
        return [Spectrum.at(problem, *at[1:]).criteria(alphas) for at in _selection.partitions_at(problem, sweep, grid)]

    with one_blas_thread():
        times = interleave(
            {
                "events": lambda: lambda: _selection.follow_events(problem, sweep, 0.03),
                "joint": lambda: joint,
                "iterative": lambda: iterative,
                "scratch": lambda: scratch,
                "all ridges": lambda: all_ridges,
            },
            3,
        )
        table = _selection.follow_events(problem, sweep, 0.03)
    for what, name, target in (
        ("exact, every event, one ridge", "events", 0.8),
        ("exact, lifetime and ridge jointly", "joint", 0.8),
        ("iterative, lifetime and ridge jointly", "iterative", 0.05),
    ):
        each = 1e3 * times[name].best / n_events
        yield Line(EVENTS, f"{what}, {n_events:,} events", str(times[name]), "", each, target, at_most=True, unit=" ms")
    for what, ours, theirs in (("one ridge", "events", "scratch"), ("all ridges", "joint", "all ridges")):
        ratio = times[ours].best / times[theirs].best
        yield Line(SCRATCH, what, str(times[ours]), str(times[theirs]), ratio, 3.0, at_most=True)
    yield Line(EXACT, "every 1/10 of the events", "", "", _worst(problem, sweep, table), 1e-8, at_most=True, unit="")


def _worst(problem: Problem, sweep: _core.Sweep, table: Floats) -> float:
    times = sweep.times()[np.linspace(0, sweep.times().size - 1, 10).astype(int)]
    worst = 0.0
    with one_blas_thread():
        for share, columns, n_columns in _selection.partitions_at(problem, sweep, times):
            true = np.array([part[0] for part in Spectrum.at(problem, columns, n_columns).criteria(np.array([0.03]))])
            found = table[sweep.n_until(share), 2:]
            worst = max(worst, float(np.abs(found[:3] / true[:3] - 1.0).max()))
    return worst


def kernel_errors(sizes: list[int], figures: Figures) -> Iterator[Line]:
    """Figure 5."""
    found = approximation.errors(sizes)
    figures.curves["Figure 5"] = {name: (sizes, errors) for name, errors in found.items()}
    ours = found["Mondrian kernel"]
    for name, errors in found.items():
        if name != "Mondrian kernel":
            for place in (0, len(sizes) - 1):
                what = f"{sizes[place]} features a row, {name}"
                yield Line(FIGURE_5, what, f"{ours[place]:.3f}", f"{errors[place]:.3f}", errors[place] / ours[place])
    slope = float(np.polyfit(np.log(sizes), np.log(ours), 1)[0])
    yield Line(FIGURE_5, "slope of ours on logarithmic scales; -1/2 is expected", f"{slope:.2f}", "", NAN)


def recovered(n_samples: int) -> Iterator[Line]:
    """Figure 7."""
    for selection, target in (("marginal_likelihood", 2.0), ("loo", None), ("validation", 10.0)):
        lifetimes = [widths.recovery(selection, seed) for seed in range(n_samples)]
        middle = float(np.median(lifetimes))
        shown = f"{middle:.1f} ({min(lifetimes):.1f} to {max(lifetimes):.1f})"
        worst = max(max(each, 10.0) / min(each, 10.0) for each in lifetimes)
        yield Line(FIGURE_7, f"{selection}; reached is the worst sample's", shown, "10", worst, target, at_most=True)


def searches(data: widths.Split, figures: Figures) -> Iterator[Line]:
    """Figure 8."""
    curves = {
        "Mondrian kernel": widths.sweep_curve(data, 350, 4.0),
        "random Fourier features": widths.search_curve(lambda lifetime: widths.fourier_error(data, 350, lifetime)),
        "random binning": widths.search_curve(lambda lifetime: widths.binning_error(data, 350, lifetime)),
    }
    figures.curves["Figure 8"] = curves
    ours = widths.time_to_best(curves["Mondrian kernel"])
    least = min(error for _, _, error in curves["Mondrian kernel"])
    for name in ("random Fourier features", "random binning"):
        theirs, error = widths.time_to_best(curves[name]), min(error for _, _, error in curves[name])
        what = f"{name}; validation errors {least:.2f} and {error:.2f} %"
        yield Line(FIGURE_8, what, f"{ours:.2f} s", f"{theirs:.2f} s", theirs / ours, 10.0)


def test_errors(data: widths.Split) -> Iterator[Line]:
    """Figure 6, at some numbers of trees."""
    laplace = widths.laplace_error(data, np.array([0.05, 0.1, 0.2]), np.array([0.003, 0.01, 0.03]))
    for n_trees in (50, 100, 350):
        begin = time.process_time()
        model = MondrianKernelRidge(n_trees, selection="validation", random_state=0).fit(data.X, data.y)
        error = widths.relative_error(model.predict(data.X_test), data.y_test)
        what = f"{n_trees} trees, fitted in {time.process_time() - begin:.1f} s, lifetime {model.lifetime_:.2g}"
        yield Line(FIGURE_6, what, f"{error:.2f} %", f"{laplace:.2f} %", error / laplace)


def leaf_fits(data: widths.Split, figures: Figures) -> Line:
    """Figure 9."""
    lifetimes = np.geomspace(0.02, 5.0, 9)
    found = forest.errors(data, lifetimes)
    figures.curves["Figure 9"] = {name: (lifetimes, errors) for name, errors in found.items()}
    best = {name: int(np.argmin(errors)) for name, errors in found.items()}
    joint, alone = found["joint"][best["joint"]], found["independent"][best["independent"]]
    what = f"at lifetimes {lifetimes[best['joint']]:.2g} and {lifetimes[best['independent']]:.2g}"
    return Line(FIGURE_9, what, f"{joint:.2f} %", f"{alone:.2f} %", alone / joint)


HELP = """\
Pass a folder by --data or by the environment variable HEDGEROW_DATA. It holds cpu_act.parquet, the public set on \
computer activity: a row each, 21 inputs, then the column target."""
