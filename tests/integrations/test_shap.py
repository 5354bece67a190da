"""Explanations as those of the library shap, and its plots of them."""

from __future__ import annotations

import sys

import matplotlib
import numpy as np
import pandas
import pytest

from models import BY_NAME
from tables import draw_table

matplotlib.use("Agg")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def shap():
    return pytest.importorskip("shap", reason="pip install 'hedgerow[shap]'")


def test_plots_of_numbers_and_of_tables(shap):
    import matplotlib.pyplot as plt

    table, y = draw_table(80)
    frame = pandas.DataFrame(table)
    X, targets = BY_NAME["forest"].data(80)
    for rows, labels in ((X, targets), (frame, y)):
        model = BY_NAME["forest"].new().fit(rows, labels)
        found = model.explain(rows[:20]).to_shap()
        np.testing.assert_allclose(found.values.sum(axis=1) + found.base_values, model.predict(rows[:20]))
        for plot, given in ((shap.plots.bar, found), (shap.plots.beeswarm, found), (shap.plots.waterfall, found[3])):
            plot(given, show=False)
            names = [text.get_text() for text in plt.gcf().findobj(matplotlib.text.Text)]
            assert any(found.feature_names[0] in name for name in names)
            plt.close("all")


def test_classes(shap):
    import matplotlib.pyplot as plt

    model, X = BY_NAME["class forest"].fitted(80), BY_NAME["class forest"].data(20)[0]
    found = model.explain(X).to_shap()
    assert found.shape == (20, 3, 3)
    assert found.output_names == ["blue", "green", "red"]
    shap.plots.waterfall(found[2, :, 1], show=False)
    shap.plots.beeswarm(found[:, :, "red"], show=False)
    plt.close("all")


def test_without_shap(monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    model, X = BY_NAME["forest"].fitted(30), BY_NAME["forest"].data(3)[0]
    with pytest.raises(ImportError, match=r"to_shap needs the package shap: pip install 'hedgerow\[shap\]'"):
        model.explain(X).to_shap()
