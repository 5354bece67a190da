"""BART: how its samplers mix on the thesis' problems, and speed and accuracy next to stochtree and PyMC-BART."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

from benchmarks.bart_data import CUBE_DECAYS, REAL_SETS, friedman, hypercube, real
from benchmarks.bart_mixing import Mixing, mix, samplers
from benchmarks.bart_peers import Drawn, ours, peers
from benchmarks.report import Line
from benchmarks.timing import interleave
from hedgerow import BARTRegressor

CUBES = "hypercubes, one tree, 1,000 + 1,000 sweeps, four chains, three data sets"
REAL = "real sets, 200 trees, 2,000 rows, 250 + 500 sweeps, four chains"
FRIEDMAN = "friedman1, 2,000 rows, 200 trees, 200 + 1,000 sweeps, one chain on one thread; medians over seeds"
ROWS = "cost of rows: friedman1, 200 trees, 20 + 20 sweeps; reached is time a row over that of the line before"
STORED = "friedman1, the same: memory of draws; reached is kilobytes a draw"
MOST_SEEDS = {"pymc_bart": 1}
"""Seeds of peers that take minutes."""


def run(folder: Path | None, quick: bool) -> Iterator[Line | Mixing]:
    """Yield what is measured, as it is measured."""
    yield from next_to_peers(1 if quick else 5)
    yield from cost_of_rows((1000, 2000) if quick else (1000, 10_000, 100_000))
    yield from cubes((2, 3) if quick else tuple(CUBE_DECAYS), 1 if quick else 3)
    if not quick:
        yield from real_sets(folder)


def cubes(dimensions: Iterable[int], n_sets: int) -> Iterator[Mixing]:
    """Tables 4.1 and 4.2 of the thesis, and the default sampler."""
    for dimension in dimensions:
        sets = [hypercube(dimension, seed) for seed in range(n_sets)]
        for sampler in samplers():
            for start in ("prior", "leaves") if sampler == "auto" else ("prior",):
                yield mix(
                    CUBES,
                    f"{dimension}",
                    sampler,
                    sets,
                    n_estimators=1,
                    split_decay=CUBE_DECAYS[dimension],
                    n_burn_in=1000,
                    n_draws=1000,
                    start=start,
                )


def real_sets(folder: Path | None) -> Iterator[Mixing]:
    """Tables 4.4 and 4.5 of the thesis on sets that can be had, and the default sampler."""
    for name in REAL_SETS:
        for sampler in samplers():
            yield mix(REAL, name, sampler, [real(folder, name, 0)], n_burn_in=250, n_draws=500, start="prior")


def next_to_peers(n_seeds: int) -> Iterator[Line]:
    """Time ours and those of others on Friedman's function, seed by seed in turn."""
    contestants = {"grow_prune": ours("grow_prune"), "auto": ours("auto"), **peers()}
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in contestants}
    for seed in range(n_seeds):
        data = friedman(2000, seed)
        for name, draw in contestants.items():
            if seed < MOST_SEEDS.get(name, n_seeds):
                drawn = draw(data, seed)
                found[name].append((*summed_up(drawn), drawn.error(data), drawn.coverage(data)))
    middle = {name: [median(column) for column in zip(*rows, strict=True)] for name, rows in found.items()}
    seconds, ess_means, ess_noise, error, coverage = range(5)
    default, local = middle["auto"], middle["grow_prune"]
    yield Line(
        FRIEDMAN,
        "coverage of the true function by 90 %",
        f"{default[coverage]:.3f}",
        "",
        default[coverage],
        0.88,
        unit="",
    )
    yield Line(FRIEDMAN, "the same, from above", "", "", default[coverage], 0.96, at_most=True, unit="")
    for name, theirs in middle.items():
        if name not in peers():
            continue
        seeds = f"{name}, {len(found[name])} seed{'s' if len(found[name]) > 1 else ''}"
        speed = 5.0 if name == "stochtree" else None
        mixes = 6.0 if name == "stochtree" else 50.0
        yield Line(
            FRIEDMAN,
            f"{seeds}: processor time over grow_prune's",
            f"{local[seconds]:.2f} s",
            f"{theirs[seconds]:.1f} s",
            theirs[seconds] / local[seconds],
            speed,
        )
        for what, index in (("predictions", ess_means), ("noise", ess_noise)):
            rate, their_rate = default[index] / default[seconds], theirs[index] / theirs[seconds]
            yield Line(
                FRIEDMAN,
                f"{seeds}: effective draws of {what} a second, default",
                f"{rate:.1f} ({default[index]:.0f} in {default[seconds]:.2f} s)",
                f"{their_rate:.2f} ({theirs[index]:.0f} in {theirs[seconds]:.1f} s)",
                rate / their_rate,
                mixes,
            )
        yield Line(
            FRIEDMAN,
            f"{seeds}: error to the true function, default; reached is ours over its",
            f"{default[error]:.3f}",
            f"{theirs[error]:.3f}, coverage {theirs[coverage]:.3f}",
            default[error] / theirs[error],
            1.0,
            at_most=True,
        )


def summed_up(drawn: Drawn) -> tuple[float, float, float]:
    """Return processor time and effective numbers of draws."""
    return drawn.seconds, drawn.ess_means, drawn.ess_noise


def cost_of_rows(sizes: Iterable[int]) -> Iterator[Line]:
    """Time short fits of more and more rows, and weigh their draws."""
    before = math.nan
    model = BARTRegressor(n_chains=1, n_draws=20, n_burn_in=20, n_jobs=1, random_state=0)
    for n in sizes:
        data = friedman(n, 0)
        timing = interleave({"ours": lambda data=data: lambda: model.fit(data.X, data.y)}, 3)["ours"]
        each = timing.best / n
        yield Line(ROWS, f"{n:,} rows", f"{timing}, {each * 1e6 / 40:.2f} µs a row and sweep", "", each / before)
        before = each
    kilobytes = model.diagnostics().bytes_per_draw / 1000
    yield Line(STORED, "trees, noise and notes", f"{kilobytes:.1f} kB", "", kilobytes, unit="")


def verdicts(mixings: list[Mixing]) -> Iterator[Line]:
    """What is promised of the default on hypercubes."""
    for found in mixings:
        if found.table != CUBES or found.sampler != "auto" or int(found.data) > 5:
            continue
        section = "the default on hypercubes; reached is the worst of three data sets"
        worst = max(found.r_hat_log_likelihood, found.r_hat_noise)
        name = f"hypercube-{found.data}, start: {found.start}"
        yield Line(section, f"{name}: R-hat of log-likelihood and noise", "", "", worst, 1.1, at_most=True, unit="")
        yield Line(section, f"{name}: effective draws of 1,000 of a chain", "", "", found.lowest_ess, 400.0, unit="")
        yield Line(section, f"{name}: chains stuck of {found.n_chains}", "", "", found.n_stuck, 0.0, True, "")
