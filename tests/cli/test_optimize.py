"""Saved optimisations on the command line: info shows them, predict says what they are."""

from typer.testing import CliRunner

from hedgerow.cli import app
from hedgerow.optimize import Optimizer


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})


def test_info_and_predict(tmp_path):
    optimizer = Optimizer({"x": (0, 1)}, exploration=2.0, random_state=0)
    optimizer.save(tmp_path / "new")
    assert run("info", tmp_path / "new").exit_code == 0
    optimizer.tell([{"x": 0.25}, {"x": 0.75}], [3.5, 1.5])
    optimizer.save(tmp_path / "search")
    shown = run("info", tmp_path / "search").stdout
    for words in ("Optimizer", "exploration", "2.0", "least value", "1.5", "0.75"):
        assert words in shown
    (tmp_path / "rows.csv").write_text("x\n0.5\n")
    result = run("predict", tmp_path / "search", tmp_path / "rows.csv", "--out", tmp_path / "out.csv")
    assert result.exit_code == 1
    assert "is an optimisation, not a model" in result.output
