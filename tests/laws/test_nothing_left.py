"""Of a row that was unlearned, nothing is left in the forest's file."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import MondrianForestRegressor
from trees import StoredForest

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = RNG.normal(size=60)
SECRET = 12345.678


def means_of_nodes(forest):
    """Means are second in what each node says."""
    core = forest._learner.core
    n_nodes = StoredForest.of(forest).tree.size
    return core.summaries().reshape(n_nodes, -1)[:, 1]


@pytest.mark.parametrize("way", ["fit", "partial_fit"])
@pytest.mark.parametrize("smoothing", ["hierarchy", "moments"])
def test_labels_and_features_are_wiped(way, smoothing):
    forest = MondrianForestRegressor(5, smoothing=smoothing, scaling="none", min_samples_split=2, random_state=0)
    x = np.array([[0.1, 0.2, 0.3]])
    getattr(forest, way)(np.concatenate([X, x]), np.concatenate([Y, [SECRET]]))
    arrays = StoredForest.of(forest).arrays
    origin = forest._learner.labels.origin
    assert np.isclose(arrays["rows.labels"], SECRET - origin).any()
    assert np.abs(means_of_nodes(forest)).max() > 100
    forest.unlearn(x, [SECRET])
    arrays = StoredForest.of(forest).arrays
    freed = arrays["rows.freed"]
    assert freed.size == 1
    assert not np.isclose(arrays["rows.labels"], SECRET - origin).any()
    assert (arrays["rows.features"].reshape(-1, 3)[freed] == 0).all()
    assert (arrays["rows.labels"][freed] == 0).all()
    assert (arrays["rows.given"].reshape(-1, 3)[freed] == 0).all()
    assert np.abs(means_of_nodes(forest)).max() < 100
    assert arrays["trees.n_freed"].any()


def test_rows_wiped_are_reused_whole():
    forest = MondrianForestRegressor(3, min_samples_split=2, random_state=0).partial_fit(X, Y, np.full(60, 2.0))
    forest.unlearn(X[:20], Y[:20])
    forest.partial_fit(X[:20] + 1, Y[:20], np.full(20, 3.0))
    assert forest.check_structure() == []
    forest.unlearn(X[:20] + 1, Y[:20], np.full(20, 3.0))
    assert forest.n_samples_ == 40
