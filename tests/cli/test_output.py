"""How the command line speaks: in pipes, on terminals, as JSON, in silence, and of its own options."""

import io
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import hedgerow
from command_line import done, refusal, run
from hedgerow.cli import _output
from hedgerow.cli._output import Output, drawn, plain, shown


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("output")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": [f"{row:04}" for row in range(60)], "a": rng.uniform(size=60), "mean": "x"})
    frame["y"] = 3 * frame["a"] + rng.normal(scale=0.1, size=60)
    frame.to_csv(folder / "rows.csv", index=False)
    done("fit", folder / "rows.csv", "-t", "y", "-o", folder / "model", "--model", "forest", "--trees", 3)
    return folder


FIT = ("--target", "y", "--model", "forest", "--trees", 3)


def test_quiet_says_nothing(folder, tmp_path):
    result = done("fit", folder / "rows.csv", *FIT, "--out", tmp_path / "model", "--quiet")
    assert result.output == ""
    assert hedgerow.load(tmp_path / "model").n_features_in_ == 1
    said = refusal("fit", folder / "rows.csv", "--target", "z", "--out", tmp_path / "model", "-q")
    assert "no column 'z'" in said


def test_json_is_one_object(folder, tmp_path):
    result = done("fit", folder / "rows.csv", *FIT, "--out", tmp_path / "model", "--json", "--quiet")
    assert result.stderr == ""
    found = json.loads(result.stdout)
    assert found["scored_by"] == "leave-one-out"
    assert found["scores"][0]["model"] == found["model"] == "MondrianForestRegressor"
    assert found["columns"][0] == {
        "column": "id",
        "taken for": "left out",
        "missing": None,
        "notes": "text that hardly recurs: differs in every row",
    }


def test_predictions_through_pipes(folder, tmp_path):
    rows = (folder / "rows.csv").read_bytes()
    said = done("predict", folder / "model", "-", "--keep", "id,mean", "--quantiles", "0.1,0.9", stdin=rows)
    table = pd.read_csv(io.StringIO(said.stdout), dtype={"id": str})
    assert list(table.columns) == ["id", "mean (input)", "mean", "std", "q0.1", "q0.9"]
    assert table["id"].tolist()[:2] == ["0000", "0001"]  # as they are written
    forest, X = hedgerow.load(folder / "model"), pd.read_csv(folder / "rows.csv")[["a"]]
    np.testing.assert_allclose(table[["q0.1", "q0.9"]], forest.predict_quantiles(X, [0.1, 0.9]), rtol=1e-9)
    said = done("predict", folder / "model", "-", "--confidence", "0.5,0.9", "--json", stdin=rows).stdout
    lines = [json.loads(line) for line in said.splitlines()]
    assert list(lines[0]) == ["mean", "std", "lower_0.5", "upper_0.5", "lower_0.9", "upper_0.9"]
    assert len(lines) == 60
    assert "--out is needed" in refusal("fit", "-", "--target", "y", stdin=rows, code=2)
    done("fit", "-", *FIT, "--out", tmp_path / "model", stdin=rows)


@pytest.mark.parametrize("name", ["said.csv", "said.csv.gz", "said.parquet", "said.jsonl"])
def test_predictions_in_files(name, folder, tmp_path):
    done("predict", folder / "model", folder / "rows.csv", "--out", tmp_path / name, "--keep", "all")
    readers = {"parquet": pd.read_parquet, "jsonl": lambda path: pd.read_json(path, lines=True)}
    table = readers.get(name.rpartition(".")[2], pd.read_csv)(tmp_path / name)
    assert len(table) == 60
    assert list(table.columns) == ["id", "a", "mean (input)", "y", "mean", "std", "lower", "upper"]


def test_columns_that_cannot_be_kept(folder):
    said = refusal("predict", folder / "model", folder / "rows.csv", "--keep", "idd,b")
    assert "--keep: " in said
    assert "no column 'idd' (did you mean 'id'?), 'b'" in said
    assert "--proba is for classes" in refusal("predict", folder / "model", folder / "rows.csv", "--proba", code=2)
    said = refusal("predict", folder / "model", folder / "rows.csv", "--quantiles", "0.1,two", code=2)
    assert "--quantiles must lie between 0 and 1, got 'two'" in said


