"""The demo's tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.cli.demo import PARTS
from hedgerow.cli.demo._contenders import LEAST_SPREAD
from hedgerow.cli.demo._flights import Flights
from hedgerow.cli.demo._forecasts import CONFIDENCE, Forecasts

N_SHOWN = 6


COVERS = f"{CONFIDENCE:.0%} covers"


def score_rows(contenders: list[Forecasts], flights: Flights, rows: slice) -> list[dict[str, Any]]:
    """Return one line a model, all scored on the same flights."""
    found = []
    for forecasts in contenders:
        scores = forecasts.scores(flights.y, rows)
        found.append(
            {"model": forecasts.name, "RMSE": scores.rmse, "MAE": scores.mae, "NLPD": scores.nlpd}
            | {COVERS: scores.coverage, "width": scores.width, "seconds": forecasts.seconds}
        )
    return found


def best(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Return which line has the best of each score."""
    found = {name: min(range(len(rows)), key=lambda place: rows[place][name]) for name in ("RMSE", "MAE", "NLPD")}
    return found | {COVERS: min(range(len(rows)), key=lambda place: abs(rows[place][COVERS] - CONFIDENCE))}


def footnotes(n_learned_first: int) -> str:
    """Say what was compared, and how."""
    return (
        "hedgerow forecasts each flight just before learning it; it knows the one before, even if that would "
        "still be in the air. The scikit-learn forests (as many trees, "
        f"min_samples_leaf=5) are trained anew after each of {PARTS} equal parts of the flights, on all so "
        f"far, and forecast the next part. The first part ({n_learned_first:,} flights) is not scored.\n"
        "Seconds are for learning and forecasting together, intervals and densities included.\n"
        f"Their distribution is a Gaussian with the trees' mean and spread (at least {LEAST_SPREAD} min): they offer "
        "none of their own.\n"
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


def flight_rows(forecasts: Forecasts, flights: Flights, chosen: Any) -> list[dict[str, str]]:
    """Return a handful of the chosen flights, evenly over the day."""
    picked = chosen[np.linspace(0, len(chosen) - 1, N_SHOWN + 2).astype(int)[1:-1]]
    rows = []
    for i in picked:
        flight = flights.frame.iloc[i]
        inside = forecasts.lower[i] <= flights.y[i] <= forecasts.upper[i]
        rows.append(
            {
                "time": f"{int(flight['scheduled']) // 60:02d}:{int(flight['scheduled']) % 60:02d}",
                "airline": str(flight["airline"]).removesuffix(" Inc.").removesuffix(" Co."),
                "from": str(flight["origin"]),
                "to": str(flight["dest"]),
                "forecast": f"{round(forecasts.mean[i]):+d}",
                f"{CONFIDENCE:.0%} interval": f"{round(forecasts.lower[i]):+d} … {round(forecasts.upper[i]):+d}",
                "actual": f"{flights.y[i]:+.0f} {'✓' if inside else '✗'}",
            }
        )
    return rows
