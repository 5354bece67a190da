"""``hedgerow demo``: a year of flights, forecast one by one."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from hedgerow.cli._options import Jobs, Seed
from hedgerow.cli._output import Output, check_destination, progress_bar
from hedgerow.cli.demo import LEAST_ROWS


def demo(
    out: Output,
    rows: Annotated[int | None, typer.Option(help="Use only the first N flights of the year.", min=LEAST_ROWS)] = None,
    trees: Annotated[int, typer.Option(help="Trees in every forest.", min=2)] = 10,
    picture: Annotated[Path, typer.Option(help="Where to write the picture.")] = Path("flights.png"),
    seed: Seed = 0,
    jobs: Jobs = -1,
) -> None:
    """Forecast every flight out of New York in 2013 before learning it, next to retrained forests."""
    from hedgerow.cli.demo import _contenders, _flights, _picture, _report
    from hedgerow.plot.style import pyplot

    start = perf_counter()
    pyplot()
    check_destination(picture)
    with out.progress("reading the flights"):
        flights = _flights.load_flights(rows)
    shared: dict[str, Any] = {"random_state": seed, "n_jobs": jobs}
    out.say(
        f"{len(flights):,} flights out of New York in 2013, 8 attributes, in order of departure; {trees} trees in "
        "every forest\n"
    )
    edges = _contenders.part_edges(len(flights))
    with progress_bar(out, "notes") as bar:
        ours = _contenders.all_online(trees, flights, bar, **shared)
        theirs = _contenders.all_retrained(trees, flights, bar, **shared)
    compared = slice(edges[1], None)
    everyone = [*ours, *theirs, _contenders.running_mean("running mean", flights)]
    title = f"Delay at arrival, in minutes: {len(flights) - edges[1]:,} flights"
    found = _report.score_rows(everyone, flights, compared)
    out.table("scores", found, title, _report.best(found))
    out.say(f"{_report.footnotes(edges[1])}\n")
    shown = min(ours, key=lambda forecasts: forecasts.scores(flights.y, compared).nlpd)
    day = _report.busiest_day(flights, compared)
    title = f"Six flights of {_report.day_name(flights, day)}, as {shown.name} saw them"
    out.table("flights", _report.flight_rows(shown, flights, day), title)
    _picture.draw(picture, shown, [*ours, *theirs], flights, compared, day)
    out.facts(picture=str(picture))
    out.done(f"the picture is in {picture}; all of this took {perf_counter() - start:.0f} s")
