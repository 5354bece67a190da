"""Saved Bayesian trees on the command line: info and predict take them as they take forests."""

import numpy as np
import pandas as pd
import pytest

from command_line import done
from hedgerow import BayesianTreeClassifier, BayesianTreeRegressor

FRAME = pd.DataFrame(np.random.default_rng(0).uniform(size=(90, 2)), columns=["height", "width"])


@pytest.mark.parametrize("kind", [BayesianTreeClassifier, BayesianTreeRegressor])
def test_info_and_predict(kind, tmp_path):
    y = (FRAME.height > 0.5).astype(int)
    model = kind(n_particles=50, random_state=0).fit(FRAME, y)
    model.save(tmp_path / "trees")
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    shown = done("info", tmp_path / "trees").stdout
    assert kind.__name__ in shown
    assert f"{model.n_leaves_:.6g}" in shown
    done("predict", tmp_path / "trees", tmp_path / "rows.csv", "--out", tmp_path / "out.csv")
    written = pd.read_csv(tmp_path / "out.csv")
    expected = model.predict(FRAME) if kind is BayesianTreeClassifier else model.predict_interval(FRAME)[:, 0]
    np.testing.assert_allclose(written["class" if kind is BayesianTreeClassifier else "lower"], expected)
