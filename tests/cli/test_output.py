"""How the command line speaks: in pipes, on terminals, as JSON, in silence, and of its own options."""

import io
import itertools
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
from hedgerow.cli._output import Output, as_plain_values, drawn, plain, shown


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
    assert "1,234" in text  # four digits


def test_values_as_text():
    assert [
        shown(value) for value in (None, float("nan"), 3, 3.0, 1 / 3, True, "oak", np.int64(7), np.float32(0.5))
    ] == [*("", "", "3", "3", "0.3333", "True", "oak", "7", "0.5000")]
    assert [plain(value) for value in (None, float("inf"), 12345, 1 / 3, "a\tb\nc")] == [
        *("", "inf", "12345", "0.333333333", "a b c")
    ]


def test_missing_dates_are_nothing():
    assert plain(pd.NaT) == ""
    assert as_plain_values({"when": [pd.NaT, None, float("nan")], "n": np.int64(3)}) == {"when": [None] * 3, "n": 3}


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


def test_a_question_without_an_answer_is_an_error(folder, tmp_path, monkeypatch):
    """Ctrl-D at the question was a traceback."""
    path = tmp_path / "stars.csv"
    pd.read_csv(folder / "rows.csv").assign(y=1 + np.arange(60) % 5).to_csv(path, index=False)
    monkeypatch.setattr(Output, "can_ask", lambda self: True)
    ended = run("fit", path, *FIT, "--out", tmp_path / "model")  # whose input is empty
    assert ended.exit_code == 2
    assert "--task classification" in ended.stderr.splitlines()[-1]


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
    assert "--target is needed" in refusal("fit", folder / "rows.csv", code=2)
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


COMMANDS = ("demo", "evaluate", "explain", "fit", "info", "merge", "predict", "report", "stream", "tune")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_speaks_no_python(command):
    """Values are called by what they are, options without one have none, and lines are broken by the terminal only."""
    text = run(command, "--help").stdout
    for word in ("list[", "<bool>", "<int", "<str>", "<path>", "PosixPath", "4294967295"):
        assert word not in text
    described = [line.strip() for line in text.split("╭")[0].splitlines()]
    broken = [line for line, after in itertools.pairwise(described) if line and after]
    assert all(len(line) > 150 for line in broken)  # of a terminal of 200 characters


SAID = {
    ("fit",): "DATA is needed;",
    ("fit", "a.csv"): "--target is needed;",
    ("fit", "a.csv", "-t", "y", "--trees", "many"): "--trees must be a whole number;",
    ("fit", "a.csv", "-t", "y", "--trees", "0"): "--trees must be at least 1;",
    ("fit", "a.csv", "-t", "y", "--confidence", "high"): "--confidence must be a number;",
    ("fit", "a.csv", "-t", "y", "--seed", "-1"): "--seed must lie between 0 and 4294967295, got -1;",
    ("fit", "a.csv", "-t", "y", "--modle", "forest"): "there is no option '--modle' (did you mean '--model'?);",
    ("fit", "a.csv", "b.csv", "-t", "y"): "there is more than the command takes: b.csv;",
    ("fti", "a.csv"): "there is no command 'fti' (did you mean 'fit'?);",
    ("frobnicate",): "there is no command 'frobnicate';",
    ("stream", "-", "-t", "y"): "not through a pipe",
    # Said before a table is read, which is not there.
    ("fit", "a.csv", "-t", "y", "--model", "bosting"): "did you mean 'boosting'?",
    ("fit", "a.csv", "-t", "y", "--task", "regresion"): "did you mean 'regression'?",
    ("evaluate", "a.csv", "-t", "y", "--model", "forest,bosting"): "did you mean 'boosting'?",
    ("tune", "a.csv", "-t", "y", "--model", "bosting"): "did you mean 'boosting'?",
}


@pytest.mark.parametrize("arguments", SAID, ids=" ".join)
def test_mistakes_are_named(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert SAID[arguments] in refusal(*arguments, code=2)


def test_files_that_are_something_else(folder):
    table = folder / "rows.csv"
    for command in (("predict", table, table), ("info", table), ("report", table), ("explain", table, table)):
        said = refusal(*command)
        assert "is a table, and a model is needed here; hedgerow fit " in said
    assert "there is no file or folder" in refusal("evaluate", table, "-t", "y", "--test", folder / "nothing.csv")
    assert "there is no file or folder" in refusal("stream", folder / "nothing", "-t", "y")
    (folder / "uneven.csv").write_text("a,b\n1,2\n1,2,3,4\n")
    assert "line 3 has 4 values instead of 2" in refusal("fit", folder / "uneven.csv", "-t", "b")


def test_streams_of_files_without_an_ending(folder, tmp_path):
    (tmp_path / "rows.txt").write_bytes((folder / "rows.csv").read_bytes())
    done("stream", tmp_path / "rows.txt", "-t", "y", "--trees", 2)


def test_large_numbers_fit_into_a_terminal():
    names = ("RMSE", "R2", "CRPS", "coverage", "width", "seconds")
    values = (95_941.23, 0.8244, 52_271.6, 0.8833, 1_291_512.9, 12.25)
    rows = [{"model": "HistGradientBoosting", **dict(zip(names, values, strict=True))}]
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(drawn(rows, "Rows not learned, mean over 3 folds"))
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= 80
    for word in ("HistGradientBoosting", "95,941", "0.8244", "52,272", "1,291,513", "12.25", "seconds"):
        assert word in text


def test_words_of_headings_are_not_broken():
    names = ["miss rate", "relative size", "quantile loss", "utility", "interval score", "infinite", "MAE", "RMSE"]
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(
        drawn([{"rows": 4000, **dict.fromkeys(names, 0.1234)}], "A title that is wider than a small table is")
    )
    text = console.export_text()
    assert text.splitlines()[0].rstrip() == "A title that is wider than a small table is"
    for word in ("relative", "quantile", "interval", "infinite"):
        assert word in text
    console.print(drawn([{"a" * 30: 1, "b" * 30: 2, "c" * 30: 3}], width=80))
    assert max(map(len, console.export_text().splitlines())) <= 80
