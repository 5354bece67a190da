"""What loading a stranger's file promises: only public classes, only parameters that users may set, no great cost."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import hedgerow
from hedgerow import optimize, stream
from hedgerow.base.settings import THREADS_A_CORE, n_threads_of
from hedgerow.files.saveable import PUBLIC, PlainValue, Saveable
from models import BY_NAME, every
from stored import Stored

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="limits of memory are those of POSIX systems")
WORDS = list(range(624))
NAN, INFINITY = math.nan, math.inf


def described(model):
    """Return the header of a model's file."""
    return Stored.of(model).header


def refuse(header, tmp_path, message="cannot load", arrays=None):
    with pytest.raises(ValueError, match=message):
        Stored(header, {} if arrays is None else arrays).load(tmp_path / "model")


def refuse_optimizer(n_parameters, changed, tmp_path, message):
    stored = Stored.of(optimize.Optimizer([(0, 1)] * n_parameters, random_state=0))
    header = {**stored.header, "parameters": {**stored.header["parameters"], **changed}}
    refuse(header, tmp_path, message, stored.arrays)


# Random numbers.

STATES = {
    "position": ["MT19937", WORDS, 10**9, 0, 0.0],
    "position behind the end": ["MT19937", WORDS, 625, 0, 0.0],
    "negative position": ["MT19937", WORDS, -1, 0, 0.0],
    "position that is no integer": ["MT19937", WORDS, 3.0, 0, 0.0],
    "position that is a truth": ["MT19937", WORDS, True, 0, 0.0],
    "word too large": ["MT19937", [2**32, *WORDS[1:]], 0, 0, 0.0],
    "negative word": ["MT19937", [-1, *WORDS[1:]], 0, 0, 0.0],
    "word that is no integer": ["MT19937", [0.5, *WORDS[1:]], 0, 0, 0.0],
    "too few words": ["MT19937", WORDS[1:], 0, 0, 0.0],
    "too many words": ["MT19937", [*WORDS, 0], 0, 0, 0.0],
    "no words": ["MT19937", 7, 0, 0, 0.0],
    "flag": ["MT19937", WORDS, 0, 2, 0.0],
    "number in store": ["MT19937", WORDS, 0, 1, NAN],
    "infinity in store": ["MT19937", WORDS, 0, 1, INFINITY],
    "text in store": ["MT19937", WORDS, 0, 1, "0"],
    "kind": ["PCG64", WORDS, 0, 0, 0.0],
    "too short": ["MT19937", WORDS],
}


@pytest.mark.parametrize("name", STATES)
def test_the_state_of_a_generator_is_checked(name, tmp_path):
    header = described(hedgerow.MondrianForestRegressor(2))
    header["parameters"]["random_state"] = {"$random_state": STATES[name]}
    refuse(header, tmp_path)


@pytest.mark.parametrize("n_drawn", [0, 1, 2, 700])
def test_a_generator_comes_back_as_it_was(n_drawn, tmp_path):
    state = np.random.RandomState(5)
    state.normal(size=n_drawn)
    hedgerow.MondrianForestRegressor(2, random_state=state).save(tmp_path / "model")
    found = hedgerow.load(tmp_path / "model").random_state
    np.testing.assert_array_equal(found.normal(size=9), state.normal(size=9))


# Parameters.


@every(one_a_class=True)
def test_every_parameter_is_checked(case, tmp_path):
    """By what the constructor's documentation allows, when the file is loaded, and whether or not it was fitted."""
    header = described(case.new())
    for name in header["parameters"]:
        for strange in ([[]], "no such word", -7, NAN):
            if (name, strange) == ("prior_mean", -7) or (name == "n_jobs" and strange == -7):
                continue
            refuse({**header, "parameters": {**header["parameters"], name: strange}}, tmp_path, "do not fit|malformed")


