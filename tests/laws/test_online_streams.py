"""Online regressors on streams: evaluation by chunks is evaluation row by row, with whole distributions too."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import OnlineQuantileForestRegressor
from hedgerow.metrics import crps
from hedgerow.stream import evaluate
from models import draw_numbers, every
from models import online_forest as forest

X, Y = draw_numbers(200)


class RowByRow:
    """A model without its call for whole chunks."""

    def __init__(self, model):
        self.predict, self.predict_interval, self.predict_one = (
            model.predict,
            model.predict_interval,
            model.predict_one,
        )
        self.learn_one = model.learn_one


@every("only_online")
def test_chunks_are_rows(case):
    whole = evaluate(case.new(), zip(X, Y, strict=True), window=50, confidence=0.8, progress=False)
    by_row = evaluate(RowByRow(case.new()), zip(X, Y, strict=True), window=50, confidence=0.8, progress=False)
    for name, values in by_row.history.items():
        np.testing.assert_allclose(whole.history[name], values, rtol=1e-12, equal_nan=True, err_msg=name)


@every("only_online")
def test_whole_distributions_are_scored(case):
    run = evaluate(case.new(), zip(X[:50], Y[:50], strict=True), window=10, progress=False, distribution=True)
    assert np.isfinite(run.history["crps"][1:]).all()


def test_the_score_of_labels_is_that_of_their_distances():
    """E|X - y| - E|X - X'| / 2, by summing over all pairs."""
    dist = OnlineQuantileForestRegressor(forest()).fit(X, Y).predict_dist(X[:7])
    expected = []
    for i in range(7):
        own = slice(dist.first[i], dist.first[i + 1])
        weights, labels = dist.weights[own], dist.labels[own]
        pairs = weights @ np.abs(labels[:, None] - labels) @ weights
        expected.append(weights @ np.abs(labels - Y[i]) - 0.5 * pairs)
    assert crps(Y[:7], dist) == pytest.approx(np.mean(expected), rel=1e-9)
