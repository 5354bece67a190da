"""What models on Dask tell: how far a fit is, and who has what they have not."""

from __future__ import annotations

import pytest
from sklearn.base import clone

import hedgerow
from hedgerow.base.progress import reporting_to

pytest.importorskip("distributed")

import dask.array as da

from hedgerow.integrations import _dask_models
from hedgerow.integrations.dask import DaskMondrianForestRegressor


def test_a_bar_shows_how_far_it_is(client, monkeypatch):
    monkeypatch.setattr(_dask_models, "SECONDS_BETWEEN_REPORTS", 0.01)
    reports = []
    X = da.random.default_rng(0).uniform(size=(300, 3), chunks=(100, 3))
    with reporting_to(lambda *what: reports.append(what)):
        DaskMondrianForestRegressor(300, random_state=0, client=client).fit(X, X[:, 0])
    assert "growing trees" in {what for what, *_ in reports}
    assert all(0 <= done <= total for _, done, total in reports)
    assert [total for *_, total in reports] == sorted(total for *_, total in reports)


def test_what_only_the_ordinary_model_has():
    model = DaskMondrianForestRegressor()
    for name in ("save", "feature_importances_", "explain"):
        with pytest.raises(AttributeError, match=rf"no attribute '{name}'; to_local\(\) returns the ordinary model"):
            getattr(model, name)
    with pytest.raises(AttributeError, match=r"no attribute 'explained'$"):
        model.explained  # noqa: B018
    with pytest.raises(TypeError, match=r"got DaskMondrianForestRegressor; merge what its to_local\(\) returns"):
        hedgerow.merge([model])
    assert clone(model).get_params() == model.get_params()
