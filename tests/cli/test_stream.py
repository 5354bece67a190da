"""stream and report: a file is forecast row by row, and what came of it is shown."""

import json
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import hedgerow
from command_line import done, refusal, run
from hedgerow.cli import _output
from hedgerow.stream import evaluate, friedman_drift, rows

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    X, y = friedman_drift("report", 2300, random_state=0).arrays()
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(1, 11)]).assign(y=y)
    frame["kind"] = np.where(y > 14, "high", "low")
    path = tmp_path_factory.mktemp("data") / "rows.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def saved(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "run"
    base = ("stream", data, "--target", "y", "--ignore", "kind", "--trees", 3, "--window", 500)
    return path, done(*base, "--keep", 400, "--seed", 3, "--confidence", 0.8, "--out", path).stdout


def test_stream_is_what_python_does(data, saved):
    found = hedgerow.load(saved[0])
    model = hedgerow.MondrianForestRegressor(3, window=400, random_state=3)
    expected = evaluate(model, rows(data, "y", ignore=["kind"]), 0.8, 500, name=found.name, progress=False)
    assert found == expected
    assert found.name == "MondrianForestRegressor, 3 trees, 400 rows kept"
    shown = dict(line.split("\t") for line in saved[1].splitlines() if line)
    assert shown["x1"] == "number"
    assert float(shown["miss rate"]) == pytest.approx(expected.scores["mean_error_rate"], rel=1e-8)
    assert float(shown["utility"]) == pytest.approx(expected.scores["utility"], rel=1e-8)
    assert shown["rows"] == "2300"


@pytest.mark.parametrize("word", ["boosting", "online", "conformal", "quantile"])
def test_other_models(data, tmp_path, word):
    short = tmp_path / "short.csv"
    short.write_text("".join(data.read_text().splitlines(keepends=True)[:301]))
    base = ("stream", short, "--target", "y", "--ignore", "kind", "--model", word, "--trees", 2)
    result = run(*base, "--checkpoint", tmp_path / "checkpoint", "--save-model", tmp_path / "model")
    assert result.exit_code == 0, result.output
    assert "relative size" in result.stdout
    assert hedgerow.load(tmp_path / "model").n_samples_seen_ == 300


def test_classes_and_the_learned_model(data, tmp_path):
    out = tmp_path / "model"
    result = run("stream", data, "--target", "kind", "--ignore", "y", "--trees", 2, "--save-model", out)
    assert result.exit_code == 0, result.output
    assert "accuracy" in result.stdout
    forest = hedgerow.load(out)
    assert list(forest.classes_) == ["high", "low"]
    assert list(forest.feature_names_in_) == [f"x{k}" for k in range(1, 11)]
    assert forest.n_samples_seen_ == 2300


def test_goes_on_from_a_checkpoint(data, tmp_path, saved):
    lines = data.read_text().splitlines(keepends=True)
    growing = tmp_path / "growing.csv"
    growing.write_text("".join(lines[:2001]))
    base = ("stream", growing, "--target", "y", "--ignore", "kind", "--trees", 3, "--window", 500, "--keep", 400)
    base += ("--seed", 3, "--confidence", 0.8, "--checkpoint", tmp_path / "checkpoint", "--out", tmp_path / "run")
    assert run(*base).exit_code == 0
    growing.write_text("".join(lines))
    assert run(*base).exit_code == 0
    assert hedgerow.load(tmp_path / "run") == hedgerow.load(saved[0])
    assert "rows\t2300\n" in run("report", tmp_path / "checkpoint").stdout


def test_windows_of_a_short_file(data, tmp_path):
    """About twenty, so that a page shows when something changed."""
    base = ("stream", data, "--target", "y", "--ignore", "kind", "--model", "online", "--trees", 1)
    done(*base, "--out", tmp_path / "run")
    assert hedgerow.load(tmp_path / "run").history["end"].tolist() == list(range(115, 2301, 115))
    done(*base, "--checkpoint", tmp_path / "checkpoint", "--out", tmp_path / "run")
    assert hedgerow.load(tmp_path / "run").history["end"].tolist() == [1000, 2000, 2300]


def test_the_live_table_shows_windows(data, monkeypatch):
    console = Console(force_terminal=True, width=150, record=True)
    monkeypatch.setattr(_output, "Console", lambda **_: console)
    done("stream", data, "--target", "y", "--ignore", "kind", "--trees", 2, "--window", 400)
    shown = console.export_text()
    assert "rows/s" in shown
    assert "s left" in shown


