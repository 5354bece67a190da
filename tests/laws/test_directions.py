"""Directions that stages see besides columns: found where labels follow them, and only there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hedgerow
from hedgerow import MondrianBoostingClassifier, MondrianBoostingRegressor
from hedgerow.base.rows import Rows
from hedgerow.boosting._directions import Directions, no_directions
from hedgerow.boosting._kernel_stage import KernelStage


def oblique(n: int, seed: int, width: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, width))
    return X, np.sin(1.5 * (X[:, 0] + X[:, 1] - X[:, 2])) + 0.2 * rng.normal(size=n)


def through_file(model: object, folder: Path) -> object:
    model.save(folder / "model")
    return hedgerow.load(folder / "model")


def directions_of(model: object) -> Directions:
    return model._learner.view.directions


def test_a_function_of_a_sum_of_columns_is_found():
    X, y = oblique(400, 0)
    found = directions_of(MondrianBoostingRegressor(10, random_state=0).fit(X, y))
    leading = found.vectors[0] * np.sign(found.vectors[0, 0])
    expected = np.array([1.0, 1.0, -1.0, 0.0, 0.0, 0.0]) / np.sqrt(3.0)
    assert leading @ expected > 0.95


def test_it_halves_the_error_and_intervals_cover():
    X, y = oblique(400, 1)
    unseen, truth = oblique(2000, 2)
    sees = MondrianBoostingRegressor(random_state=0).fit(X, y)
    without = MondrianBoostingRegressor(random_state=0, stages=["linear", "mondrian", "greedy"]).fit(X, y)
    assert directions_of(without).n == 0
    of_noise = np.mean((sees.predict(unseen) - truth) ** 2) - 0.04
    assert of_noise < 0.25 * (np.mean((without.predict(unseen) - truth) ** 2) - 0.04)
    lower, upper = sees.predict_interval(unseen, 0.9).T
    assert 0.85 < np.mean((lower <= truth) & (truth <= upper)) < 0.94


@pytest.mark.parametrize("seed", range(5))
def test_of_noise_there_are_none(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(300, 5)), rng.normal(size=300)
    assert directions_of(MondrianBoostingRegressor(5, random_state=seed).fit(X, y)).n == 0


def test_of_a_sum_of_functions_there_are_none():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(500, 5))
    y = np.sin(6 * X[:, 0]) + 3 * (X[:, 1] - 0.5) ** 2 + X[:, 2] + 0.1 * rng.normal(size=500)
    assert directions_of(MondrianBoostingRegressor(5, random_state=0).fit(X, y)).n == 0


def test_classes_have_directions_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5))
    y = np.digitize(np.sin(1.5 * (X[:, 0] - X[:, 1])), [-0.4, 0.4])
    model = MondrianBoostingClassifier(10, random_state=0).fit(X, y)
    vector = directions_of(model).vectors[0]
    assert abs(vector[0] - vector[1]) / np.sqrt(2.0) > 0.95


def test_copies_and_units_change_nothing():
    X, y = oblique(200, 3)
    model = MondrianBoostingRegressor(5, random_state=0).fit(X, y)
    assert directions_of(model).n == 3
    twice = MondrianBoostingRegressor(5, random_state=0).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    np.testing.assert_allclose(twice.predict(X[:50]), model.predict(X[:50]), rtol=1e-6)
    factors = 2.0 ** np.arange(-3, 3)
    scaled = MondrianBoostingRegressor(5, random_state=0).fit(X * factors, y)
    np.testing.assert_allclose(directions_of(scaled).vectors, directions_of(model).vectors, atol=1e-9)
    np.testing.assert_allclose(scaled.predict(X[:50] * factors), model.predict(X[:50]), rtol=1e-6)


def test_files_batches_and_importances(tmp_path):
    X, y = oblique(300, 4)
    model = MondrianBoostingRegressor(5, random_state=0).fit(X, y)
    restored = through_file(model, tmp_path)
    assert (restored.predict(X) == model.predict(X)).all()
    assert (np.concatenate([model.predict(X[i : i + 7]) for i in range(0, 300, 7)]) == model.predict(X)).all()
    shares = model.feature_importances_
    assert shares.shape == (6,)
    assert shares.sum() == pytest.approx(1.0)
    assert shares[:3].sum() > 0.8


def test_rows_far_away_and_columns_of_any_size():
    X, y = oblique(300, 5)
    model = MondrianBoostingRegressor(5, random_state=0).fit(X * 1e-200, y)
    assert directions_of(model).n == 3
    assert np.isfinite(model.predict(np.full((1, 6), 1e300))).all()
    assert np.isfinite(model.predict_interval(np.full((1, 6), -1e300), 0.9)).all()


def test_text_beside_numbers(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = oblique(400, 6, width=3)
    rng = np.random.default_rng(0)
    table = pandas.DataFrame(X, columns=list("abc"))
    table.insert(1, "word", rng.choice([f"w{i}" for i in range(12)], 400))
    y = y + table["word"].str[1:].astype(int).to_numpy() / 6
    model = MondrianBoostingRegressor(10, random_state=0).fit(table, y)
    found = directions_of(model)
    assert found.n_columns == 3
    assert abs(found.vectors[0] @ [1.0, 1.0, -1.0]) / np.sqrt(3.0) > 0.95
    assert (through_file(model, tmp_path).predict(table) == model.predict(table)).all()


def test_learned_online_they_are_looked_for_again(tmp_path):
    X, y = oblique(700, 7)
    model = MondrianBoostingRegressor(5, random_state=0)
    model.partial_fit(X[:20], y[:20])
    assert directions_of(model).n == 0
    model.partial_fit(X[20:], y[20:])
    assert directions_of(model).n == 3
    assert (through_file(model, tmp_path).predict(X) == model.predict(X)).all()


def test_secants_are_differences_of_means():
    X, y = oblique(120, 8)
    labels = np.column_stack([y, y**2])
    rows = Rows(X, labels, np.empty(0))
    stage, _ = KernelStage.fitted(rows, np.zeros(120, dtype=np.uint32), 0, np.array([1.0, 0.8, 0.5, 0.1, 0.1, 0.1]), 0)
    steps = np.full(4, 0.3)
    found = stage.secants(X[:20], steps).reshape(20, 2, 4)
    for column in range(4):
        up, down = X[:20].copy(), X[:20].copy()
        up[:, column] += 0.3
        down[:, column] -= 0.3
        np.testing.assert_allclose(found[:, :, column], stage.means(up) - stage.means(down), atol=1e-9)


def test_projections_are_behind_the_columns():
    X = np.random.default_rng(0).normal(size=(5, 3))
    found = Directions(np.array([1.0, 2.0]), np.array([0.5, 4.0]), np.array([[0.6, 0.8]]))
    seen = found.beside(X)
    np.testing.assert_array_equal(seen[:, :3], X)
    np.testing.assert_allclose(seen[:, 3], (X[:, 0] - 1) / 0.5 * 0.6 + (X[:, 1] - 2) / 4 * 0.8)
    np.testing.assert_allclose(found.shared_out(np.array([1.0, 2.0, 3.0, 10.0])), [4.6, 8.4, 3.0])
    assert no_directions(3).beside(X) is X
