"""Online forests with intervals: speed next to river's ARF, intervals by set, a drift, memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.online_forests.methods import METHODS, N_TREES, RIVER, Scores, forest, intervals, river_intervals
from benchmarks.papers.vasiloudis_2019.reported import EXACT, SMALL_SETS
from benchmarks.shared.data import Table, regression_sets
from benchmarks.shared.page import Options, Page, ratio
from benchmarks.shared.peers import as_mappings, predict_and_learn_each, river_arf
from benchmarks.shared.pictures import BLACK, BLUE, GREEN, GREY, ORANGE, PINK, SKY, YELLOW, subplots
from benchmarks.shared.timing import HOW_TIMED, interleave
from hedgerow import OnlineConformalRegressor, OnlineQuantileForestRegressor
from hedgerow.stream import evaluate, friedman_drift

SETS = (
    "abalone", "ailerons", "bank32nh", "cal_housing", "cpu_act", "fried", "house_8L", "kin8nm", "mv", "planes2d",
    "puma8NH", "qsar_chembl240",
)  # fmt: skip
COLOURS = dict(zip(METHODS, (GREY, SKY, BLUE, GREEN, YELLOW, ORANGE, PINK, BLACK), strict=True))
POINTS = 100
INTRODUCTION = f"""\
OnlineForestRegressor, and OnlineConformalRegressor and OnlineQuantileForestRegressor on top of it. All forests have \
{N_TREES} trees and their default parameters, unless said. Intervals have a confidence of 0.9; miss rate, size, loss \
and utility are those of Vasiloudis and others (2019), where rows whose interval is infinite count as covered and have \
no size. {HOW_TIMED} Times are processor time on one thread."""


def run(page: Page, options: Options) -> None:
    """Measure everything, one part after another."""
    page.begin("Online forests with intervals", INTRODUCTION, "numpy")
    by_set(page, options)
    speed(page, options.pick(500, 5_000, 10_000), options.pick(1, 2, 3))
    rates(page, options.pick(1_000, 20_000))
    drift(page, options.pick(20_000, 400_000, 1_000_000))
    memory(page, options.pick(10_000, 1_000_000))


def stationary(n: int) -> Table:
    """Rows of the stream before its drift."""
    X, y = friedman_drift("report", 4 * n, random_state=0).arrays()
    return Table("friedman", X[:n], y[:n])


def by_set(page: Page, options: Options) -> None:
    """Score all methods on all sets; with river's on the first rows of each, and ours on these."""
    tables = regression_sets(options.data, options.pick(400, 10_000), SETS)
    n_first, with_river = options.pick(100, 1000, 3000), page.has("river")
    whole: dict[tuple[str, str], Scores] = {}
    first: dict[tuple[str, str], Scores] = {}
    names = []
    for table in tables[: options.pick(2, len(tables))]:
        stream, short = table.stream(options.pick(400, 10_000, 100_000)), table.stream(n_first)
        names.append(stream.name)
        for method, new in METHODS.items():
            interval = intervals(new(), stream)
            whole[stream.name, method] = Scores.of(stream.y, interval)
            first[stream.name, method] = Scores.of(short.y, interval[: short.y.size])
        if with_river:
            first[stream.name, RIVER] = Scores.of(short.y, river_intervals(short))
        page.tell(stream.name)
    rows = []
    for method in METHODS:
        own = [whole[name, method] for name in names]
        misses, sizes, losses, utilities = np.array([(s.miss_rate, s.size, s.loss, s.utility) for s in own]).T
        numbers = (misses.mean(), misses.max(), sizes.mean(), utilities.mean())
        rows.append((method, *(f"{number:.3f}" for number in numbers), f"{losses.mean():.4f}"))
    headings = ("", "misses", "most on a set", "size", "utility", "loss")
    words = (
        f"{len(names)} sets in random order, for conformal intervals are valid for exchangeable rows; of each at most "
        f"{options.pick(400, 10_000, 100_000):,} rows, each forecast and then learned. The best method of Burns' "
        f"report, {EXACT}, has a utility of {SMALL_SETS[EXACT].utility} and a loss of {SMALL_SETS[EXACT].loss}, as "
        "read off his figures, over other sets."
    )
    page.table("Intervals, means over the sets", headings, rows, words)
    draw_methods(page, whole, names)
    for title, what, found, form in (
        ("Miss rate by set", "miss_rate", whole, "{:.3f}"),
        ("Utility by set", "utility", whole, "{:.3f}"),
        ("Quantile loss by set", "loss", whole, "{:.4f}"),
        (f"Quantile loss over the first {n_first:,} rows, with river", "loss", first, "{:.4f}"),
    ):
        methods = [*METHODS, *([RIVER] if with_river and found is first else [])]
        cells = [(name, *(form.format(getattr(found[name, method], what)) for method in methods)) for name in names]
        page.table(title, ("", *methods), cells)


