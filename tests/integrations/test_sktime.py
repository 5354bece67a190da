"""sktime's forecasts by reduction through the adapter for skpro: the page's example, and the numbers of the model."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hedgerow import MondrianForestRegressor

reduction = pytest.importorskip("sktime.forecasting.compose").make_reduction
from hedgerow.integrations.skpro import SkproRegressor  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
PAGE = Path(__file__).parents[2] / "docs" / "guide" / "other_libraries.md"


def test_the_example_of_the_page():
    section = PAGE.read_text(encoding="utf-8").partition("\n## sktime\n")[2]
    code, printed = re.findall(r"```{code-block} \w+\n(.*?)```", section, flags=re.DOTALL)
    names = {"np": np, "pd": pd, "MondrianForestRegressor": MondrianForestRegressor, "SkproRegressor": SkproRegressor}
    with redirect_stdout(StringIO()) as out:
        exec(compile(code, PAGE.name, "exec"), names)
    assert out.getvalue() == printed


def test_the_intervals_are_those_of_the_model():
    months = pd.period_range("2000-01", periods=60, freq="M")
    series = pd.Series(np.random.default_rng(0).normal(size=60), index=months)
    model = MondrianForestRegressor(n_estimators=5, random_state=0)
    forecaster = reduction(SkproRegressor(model), strategy="direct", window_length=3).fit(series, fh=[2])
    found = forecaster.predict_interval(coverage=[0.5, 0.9]).to_numpy()
    windows = np.lib.stride_tricks.sliding_window_view(series.to_numpy(), 3)
    alone = MondrianForestRegressor(n_estimators=5, random_state=0).fit(windows[:-2], series[4:])
    expected = alone.predict_interval(windows[-1:], confidence=[0.5, 0.9])
    np.testing.assert_allclose(found, expected.transpose(0, 2, 1).reshape(1, 4))
