"""Chapter 3, Figures 3.2 to 3.11: particle filters and chains over single trees."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchmarks.bayesian_trees.curves import Point, irrelevant, islands, proposals, samplers, time_to_reach
from benchmarks.bayesian_trees.pictures import draw
from benchmarks.bayesian_trees.run import SETS, sooner, table
from benchmarks.shared.data import Split, Table, class_sets
from benchmarks.shared.page import Options, Page, ratio

PRIORS: dict[str, dict[str, float]] = {
    "3.8": {"concentration": 5.0, "split_base": 0.8, "split_decay": 0.5},
    "3.9": {"concentration": 5.0, "split_base": 0.95, "split_decay": 0.2},
    "3.10": {"concentration": 5.0, "split_base": 0.8, "split_decay": 0.2},
    "3.11": {"concentration": 1.0, "split_base": 0.95, "split_decay": 0.5},
}
BY_TIME_AND_SIZE = {
    "log_probability": (("seconds", "log_probability"), ("size", "log_probability")),
    "accuracy": (("seconds", "accuracy"), ("size", "accuracy")),
}
INTRODUCTION = """\
Settings are those of the thesis: concentration 5, split_base 0.95, split_decay 0.5, multinomial resampling below a \
tenth of the particles; chains average all trees since the first step (`n_burn_in=0`). CART is scikit-learn's with \
`min_samples_leaf=10`, by Gini impurity and by information gain (*entropy*), smoothed by the same concentration. Times \
are processor time of `fit` on one thread. Numbers are means of {n_seeds} seeds where the thesis has ten. Two options \
of the thesis are not in the library: expanding the node of lowest likelihood first, which it found to do no better \
than the oldest first, and a maximum number of stages, which it never reached."""


def trees(page: Page, options: Options) -> None:
    """Measure everything, then show it figure by figure."""
    if options.data is None:
        page.text(
            "## Chapter 3: Bayesian trees\n\nSkipped: its sets, pendigits, magic04 and madelon, come from a folder."
        )
        return
    n_seeds = options.pick(1, 2, 10)
    page.text(f"## Chapter 3: Bayesian trees\n\n{INTRODUCTION.format(n_seeds=n_seeds)}")
    splits = {each.name: as_in_the_thesis(each, options) for each in class_sets(options.data, SETS)}
    page.skipped(SETS, splits)
    both = [splits[name] for name in SETS[:2] if name in splits]
    points = []
    for point in curves(both, splits.get("madelon"), options, n_seeds):
        page.tell(point)
        points.append(point)
    findings(page, points)
    figures(page, points)


def as_in_the_thesis(each: Table, options: Options) -> Split:
    """Split at random into 70 % to learn and 30 % to test, unless the set has a split of its own."""
    n_train = 7 * each.y.size // 10 if each.is_test is None else each.y.size
    split = each.split(0, n_train, each.y.size)
    return replace(split, X=split.X[:500], y=split.y[:500]) if options.quick else split


def curves(both: Sequence[Split], wide: Split | None, options: Options, n_seeds: int) -> Iterator[Point]:
    """Yield all points, each with the figure that it belongs to."""
    particles, few = options.pick((10, 30), (10, 30, 100, 300, 1000)), options.pick((1, 3), (1, 3, 10, 30))
    larger = options.pick((5,), (10, 30))
    steps = options.pick((100, 400), (100, 400, 1600, 6400, 25_600))
    for data in both:
        yield from proposals(data, particles, few, n_seeds)
        yield from islands(data, options.pick(100, 2000), options.pick((1, 5), (1, 2, 5, 20, 100, 200)), n_seeds)
        yield from samplers(data, options.pick((25,), (100, 300, 1000, 3000)), larger, steps, n_seeds, n_burn_in=0)
    for figure, prior in PRIORS.items():
        for data in both:
            sizes = options.pick((25,), (100, 300, 1000)), larger, steps[1:4]
            for point in samplers(data, *sizes, n_seeds, n_burn_in=0, **prior):
                yield replace(point, figure="priors", data=f"{figure}, {data.name}")
    if wide is not None:
        yield from irrelevant(
            wide, options.pick((30,), (30, 100, 300, 1000, 3000)), options.pick((1,), (1, 3, 10)), n_seeds
        )


