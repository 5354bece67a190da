"""BART with n_draws="auto": chains end when diagnostics have nothing to complain of. Threads that nobody asked for."""

from __future__ import annotations

import copy
import os
import pickle
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import hedgerow
from hedgerow import BARTClassifier, BARTRegressor
from hedgerow.bart import _learner, _sampling
from hedgerow.bart._settings import BARTQuery

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(100, 3))
EASY = RNG.normal(size=100)
CORNERS = RNG.choice([0.0, 1.0], size=(300, 5)) + 0.1 * RNG.normal(size=(300, 5))
HARD = (CORNERS.round() @ [1, 2, 4, 8, 16] * 7) % 31 + 0.01 * RNG.normal(size=300)
AUTO = {"n_estimators": 10, "n_chains": 2, "n_burn_in": 50, "n_draws": "auto", "random_state": 0}
STUCK = {"n_estimators": 1, "sampler": "grow_prune", "n_burn_in": 20, "n_draws": "auto", "random_state": 0}
MODELS = [
    (BARTRegressor(**AUTO), EASY),
    (BARTRegressor(noise="varying", **AUTO | {"n_estimators": 2}), EASY),
    (BARTClassifier(**AUTO), EASY > 0),
    (BARTClassifier(**AUTO | {"n_estimators": 2}), np.digitize(EASY, [-0.5, 0.5])),
]
EVERY = pytest.mark.parametrize(("model", "y"), MODELS, ids=["numbers", "noise varies", "two classes", "three classes"])


@pytest.fixture
def short(monkeypatch):
    """Look early, and give up soon."""
    monkeypatch.setattr(_learner, "AUTO_DRAWS", (20, 40, 60))


def complains(model):
    return bool(model.diagnostics().warnings)


@EVERY
def test_chains_end_as_soon_as_diagnostics_are_content(model, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ended = copy.deepcopy(model).fit(X[:40], y[:40])
        looked = [n for n in _learner.AUTO_DRAWS if n <= ended.n_draws_]
        shorter = [copy.deepcopy(model).set_params(n_draws=n).fit(X[:40], y[:40]) for n in looked]
    assert ended.n_draws_ == looked[-1] < _learner.AUTO_DRAWS[-1]
    assert [complains(one) for one in shorter] == [True] * (len(looked) - 1) + [False]
    assert ended.predict_draws(X).tobytes() == shorter[-1].predict_draws(X).tobytes()


def test_easy_targets_need_fewer_draws_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BARTRegressor(**AUTO).fit(X, EASY)
    assert model.n_draws_ < 1000
    assert model.predict_draws(X).shape == (2 * model.n_draws_, 100)


@pytest.mark.usefixtures("short")
def test_chains_that_never_agree_end_with_a_warning():
    model = BARTRegressor(**STUCK)
    with pytest.warns(ConvergenceWarning, match=r"(?s)n_draws='auto' ended with 60 draws of each chain.*disagree"):
        model.fit(CORNERS, HARD)
    assert model.n_draws_ == 60
    with pytest.warns(ConvergenceWarning, match="ended with 120 draws"):
        model.continue_sampling("auto")
    assert model.n_draws_ == 120
    with pytest.warns(ConvergenceWarning, match="the chains disagree"):
        model.continue_sampling(7)
    assert model.n_draws_ == 127


@pytest.mark.usefixtures("short")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_files_and_copies_go_on(tmp_path):
    model = BARTRegressor(**STUCK).fit(CORNERS, HARD)
    model.save(tmp_path / "model")
    others = [hedgerow.load(tmp_path / "model"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    model.continue_sampling(3)
    for other in others:
        assert other.n_draws == "auto"
        assert other.continue_sampling(3).predict_draws(CORNERS).tobytes() == model.predict_draws(CORNERS).tobytes()


@pytest.mark.usefixtures("short")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_ctrl_c_between_two_looks_keeps_the_draws_so_far(monkeypatch):
    run, calls = _sampling.run, []

    def interrupted(*args):
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        yield from run(*args)

    monkeypatch.setattr(_sampling, "run", interrupted)
    with pytest.warns(UserWarning, match=r"interrupted: 20 of 40 draws of each chain.*continue_sampling\(20\)"):
        model = BARTRegressor(**STUCK).fit(CORNERS, HARD)
    assert model.n_draws_ == 20


@pytest.mark.parametrize("n_draws", ["many", "AUTO", None, 1.5, True, 0, -3])
def test_other_numbers_of_draws_are_refused(n_draws):
    words = "n_draws must be an integer of at least 1, or 'auto', got "
    with pytest.raises(ValueError, match=words):
        BARTRegressor(n_draws=n_draws).fit(X, EASY)
    fitted = BARTRegressor(2, n_chains=1, n_draws=2, n_burn_in=0).fit(X, EASY)
    with pytest.raises(ValueError, match=words):
        fitted.continue_sampling(n_draws)
    assert fitted.n_draws_ == 2


# Threads.


def test_all_cores_are_used_unless_someone_says_otherwise(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(6)), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)

    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)

    def threads(n_jobs, of_openmp=None):
        if of_openmp is not None:
            monkeypatch.setenv("OMP_NUM_THREADS", of_openmp)
        return BARTQuery(n_jobs=n_jobs, progress=None).n_threads

    assert [threads(n) for n in (None, 1, 3, -1, -2)] == [6, 1, 3, 6, 5]
    assert [threads(None, given) for given in ("2", "100", "", "0", "-1", "4,2", "two")] == [2, 6, 6, 6, 6, 6, 6]
    assert threads(3, "1") == 3
