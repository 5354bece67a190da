"""Mondrian forests with classes as they learn online: speed next to river's AMF, and scores after more rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from benchmarks.classification.scores import MEASURES, aligned
from benchmarks.shared.data import Floats, Split
from benchmarks.shared.page import Options, Page, ratio
from benchmarks.shared.peers import as_mappings, learn_each, predict_and_learn_each, river_amf, river_probabilities
from benchmarks.shared.pictures import BLUE, GREEN, GREY, ORANGE, SKY, YELLOW, subplots
from benchmarks.shared.timing import Contestant, Timing, interleave, on_all_cores
from hedgerow import MondrianForestClassifier

N_TREES, N_FEW = 100, 10
N_BESIDE = 3
CHUNK = 1000
"""Rows that one call of partial_fit gets."""
OURS, OURS_FEW, RIVER = "hedgerow", "hedgerow, 10 trees", "river's AMF, 10 trees"
BATCH: dict[str, Callable[[int], Any]] = {
    "ExtraTrees, 1 column a cut": lambda seed: ExtraTreesClassifier(N_TREES, max_features=1, random_state=seed),
    "ExtraTrees": lambda seed: ExtraTreesClassifier(N_TREES, random_state=seed),
    "RandomForest": lambda seed: RandomForestClassifier(N_TREES, random_state=seed),
}
"""scikit-learn's forests: `ERT-1`, `ERT-k` and `Breiman-RF` of Lakshminarayanan (2016)."""
COLOURS = dict(zip((OURS, *BATCH, OURS_FEW, RIVER), (BLUE, ORANGE, YELLOW, GREY, SKY, GREEN), strict=True))
WORDS = f"""\
As in section 5.7 of Lakshminarayanan (2016). {N_TREES} trees in every forest unless said; hedgerow's is \
MondrianForestClassifier with the hyper-parameters of the paper. Rows are learned in one shuffled order. hedgerow and \
river learn online; scikit-learn's forests are fitted anew at each point. river's nodes hold dictionaries, and a \
hundred trees take gigabytes: it has {N_FEW} trees, next to hedgerow with as many. {{seeds}}"""


def forest(seed: int = 0, n_trees: int = N_TREES) -> MondrianForestClassifier:
    """Return this library's forest by the rules of the paper."""
    return MondrianForestClassifier(n_trees, hyperparameters="paper", n_jobs=1, random_state=seed)


def learn_in_chunks(model: Any, data: Split, begin: int = 0, end: int | None = None, chunk: int = CHUNK) -> None:
    """Learn rows online, a chunk a call."""
    end = data.y.size if end is None else end
    for place in range(begin, end, chunk):
        rows = slice(place, min(place + chunk, end))
        model.partial_fit(data.X[rows], data.y[rows])


