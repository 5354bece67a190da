"""The cells of a forest are where its leaves are."""

import numpy as np
import pytest

from hedgerow import MondrianForestClassifier, MondrianForestRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)) * [1, 10, 0.1]
Y = RNG.normal(size=60)


@pytest.mark.parametrize("scaling", ["none", "range", "half", "rank"])
def test_all_of_a_cell_falls_in_one_leaf_and_its_border_is_a_cut(scaling):
    forest = MondrianForestRegressor(n_estimators=4, scaling=scaling, hyperparameters="paper", random_state=0).fit(X, Y)
    rows = X[:10] + 0.01
    cells, leaves = forest.cells(rows), forest.apply(rows)
    assert cells.shape == (10, 4, 3, 2)
    assert (cells[..., 0] < cells[..., 1]).all()
    inner = np.clip(cells, X.min(axis=0)[:, None] - 1, X.max(axis=0)[:, None] + 1)
    for i in range(10):
        for tree in range(4):
            lower, upper = inner[i, tree].T
            margin = 1e-4 * (upper - lower)
            drawn = RNG.uniform(lower + margin, upper - margin, size=(20, 3))
            assert (forest.apply(drawn)[:, tree] == leaves[i, tree]).all()
            for column, side in np.argwhere(np.isfinite(cells[i, tree])):
                beyond = rows[i].copy()
                beyond[column] = cells[i, tree, column, side] + (2 * side - 1) * 1e-3 * np.ptp(X[:, column])
                assert forest.apply(beyond[None])[0, tree] != leaves[i, tree]


def test_classifiers_have_cells_too():
    forest = MondrianForestClassifier(n_estimators=2, random_state=0).fit(X, Y > 0)
    assert (forest.cells(X)[..., 0] < X[:, None]).all()
    assert (forest.cells(X)[..., 1] > X[:, None] - 1e-5).all()
