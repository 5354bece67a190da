"""The demo's picture: one day of forecasts, and the coverage of each model's intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.cli.demo._flights import Flights
from hedgerow.cli.demo._forecasts import CONFIDENCE, Forecasts
from hedgerow.cli.demo._report import day_name
from hedgerow.plot import CalibrationDisplay
from hedgerow.plot.style import BLUE, GREEN, ORANGE, PURPLE, pyplot

N_SHOWN = 90
STYLES = [(BLUE, "o", "-"), (GREEN, "s", "-"), (ORANGE, "^", "--"), (PURPLE, "v", "--")]


def draw(path: Path, shown: Forecasts, compared: list[Forecasts], flights: Flights, rows: slice, chosen: Any) -> None:
    """Write the picture; `shown` gives the day's forecasts, `compared` the curves of calibration."""
    plt = pyplot()
    with plt.rc_context({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure, (day, calibration) = plt.subplots(
            1, 2, figsize=(12, 4.8), width_ratios=[1.75, 1], layout="constrained", dpi=110
        )
        _draw_day(day, shown, flights, chosen)
        for forecasts, (color, marker, line) in zip(compared, STYLES, strict=False):
            CalibrationDisplay.from_probabilities(
                forecasts.probability[rows],
                name=forecasts.name,
                ax=calibration,
                color=color,
                marker=marker,
                linestyle=line,
            )
        calibration.set_title("Coverage of intervals", loc="left", fontweight="bold", fontsize=11)
        calibration.text(0.97, 0.05, "below the diagonal:\ntoo sure", ha="right", color="#595959")
        figure.savefig(path)
        plt.close(figure)


def _draw_day(ax: Any, shown: Forecasts, flights: Flights, chosen: Any) -> None:
    """Draw forecasts and delays of flights spread evenly over the day."""
    picked = chosen[np.unique(np.linspace(0, len(chosen) - 1, N_SHOWN).astype(int))]
    place = np.arange(picked.size)
    ax.vlines(place, shown.lower[picked], shown.upper[picked], color=BLUE, alpha=0.3, linewidth=4.5)
    ax.scatter(place, shown.mean[picked], color=BLUE, marker="_", s=36, linewidths=2)
    inside = (flights.y[picked] >= shown.lower[picked]) & (flights.y[picked] <= shown.upper[picked])
    ax.scatter(place[inside], flights.y[picked][inside], color="#222222", s=13, linewidths=0, zorder=3)
    ax.scatter(place[~inside], flights.y[picked][~inside], color=ORANGE, marker="D", s=22, linewidths=0, zorder=3)
    ax.vlines([], [], [], color=BLUE, alpha=0.3, linewidth=4.5, label=f"forecast: {CONFIDENCE:.0%} interval")
    ax.scatter([], [], color=BLUE, marker="_", s=60, linewidths=2, label="forecast: mean")
    ax.scatter([], [], color="#222222", s=13, linewidths=0, label="actual, inside")
    ax.scatter([], [], color=ORANGE, marker="D", s=22, linewidths=0, label="actual, outside")
    ax.axhline(0, color="#888888", linewidth=0.8, zorder=0)
    scheduled = flights.frame["scheduled"].to_numpy()[picked]
    hours = range(int(scheduled[0] // 60) + 1, int(scheduled[-1] // 60) + 1, 3)
    ax.set_xticks([int(np.searchsorted(scheduled, 60 * hour)) for hour in hours], [f"{hour}:00" for hour in hours])
    ax.set(xlabel="scheduled departure", ylabel="delay at arrival (minutes)", xlim=(-1.5, picked.size + 0.5))
    ax.set_title(
        f"{picked.size} of {len(chosen)} flights on {day_name(flights, chosen)}, forecast one by one",
        loc="left",
        fontweight="bold",
        fontsize=11,
    )
    ax.legend(frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.13), handletextpad=0.4)
