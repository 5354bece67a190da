"""Laws of BART's chains: same bits for any number of threads, order of rows, cutting of work, and after a pause."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import hedgerow
from hedgerow import BARTClassifier, BARTRegressor
from hedgerow.bart._moves import MOVES
from hedgerow.bart._sampling import next_piece

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RNG = np.random.default_rng(0)
X = RNG.uniform(size=(90, 3))
NUMBERS = np.sin(6 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=90)
WEIGHTS = RNG.uniform(0.5, 3.0, size=90)
CLASSES = np.digitize(X[:, 0] + X[:, 1], [0.7, 1.3])
QUICK = {"n_chains": 3, "n_draws": 12, "n_burn_in": 7, "random_state": 5}
MIXED = dict.fromkeys(MOVES, 1) | {"grow_prune": 2, "rounds": 2}
MODELS = [
    (BARTRegressor(15, **QUICK), (X, NUMBERS, WEIGHTS)),
    (BARTRegressor(3, thin=4, start="prior", **QUICK), (X, NUMBERS)),
    (BARTRegressor(4, sampler=MIXED, n_particles=4, **QUICK), (X, NUMBERS)),
    (BARTRegressor(10, sampler="pg", **QUICK), (X, NUMBERS)),
    (BARTRegressor(15, noise="varying", **QUICK), (X, NUMBERS)),
    (BARTRegressor(4, noise="varying", sampler=MIXED, thin=2, start="prior", **QUICK), (X, NUMBERS, WEIGHTS)),
    (BARTClassifier(10, **QUICK), (X, CLASSES > 0)),
    (BARTClassifier(5, sampler="cgm", thin=2, **QUICK), (X, CLASSES)),
]
IDS = ["weights", "few trees", "all moves", "pg", "noise varies", "and weights", "two classes", "three classes"]
EVERY = pytest.mark.parametrize(("model", "rows"), MODELS, ids=IDS)


def bits(model):
    noise = model.predict_noise_draws(X).tobytes() if hasattr(model, "predict_noise_draws") else b""
    return model.predict_draws(X).tobytes() + noise + b"".join(draws.tobytes() for draws in model.trace_.values())


@EVERY
def test_the_order_of_rows_changes_nothing(model, rows):
    order = np.random.default_rng(1).permutation(90)
    shuffled = [part[order] for part in rows]
    assert bits(clone(model).fit(*shuffled)) == bits(clone(model).fit(*rows))


@EVERY
def test_more_chains_leave_the_first_as_they_were(model, rows):
    many = clone(model).fit(*rows)
    few = clone(model).set_params(n_chains=2).fit(*rows)
    for name, draws in few.trace_.items():
        assert draws.tobytes() == many.trace_[name][:2].tobytes()


@EVERY
def test_going_on_gives_the_bits_of_one_longer_run(model, rows, tmp_path):
    whole = bits(clone(model).fit(*rows))
    paused = clone(model).set_params(n_draws=5).fit(*rows)
    paused.save(tmp_path / "paused")
    for again in (
        hedgerow.load(tmp_path / "paused"),
        pickle.loads(pickle.dumps(paused)),
        copy.deepcopy(paused),
        paused,
    ):
        assert again.n_draws_ == 5
        assert bits(again.continue_sampling(3).continue_sampling(4)) == whole


@EVERY
@pytest.mark.parametrize("seconds", [0.0, 1e9])
def test_how_work_is_cut_changes_nothing(model, rows, seconds, monkeypatch):
    """A sweep at a time, or as many as possible."""
    expected = bits(clone(model).fit(*rows))
    monkeypatch.setattr("hedgerow.bart._sampling.SECONDS_A_PIECE", seconds)
    assert bits(clone(model).fit(*rows)) == expected


def test_settings_of_a_fit_stay_when_parameters_change():
    model = BARTRegressor(10, **QUICK).fit(X, NUMBERS)
    expected = bits(copy.deepcopy(model).continue_sampling(3))
    model.set_params(noise="varying", sampler="pg", shrinkage=9.0, thin=7, n_chains=1, n_estimators=99, split_base=0.1)
    model = pickle.loads(pickle.dumps(model))
    assert model.shrinkage == 9.0
    assert bits(model.continue_sampling(3)) == expected


def test_a_mapping_is_a_parameter_like_others(tmp_path):
    model = BARTRegressor(4, sampler={"grow_prune": np.int64(2), "pg": 0}, **QUICK).fit(X, NUMBERS)
    model.save(tmp_path / "model")
    loaded = hedgerow.load(tmp_path / "model")
    assert loaded.sampler == {"grow_prune": 2, "pg": 0}
    assert bits(clone(loaded).fit(X, NUMBERS)) == bits(model)


def test_thinned_draws_are_every_second_of_all():
    every = BARTRegressor(5, **QUICK | {"n_draws": 24}).fit(X, NUMBERS)
    second = BARTRegressor(5, thin=2, **QUICK).fit(X, NUMBERS)
    assert every.noise_draws_[:, 1::2].tobytes() == second.noise_draws_.tobytes()


@pytest.mark.parametrize("thin", [1, 3, 10])
@pytest.mark.parametrize("most", [1, 2, 7, 1000])
@pytest.mark.parametrize("start", [0, 4, 5, 9, 21])
def test_pieces_keep_every_draw_once(thin, most, start):
    n_burn_in, goal, done, kept = 5, 5 + 60, start, []
    while done < goal:
        n_sweeps, keep_every = next_piece(done, n_burn_in, thin, goal, most)
        assert 1 <= n_sweeps <= max(most, 1)
        kept += [done + s for s in range(1, n_sweeps + 1) if keep_every and s % keep_every == 0]
        done += n_sweeps
    assert done == goal
    assert kept == [s for s in range(n_burn_in + thin, goal + 1, thin) if s > start]


def test_warnings_of_a_fit_are_about_its_line():
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        BARTRegressor(1, **QUICK | {"n_burn_in": 0}).fit(X, NUMBERS)
        BARTRegressor(1, **QUICK | {"n_burn_in": 0, "n_draws": 4}).fit(X, NUMBERS).continue_sampling(8)
    assert heard
    assert {warning.filename for warning in heard} == {__file__}
