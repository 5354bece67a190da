"""Ctrl-C stops long work within seconds and leaves a model that can be used."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import hedgerow as hr
from hedgerow import MondrianForestRegressor
from models import bits
from thorough import THOROUGH

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


def test_distributions(interrupted):
    """All rows of them were once asked for in one call."""
    forest = MondrianForestRegressor(50, random_state=0).fit(X[:2000], Y[:2000])
    before = bits(forest)
    assert interrupted(lambda: forest.predict_dist(X)) < 5
    assert bits(forest) == before


def test_cells(interrupted):
    features = hr.MondrianFeatures(4000, random_state=0)
    assert interrupted(lambda: features.fit(X)) < 5
    assert not features.__sklearn_is_fitted__()
    features.set_params(length_scale=1.0)
    assert interrupted(lambda: features.partial_fit(X)) < 5
    assert 0 < features.n_samples_seen_ < len(X)
    assert features.transform(X[:5]).shape == (5, features.n_features_out_)


def test_kernel_ridge(interrupted):
    ridge = hr.MondrianKernelRidge(200, solver="iterative", random_state=0).fit(X[:50], Y[:50])
    before = bits(ridge)
    assert interrupted(lambda: ridge.fit(np.tile(X, (2, 1)), np.tile(Y, 2)), after=1) < 5
    assert bits(ridge) == before


MANY = RNG.uniform(size=(200_000, 6))


def test_in_the_middle_of_a_sweep(interrupted):
    """A sweep of these chains takes seconds. One that was begun is taken back, and chains go on as if nothing was."""
    few = {"n_chains": 2, "n_burn_in": 1, "n_draws": 1, "sampler": "pg", "progress": False}
    model, twin = (hr.BARTRegressor(20, **few, random_state=0).fit(MANY, MANY[:, 0]) for _ in range(2))
    before = bits(model)
    assert interrupted(lambda: model.set_params(n_estimators=200).fit(MANY, MANY[:, 0])) < 1
    model.set_params(n_estimators=20)
    assert bits(model) == before
    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    model.continue_sampling(5)  # which keeps what there is
    timer.join()
    n_kept = model.n_draws_
    assert n_kept < 6
    assert bits(model.continue_sampling(6 - n_kept)) == bits(twin.continue_sampling(5))


def test_a_handler_that_does_not_raise_changes_nothing():
    calls = []
    forest, twin = (MondrianForestRegressor(5, random_state=0) for _ in range(2))
    previous = signal.signal(signal.SIGALRM, lambda *_: calls.append(bits(twin)))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        forest.fit(X, Y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert len(calls) > 1
    assert bits(forest) == bits(twin.fit(X, Y))


def test_other_threads_go_on(interrupted):
    """Python raises KeyboardInterrupt in the main thread only; what others have begun they end."""
    forest = MondrianForestRegressor(20, n_jobs=2, random_state=0)
    thread = threading.Thread(target=lambda: forest.fit(X, Y))

    def wait():
        thread.start()
        thread.join()
        thread.join(60)

    interrupted(wait, after=0.1)
    thread.join()
    assert bits(forest) == bits(MondrianForestRegressor(20, random_state=0).fit(X, Y).set_params(n_jobs=2))


LONG_FITS = {
    "boosting": lambda: hr.MondrianBoostingRegressor(random_state=0),
    "class boosting": lambda: hr.MondrianBoostingClassifier(random_state=0),
    "class forest": lambda: hr.MondrianForestClassifier(500, random_state=0),
    "forest, paper": lambda: MondrianForestRegressor(1000, hyperparameters="paper", random_state=0),
    "kernel ridge": lambda: hr.MondrianKernelRidge(random_state=0),
    "tree": lambda: hr.BayesianTreeRegressor(n_particles=5000, random_state=0),
    "tree, chain": lambda: hr.BayesianTreeClassifier(sampler="cgm", n_steps=1_000_000, random_state=0),
    "BART": lambda: hr.BARTRegressor(random_state=0, progress=False),
    "class BART": lambda: hr.BARTClassifier(random_state=0, progress=False),
    "online forest": lambda: hr.OnlineForestRegressor(1000, random_state=0),
    "conformal": lambda: hr.OnlineConformalRegressor(hr.OnlineForestRegressor(500, random_state=0), normalised=True),
    "quantile forest": lambda: hr.OnlineQuantileForestRegressor(hr.OnlineForestRegressor(300, random_state=0)),
}


@pytest.mark.skipif(not THOROUGH, reason="takes minutes")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("after", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("name", LONG_FITS)
def test_long_fits(interrupted, name, after):
    model = LONG_FITS[name]()
    labels = (Y > 0) * 1.0 if "class" in name or "chain" in name else Y
    assert interrupted(lambda: model.fit(X, labels), after) < 5
    assert not model.__sklearn_is_fitted__()
    few = {"BART": {"n_draws": 5, "n_burn_in": 5}, "class BART": {"n_draws": 5, "n_burn_in": 5}}.get(name, {})
    assert len(model.set_params(**few).fit(X[:50], labels[:50]).predict(X[:5])) == 5
