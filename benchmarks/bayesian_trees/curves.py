"""How well samplers of trees predict, for how many particles or steps and how much time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.shared.data import Floats, Labels, Split
from hedgerow import BayesianTreeClassifier

CONCENTRATION = 5.0


@dataclass(frozen=True)
class Point:
    """What one setting reached on one data set: means over seeds, and deviations where they say something."""

    figure: str
    data: str
    model: str
    size: int
    """Particles; steps of a chain; islands."""
    seconds: float
    log_probability: float
    accuracy: float
    evidence: float = float("nan")
    log_probability_sd: float = 0.0
    accuracy_sd: float = 0.0

    def __str__(self) -> str:
        reached = f"{self.log_probability:.3f}, {self.accuracy:.2%} right, {self.seconds:.3g} s"
        return f"{self.data}, {self.model}, {self.size:,}: {reached}"


def scores(probabilities: Floats, labels: Labels) -> tuple[float, float]:
    """Return the mean log probability of the right class, and how often it is the most probable."""
    right = probabilities[np.arange(labels.size), labels]
    return float(np.log(right).mean()), float((probabilities.argmax(axis=1) == labels).mean())


def measure(figure: str, data: Split, model: str, size: int, n_seeds: int, **settings: Any) -> Point:
    """Fit with several seeds, one thread each, and average."""
    settings = {"concentration": CONCENTRATION} | settings
    found = []
    for seed in range(n_seeds):
        trees = BayesianTreeClassifier(random_state=seed, **settings)
        begin = time.process_time()
        trees.fit(data.X, data.y)
        seconds = time.process_time() - begin
        evidence = trees.log_marginal_likelihood_ if trees.sampler == "smc" else float("nan")
        found.append((seconds, *scores(trees.predict_proba(data.X_test), data.y_test), evidence))
    means, spread = np.mean(found, axis=0), np.std(found, axis=0)
    return Point(
        figure, data.name, model, size, *map(float, means), log_probability_sd=spread[1], accuracy_sd=spread[2]
    )


def proposals(data: Split, particles: Sequence[int], few: Sequence[int], n_seeds: int) -> Iterator[Point]:
    """Figures 3.2, 3.3 and 3.7: proposals and expansions, one island."""
    for proposal, sizes in (("prior", particles), ("empirical", particles), ("optimal", few)):
        for expansion in ("node", "layer"):
            if (proposal, expansion) == ("empirical", "layer"):
                continue
            settings = {"n_islands": 1, "proposal": proposal, "expansion": expansion}
            for n in sizes:
                yield measure("proposals", data, f"{proposal}, {expansion}", n, n_seeds, n_particles=n, **settings)


def irrelevant(data: Split, particles: Sequence[int], few: Sequence[int], n_seeds: int) -> Iterator[Point]:
    """Figure 3.4: many irrelevant columns; also the optimal proposal on a few columns at a time."""
    variants: list[tuple[str, Sequence[int], dict[str, Any]]] = [("prior", particles, {}), ("optimal", few, {})]
    for share in (0.1, 0.3):
        variants.append((f"optimal, {share:.0%} of columns", [4 * n for n in few], {"max_features": share}))
    for model, sizes, settings in variants:
        proposal = model.partition(",")[0]
        for n in sizes:
            yield measure(
                "irrelevant", data, model, n, n_seeds, n_particles=n, n_islands=1, proposal=proposal, **settings
            )


def islands(data: Split, total: int, numbers: Sequence[int], n_seeds: int) -> Iterator[Point]:
    """Figure 3.5: a fixed number of particles on more and more islands."""
    for n in numbers:
        yield measure("islands", data, f"{total:,} particles", n, n_seeds, n_particles=total, n_islands=n)


def samplers(
    data: Split,
    particles: Sequence[int],
    few: Sequence[int],
    steps: Sequence[int],
    n_seeds: int,
    n_burn_in: int | None = None,
    **prior: float,
) -> Iterator[Point]:
    """Figures 3.6 and 3.8 to 3.11: filters and chains, five islands each, and CART by both of its criteria."""
    for n in particles:
        yield measure("samplers", data, "SMC, prior", n, n_seeds, n_particles=n, **prior)
    for n in few:
        yield measure("samplers", data, "SMC, optimal", n, n_seeds, n_particles=n, proposal="optimal", **prior)
    for n in steps:
        yield measure("samplers", data, "CGM", n, n_seeds, sampler="cgm", n_steps=n, n_burn_in=n_burn_in, **prior)
    for criterion in ("gini", "entropy"):
        yield cart(data, criterion, prior.get("concentration", CONCENTRATION))


def cart(data: Split, criterion: str, concentration: float) -> Point:
    """scikit-learn's tree with at least ten rows a leaf, its counts smoothed as ours are."""
    from sklearn.tree import DecisionTreeClassifier

    begin = time.process_time()
    tree = DecisionTreeClassifier(criterion=criterion, min_samples_leaf=10, random_state=0).fit(data.X, data.y)
    seconds = time.process_time() - begin
    counts = np.zeros((tree.tree_.node_count, data.n_classes))
    np.add.at(counts, (tree.apply(data.X), data.y), 1.0)
    counts = counts[tree.apply(data.X_test)]
    smoothed = (counts + concentration / data.n_classes) / (counts.sum(axis=1, keepdims=True) + concentration)
    return Point("samplers", data.name, f"CART, {criterion}", 1, seconds, *scores(smoothed, data.y_test))


def time_to_reach(points: Sequence[Point], log_probability: float) -> float:
    """Return the time at which a curve first reaches a log probability, by interpolation of log time; inf if never."""
    ordered = sorted(points, key=lambda point: point.seconds)
    previous: Point | None = None
    for point in ordered:
        if point.log_probability >= log_probability:
            if previous is None:
                return point.seconds
            share = (log_probability - previous.log_probability) / (point.log_probability - previous.log_probability)
            return float(previous.seconds * (point.seconds / previous.seconds) ** share)
        previous = point
    return float("inf")
