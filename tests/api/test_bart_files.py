"""Files of BART are checked, all of them; Ctrl-C; the bar."""

from __future__ import annotations

import io
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from rich.console import Console

import hedgerow
from hedgerow import BARTClassifier, BARTRegressor
from hedgerow.bart import _sampling
from hedgerow.base import progress as bars
from models import bits
from stored import Stored

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)).round(1)
NUMBERS = 2 * (X[:, 0] > 0) + 0.1 * RNG.normal(size=60)
CLASSES = np.where(X[:, 0] > 0.3, "a", np.where(X[:, 1] > 0, "b", "c"))
QUICK = {"n_estimators": 6, "n_chains": 2, "n_draws": 6, "n_burn_in": 4, "random_state": 1}
MODELS = [
    (BARTRegressor(**QUICK), NUMBERS, RNG.uniform(1, 2, size=60)),
    (BARTRegressor(noise="varying", **QUICK), NUMBERS, None),
    (BARTClassifier(**QUICK), CLASSES == "a", None),
    (BARTClassifier(sampler="pg", **QUICK), CLASSES, None),
]
IDS = ["numbers", "noise varies", "two classes", "three classes"]
EVERY = pytest.mark.parametrize(("model", "y", "weights"), MODELS, ids=IDS)


@EVERY
def test_values_out_of_range_are_refused(model, y, weights, tmp_path):
    stored = Stored.of(model.fit(X, y, sample_weight=weights))
    path, own = tmp_path / "bad", "learned/learner/"
    arrays = {name.removeprefix(own).removeprefix("sampler/"): array for name, array in stored.arrays.items()}
    bad = [
        ("targets", np.full(60, 9.0)),
        ("targets", np.full(60, np.nan)),
        ("targets", np.full(60, 0.51)),
        ("weights", np.full(60, -1.0)),
        ("weights", np.full(60, np.inf)),
        ("weights", np.full(60, 1e300)),
        ("probes/X", np.full_like(arrays["probes/X"], np.nan)),
        ("rows.bins", np.full_like(arrays["rows.bins"], 255)),
        ("rows.cuts", arrays["rows.cuts"][::-1].copy()),
        ("chain0.draws.values", np.full_like(arrays["chain0.draws.values"], np.inf)),
        ("chain0.draws.rules", np.full_like(arrays["chain0.draws.rules"], 2**32 - 1)),
        ("chain0.draws.shape", np.full_like(arrays["chain0.draws.shape"], 255)),
        ("chain1.state.values", np.full_like(arrays["chain1.state.values"], 2**62)),
        ("chain1.state.noise_variance", np.array([-1.0])),
        ("chain0.noise.draws.values", np.full_like(arrays.get("chain0.noise.draws.values", np.zeros(3)), np.inf)),
        ("chain0.noise.draws.values", np.full_like(arrays.get("chain0.noise.draws.values", np.zeros(3)), 1e3)),
        ("chain0.noise.draws.rules", np.full_like(arrays.get("chain0.noise.draws.rules", np.zeros(3)), 2**32 - 1)),
        ("chain1.noise.state.values", np.full_like(arrays.get("chain1.noise.state.values", np.zeros(3)), 2**58)),
        ("chain1.noise.state.counts", np.array([0, 1], dtype=np.uint64)),
        ("chain1.state.counts", arrays["chain1.state.counts"] + np.array([0, 1], dtype=np.uint64)),
    ]
    for name, array in bad:
        if name not in arrays:
            continue
        with pytest.raises(ValueError, match="cannot load"):
            print(name, stored.with_array(stored.full_name(name), array).load(path))


