"""Importances of a boosting count its linear part too."""

from __future__ import annotations

import numpy as np

from hedgerow import MondrianBoostingRegressor


def test_a_column_that_the_linear_part_explains_is_important():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 3))
    y = 10 * X[:, 0] + np.sin(6 * X[:, 1]) + 0.1 * rng.normal(size=300)
    model = MondrianBoostingRegressor(n_estimators=10, linear=True, random_state=0).fit(X, y)
    importances = model.feature_importances_
    assert importances.argmax() == 0
    assert importances[1] > importances[2]
    np.testing.assert_allclose(importances.sum(), 1.0)
