"""Ctrl-C stops long work within seconds and leaves a model that can be used."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

from hedgerow import MondrianForestRegressor
from models import bits

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60_000, 4))
Y = RNG.normal(size=60_000)


@pytest.fixture
def interrupted():
    """Run a call, press Ctrl-C after a while, and return how long the call took to stop."""

    def run(call, after=0.3):
        pressed = []

        def press():
            pressed.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(after, press)
        timer.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                call()
            return time.monotonic() - pressed[0]
        finally:
            timer.cancel()
            timer.join()

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield run
    signal.signal(signal.SIGINT, previous)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_fit(interrupted, n_jobs):
    forest = MondrianForestRegressor(3000, n_jobs=n_jobs, random_state=0)
    assert interrupted(lambda: forest.fit(X, Y)) < 5
    assert not forest.__sklearn_is_fitted__()
    forest.set_params(n_estimators=2).fit(X[:100], Y[:100])
    assert forest.check_structure() == []


def test_refit_keeps_the_old_forest(interrupted):
    forest = MondrianForestRegressor(500, random_state=0).fit(X[:50], Y[:50])
    before = bits(forest)
    assert interrupted(lambda: forest.fit(np.tile(X, (4, 1)), np.tile(Y, 4))) < 5
    assert bits(forest) == before


def test_partial_fit(interrupted):
    forest = MondrianForestRegressor(100, random_state=0).fit(X[:100], Y[:100])
    assert interrupted(lambda: forest.partial_fit(X, Y)) < 5
    assert forest.check_structure() == []
    n_learned = forest.n_samples_seen_ - 100
    assert 0 <= n_learned < len(X)
    # What was learned is a whole number of rows, from the first on.
    expected = np.average(np.r_[Y[:100], Y[:n_learned]])
    assert forest.prior_mean_ == pytest.approx(expected, rel=1e-9)
    forest.partial_fit(X[:10], Y[:10])
    assert np.isfinite(forest.predict(X[:10])).all()


def test_predict(interrupted):
    forest = MondrianForestRegressor(100, min_samples_split=2, random_state=0).fit(X[:2000], Y[:2000])
    before = bits(forest)
    queries = np.tile(X, (20, 1))
    assert interrupted(lambda: forest.predict(queries)) < 5
    assert interrupted(lambda: forest.predict_interval(queries)) < 5
    assert bits(forest) == before
