"""Saved optimisations on the command line: info shows them, predict says what they are."""

from command_line import done, refusal
from hedgerow.optimize import Optimizer


def test_info_and_predict(tmp_path):
    optimizer = Optimizer({"x": (0, 1)}, exploration=2.0, random_state=0)
    optimizer.save(tmp_path / "new")
    done("info", tmp_path / "new")
    optimizer.tell([{"x": 0.25}, {"x": 0.75}], [3.5, 1.5])
    optimizer.save(tmp_path / "search")
    shown = done("info", tmp_path / "search").stdout
    for words in ("Optimizer", "exploration", "2.0", "least value", "1.5", "0.75"):
        assert words in shown
    (tmp_path / "rows.csv").write_text("x\n0.5\n")
    assert "is an optimisation, not a model" in refusal("predict", tmp_path / "search", tmp_path / "rows.csv")
