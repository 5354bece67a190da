"""``hedgerow demo``, from the flights to the picture."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

from hedgerow import MondrianForestRegressor
from hedgerow.cli._console import check_destination, console, errors_in_words, progress_bar
from hedgerow.cli.demo._contenders import PARTS, online, part_edges, retrained, running_mean
from hedgerow.cli.demo._flights import load_flights
from hedgerow.cli.demo._report import busiest_day, flight_table, footnotes, score_table

LEAST_ROWS = 100 * PARTS


def demo(
    rows: Annotated[
        int | None, typer.Option(help="Use only the first so many flights of the year.", min=LEAST_ROWS)
    ] = None,
    trees: Annotated[int, typer.Option(help="Trees in every forest.", min=2)] = 10,
    picture: Annotated[Path, typer.Option(help="Where to write the picture.")] = Path("flights.png"),
    seed: Annotated[int, typer.Option(help="Random seed.", min=0)] = 0,
    jobs: Annotated[int, typer.Option(help="Threads; -1 for all cores.")] = -1,
) -> None:
    """Forecast every flight out of New York in 2013 before learning it, next to retrained forests."""
    start = perf_counter()
    with errors_in_words():
        from hedgerow.cli.demo._picture import draw
        from hedgerow.plot.style import pyplot

        pyplot()
        check_destination(picture)
        with console.status("reading the flights"):
            flights = load_flights(rows)
        shared: dict[str, Any] = {"random_state": seed, "n_jobs": jobs}
        console.print(
            f"[bold]{len(flights):,} flights[/] out of New York in 2013, 8 attributes, in order of "
            f"departure; {trees} trees in every forest\n",
            highlight=False,
        )
        edges = part_edges(len(flights))
        with progress_bar("notes") as bar:
            ours = [
                online(
                    f"hedgerow, {smoothing}",
                    MondrianForestRegressor(trees, smoothing=smoothing, **shared),
                    flights,
                    bar,
                )
                for smoothing in ("hierarchy", "moments")
            ]
            theirs = [
                retrained(f"{words} retrained", kind(trees, min_samples_leaf=5, **shared), flights, bar)
                for words, kind in (
                    ("ExtraTrees", ExtraTreesRegressor),
                    ("RandomForest", RandomForestRegressor),
                )
            ]
        compared = slice(edges[1], None)
        everyone = [*ours, *theirs, running_mean("running mean", flights)]
        console.print()
        console.print(score_table(everyone, flights, compared, asterisks={forecasts.name for forecasts in theirs}))
        console.print(f"[dim]{footnotes(edges[1])}[/]\n", highlight=False)
        shown = min(ours, key=lambda forecasts: forecasts.scores(flights.y, compared).nlpd)
        day = busiest_day(flights, compared)
        console.print(flight_table(shown, flights, day))
        draw(picture, shown, [*ours, *theirs], flights, compared, day)
    console.print(
        f"\nThe picture is in [bold]{picture}[/]. All of this took {perf_counter() - start:.0f} s.",
        highlight=False,
    )
