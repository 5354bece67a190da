"""Stages whose trees end early, because rows are many: bounded, honest, and the same in files and batches."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hedgerow
from hedgerow import MondrianBoostingClassifier, MondrianBoostingRegressor
from hedgerow.boosting import _mondrian_stage

pytestmark = pytest.mark.filterwarnings("ignore:.*copies")


@pytest.fixture(autouse=True)
def few_leaves(monkeypatch):
    monkeypatch.setattr(_mondrian_stage, "MOST_LEAVES", 150)


def friedman(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 5))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + rng.normal(size=n)


def forests(model: object) -> list:
    return [stage.forest for chain in model._learner.stages.chains for stage in chain.mondrian]


def test_trees_have_about_so_many_leaves():
    model = MondrianBoostingRegressor(20, random_state=0).fit(*friedman(1500, 0))
    for forest in forests(model):
        assert forest.settings.lifetime < math.inf
        leaves = (forest.core.n_nodes / 20 + 1) / 2
        assert 75 < leaves < 300


def test_with_fewer_rows_they_part_all_of_them():
    model = MondrianBoostingRegressor(5, random_state=0).fit(*friedman(150, 0))
    assert all(forest.settings.lifetime == math.inf for forest in forests(model))


def test_leave_one_out_tells_the_error_on_new_rows_and_intervals_cover():
    """Few-valued columns put many rows where nothing parts them."""
    X, y = friedman(1500, 1)
    unseen, truth = friedman(4000, 2)
    X, unseen = np.round(X, 1), np.round(unseen, 1)
    model = MondrianBoostingRegressor(random_state=0, stages=["linear", "mondrian"]).fit(X, y)
    honest = float(np.mean(model._learner.stages.residuals**2))
    assert honest == pytest.approx(np.mean((model.predict(unseen) - truth) ** 2), rel=0.12)
    lower, upper = model.predict_interval(unseen, 0.9).T
    assert 0.87 < np.mean((lower <= truth) & (truth <= upper)) < 0.93


def test_errors_are_not_underestimated_where_noise_is_small():
    """As they would be if small blocks were left whole instead: the ratio is then 0.85, here it is 1.14."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(5500, 3))
    y = np.sin(6 * X[:, 0]) * X[:, 1] + X[:, 2]
    model = MondrianBoostingRegressor(20, random_state=0, stages=["mondrian"]).fit(X[:1500], y[:1500])
    error = np.mean((model.predict(X[1500:]) - y[1500:]) ** 2)
    assert np.mean(model._learner.stages.residuals**2) > 0.95 * error
    lower, upper = model.predict_interval(X[1500:], 0.9).T
    assert 0.86 < np.mean((lower <= y[1500:]) & (y[1500:] <= upper)) < 0.96


@pytest.mark.parametrize("is_classes", [False, True])
def test_files_and_rows_that_follow(is_classes, tmp_path):
    X, y = friedman(700, 3)
    kind = MondrianBoostingClassifier if is_classes else MondrianBoostingRegressor
    y = np.digitize(y, [10.0, 18.0]) if is_classes else y
    model = kind(4, random_state=0).fit(X[:500], y[:500])
    model.save(tmp_path / "model")
    restored = hedgerow.load(tmp_path / "model")
    for each in (model, restored):
        each.partial_fit(X[500:], y[500:])
    assert (restored.predict(X) == model.predict(X)).all()
    answers = model.predict(X)
    assert (np.concatenate([model.predict(X[i : i + 50]) for i in range(0, 700, 50)]) == answers).all()