NAN, INFINITY = float("nan"), float("inf")
VARYING = {"n_trees": 20, "leaf_shape": 20.0, "leaf_scale": 19.0, "floor": 1e-3}
WRONG_NOISE = {
    "n_trees": [0, 19, 21, 2**40, 20.0, True],
    "leaf_shape": [0.0, -1.0, NAN, INFINITY],
    "leaf_scale": [0.0, NAN, "1"],
    "floor": [0.0, -1e-3, INFINITY, None],
}
WRONG_SETTINGS = {
    "n_estimators": [0, 5, 7, 2**40, "6"],
    "n_chains": [0, 1, 3, 2**20, True],
    "n_particles": [0, 2**40],
    "sampler": [{}, {"jump": 1}, {"perturb": 1}, {"grow_prune": 2**40}, {"grow_prune": 0}, [["grow_prune", 1]], None],
    "thin": [0, 2, 2**60],
    "n_burn_in": [-1, 5],
    "split_base": [0.0, 1.0, NAN],
    "split_decay": [-1.0, NAN],
    "shrinkage": [0.0, -1.0, NAN, INFINITY],
}


@EVERY
def test_every_number_of_a_file_is_checked(model, y, weights, tmp_path):
    stored, path = Stored.of(model.fit(X, y, sample_weight=weights)), tmp_path / "bad"
    response = stored.learned["learner"]["response"]
    changes = [{f"settings/{name}": value} for name, values in WRONG_SETTINGS.items() for value in values]
    changes += [{"settings": None}, {"learner/response": None}, {"learner/probes/rows": [1]}]
    changes += [{"learner/seed": value} for value in (-1, 2**64, 0.5)]
    changes += [{"columns/width": 2}, {"columns/width": 0}, {"columns/names": ["a"]}]
    if "classes" in stored.learned:
        changes += [{"classes": []}, {"classes": ["a", "b", "c", "d"]}]
        wrong = [[], [NAN], [1e9] * len(response["offsets"]), [*response["offsets"], 0.0], 3]
        changes += [{"learner/response/offsets": value} for value in wrong]
    else:
        changes += [{"learner/response/units": value} for value in ({}, {"centre": NAN, "width": 1.0}, None)]
        changes += [{"learner/response/units/width": 0.0}, *({"settings/noise_df": value} for value in (0.0, -3.0))]
        changes += [{"learner/response/noise_scale": value} for value in (0.0, NAN)]
        noise = response["varying"] or VARYING
        wrong = [{**noise, name: value} for name, values in WRONG_NOISE.items() for value in values]
        wrong += [0, {}, {"n_trees": 20}] + [VARYING] * (response["varying"] is None)
        changes += [{"learner/response/varying": value} for value in wrong]
    for change in changes:
        with pytest.raises(ValueError, match="cannot load"):
            print(change, stored.with_learned(change).load(path))


def test_a_tree_without_end_is_refused(tmp_path):
    """Trees are read by recursion: one of a million levels would not fit on the stack."""
    model = BARTRegressor(**QUICK | {"n_chains": 1}).fit(X, NUMBERS)
    stored = Stored.of(model)
    for n_levels, match in ((10**6, "cannot load"), (3, None)):
        marks = np.ones(2 * n_levels + 36, dtype=np.uint8)  # one tree goes on and on to the right, 35 are leaves
        marks[1 : 2 * n_levels : 2] = 0
        marks[2 * n_levels :] = 0
        firsts = np.array([0, *(2 * n_levels + 6 * draw for draw in range(1, 7))], dtype=np.uint64)
        changed = {
            "chain0.draws.shape": np.packbits(marks, bitorder="little"),
            "chain0.draws.rules": np.zeros(n_levels, dtype=np.uint32),
            "chain0.draws.values": np.zeros(n_levels + 36, dtype=np.float32),
            "chain0.draws.first_node": firsts,
        }
        path = tmp_path / "deep"
        changed = {stored.full_name(name): array for name, array in changed.items()}
        stored.write(path, arrays={**stored.arrays, **changed})
        if match is None:
            assert np.isfinite(hedgerow.load(path).predict(X)).all()  # the test makes files as they should be
            continue
        with pytest.raises(ValueError, match=match):
            hedgerow.load(path)


