"""Bayesian trees: section 3.4 of the thesis again, speed next to CART and to plain Python, and how cost grows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks import tree_curves as curves
from benchmarks import tree_reference
from benchmarks.report import Line
from benchmarks.timing import Contestant, interleave
from benchmarks.tree_curves import Point, time_to_reach
from benchmarks.tree_data import TreeData, digits, from_folder, made_up
from hedgerow import BayesianTreeClassifier

SPEED = "fit digits, 1,000 particles in 5 islands, prior proposal, one thread"
QUALITY = "digits, the same: test rows right and log probability; reached is the number itself"
PARTICLES = "cost of particles: digits, prior proposal; reached is time a particle over that of the line before"
ROWS = "cost of rows: five Gaussian classes in ten columns, 1,000 particles; reached is time a row over the line before"
THESIS = "1,000 particles in 5 islands, prior proposal, and CART (min_samples_leaf=10); reached is the difference"
SOONER = "time to the log probability that SMC (prior, 5 islands) has; reached is CGM's time over SMC's"
MADELON = "madelon, best log probability of each proposal within the time named; reached is the difference to prior"
AUTHORS_SECONDS = 23.7
"""What the authors' Python took for the first line, on another machine."""

PRIOR_SIZES = (10, 30, 100, 300, 1000, 2000)
FEW = (1, 3, 10, 30, 100)
ISLANDS = (1, 2, 5, 10, 20, 50, 100, 200)
STEPS = (100, 400, 1600, 6400, 25_600, 102_400)


def run(folder: Path | None, quick: bool) -> Iterator[Line | Point]:
    """Yield what is measured, as it is measured; times of single lines first."""
    small = digits()
    sets = {} if quick else from_folder(folder)
    yield from speed(small, 200 if quick else 1000, 2 if quick else 5)
    yield from cost_of_particles(small, (50, 200) if quick else (125, 500, 2000, 8000))
    yield from cost_of_rows((1000, 2000) if quick else (1000, 4000, 16_000, 64_000))
    if quick:
        yield from curves.samplers(small, (50, 200), (5,), (100, 1000), 1)
        return
    for name in ("pendigits", "magic04"):
        yield from curves.samplers(sets[name], (25, 100, 300, 1000, 3000), (10, 30, 100), STEPS, 3)
        yield from curves.islands(sets[name], 2000, ISLANDS, 3)
        yield from curves.proposals(sets[name], PRIOR_SIZES, FEW, 3)
    yield from curves.irrelevant(sets["madelon"], (30, 100, 300, 1000, 3000, 10_000), (1, 3, 10, 25), 3)


def speed(data: TreeData, n_particles: int, rounds: int) -> Iterator[Line]:
    """Time one fit next to CART and, once, next to plain Python."""
    from sklearn.tree import DecisionTreeClassifier

    model = tree_reference.Model(data.X, data.y, data.n_classes)
    contestants: dict[str, Contestant] = {
        "ours": fitting(BayesianTreeClassifier(n_particles=n_particles, random_state=0), data),
        "CART": lambda: lambda: DecisionTreeClassifier(random_state=0).fit(data.X, data.y),
    }
    found = interleave(contestants, rounds)
    ours, cart = found["ours"], found["CART"]
    plain = interleave({"plain": lambda: lambda: tree_reference.fit(model, n_particles, 5, 0)}, 1)["plain"]
    yield Line(SPEED, "plain NumPy, same run", str(ours), str(plain), plain.best / ours.best, 50.0)
    yield Line(
        SPEED, "authors' Python, another machine", str(ours), f"{AUTHORS_SECONDS} s", AUTHORS_SECONDS / ours.best, 50.0
    )
    yield Line(
        SPEED,
        "CART, same run; reached is ours over its",
        str(ours),
        str(cart),
        ours.best / cart.best,
        40.0,
        at_most=True,
    )
    found_scores = []
    for seed in range(5):
        trees = BayesianTreeClassifier(n_particles=n_particles, random_state=seed).fit(data.X, data.y)
        found_scores.append(curves.scores(trees.predict_proba(data.X_test), data.y_test))
    log_probability, accuracy = np.mean(found_scores, axis=0)
    islands = tree_reference.fit(model, n_particles, 5, 1)
    peer = curves.scores(tree_reference.predict(model, islands, data.X_test), data.y_test)
    yield Line(
        QUALITY,
        "accuracy, 5 seeds; peer: plain NumPy, 1 seed",
        f"{accuracy:.3f}",
        f"{peer[1]:.3f}",
        accuracy,
        0.9,
        unit="",
    )
    yield Line(QUALITY, "log probability", f"{log_probability:.3f}", f"{peer[0]:.3f}", math.nan)


