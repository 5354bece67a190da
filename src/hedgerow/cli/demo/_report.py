"""The demo's tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table

from hedgerow.cli.demo._contenders import LEAST_SPREAD, PARTS
from hedgerow.cli.demo._flights import Flights
from hedgerow.cli.demo._forecasts import CONFIDENCE, Forecasts

N_SHOWN = 6


def score_table(contenders: list[Forecasts], flights: Flights, rows: slice, asterisks: set[str]) -> Table:
    """Return one line a model, all scored on the same flights; the best of each column is bold."""
    scores = [forecasts.scores(flights.y, rows) for forecasts in contenders]
    columns: dict[str, tuple[list[float], str, Callable[[list[float]], float] | None]] = {
        "RMSE": ([score.rmse for score in scores], "{:.1f}", min),
        "MAE": ([score.mae for score in scores], "{:.1f}", min),
        "NLPD": ([score.nlpd for score in scores], "{:.2f}", min),
        f"{CONFIDENCE:.0%} covers": ([score.coverage for score in scores], "{:.1%}", _nearest_to_promise),
        "width": ([score.width for score in scores], "{:.0f}", None),
        "seconds": ([forecasts.seconds for forecasts in contenders], "{:.1f}", None),
    }
    n_compared = len(range(*rows.indices(len(flights))))
    table = Table(title=f"Delay at arrival, in minutes: {n_compared:,} flights", title_style="bold")
    table.add_column("model", no_wrap=True)
    for heading in columns:
        table.add_column(heading, justify="right", no_wrap=True)
    for i, forecasts in enumerate(contenders):
        cells = []
        for heading, (values, form, best) in columns.items():
            borrowed = forecasts.name in asterisks and heading in (
                "NLPD",
                f"{CONFIDENCE:.0%} covers",
                "width",
            )
            star = "*" if borrowed else ""
            text = form.format(values[i]) + star
            cells.append(f"[bold green]{text}[/]" if best and values[i] == best(values) else text)
        table.add_row(forecasts.name, *cells)
    return table


def _nearest_to_promise(coverages: list[float]) -> float:
    return min(coverages, key=lambda coverage: abs(coverage - CONFIDENCE))


def footnotes(n_learned_first: int) -> str:
    """Say what was compared, and how."""
    return (
        "hedgerow forecasts each flight just before learning it; it knows the one before, even if that would "
        "still be in the air. The scikit-learn forests (as many trees, "
        f"min_samples_leaf=5) are trained anew after each of {PARTS} equal parts of the flights, on all so "
        f"far, and forecast the next part. The first part ({n_learned_first:,} flights) is not scored.\n"
        "Seconds are for learning and forecasting together, intervals and densities included.\n"
        f"* a Gaussian with the trees' mean and spread (at least {LEAST_SPREAD} min): these forests offer no "
        "distribution of their own.\n"
        "Air time and arrival time are known only after landing. They are among the attributes because the "
        "paper uses them."
    )


def busiest_day(flights: Flights, rows: slice) -> Any:
    """Return the flights of the day with the most flights among these rows: their numbers."""
    date = flights.frame["month"].to_numpy() * 100 + flights.frame["day"].to_numpy()
    compared = np.arange(len(flights))[rows]
    days, counts = np.unique(date[compared], return_counts=True)
    return compared[date[compared] == days[np.argmax(counts)]]


def day_name(flights: Flights, chosen: Any) -> str:
    """Name the day of these flights."""
    first = flights.frame.iloc[chosen[0]]
    return f"2013-{first['month']:02d}-{first['day']:02d}"


def flight_table(forecasts: Forecasts, flights: Flights, chosen: Any) -> Table:
    """Return a handful of the chosen flights, evenly over the day."""
    picked = chosen[np.linspace(0, len(chosen) - 1, N_SHOWN + 2).astype(int)[1:-1]]
    table = Table(title=f"Six flights of {day_name(flights, chosen)}, as {forecasts.name} saw them", title_style="bold")
    for heading in ("time", "airline", "from", "to"):
        table.add_column(heading, no_wrap=True)
    for heading in ("forecast", f"{CONFIDENCE:.0%} interval", "actual"):
        table.add_column(heading, justify="right", no_wrap=True)
    for i in picked:
        flight = flights.frame.iloc[i]
        inside = forecasts.lower[i] <= flights.y[i] <= forecasts.upper[i]
        table.add_row(
            f"{int(flight['scheduled']) // 60:02d}:{int(flight['scheduled']) % 60:02d}",
            str(flight["airline"]).removesuffix(" Inc.").removesuffix(" Co."),
            flight["origin"],
            flight["dest"],
            f"{round(forecasts.mean[i]):+d}",
            f"{round(forecasts.lower[i]):+d} … {round(forecasts.upper[i]):+d}",
            f"[{'green' if inside else 'red'}]{flights.y[i]:+.0f} {'✓' if inside else '✗'}[/]",
        )
    return table
