"""Memory along streams of millions of rows: windows, bounded trees, calibration rows and sketches stay as they are."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from benchmarks.shared.page import Options, Page
from benchmarks.shared.pictures import BLUE, GREEN, GREY, ORANGE, subplots
from benchmarks.soak.memory import BLOCKS, FILES, MODELS, NEGLIGIBLE, POINTS, SHARES, WARM_UP, Curve, follow
from benchmarks.soak.streams import STREAMS

COLOURS = dict(zip(STREAMS, (BLUE, ORANGE, GREY, GREEN), strict=True))
KILOBYTE, MEGABYTE = 1e3, 1e6
LEAST = 50_000
"""Rows of a run, below which there is no line to be drawn."""
INTRODUCTION = f"""\
Each model, bounded by its parameters, learns {{n_rows:,}} rows, a quarter of them from each of four streams, in a \
process of its own for each stream: *random* rows; *drifting* ones, whose columns wander off without end and whose \
targets change; a *stuck sensor*, 5,000 random rows and then one row 5,000 times, and so on; and *new categories*, \
names of which each comes three times and then never again. `MondrianForestRegressor` with learned hyper-parameters, \
which it learns anew every 1,000 rows, has a tenth of the rows, but {LEAST:,} at least; *paper* are those of \
Lakshminarayanan, Roy and Teh (2016). Every 1,000 rows are learned and predicted in one call each. {FILES} times the \
model is saved, loaded, and the loaded one goes on. Memory is read {POINTS} times: what the process occupies, and \
what the model counts itself (`sys.getsizeof`).

*Growth* is the rise of a straight line through the means of {BLOCKS} blocks of the process's memory after the first \
{WARM_UP:.0%} of the rows, with its standard error. A run is *flat* unless one of the two memories has grown by more \
than {NEGLIGIBLE // 10**6} MB plus two standard errors: {{least:.1g}} bytes a row would be noticed."""


def run(page: Page, options: Options) -> None:
    """Follow every model along every stream, one after another."""
    n_rows = options.size or options.pick(200_000, 1_000_000, 10_000_000)
    share = n_rows // len(STREAMS)
    words = INTRODUCTION.format(n_rows=n_rows, least=NEGLIGIBLE / share / (1 - WARM_UP))
    page.begin("Memory along long streams", words, "numpy")
    curves = []
    for model in MODELS:
        for stream in STREAMS:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh_process:
                n = max(LEAST, round(share * SHARES.get(model, 1)))
                curves.append(fresh_process.submit(follow, model, stream, n).result())
            page.tell((model, stream, *cells(curves[-1])))
    headings = ("model", "stream", "rows", "process, MB", "growth, MB", "model, kB", "µs a row", "")
    page.table("Runs", headings, [(curve.model, curve.stream, *cells(curve)) for curve in curves])
    page.picture(drawn(curves), "soak.png", "Memory of processes and of models along the streams")
    if grown := [f"{curve.model} on {curve.stream}" for curve in curves if not curve.is_flat]:
        page.text(f"Memory grows: {', '.join(grown)}.")
        page.write()
        raise SystemExit(1)


def cells(curve: Curve) -> tuple[str, ...]:
    """Return what the table says of a run."""
    grown, error = curve.growth
    after = curve.rows > WARM_UP * curve.rows[-1]
    resident, counted = curve.resident[after] / MEGABYTE, curve.counted[after] / KILOBYTE
    return (
        f"{curve.rows[-1]:,.0f}",
        f"{resident.min():.1f} to {resident.max():.1f}",
        f"{grown / MEGABYTE:+.2f} ± {error / MEGABYTE:.2f}",
        f"{counted.min():,.0f} to {counted.max():,.0f}",
        f"{curve.seconds / curve.rows[-1] * 1e6:.1f}",
        "flat" if curve.is_flat else "**grows**",
    )


def drawn(curves: list[Curve]) -> Any:
    """Return a figure: a column a model, the process above and the model below."""
    figure, axes = subplots(2, len(MODELS), figsize=(17, 5.5), sharex="col", sharey="row")
    for (process, own), model in zip(axes.T, MODELS, strict=True):
        process.set_title(model, fontsize=10)
        own.set_xlabel("million rows")
        for curve in (curve for curve in curves if curve.model == model):
            style = {"color": COLOURS[curve.stream], "label": curve.stream, "linewidth": 1.2}
            at_first = curve.resident[curve.rows > WARM_UP * curve.rows[-1]][0]
            process.plot(curve.rows / 1e6, (curve.resident - at_first) / MEGABYTE, **style)
            own.plot(curve.rows / 1e6, curve.counted / KILOBYTE, **style)
            process.axvline(WARM_UP * curve.rows[-1] / 1e6, color="0.8", linewidth=0.8, zorder=0)
            own.axvline(WARM_UP * curve.rows[-1] / 1e6, color="0.8", linewidth=0.8, zorder=0)
    axes[1, 0].set_ylim(bottom=0)
    axes[0, 0].set_ylabel("process, MB grown")
    axes[1, 0].set_ylabel("model, kB")
    axes[0, -1].legend(frameon=False, fontsize=8)
    return figure