def fitting(trees: BayesianTreeClassifier, data: TreeData) -> Contestant:
    """Return a contestant that fits."""
    return lambda: lambda: trees.fit(data.X, data.y)


def cost_of_particles(data: TreeData, sizes: Sequence[int]) -> Iterator[Line]:
    """Time fits with more and more particles, in 5 islands."""
    before = math.nan
    for n in sizes:
        trees = BayesianTreeClassifier(n_particles=n, random_state=0)
        timing = interleave({"ours": fitting(trees, data)}, 3)["ours"]
        each = timing.best / n
        yield Line(PARTICLES, f"{n:,} particles", f"{timing}, {each * 1e6:.0f} µs a particle", "", each / before)
        before = each


def cost_of_rows(sizes: Sequence[int]) -> Iterator[Line]:
    """Time fits of more and more rows, 1,000 particles in 5 islands."""
    before = math.nan
    for n in sizes:
        trees = BayesianTreeClassifier(random_state=0)
        timing = interleave({"ours": fitting(trees, made_up(n))}, 2)["ours"]
        each = timing.best / n
        what = f"{n:,} rows, {trees.n_leaves_:.0f} leaves"
        yield Line(ROWS, what, f"{timing}, {each * 1e6:.0f} µs a row", "", each / before)
        before = each


def verdicts(points: Sequence[Point]) -> Iterator[Line]:
    """Say what the curves come to, next to what was aimed at."""
    of = {(point.figure, point.data, point.model, point.size): point for point in points}
    for name in ("pendigits", "magic04"):
        ours, cart = of.get(("samplers", name, "SMC, prior", 1000)), of.get(("samplers", name, "CART", 1))
        if ours is None or cart is None:
            continue
        target = 0.0 if name == "pendigits" else None
        for what, one, other in (
            ("accuracy", ours.accuracy, cart.accuracy),
            ("log probability", ours.log_probability, cart.log_probability),
        ):
            yield Line(THESIS, f"{name}, {what}", f"{one:.4f}", f"{other:.4f}", one - other, target, unit="")
    for name in ("pendigits", "magic04"):
        chain = [point for point in points if (point.figure, point.data, point.model) == ("samplers", name, "CGM")]
        filters = [
            point for point in points if (point.figure, point.data, point.model) == ("samplers", name, "SMC, prior")
        ]
        for point in filters:
            slower = time_to_reach(chain, point.log_probability)
            what = f"{name}, {point.size:,} particles: {point.log_probability:.3f}"
            shown = "never" if math.isinf(slower) else f"{slower:.3g} s"
            yield Line(SOONER, what, f"{point.seconds:.3g} s", shown, slower / point.seconds, 10.0)
    wide = [point for point in points if point.figure == "irrelevant"]
    for budget in (0.3, 1.0, 3.0, 10.0):
        best = {
            model: max((p.log_probability for p in wide if p.model == model and p.seconds <= budget), default=math.nan)
            for model in dict.fromkeys(point.model for point in wide)
        }
        for model, reached in best.items():
            if model != "prior" and not math.isnan(reached):
                what, prior = f"{budget:g} s, {model}", best["prior"]
                yield Line(MADELON, what, f"{reached:.3f}", f"prior {prior:.3f}", reached - prior, 0.0, unit="")
