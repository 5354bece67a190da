"""Bayesian trees: filters and chains next to CART, what particles and rows cost, and next to plain NumPy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.bayesian_trees import reference
from benchmarks.bayesian_trees.curves import (
    CONCENTRATION,
    Point,
    irrelevant,
    islands,
    proposals,
    samplers,
    scores,
    time_to_reach,
)
from benchmarks.bayesian_trees.pictures import draw
from benchmarks.shared.data import Split, class_sets
from benchmarks.shared.page import Options, Page, ratio
from benchmarks.shared.timing import Contestant, interleave
from hedgerow import BayesianTreeClassifier

SETS = ("pendigits", "magic04", "madelon")
TITLES = {
    "samplers": "Filters, chains and CART (Figure 3.6)",
    "proposals": "Proposals and expansions (Figures 3.2, 3.3 and 3.7)",
    "islands": "Islands (Figure 3.5)",
    "irrelevant": "Irrelevant columns (Figure 3.4)",
}
INTRODUCTION = f"""\
BayesianTreeClassifier in the experiments of section 3.4 of Lakshminarayanan (2016) with its hyper-parameters \
(concentration {CONCENTRATION}, split_base 0.95, split_decay 0.5, resampling below a tenth of the particles). Log \
probability is that of the label of a test row. Numbers are means over {{n_seeds}} seeds. Times are processor time of \
`fit` on one thread. Chains start from the root alone and discard the first half of their steps. CART is \
scikit-learn's tree with at least ten rows a leaf; its probabilities are smoothed with the same concentration. Plain \
NumPy is `benchmarks/bayesian_trees/reference.py`: one call a node and particle."""


def run(page: Page, options: Options) -> None:
    """Times of single fits first, then the curves."""
    n_seeds = options.pick(1, 3, 10)
    page.begin("Bayesian trees", INTRODUCTION.format(n_seeds=n_seeds), "scikit-learn", "numpy")
    digits = first_rows(class_sets(None)[0].split(0, 10_000, 10_000), options.pick(300, 10_000))
    speed(page, digits, options.pick(100, 1000), options.pick(1, 5))
    cost_of_particles(page, digits, options.pick((50, 100), (125, 500, 2000, 8000)))
    cost_of_rows(page, options.pick((500, 1000), (1000, 4000, 16_000, 64_000)))
    points = []
    for point in curves(digits, options, n_seeds):
        page.tell(point)
        points.append(point)
    sooner(page, points)
    for figure, title in TITLES.items():
        of_figure = [point for point in points if point.figure == figure]
        if of_figure:
            page.text(f"## {title}")
            page.picture(draw(figure, of_figure), f"{figure}.png", title)
            for name in dict.fromkeys(point.data for point in of_figure):
                table(page, name, [point for point in of_figure if point.data == name])


def curves(digits: Split, options: Options, n_seeds: int) -> Iterator[Point]:
    """Yield the points of all figures; without a folder, on digits and on made-up rows with irrelevant columns."""
    if options.quick:
        yield from samplers(digits, (20, 50), (5,), (100, 500), n_seeds)
        yield from islands(digits, 50, (1, 5), n_seeds)
        return
    sets = {table.name: table for table in class_sets(options.data, SETS)} if options.data else {}
    splits = [sets[name].split(0, 100_000, 100_000) for name in SETS[:2] if name in sets] or [digits]
    for data in splits:
        steps = (100, 400, 1600, 6400, 25_600, 102_400)
        yield from samplers(data, (25, 100, 300, 1000, 3000), (10, 30, 100), steps, n_seeds)
        yield from islands(data, 2000, (1, 2, 5, 10, 20, 50, 100, 200), n_seeds)
        yield from proposals(data, (10, 30, 100, 300, 1000, 2000), (1, 3, 10, 30, 100), n_seeds)
    wide = sets["madelon"].split(0, 100_000, 100_000) if "madelon" in sets else made_up(2000, 200)
    yield from irrelevant(wide, (30, 100, 300, 1000, 3000, 10_000), (1, 3, 10, 25), n_seeds)


def made_up(n_rows: int, n_irrelevant: int = 0) -> Split:
    """Draw five classes in ten columns: a mixture of Gaussians, so that larger sets make larger trees."""
    rng = np.random.default_rng(0)
    n = n_rows + 1000
    centres, y = rng.normal(size=(5, 10)), rng.integers(5, size=n)
    X = np.column_stack([centres[y] + rng.normal(size=(n, 10)), rng.normal(size=(n, n_irrelevant))])
    return Split("five Gaussians", X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:])


