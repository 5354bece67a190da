"""Conformal calibration next to recomputations from scratch."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hedgerow import _core
from models import conformal, draw_numbers
from models import online_forest as forest

RNG = np.random.default_rng(0)


def rank_quantile(scores, confidence):
    """The definition: the score of rank ceil(confidence * (n + 1)), or infinity."""
    rank = math.ceil(round(confidence * (len(scores) + 1), 9))
    return math.inf if rank > len(scores) else sorted(scores)[rank - 1]


def out_of_bag_scores(model):
    """Every calibration row asked again of every tree that never learned it."""
    core, archive = model.base_._learner.core, model._learner.calibration.core.archive()
    n, width = archive["labels"].size, model.n_features_in_
    rows = archive["features"].reshape(n, width).astype(np.float64) + core.archive()["origin"]
    if n == 0:
        return np.empty(0)
    answers, _ = core.answers(np.ascontiguousarray(rows), 1)
    is_out = archive["out_of_bag"].reshape(n, -1).astype(bool)
    means = np.array([answer[out].mean() for answer, out in zip(answers, is_out, strict=True)])
    return np.abs(archive["labels"] - means)


def stream_with_duplicates():
    X, y = draw_numbers(400)
    X[100:200] = X[0:100]
    y[150:200] = y[50:100]  # rows and labels twice
    X[200:260] = X[200]
    y[200:260] = 1.5  # one row sixty times
    y[300:] *= -20  # a drift
    return np.round(X * 64) / 64, y  # differences from the first row are exact in single precision


@pytest.mark.parametrize("kind", [{}, {"max_nodes": 9}, {"split_test": "hoeffding", "split_confidence": 0.01}], ids=str)
def test_exact_scores_are_those_of_a_recomputation_at_every_step(kind):
    X, y = stream_with_duplicates()
    model = conformal(forest(grace_period=1, **kind), calibration_size=40)  # warm from the first row
    for i in range(400):
        model.learn_one(X[i], y[i])
        expected = out_of_bag_scores(model)
        np.testing.assert_allclose(np.sort(expected), model.scores_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(expected, model._learner.calibration.core.archive()["scores"], rtol=1e-9, atol=1e-12)
        for confidence in (0.5, 0.9):
            (radius,) = model._learner.calibration.core.radii(np.array([confidence]))
            assert radius == pytest.approx(rank_quantile(model.scores_, confidence))
    assert model.base_.n_drifts_ > 0 or "max_nodes" in kind  # trees were replaced on the way
    assert model.base_.n_nodes_ > 4


def test_calibration_rows_are_the_latest_out_of_bag_rows():
    """Before any split, the rows that the leaves count tell how many trees learned a row."""
    X, y = draw_numbers(60)
    model = conformal(forest(n_estimators=2, grace_period=1000), calibration_size=20)
    expected, learned = [], 0
    for i in range(60):
        model.learn_one(X[i], y[i])
        now = model.base_._learner.core.archive()["leaves.counters"].reshape(2, 5)[:, 0].sum()
        if i > 0 and now - learned < 2:
            expected.append(y[i])
        learned = now
    assert 20 < len(expected) < 59
    np.testing.assert_array_equal(model._learner.calibration.core.archive()["labels"], expected[-20:])


def test_update_every_leaves_scores_alone_in_between():
    X, y = draw_numbers(200)
    model = conformal(calibration_size=500, update_every=10)
    for i in range(200):
        model.learn_one(X[i], y[i])
        fresh = out_of_bag_scores(model) if i > 30 else None
        if i > 30 and i % 10 == 9:
            np.testing.assert_allclose(
                fresh, model._learner.calibration.core.archive()["scores"], rtol=1e-9, atol=1e-12
            )
        elif i > 30 and i % 10 == 8:
            assert np.abs(fresh - model._learner.calibration.core.archive()["scores"]).max() > 1e-6


def test_a_window_of_scores():
    """Random scores with ties, next to a list that is sorted anew each time."""
    window, kept = _core.ScoreWindow(25, 0.0), []
    for score in np.round(RNG.exponential(size=300), 1):
        expected = [rank_quantile(kept, c) for c in (0.3, 0.9)]
        found = window.update(np.array([score]), np.array([0.3, 0.9]))
        np.testing.assert_array_equal(found[0], expected)
        kept = [*kept, score][-25:]
    np.testing.assert_array_equal(window.scores(), np.sort(kept))


def test_adaptive_levels_follow_their_recursion():
    """Gibbs and Candes 2021, equation 2: alpha moves by rate * (target - missed)."""
    rate, target, alpha = 0.03, 0.1, 0.1
    window, kept = _core.ScoreWindow(100, rate), []
    for i, score in enumerate(RNG.exponential(size=500) * np.linspace(1, 5, 500)):
        found = window.update(np.array([score]), np.array([1 - target]))[0, 0]
        expected = 0.0 if alpha >= 1 else rank_quantile(kept, 1 - alpha) if alpha > 0 else math.inf
        assert found == pytest.approx(expected), i
        alpha += rate * (target - (score > expected))
        kept = [*kept, score][-100:]


def test_levels_between_those_followed_are_interpolated():
    window = _core.ScoreWindow(1000, 0.05)
    window.update(RNG.exponential(size=3000), np.empty(0))
    radii = window.radii(np.linspace(0.05, 0.995, 60))
    assert (np.diff(radii) >= 0).mean() > 0.9
    assert np.isfinite(radii[:50]).all()


def test_size_matching_is_the_ratio_of_mean_squares():
    """Factor^2 = 1 - sum_i v_i (1 / K_i - 1 / T) / sum_i score_i^2, with v_i the variance between K_i trees."""
    X, y = draw_numbers(300)
    model = conformal(size_matched=True)
    plain = conformal().fit(X, y)
    model.fit(X, y)
    core, archive = model.base_._learner.core, model._learner.calibration.core.archive()
    n = archive["labels"].size
    rows = archive["features"].reshape(n, 3).astype(np.float64) + core.archive()["origin"]
    answers, _ = core.answers(np.ascontiguousarray(rows), 1)
    excess = 0.0
    for answer, out in zip(answers, archive["out_of_bag"].reshape(n, -1).astype(bool), strict=True):
        k = out.sum()
        excess += np.var(answer[out], ddof=1) * (1 / k - 1 / 4) if k > 1 else 0.0
    factor = math.sqrt(max(0.25, 1 - excess / (archive["scores"] ** 2).sum()))
    assert 0.5 <= factor < 1
    ratio = np.diff(model.predict_interval(X)) / np.diff(plain.predict_interval(X))
    np.testing.assert_allclose(ratio, factor, rtol=1e-9)