def test_labels_of_any_kind():
    labels = [("a", 1) if value == "a" else value for value in CLASSES.tolist()]
    model = BARTClassifier(**QUICK).fit(X, labels)
    assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == model.predict(X).tolist()
    model.fit(X, [frozenset([value]) for value in CLASSES.tolist()])
    again = pickle.loads(pickle.dumps(model))
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert again.predict(X).tolist() == model.predict(X).tolist()
    with pytest.raises(TypeError, match="cannot save"):
        bits(model)


# Ctrl-C.


@pytest.fixture
def pressed():
    """Press Ctrl-C after a while."""
    timers = []

    def press(after=0.4):
        timers.append(threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT)))
        timers[-1].start()

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield press
    for timer in timers:
        timer.cancel()
        timer.join()
    signal.signal(signal.SIGINT, previous)


LONG = {"n_estimators": 20, "n_chains": 2, "n_draws": 10**6, "n_burn_in": 3, "random_state": 0, "progress": False}


@pytest.mark.parametrize("thin", [1, 50])
@pytest.mark.parametrize("kind", [BARTRegressor, BARTClassifier])
def test_ctrl_c_keeps_the_draws_so_far(pressed, kind, thin):
    y = NUMBERS if kind is BARTRegressor else CLASSES
    model = kind(thin=thin, **LONG)
    pressed()
    begin = time.monotonic()
    with pytest.warns(UserWarning, match=r"interrupted: \d+ of 1000000 draws of each chain were kept.*continue_sampl"):
        model.fit(X, y)
    assert time.monotonic() - begin < 10
    kept = model.n_draws_
    assert 0 < kept < 10**6
    assert np.isfinite(model.predict_draws(X[:2])).all()
    model.continue_sampling(3)
    whole = kind(thin=thin, **LONG | {"n_draws": kept + 3}).fit(X, y)
    assert model.predict_draws(X[:5]).tobytes() == whole.predict_draws(X[:5]).tobytes()


def test_ctrl_c_while_going_on_keeps_what_was_there_and_what_came(pressed):
    model = BARTRegressor(**LONG | {"n_draws": 10}).fit(X, NUMBERS)
    before = model.noise_draws_
    pressed()
    with pytest.warns(UserWarning, match=r"interrupted: \d+ of 1000010 draws"):
        model.continue_sampling(10**6)
    assert model.n_draws_ > 10
    assert model.noise_draws_[:, :10].tobytes() == before.tobytes()


def test_ctrl_c_while_burning_in_leaves_the_model_as_it_was(pressed):
    model = BARTRegressor(**LONG | {"n_draws": 5}).fit(X, NUMBERS)
    before = bits(model)
    model.set_params(n_burn_in=10**7)
    pressed()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :2], NUMBERS)
    assert bits(model.set_params(n_burn_in=3)) == before
    fresh = BARTClassifier(**LONG | {"n_burn_in": 10**7})
    pressed()
    with pytest.raises(KeyboardInterrupt):
        fresh.fit(X, CLASSES)
    assert not fresh.__sklearn_is_fitted__()


# The bar.


def shown(progress, is_terminal, monkeypatch, wait=0.0):
    monkeypatch.setattr(bars, "SECONDS_BEFORE_A_BAR", wait)
    out = Console(file=io.StringIO(), force_terminal=is_terminal, width=100)
    sampler = BARTRegressor(**QUICK).fit(X, NUMBERS)._learner.sampler
    goal = sampler.n_sweeps + 40
    given = {"n_burn_in": 4, "thin": 1, "goals": [goal], "n_threads": 1, "progress": progress, "console": out}
    assert _sampling.sample(sampler, **given) == goal
    return out.file.getvalue()


def test_a_bar_is_shown_where_it_helps(monkeypatch):
    text = shown(True, True, monkeypatch, wait=1e9)
    assert "drawing" in text
    assert "50 of 50" in text
    assert shown(None, True, monkeypatch, wait=1e9) == ""
    assert shown(False, True, monkeypatch) == ""
    assert shown(True, False, monkeypatch) == ""