def findings(page: Page, points: Sequence[Point]) -> None:
    """Put what the thesis says in words next to what was measured."""
    rows = []
    for name in dict.fromkeys(point.data for point in points if point.figure == "proposals"):
        of_set = [point for point in points if point.data == name]
        rows += [(name, *row) for row in of_one_set(of_set)]
    words = "What the thesis says of its figures, which have no numbers, and what came out here."
    page.table("Findings of chapter 3", ("", "the thesis", "hedgerow"), rows, words)
    chains = [point for point in points if (point.figure, point.model) == ("samplers", "CGM")]
    steps = sorted({f"{1e6 * point.seconds / point.size:.0f}" for point in chains if point.size == chains[-1].size})
    page.text(
        "What is said of shapes of curves came out; what is said of speed did not. The thesis compares filters in "
        "Python with scikit-learn's compiled CART, and ours are compiled, too. Its chains are in Python like its "
        "filters, where a step has its price however few rows it concerns; here a step concerns the rows of one node "
        f"and takes {' to '.join(steps)} µs, which may be why filters lead by less."
    )


def of_one_set(points: Sequence[Point]) -> Iterator[tuple[str, str]]:
    """Yield the findings about one set."""

    def curve(figure: str, model: str) -> list[Point]:
        return [point for point in points if (point.figure, point.model) == (figure, model)]

    node, layer, optimal = (curve("proposals", model) for model in ("prior, node", "prior, layer", "optimal, node"))
    last = -1
    yield (
        "3.2, 3.3: with the prior proposal, expanding node by node beats layer by layer",
        f"log probability {node[last].log_probability:.3f} against {layer[last].log_probability:.3f}, "
        f"{node[last].size:,} particles",
    )
    yield (
        "3.2, 3.3: the optimal proposal needs fewer particles and is near its best at 10, but takes longer",
        f"{optimal[last].log_probability:.3f} with {optimal[last].size} particles in {optimal[last].seconds:.2f} s, "
        f"{optimal[0].log_probability:.3f} with {optimal[0].size} in {optimal[0].seconds:.2f} s; prior: "
        f"{node[last].log_probability:.3f} with {node[last].size:,} in {node[last].seconds:.2f} s",
    )
    alone, *several = [point for point in points if point.figure == "islands"]
    better = [f"{point.size}" for point in several if point.log_probability > alone.log_probability]
    yield (
        "3.5: of 2,000 particles, 5 to 20 islands beat one; below 100 particles an island, a sharp drop",
        f"one island {alone.log_probability:.3f}; better with {', '.join(better) or 'none'}; "
        + "; ".join(f"{point.size}: {point.log_probability:.3f}" for point in several[last:]),
    )
    yield (
        "3.7: the evidence by the prior proposal approaches that by the optimal one",
        f"prior {node[0].evidence:.0f} to {node[last].evidence:.0f}, optimal {optimal[last].evidence:.0f}",
    )
    filters, chain = curve("samplers", "SMC, prior"), curve("samplers", "CGM")
    gini = curve("samplers", "CART, gini")[0]
    times = [(time_to_reach(chain, point.log_probability), point) for point in filters]
    slower = [f"{later / point.seconds:.1f}" for later, point in times if math.isfinite(later)]
    yield (
        "3.6: filters reach what chains reach at least ten times, roughly a hundred times as fast",
        f"{' to '.join(dict.fromkeys((min(slower, key=float), max(slower, key=float))))} times as fast"
        if slower
        else "never reached",
    )
    reached = [point for point in filters if point.accuracy >= gini.accuracy]
    yield (
        "3.6: filters are 50 to 100 times as slow as CART to the same accuracy, and predict far better probabilities",
        (f"{ratio(reached[0].seconds / gini.seconds)} CART's time; " if reached else "")
        + f"log probability {filters[last].log_probability:.3f} against {gini.log_probability:.3f}",
    )