def test_zeros_and_ones_are_not_silently_regressed(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a;y\n" + "".join(f"{k};{k % 2}\n" for k in range(60)))
    result = done("stream", path, "--target", "y", "--trees", 2, "--save-model", tmp_path / "model")
    assert "taken for two classes" in result.stderr
    assert hedgerow.load(tmp_path / "model").classes_.tolist() == ["0", "1"]
    assert "RMSE" in done("stream", path, "--target", "y", "--trees", 2, "--task", "regression").stdout


def test_report_compares_draws_and_writes(saved, data, tmp_path):
    other = tmp_path / "other"
    base = ("stream", data, "--target", "y", "--ignore", "kind", "--trees", 2, "--window", 500)
    assert run(*base, "--out", other, "--distribution").exit_code == 0
    result = run(
        "report", saved[0], other, "--plot", tmp_path / "runs.png", "--csv", tmp_path / "runs.csv", "--history"
    )
    assert result.exit_code == 0, result.output
    assert "NLPD" in result.stdout
    assert (tmp_path / "runs.png").read_bytes()[:4] == b"\x89PNG"
    table = pd.read_csv(tmp_path / "runs.csv")
    first = hedgerow.load(saved[0])
    assert len(table) == 10
    done("report", saved[0], other, "--out", tmp_path / "runs.html")
    latest = (tmp_path / "runs.html").read_text(encoding="utf-8").partition("<h2>Latest forecasts")[2]
    assert latest.partition("<h2>")[0].count("<circle") == 240
    assert table["run"].unique().tolist() == [first.name, hedgerow.load(other).name]
    np.testing.assert_allclose(table["quantile_loss"][:5], first.history["quantile_loss"], rtol=1e-14)
    assert table["nlpd"][:5].isna().all()


def test_what_cannot_be_is_said(data, saved, tmp_path, monkeypatch):
    base = ("stream", data, "--target", "y", "--ignore", "kind")
    assert "no column 'z'" in refusal("stream", data, "--target", "z")
    assert "no column 'oak'" in refusal("stream", data, "--target", "y", "--categorical", "oak")
    assert "--model must be" in refusal(*base, "--model", "oak", code=2)
    assert "--task must be" in refusal(*base, "--task", "sorting", code=2)
    assert "confidence" in refusal(*base, "--confidence", 2)
    kinds = ("stream", data, "--target", "kind", "--ignore", "y")
    assert "cannot learn classes" in refusal(*kinds, "--model", "online", code=2)
    assert "--keep is for" in refusal(*base, "--model", "boosting", "--keep", 10, code=2)
    assert "does not learn row by row" in refusal(*base, "--model", "bart", code=2)
    assert "to write to" in refusal(*base, "--out", tmp_path / "nowhere" / "run")
    assert "no file or folder" in refusal("stream", tmp_path / "nowhere.csv", "--target", "y")
    assert "no file or folder" in refusal("report", tmp_path / "nowhere")
    assert "a model is needed here" in refusal("report", data)
    hedgerow.MondrianForestRegressor().save(tmp_path / "model")
    assert "not a run" in refusal("report", saved[0], tmp_path / "model")
    assert "has not learned" in refusal("report", tmp_path / "model")
    assert "hedgerow report" in refusal("info", saved[0])
    torn = tmp_path / "torn"
    torn.write_bytes(b"hedgerow checkpoint 1\nnonsense")
    assert "torn" in refusal("report", torn)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert "hedgerow[plot]" in refusal("report", saved[0], "--plot", tmp_path / "a.png")


def test_json_lines_with_holes(tmp_path):
    path = tmp_path / "rows.jsonl"
    lines = [{"a": 1.0 * k, "y": 2.0 * k if k % 7 else None} for k in range(50)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "--skip-missing" in refusal("stream", path, "--target", "y", "--trees", 2)
    result = run("stream", path, "--target", "y", "--trees", 2, "--skip-missing", "--task", "regression")
    assert result.exit_code == 0, result.output
    assert "42 rows" in result.stderr


def test_numbers_in_another_form_are_no_classes(tmp_path):
    """Prices with a currency were one class each, and columns of such numbers were categories in silence."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.normal(size=120).round(3), "fee": [f"${fee:,.2f}" for fee in rng.gamma(4, 400, 120)]}
    )
    frame["price"] = [f"${price:,.0f}" for price in rng.gamma(4, 90_000, 120)]
    frame["name"] = rng.choice(["oak", "elm"], 120)
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    assert "use fit" in refusal("stream", path, "--target", "price", "--trees", 2, code=2)
    said = done("stream", path, "--target", "a", "--trees", 2).stderr
    assert "note: fee, price taken for categories" in said
    assert "name" not in said
    assert "note:" not in done("stream", path, "--target", "a", "--trees", 2, "--categorical", "fee,price").stderr
