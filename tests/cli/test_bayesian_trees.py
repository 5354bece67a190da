"""Saved Bayesian trees on the command line: info and predict take them as they take forests."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from hedgerow import BayesianTreeClassifier, BayesianTreeRegressor
from hedgerow.cli import app
from hedgerow.cli._table import read_table

FRAME = pd.DataFrame(np.random.default_rng(0).uniform(size=(90, 2)), columns=["height", "width"])


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})


@pytest.mark.parametrize("kind", [BayesianTreeClassifier, BayesianTreeRegressor])
def test_info_and_predict(kind, tmp_path):
    y = (FRAME.height > 0.5).astype(int)
    model = kind(n_particles=50, random_state=0).fit(FRAME, y)
    model.save(tmp_path / "trees")
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    shown = run("info", tmp_path / "trees").stdout
    assert kind.__name__ in shown
    assert f"{model.n_leaves_:.6g}" in shown
    result = run("predict", tmp_path / "trees", tmp_path / "rows.csv", "--out", tmp_path / "out.csv")
    assert result.exit_code == 0, result.output
    written = read_table(tmp_path / "out.csv")
    expected = model.predict(FRAME) if kind is BayesianTreeClassifier else model.predict_interval(FRAME)[:, 0]
    np.testing.assert_allclose(written["class" if kind is BayesianTreeClassifier else "lower"], expected)