def figures(page: Page, points: Sequence[Point]) -> None:
    """Show the figures of the thesis, and the numbers behind them."""
    of = {name: [point for point in points if point.figure == name] for name in ("proposals", "irrelevant", "islands")}
    page.text(
        "**Figure 3.2**: log probability by proposal and expansion. The thesis: the optimal proposal needs fewer "
        "particles, but for the same time the prior one predicts better, and layer by layer it does worse."
    )
    page.picture(
        draw("proposals", of["proposals"], BY_TIME_AND_SIZE["log_probability"]), "figure_3_2.png", "Figure 3.2"
    )
    page.text("**Figure 3.3**: the same for accuracy, which the thesis says has the same trends.")
    page.picture(draw("proposals", of["proposals"], BY_TIME_AND_SIZE["accuracy"]), "figure_3_3.png", "Figure 3.3")
    if of["irrelevant"]:
        page.text(
            "**Figure 3.4**: 500 columns, of which 20 matter. In the thesis the optimal proposal wins by particles and "
            "by time; weighing a random part of the columns is an idea of its outlook."
        )
        panels = [panel for both in BY_TIME_AND_SIZE.values() for panel in both]
        page.picture(draw("irrelevant", of["irrelevant"], panels, n_columns=2), "figure_3_4.png", "Figure 3.4")
        table(page, "madelon", of["irrelevant"])
    page.text("**Figure 3.5**: the same number of particles on more and more islands.")
    page.picture(draw("islands", of["islands"]), "figure_3_5.png", "Figure 3.5")
    comparisons(page, points)
    page.text("**Figure 3.7**: log evidence, which the thesis sees converge to one value for both proposals.")
    evidence = [point for point in of["proposals"] if point.model.endswith("node")]
    page.picture(draw("proposals", evidence, [("size", "evidence")], n_columns=2), "figure_3_7.png", "Figure 3.7")
    for name in dict.fromkeys(point.data for point in of["proposals"]):
        table(page, name, [point for point in of["proposals"] if point.data == name])


def comparisons(page: Page, points: Sequence[Point]) -> None:
    """Show filters next to chains and CART: Figure 3.6, and with other priors Figures 3.8 to 3.11."""
    compared, priors = ([point for point in points if point.figure == name] for name in ("samplers", "priors"))
    page.text("**Figure 3.6**: filters, chains (CGM) and CART.")
    page.picture(draw("samplers", compared), "figure_3_6.png", "Figure 3.6")
    sooner(page, points)
    rows = []
    for name in dict.fromkeys(point.data for point in priors):
        best: dict[str, Point] = {}
        for point in priors:
            if point.data == name and point.log_probability > getattr(
                best.get(point.model), "log_probability", -math.inf
            ):
                best[point.model] = point
        rows.append((name, *(f"{p.log_probability:.3f} / {p.accuracy:.3f} / {p.seconds:.2g}" for p in best.values())))
    settings = "; ".join(
        f"{name}: {', '.join(f'{key} {value:g}' for key, value in prior.items())}" for name, prior in PRIORS.items()
    )
    words = (
        "Log probability / accuracy / seconds at the best point of each curve. The thesis: trends are as in Figure "
        f"3.6, and a concentration of 1 gives similar accuracies. {settings}."
    )
    page.table("Figures 3.8 to 3.11: other priors", ("", *dict.fromkeys(point.model for point in priors)), rows, words)
    page.picture(draw("samplers", priors, n_columns=4), "figures_3_8_to_3_11.png", "Figures 3.8 to 3.11")