def test_tables_on_terminals():
    rows = [{"column": "[red]", "share": 0.123456, "n": 12345}, {"column": "b" * 100, "share": None}]
    rows = [{"column": row["column"], "share": row["share"], "n": row.get("n")} for row in rows]
    for width in (80, 120):
        console = Console(width=width, record=True, file=io.StringIO())
        console.print(drawn(rows, "Shares", {"share": 0}))
        text = console.export_text()
        assert max(map(len, text.splitlines())) <= width
        assert "[red]" in text
        assert "0.1235" in text
        assert "12,345" in text


def test_values_are_not_broken_where_headings_can_be():
    names = ["miss rate", "relative size", "quantile loss", "utility", "interval score", "infinite", "MAE", "RMSE"]
    rows = [{"rows": 12_000, **dict.fromkeys(names, 0.1234), "interval score": 1234.5}]
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(drawn(rows))
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("0.1234") == 7
    assert "12,000" in text
    assert "1234" in text  # four digits


def test_values_as_text():
    assert [
        shown(value) for value in (None, float("nan"), 3, 3.0, 1 / 3, True, "oak", np.int64(7), np.float32(0.5))
    ] == [*("", "", "3", "3", "0.3333", "True", "oak", "7", "0.5000")]
    assert [plain(value) for value in (None, float("inf"), 12345, 1 / 3, "a\tb\nc")] == [
        *("", "inf", "12345", "0.333333333", "a b c")
    ]


def test_rows_with_other_headings_are_one_table(capsys):
    out = Output()
    out.table("scores", [{"model": "a", "seconds": 1}, {"model": "b"}])
    assert capsys.readouterr().out == "model\tseconds\na\t1\nb\t\n"


def test_questions_are_asked_on_terminals(folder, tmp_path, monkeypatch):
    path = tmp_path / "stars.csv"
    frame = pd.read_csv(folder / "rows.csv")
    frame.assign(y=1 + np.arange(60) % 5).to_csv(path, index=False)
    options = ("fit", path, *FIT, "--out", tmp_path / "model")
    assert "1, 2, 3, 4, 5" in refusal(*options, code=2)
    asked = []
    monkeypatch.setattr(Output, "can_ask", lambda self: True)
    monkeypatch.setattr(Output, "ask", lambda self, question, choices, default: asked.append(question) or choices[0])
    done(*options)
    assert "Are they classes, or amounts?" in asked[0]
    assert hedgerow.load(tmp_path / "model").classes_.tolist() == [1, 2, 3, 4, 5]


def test_progress_is_for_terminals(monkeypatch):
    for is_terminal in (False, True):
        file = io.StringIO()
        monkeypatch.setattr(
            _output,
            "Console",
            lambda file=file, force=is_terminal, **_: Console(file=file, force_terminal=force, width=80),
        )
        with Output().progress("counting", 3) as advance:
            advance(3)
        assert ("counting" in file.getvalue()) == is_terminal


def test_wrong_options_are_said_like_other_errors(folder):
    said = refusal("fit", folder / "rows.csv", "--targt", "y", code=2)
    assert "--targt" in said
    assert said.endswith("; hedgerow fit --help lists what there is")
    assert "'fitt'" in refusal("fitt", code=2)
    assert "'--target'" in refusal("fit", folder / "rows.csv", code=2)
    assert run().exit_code == 2  # with the help
    assert run("--help").exit_code == 0
    assert run("fit", "-h").exit_code == 0


def test_every_command_has_the_shared_options():
    shown_help = run("--help").stdout
    for command in ("demo", "evaluate", "fit", "info", "predict", "report", "stream", "tune"):
        assert command in shown_help
        text = run(command, "--help").stdout
        assert "--json" in text
        assert "--quiet" in text


def test_completion():
    result = subprocess.run(
        [sys.executable, "-c", "from hedgerow.cli import app; app(prog_name='hedgerow')"],
        env={**os.environ, "_HEDGEROW_COMPLETE": "complete_bash", "COMP_WORDS": "hedgerow pre", "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.split() == ["predict"]
