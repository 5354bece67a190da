"""The picture of a lifetime path shows the numbers of the path."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from hedgerow import MondrianKernelRidge
from hedgerow.plot import LifetimePathDisplay

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(50, 1))
Y = np.sin(6 * X[:, 0]) + 0.1 * RNG.normal(size=50)


@pytest.mark.parametrize("selection", ["marginal_likelihood", "loo", "validation"])
def test_curve_and_choice(selection):
    model = MondrianKernelRidge(10, selection=selection, random_state=0).fit(X, Y)
    display = LifetimePathDisplay.from_estimator(model)
    drawn = display.curve_line_.get_xydata()
    positive = model.path_.lifetime > 0
    np.testing.assert_array_equal(drawn, np.column_stack([model.path_.lifetime, model.path_.criterion])[positive])
    assert display.chosen_line_.get_xdata()[0] == model.lifetime_
    assert display.posterior_area_ is None
    assert selection.split("_")[0][:3] in display.ax_.get_ylabel() or selection == "loo"


def test_posterior_and_other_curves():
    model = MondrianKernelRidge(10, random_state=0).fit(X, Y)
    display = LifetimePathDisplay.from_estimator(model, posterior=True, curve="loo_error")
    assert display.posterior_area_ is not None
    assert display.ax_.get_ylabel() == "loo error"