def speed(page: Page, n: int, rounds: int) -> None:
    """Both meet the same rows; river's forest has one turn, which takes long."""
    stream = stationary(n)
    mappings, targets = as_mappings(stream.X), stream.y.tolist()
    forecasts: dict[str, Any] = {}

    def ours() -> None:
        forecasts["hedgerow"] = forest().predict_then_learn(stream.X, stream.y, returns="std")[0]

    def river() -> None:
        forecasts["river"] = predict_and_learn_each(river_arf(N_TREES, leaf_prediction="mean"), mappings, targets)

    found = interleave({"hedgerow": lambda: ours}, rounds)["hedgerow"]
    cells = ("not installed", "")
    if page.has("river"):  # its turn is between ours, and the slower half of ours counts
        peer = interleave({"river": lambda: river}, 1)["river"]
        found = max(found, interleave({"hedgerow": lambda: ours}, rounds)["hedgerow"], key=lambda timing: timing.best)
        cells = (peer.per_row(n), ratio(peer.best / found.best))
    errors = [
        f"{np.abs(np.array(forecasts[name]) - stream.y).mean():.3f}" if name in forecasts else ""
        for name in ("hedgerow", "river")
    ]
    rows = [("time a row", found.per_row(n), *cells), ("mean absolute error", *errors, "")]
    words = f"{n:,} rows of Friedman's function, each predicted, then learned; hedgerow predicts mean and spread."
    page.table("Speed", ("", "OnlineForestRegressor", "river's ARF, mean leaves", "times as fast"), rows, words)


def rates(page: Page, n: int) -> None:
    """All in turn, on the same rows; the base learner returns what its trees say."""
    stream = stationary(n)
    contestants: dict[str, Callable[[], Any]] = {
        "OnlineForestRegressor": forest,
        "conformal, exact": lambda: OnlineConformalRegressor(forest()),
        "conformal, exact, all options": lambda: OnlineConformalRegressor(
            forest(), normalised=True, adaptive=True, size_matched=True
        ),
        "conformal, approximate": lambda: OnlineConformalRegressor(forest(), mode="approximate"),
        "quantile": lambda: OnlineQuantileForestRegressor(forest()),
        "quantile, conformal": lambda: OnlineQuantileForestRegressor(forest(), conformal=True),
    }
    timings = interleave(
        {
            name: lambda new=new: partial(new().predict_then_learn, stream.X, stream.y)
            for name, new in contestants.items()
        },
        3,
    )
    base = timings["OnlineForestRegressor"].best
    rows = [(name, f"{n / own.best:,.0f}", f"{base / own.best:.2f}") for name, own in timings.items()]
    words = "An interval for each row before it is learned; the first line has none."
    page.table("What intervals cost", ("", "rows/s", "of the forest's rate"), rows, words)


def drift(page: Page, n: int) -> None:
    """The windows around the first change, and one later."""
    options: dict[str, dict[str, Any]] = {
        "conformal, exact": {},
        "conformal, exact, adaptive": {"adaptive": True},
        "conformal, approximate, normalised, adaptive": {"mode": "approximate", "normalised": True, "adaptive": True},
    }
    window, later, rows = n // 40, 15, []
    for name, chosen in options.items():
        stream = friedman_drift("report", n, random_state=0)
        history = evaluate(OnlineConformalRegressor(forest(), **chosen), stream, window=window, progress=False).history
        at = stream.change_points[0] // window
        misses, sizes = history["mean_error_rate"], history["relative_interval_size"]
        rows.append((name, *(f"{misses[k]:.3f} / {sizes[k]:.3f}" for k in (at - 1, at, at + later))))
    words = (
        f"Friedman's function, {n:,} rows, five features change places after a quarter; miss rate / size in windows."
    )
    headings = ("", f"last {window:,} rows before", f"first {window:,} after", f"{later * window:,} rows later")
    page.table("A drift", headings, rows, words)


def memory(page: Page, n: int) -> None:
    """The size of forests with and without a bound along a stream with two drifts; the latter for a fifth of it."""
    figure, axes = subplots(figsize=(6.4, 3.6))
    rows = []
    for max_nodes, n_rows, colour in ((1001, n, BLUE), (201, n, GREEN), (None, n // 5, ORANGE)):
        model, sizes = forest(max_nodes=max_nodes), []
        for chunk in friedman_drift("report", n_rows, random_state=0).chunks(size=n_rows // POINTS):
            model.partial_fit(chunk.X, chunk.y)
            sizes.append(model.__sizeof__() / 1e6)
        label = "no bound" if max_nodes is None else f"max_nodes={max_nodes}"
        axes.plot(np.arange(1, len(sizes) + 1) * (n_rows // POINTS), sizes, color=colour, label=label)
        rows.append(
            (label, f"{n_rows:,}", f"{max(sizes[: POINTS // 4]):.2f} MB", f"{max(sizes[POINTS // 4 :]):.2f} MB")
        )
    page.table("Memory", ("", "rows", "largest in the first quarter", "largest after it"), rows)
    axes.set(xlabel="rows learned", ylabel="megabytes", yscale="log", title="An online forest of 10 trees, two drifts")
    axes.legend()
    page.picture(figure, "memory.png", "Memory while rows are learned")


def draw_methods(page: Page, scores: dict[tuple[str, str], Scores], names: list[str]) -> None:
    """Draw a panel for each method, with a point for each set; those of all other methods are pale."""
    figure, panels = subplots(2, -(-len(COLOURS) // 2), figsize=(10.4, 5.4), sharex=True, sharey=True)
    for axes, (method, colour) in zip(panels.flat, COLOURS.items(), strict=False):
        every = [scores[name, other] for other in COLOURS if other != method for name in names]
        own = [scores[name, method] for name in names]
        axes.scatter([e.miss_rate for e in every], [e.size for e in every], s=9, color="#dddddd", linewidths=0)
        axes.scatter([e.miss_rate for e in own], [e.size for e in own], s=26, color=colour)
        axes.axvline(0.1, color="grey", linestyle="--", linewidth=1, zorder=0)
        axes.set_title(method, loc="left", fontsize=9)
    figure.supxlabel(f"miss rate, {len(names)} sets; promised: 0.1")
    figure.supylabel("relative size of intervals")
    page.picture(figure, "methods.png", "Miss rate against the size of intervals, a point for each method and set")