def speed(page: Page, data: Split, stops: Sequence[int], n_single: int) -> None:
    """Time stretches between stops in bulk, chunk sizes, and single rows with a forecast before each."""
    rows, targets, with_river = as_mappings(data.X), data.y.tolist(), page.has("river")
    peer, totals, shown = river_amf(N_TREES, classes=True) if with_river else None, [0.0, 0.0], []

    def stretch(begin: int, end: int) -> Contestant:
        def prepare() -> partial[None]:
            model = forest()
            learn_in_chunks(model, data, 0, begin)
            return partial(learn_in_chunks, model, data, begin, end)

        return prepare

    for begin, end in zip([0, *stops], stops, strict=False):
        times = [interleave({"": stretch(begin, end)}, 2)[""].best]
        if peer is not None:  # its turn, which takes long, is between ours
            learn = partial(learn_each, peer, rows[begin:end], targets[begin:end])
            times.append(interleave({"": lambda learn=learn: learn}, 1)[""].best)
            times[0] = min(times[0], interleave({"": stretch(begin, end)}, 2)[""].best)
        totals = [total + own for total, own in zip(totals, times, strict=False)]
        shown.append((f"rows {begin:,} to {end:,}", *cells(times, end - begin)))
    shown.append((f"all {stops[-1]:,} rows", *cells(totals, stops[-1])))

    after = slice(n_single, n_single + n_single // 5)

    def single(new: Callable[[], Any], given: Sequence[Any]) -> Contestant:
        def prepare() -> partial[list[Any]]:
            model = new()
            learn_each(model, given[:n_single], targets[:n_single])
            return partial(predict_and_learn_each, model, given[after], targets[after])

        return prepare

    contestants = {"rows as arrays": single(forest, list(data.X)), "rows as dicts": single(forest, rows)}
    if with_river:
        contestants["river"] = single(partial(river_amf, N_TREES, classes=True), rows)
    timings = interleave(contestants, 1, turns={"rows as arrays": 3, "rows as dicts": 3})
    for what in ("rows as arrays", "rows as dicts"):
        times = [timings[name].best for name in (what, "river") if name in timings]
        label = f"`predict_proba_one`, `learn_one`, rows {after.start:,} to {after.stop:,}, {what}"
        shown.append((label, *cells(times, n_single // 5)))
    title = f"Online: {N_TREES} trees learn {data.name}, processor time a row"
    words = f"In bulk hedgerow gets {CHUNK:,} rows a call of `partial_fit`, river's AMF one row a call of `learn_one`."
    page.table(title, ("", "hedgerow", "river's AMF", "times as fast"), shown, words)
    chunks(page, data)


def cells(times: Sequence[float], n_rows: int) -> tuple[str, str, str]:
    """Return our time a row, river's, and how many times as fast we are."""
    if len(times) < 2 or not times[1]:
        return f"{1e6 * times[0] / n_rows:.0f} µs", "not installed", ""
    return f"{1e6 * times[0] / n_rows:.0f} µs", f"{1e6 * times[1] / n_rows:,.0f} µs", ratio(times[1] / times[0])


def chunks(page: Page, data: Split) -> None:
    """Time calls with few rows and with many and, for scale, fit."""

    def learn(size: int) -> Contestant:
        return lambda: partial(learn_in_chunks, forest(), data, chunk=size)

    contestants = {f"{size:,} rows a call": learn(size) for size in sorted({10, 100, CHUNK, data.y.size})}
    contestants["`fit`"] = lambda: partial(forest().fit, data.X, data.y)
    timings: dict[str, Timing] = interleave(contestants, 2)
    shown = [(what, timing.per_row(data.y.size)) for what, timing in timings.items()]
    page.table(f"Online: rows a call, {data.y.size:,} rows of {data.name}", ("", "processor time a row"), shown)


@dataclass(frozen=True)
class Curve:
    """What one forest reached on one data set after each number of rows; means over its seeds."""

    data: str
    model: str
    n_rows: list[int]
    reached: dict[str, Floats]

    def __str__(self) -> str:
        return f"{self.data}, {self.model}: {self.reached['accuracy'][-1]:.2%} right"


def curves(page: Page, sets: Sequence[Split], options: Options) -> None:
    """Show all scores after all rows, and accuracy on the way."""
    n_points, n_seeds = options.pick(3, 5, 10), options.pick(1, 1, 3)
    models = [model for model in COLOURS if model != RIVER or page.has("river")]
    found: dict[tuple[str, str], Curve] = {}
    tasks = [(data, model, n_points, n_seeds) for model in reversed(models) for data in sets]
    for curve in on_all_cores(measure, tasks):
        page.tell(curve)
        found[curve.data, curve.model] = curve
    names = [data.name for data in sets]
    headings = ("", *(f"{data.name}, {data.y.size:,}" for data in sets))
    seeds = "One seed." if n_seeds == 1 else f"Means over {n_seeds} seeds; river's AMF has one."
    for what in MEASURES:
        form = "{:.3f}" if what in ("log loss", "calibration error") else "{:.2%}"
        rows = [(model, *(form.format(found[name, model].reached[what][-1]) for name in names)) for model in models]
        words = WORDS.format(seeds=seeds) if what == "accuracy" else ""
        page.table(f"Online: {what}, all rows learned", headings, rows, words)
    draw(page, found, names, models)


def measure(data: Split, model: str, n_points: int, n_seeds: int) -> Curve:
    """Return the curve of a contestant; river's has one seed, because it takes so long."""
    stops = [round(data.y.size * (k + 1) / n_points) for k in range(n_points)]
    runs = [list(probabilities(data, model, stops, seed)) for seed in range(1 if model == RIVER else n_seeds)]
    reached = {
        name: np.mean([[score(found, data.y_test) for found in run] for run in runs], axis=0)
        for name, score in MEASURES.items()
    }
    return Curve(data.name, model, stops, reached)


def probabilities(data: Split, model: str, stops: Sequence[int], seed: int) -> Iterator[Floats]:
    """Yield the probabilities of the test rows at each stop."""
    if model == RIVER:
        learner = river_amf(N_FEW, seed, classes=True)
    else:
        learner = BATCH[model](seed) if model in BATCH else forest(seed, N_TREES if model == OURS else N_FEW)
    for begin, end in zip([0, *stops], stops, strict=False):
        if model == RIVER:
            learn_each(learner, as_mappings(data.X[begin:end]), data.y[begin:end].tolist())
            yield river_probabilities(learner, data.X_test, data.n_classes)
            continue
        if model in BATCH:
            learner.fit(data.X[:end], data.y[:end])
        else:
            learn_in_chunks(learner, data, begin, end)
        yield aligned(learner, learner.predict_proba(data.X_test), data.n_classes)


def draw(page: Page, found: dict[tuple[str, str], Curve], names: Sequence[str], models: Sequence[str]) -> None:
    """Draw accuracy against the fraction of rows learned, a panel for each data set, three beside each other."""
    n_rows = -(-len(names) // N_BESIDE)
    figure, panels = subplots(n_rows, N_BESIDE, figsize=(3.4 * N_BESIDE, 3.2 * n_rows + 0.6), squeeze=False)
    for axes in panels.flat[len(names) :]:
        axes.set_axis_off()
    for axes, name in zip(panels.flat, names, strict=False):
        for model in models:
            curve = found[name, model]
            style = {"linewidth": 2, "zorder": 3} if model == OURS else {"linewidth": 1.2, "zorder": 2}
            shares = [100 * n / curve.n_rows[-1] for n in curve.n_rows]
            marker = "o-" if model == OURS else ".--"
            axes.plot(shares, 100 * curve.reached["accuracy"], marker, color=COLOURS[model], label=model, **style)
        axes.set_title(name, loc="left", fontsize=11, fontweight="bold")
        axes.set(xlabel=f"% of {found[name, OURS].n_rows[-1]:,} rows learned", xlim=(0, 103))
    for axes in panels[:, 0]:
        axes.set_ylabel("% of test rows right")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=N_BESIDE, frameon=False)
    page.picture(figure, "classification.png", "Accuracy against the number of rows learned")