def first_rows(data: Split, n_rows: int) -> Split:
    """Return the first rows to learn."""
    return Split(data.name, data.X[:n_rows], data.y[:n_rows], data.X_test, data.y_test)


def fitting(trees: BayesianTreeClassifier, data: Split) -> Contestant:
    """Return a contestant that fits."""
    return lambda: lambda: trees.fit(data.X, data.y)


def speed(page: Page, data: Split, n_particles: int, rounds: int) -> None:
    """Time one fit next to CART and, once, next to plain NumPy."""
    from sklearn.tree import DecisionTreeClassifier

    model = reference.Model(data.X, data.y, data.n_classes)
    trees = BayesianTreeClassifier(n_particles=n_particles, random_state=0)
    cart = DecisionTreeClassifier(random_state=0)
    found = interleave({"ours": fitting(trees, data), "CART": lambda: lambda: cart.fit(data.X, data.y)}, rounds)
    found |= interleave({"plain": lambda: lambda: reference.fit(model, n_particles, 5, 0)}, 1)
    plain = reference.predict(model, reference.fit(model, n_particles, 5, 1), data.X_test)
    rows = []
    for name, label, probabilities in (
        ("ours", "hedgerow", trees.predict_proba(data.X_test)),
        ("plain", "plain NumPy", plain),
        ("CART", "CART, all of scikit-learn's defaults", None),
    ):
        seconds = (str(found[name]), ratio(found[name].best / found["ours"].best))
        if probabilities is None:
            rows.append((label, *seconds, f"{cart.score(data.X_test, data.y_test):.3f}", ""))
        else:
            log_probability, accuracy = scores(probabilities, data.y_test)
            rows.append((label, *seconds, f"{accuracy:.3f}", f"{log_probability:.3f}"))
    headings = ("", "fit", "times hedgerow's", "accuracy", "log probability")
    title = f"Fit {data.name}, {data.y.size:,} rows, {n_particles:,} particles in 5 islands, prior proposal"
    page.table(title, headings, rows)


def cost_of_particles(page: Page, data: Split, sizes: Sequence[int]) -> None:
    """Time fits with more and more particles, in 5 islands."""
    rows = []
    for n in sizes:
        trees = BayesianTreeClassifier(n_particles=n, random_state=0)
        timing = interleave({"ours": fitting(trees, data)}, 3)["ours"]
        rows.append((f"{n:,}", str(timing), f"{timing.best / n * 1e6:.0f}"))
    page.table(f"What particles cost, {data.name}", ("particles", "fit", "µs a particle"), rows)


def cost_of_rows(page: Page, sizes: Sequence[int]) -> None:
    """Time fits of more and more rows, 1,000 particles in 5 islands."""
    rows = []
    for n in sizes:
        trees = BayesianTreeClassifier(random_state=0)
        timing = interleave({"ours": fitting(trees, made_up(n))}, 2)["ours"]
        rows.append((f"{n:,}", f"{trees.n_leaves_:.0f}", str(timing), f"{timing.best / n * 1e6:.0f}"))
    words = "Five Gaussian classes in ten columns, 1,000 particles."
    page.table("What rows cost", ("rows", "leaves a tree", "fit", "µs a row"), rows, words)


def sooner(page: Page, points: Sequence[Point]) -> None:
    """Say how much later a chain reaches what a filter reaches."""
    rows = []
    for name in dict.fromkeys(point.data for point in points):
        of_set = [point for point in points if (point.figure, point.data) == ("samplers", name)]
        chain = [point for point in of_set if point.model == "CGM"]
        for point in of_set:
            if point.model == "SMC, prior":
                later = time_to_reach(chain, point.log_probability)
                cells = ("never", "") if math.isinf(later) else (f"{later:.3g} s", ratio(later / point.seconds))
                what = f"{name}, {point.size:,} particles"
                rows.append((what, f"{point.log_probability:.3f}", f"{point.seconds:.3g} s", *cells))
    headings = ("", "log probability", "filter", "chain (CGM), the same", "times as long")
    page.table("How soon filters and chains reach the same log probability", headings, rows)


def table(page: Page, name: str, points: Sequence[Point]) -> None:
    """Show all points of one data set."""
    rows = [
        (
            point.model,
            f"{point.size:,}",
            f"{point.seconds:.3g}",
            f"{point.log_probability:.3f} ± {point.log_probability_sd:.3f}",
            f"{point.accuracy:.4f} ± {point.accuracy_sd:.4f}",
            "" if math.isnan(point.evidence) else f"{point.evidence:.0f}",
        )
        for point in points
    ]
    page.table("", (name, "size", "seconds", "log probability", "accuracy", "log evidence"), rows)
