"""Saved sums of trees on the command line: info and predict take them as they take forests."""

import numpy as np
import pandas as pd
import pytest

from command_line import done
from hedgerow import BARTClassifier, BARTRegressor

FRAME = pd.DataFrame(np.random.default_rng(0).uniform(size=(90, 2)), columns=["height", "width"])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", [BARTClassifier, BARTRegressor])
def test_info_and_predict(kind, tmp_path):
    y = (FRAME.height > 0.5).astype(int)
    model = kind(5, sampler={"grow_prune": 2}, n_chains=2, n_draws=23, n_burn_in=10, random_state=0).fit(FRAME, y)
    model.save(tmp_path / "sums")
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    shown = done("info", tmp_path / "sums").stdout
    assert kind.__name__ in shown
    assert "{'grow_prune': 2}" in shown
    assert "draws of each chain\t23\n" in shown
    assert ("noise, posterior mean" in shown) == (kind is BARTRegressor)
    done("predict", tmp_path / "sums", tmp_path / "rows.csv", "--out", tmp_path / "out.csv")
    written = pd.read_csv(tmp_path / "out.csv")
    expected = model.predict(FRAME) if kind is BARTClassifier else model.predict_interval(FRAME)[:, 0]
    np.testing.assert_allclose(written["class" if kind is BARTClassifier else "lower"], expected)
