"""Saved sums of trees on the command line: info and predict take them as they take forests."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from hedgerow import BARTClassifier, BARTRegressor
from hedgerow.cli import app
from hedgerow.cli._table import read_table

FRAME = pd.DataFrame(np.random.default_rng(0).uniform(size=(90, 2)), columns=["height", "width"])


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", [BARTClassifier, BARTRegressor])
def test_info_and_predict(kind, tmp_path):
    y = (FRAME.height > 0.5).astype(int)
    model = kind(5, sampler={"grow_prune": 2}, n_chains=2, n_draws=23, n_burn_in=10, random_state=0).fit(FRAME, y)
    model.save(tmp_path / "sums")
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    shown = run("info", tmp_path / "sums").stdout
    assert kind.__name__ in shown
    assert "{'grow_prune': 2}" in shown
    assert any("draws of each chain" in line and "23" in line for line in shown.splitlines())
    assert ("noise, posterior mean" in shown) == (kind is BARTRegressor)
    result = run("predict", tmp_path / "sums", tmp_path / "rows.csv", "--out", tmp_path / "out.csv")
    assert result.exit_code == 0, result.output
    written = read_table(tmp_path / "out.csv")
    expected = model.predict(FRAME) if kind is BARTClassifier else model.predict_interval(FRAME)[:, 0]
    np.testing.assert_allclose(written["class" if kind is BARTClassifier else "lower"], expected)