HUGE = {
    "forest": ["n_estimators", "min_samples_split", "window", "lifetime"],
    "boosting": ["n_estimators", "max_stages"],
    "online forest": ["n_estimators", "grace_period", "leaf_capacity", "max_nodes"],
    "kernel ridge": ["n_estimators"],
    "BART": ["n_estimators", "n_draws"],
    "Bayesian tree": ["n_particles", "n_steps", "noise_df"],
}


@pytest.mark.parametrize(("case", "name"), [(case, name) for case in HUGE for name in HUGE[case]])
def test_numbers_beyond_those_of_the_core_are_refused(case, name, tmp_path):
    """In words, by the model as from a file."""
    case = BY_NAME[case]
    header = described(case.new())
    refuse({**header, "parameters": {**header["parameters"], name: 10**400}}, tmp_path, f"{name} must be")
    with pytest.raises(ValueError, match=f"{name} must be"):
        case.new().set_params(**{name: 10**400}).fit(*case.data(20))


@every(one_a_class=True)
def test_what_could_not_be_loaded_is_not_saved(case, tmp_path):
    model = case.fitted(30)
    model.save(tmp_path / "model")
    before = (tmp_path / "model").read_bytes()
    model.set_params(random_state=-5)
    with pytest.raises(ValueError, match=r"between 0 and|seed"):
        model.save(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == before


# Classes.


def test_public_classes_and_no_others_have_names_in_files():
    modules = {"hedgerow": hedgerow, "hedgerow.optimize": optimize, "hedgerow.stream": stream}
    found = {
        name: where
        for where, module in modules.items()
        for name in module.__all__
        if isinstance(getattr(module, name), type) and issubclass(getattr(module, name), Saveable | PlainValue)
    }
    assert found == PUBLIC


@pytest.mark.parametrize(
    "name", ["Estimator", "OnlineEstimator", "Classifier", "BART", "OptimizerFiles", "Space", "load"]
)
def test_no_other_class_is_looked_for(name, tmp_path):
    header = described(hedgerow.MondrianForestRegressor(2))
    refuse({**header, "class": name, "parameters": {}}, tmp_path, f"class '{name}', which is not known here")


def test_a_class_of_the_user_is_not_saved(tmp_path):
    class MondrianForestRegressor(hedgerow.MondrianForestRegressor):
        pass

    with pytest.raises(TypeError, match=r"hedgerow's own classes.*pickle"):
        MondrianForestRegressor(2).save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
    hedgerow.MondrianForestRegressor(2).save(tmp_path / "model")
    assert type(hedgerow.load(tmp_path / "model")) is hedgerow.MondrianForestRegressor


# What it costs.


def test_threads_are_bounded():
    most = THREADS_A_CORE * os.cpu_count()
    assert [n_threads_of(n) for n in (None, 1, 2, most, most + 1, 10**9, 10**30)] == [1, 1, 2, most, most, most, most]
    X, y = BY_NAME["online forest"].data(30)
    model = hedgerow.OnlineForestRegressor(2, n_jobs=10**8, random_state=0).partial_fit(X, y)
    few = hedgerow.OnlineForestRegressor(2, random_state=0).partial_fit(X, y)
    np.testing.assert_array_equal(model.predict(X), few.predict(X))


SIZES = {  # entries of what was learned, and of settings in it
    "forest": ["columns/width", "settings/n_estimators"],
    "boosting": ["columns/width"],
    "online forest": ["columns/width", "settings/n_estimators"],
    "quantile forest": ["columns/width", "settings/base/$model/parameters/n_estimators"],
    "conformal": ["columns/width", "learner/base/columns/width", "learner/base/settings/n_estimators"],
    "kernel features": ["columns/width", "settings/n_estimators", "settings/n_spare"],
    "kernel ridge": ["columns/width", "settings/n_estimators"],
    "Bayesian tree": ["columns/width"],
    "Bayesian tree, classes": ["columns/width", "learner/leaves/n_classes"],
    "BART": ["columns/width", "settings/n_estimators", "settings/n_chains"],
}
LOADING = """
import resource, sys
import hedgerow

def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform != "darwin" else 1024**2)

hedgerow.load(sys.argv[1])  # so that everything is imported
begin = used()
for path in sys.argv[2:]:
    try:
        hedgerow.load(path)
    except ValueError:
        continue
    print(path, "was loaded")
print(used() - begin)
"""


def without_map(stored):
    """Return a file as the first ones were: nothing in it is as long as there are columns."""
    header = json.loads(json.dumps(stored.header))
    del header["learned"]["columns"]["map"]
    return Stored(header, stored.arrays)


@POSIX
def test_sizes_are_not_believed(tmp_path):
    """Each of some files of a few kilobytes says that it is large: none is loaded, and no memory is taken for it."""
    small = hedgerow.MondrianForestRegressor(2).fit(*BY_NAME["forest"].data(9))
    small.save(tmp_path / "small")
    paths = []
    for name, entries in SIZES.items():
        stored = Stored.of(BY_NAME[name].fitted(20))
        for entry in entries:
            for value in (10**6, 3 * 10**8, 2**31 - 1):
                for kind in [stored, without_map(stored)] if entry == "columns/width" else [stored]:
                    path = tmp_path / f"{len(paths)} {name} {entry.replace('/', ' ')} {value}"
                    paths.append(kind.with_learned({entry: value}).write(path))
    child = subprocess.run(
        [sys.executable, "-c", LOADING, tmp_path / "small", *paths], stdout=subprocess.PIPE, text=True
    )
    assert child.returncode == 0
    assert int(child.stdout) < 50


def test_a_plan_is_not_believed_to_be_large(tmp_path):
    refuse_optimizer(50, {"n_initial": 10**6}, tmp_path, "n_initial times the number of parameters")


# Numbers that are so large that what is made of them is none.

FAR = {
    "forest": {"learner/labels/origin": 1e300},
    "kernel ridge": {"learner/found/origin": -1e300},
    "Bayesian tree": {"learner/leaves/mean": 1e300},
    "forest, paper": {"learner/labels/model": [5e-324, 1.0]},
    "forest, lifetime": {"learner/labels/model": [1.0, 1.7976931348623157e308]},
}


@pytest.mark.parametrize("name", FAR)
def test_numbers_far_from_all_targets_are_refused(name, tmp_path):
    with pytest.raises(ValueError, match="cannot load"):
        Stored.of(BY_NAME[name].fitted(30)).with_learned(FAR[name]).load(tmp_path / "model")


def test_weights_of_classes_whose_sum_is_infinite_are_refused(tmp_path):
    stored = Stored.of(BY_NAME["class forest, unpaused"].fitted(30))
    for weight in (8e307, 1.7976931348623157e308):
        with pytest.raises(ValueError, match="cannot load"):
            stored.with_number(stored.full_name("seen.labels"), 0, weight).load(tmp_path / "model")


def test_stages_are_bounded(tmp_path):
    case = BY_NAME["boosting"]
    header = described(case.new())
    refuse({**header, "parameters": {**header["parameters"], "max_stages": 2**31}}, tmp_path, "max_stages must be")


def test_targets_of_a_file_are_checked_as_those_of_users(tmp_path):
    stored = Stored.of(BY_NAME["kernel ridge"].fitted(30))
    with pytest.raises(ValueError, match="its scale is not that of its targets"):
        stored.with_learned({"learner/found/scale": 1e-200}).load(tmp_path / "model")
    with pytest.raises(ValueError, match="targets must be finite and within 1e100"):
        stored.with_number(stored.full_name("rows/y"), 3, 1e300).load(tmp_path / "model")


def test_a_value_of_another_class_is_refused(tmp_path):
    for name in ("Optimizer", "PlainValue", 3, None):
        message = f"a value of class {name!r} is not known here"
        refuse_optimizer(1, {"bounds": {"$value": [name, []]}}, tmp_path, message)
