"""The picture of chains shows the numbers that they noted down."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from hedgerow import BARTClassifier, BARTRegressor
from hedgerow.plot import TraceDisplay

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RNG = np.random.default_rng(0)
X = RNG.uniform(size=(50, 2))
QUICK = {"n_draws": 40, "n_burn_in": 10, "n_chains": 3, "random_state": 0}


def test_lines_and_counts():
    model = BARTRegressor(5, **QUICK).fit(X, X[:, 0])
    display = TraceDisplay.from_estimator(model)
    assert display.names == ("noise", "log_likelihood")
    assert display.axes_.shape == (2, 2)
    for name in display.names:
        assert len(display.lines_[name]) == 3
        for line, draws in zip(display.lines_[name], model.trace_[name], strict=True):
            np.testing.assert_array_equal(line.get_ydata(), draws)
    assert len(display.axes_[0, 1].patches) == 3
    assert display.axes_[0, 0].get_title(loc="left") == "3 chains of 40 draws"
    assert display.axes_[1, 0].get_ylabel() == "log-likelihood"


def test_names_axes_and_style():
    model = BARTClassifier(5, **QUICK).fit(X, X[:, 0] > 0.5)
    assert TraceDisplay.from_estimator(model).names == ("log_likelihood",)
    _, axes = matplotlib.pyplot.subplots(1, 2, squeeze=False)
    display = TraceDisplay.from_estimator(model, names=["n_leaves"], axes=axes, linewidth=3)
    assert display.axes_[0, 0] is axes[0, 0]
    assert display.lines_["n_leaves"][0].get_linewidth() == 3
    with pytest.raises(ValueError, match="no trace of 'noise'; known are 'log_likelihood'"):
        TraceDisplay.from_estimator(model, names=["noise"])
    with pytest.raises(ValueError, match=r"2 names need axes of shape \(2, 2\), got \(1, 2\)"):
        TraceDisplay.from_estimator(model, names=["n_leaves", "root_changes"], axes=axes)
    with pytest.raises(ValueError, match="nothing to draw"):
        TraceDisplay(model.trace_, names=[])
