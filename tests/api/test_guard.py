"""The guard of a model: who waits for whom, and that nobody waits for ever."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from inspect import signature
from types import FunctionType

import numpy as np
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_info, threadpool_limits

import hedgerow as hr
from hedgerow.base.guard import CHANGES, Guarded
from hedgerow.numeric.blas import one_blas_thread
from hedgerow.optimize import Optimizer
from models import CASES, bits

RNG = np.random.default_rng(0)
X, Y = RNG.uniform(size=(60, 2)), RNG.normal(size=60)
CLASSES = sorted({case.kind for case in CASES} | {Optimizer}, key=lambda kind: kind.__name__)
UNGUARDED = ("_request", "set_output", "merge")
"""Names end so that concern nothing that is learned, or that first read another model: two may merge each other."""


def new_forest(**parameters):
    return hr.MondrianForestRegressor(5, random_state=0, **parameters).fit(X, Y)


@contextmanager
def elsewhere(manager):
    """Hold a guard in another thread."""
    held, done = threading.Event(), threading.Event()

    def hold():
        with manager:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        yield done
    finally:
        done.set()
        thread.join()


class Recorded:
    def __init__(self):
        self.n_entered = 0

    def __enter__(self):
        self.n_entered += 1

    def __exit__(self, *_):
        pass


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_public_name_takes_the_guard(kind):
    """Whatever comes of the call."""
    for name in dir(kind):
        found = getattr(kind, name)
        if name[0] == "_" or name.endswith(UNGUARDED) or not isinstance(found, FunctionType | property):
            continue
        model = Guarded.__new__(kind)
        model._reading, model._changing = Recorded(), Recorded()
        call = found.fget if isinstance(found, property) else found
        n_needed = sum(each.default is each.empty for each in signature(call).parameters.values() if each.kind < 2) - 1
        with suppress(Exception):
            call(model, *[None] * n_needed)
        taken = model._changing if name in CHANGES else model._reading
        assert taken.n_entered, name


def test_readers_go_together():
    forest = new_forest()
    with elsewhere(forest._reading):
        forest.predict(X)
        forest.predict_one(X[0])


@pytest.mark.parametrize(("held", "call"), [("_changing", "predict"), ("_changing", "learn"), ("_reading", "learn")])
def test_others_wait(held, call):
    forest, order = new_forest(), []

    def work():
        forest.predict(X) if call == "predict" else forest.learn_one(X[0], 0.0)
        order.append("work")

    with elsewhere(getattr(forest, held)) as done:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join(0.05)
        order.append("done")
        done.set()
    thread.join()
    assert order == ["done", "work"]


@pytest.mark.parametrize("held", ["_reading", "_changing"])
def test_setting_a_parameter_is_a_change(held):
    forest = new_forest()
    with elsewhere(getattr(forest, held)) as done:
        thread = threading.Thread(target=lambda: setattr(forest, "n_jobs", 2))
        thread.start()
        thread.join(0.05)
        assert forest.__dict__["n_jobs"] is None
        done.set()
    thread.join()
    assert forest.n_jobs == 2


def test_nobody_is_overtaken_for_ever():
    """A thread that learns without a pause, two that ask without a pause: each comes to its turn."""
    forest, over = new_forest(), threading.Event()
    counts = {"learned": 0, "asked": 0}

    def learn():
        while not over.is_set():
            forest.partial_fit(X[:5], Y[:5])
            counts["learned"] += 1

    def ask():
        while not over.is_set():
            forest.predict(np.tile(X, (20, 1)))
            counts["asked"] += 1

    threads = [threading.Thread(target=work) for work in (learn, ask, ask)]
    for thread in threads:
        thread.start()
    while min(counts.values()) < 10:
        threads[0].join(0.01)
    over.set()
    for thread in threads:
        thread.join()


def test_functions_that_a_model_calls_may_ask_it():
    heard = []

    def forward(y):
        if forest is not None:
            heard.append(forest.n_samples_seen_)
        return np.asarray(y)

    forest = None
    target = (forward, np.asarray, lambda y: np.zeros_like(np.asarray(y)))
    forest = hr.MondrianForestRegressor(5, random_state=0, target=target).fit(X, Y)
    forest.partial_fit(X[:3], Y[:3])
    assert heard


def test_a_prediction_that_changes_its_model_is_refused():
    learning = False

    def inverse(z):
        if learning:
            forest.learn_one(X[0], 0.0)
        return np.asarray(z)

    target = (np.asarray, inverse, lambda y: np.zeros_like(np.asarray(y)))
    forest = hr.MondrianForestRegressor(5, random_state=0, target=target).fit(X, Y)
    before, learning = bits_without_target(forest), True
    with pytest.raises(RuntimeError, match="tries to change the model"):
        forest.predict(X)
    learning = False
    assert bits_without_target(forest) == before
    forest.learn_one(X[0], 0.0)


def bits_without_target(forest):
    return forest.predict(X).tobytes(), forest.n_samples_seen_


@pytest.mark.parametrize("call", ["predict", "learn_one"])
def test_ctrl_c_ends_the_waiting(call):
    forest = new_forest()
    before = bits(forest)
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with elsewhere(forest._changing):
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
            with pytest.raises(KeyboardInterrupt):
                forest.predict(X) if call == "predict" else forest.learn_one(X[0], 0.0)
    finally:
        signal.signal(signal.SIGINT, previous)
    assert bits(forest) == before
    forest.learn_one(X[0], 0.0).predict(X)


def test_who_gives_up_holds_nobody_back():
    """A writer waits for a reader, a reader for the writer; the writer gives up."""
    forest, said = new_forest(), []
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    asker = threading.Thread(target=lambda: said.append(forest.predict(X)))
    try:
        with elsewhere(forest._reading):
            threading.Timer(0.05, asker.start).start()
            threading.Timer(0.15, os.kill, (os.getpid(), signal.SIGINT)).start()
            with pytest.raises(KeyboardInterrupt):
                forest.learn_one(X[0], 0.0)
            asker.join(60)
            assert said
    finally:
        signal.signal(signal.SIGINT, previous)


def test_copies_have_a_guard_of_their_own():
    forest = new_forest()
    with elsewhere(forest._reading):
        copies = [copy.copy(forest), copy.deepcopy(forest), pickle.loads(pickle.dumps(forest)), clone(forest)]
        for other in copies:
            assert other._changing is not forest._changing
            other.partial_fit(X[:5], Y[:5])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process")  # is multi-threaded: that is the point
@pytest.mark.parametrize(("held", "code"), [("_reading", 0), ("_changing", 1)])
def test_a_forked_process_does_not_wait_for_threads_left_behind(held, code):
    """If one of them was changing the model, what there is of it cannot be used, and says so."""
    forest = new_forest()
    with elsewhere(getattr(forest, held)):
        child = os.fork()
        if child == 0:
            signal.alarm(20)  # ends the child if it hangs
            try:
                forest.learn_one(X[0], 0.0).predict(X)
            except RuntimeError as error:
                os._exit(1 if "forked" in str(error) else 2)
            except BaseException:
                os._exit(3)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == code
    forest.learn_one(X[0], 0.0).predict(X)


def test_what_a_forking_thread_holds_stays_its_own():
    forest = new_forest()
    with forest._changing:
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            try:
                forest.learn_one(X[0], 0.0)
                os._exit(0)
            finally:
                os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_blas_gets_its_threads_back():
    """Two threads that limit it, of which the first to come is the first to go."""

    def n_threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    with threadpool_limits(2, "blas"):
        before = n_threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert n_threads() == [1] * len(before)
        second.__exit__(None, None, None)
        assert n_threads() == before


DAEMONS = """
import threading
import numpy as np
from hedgerow import MondrianForestRegressor

X = np.random.default_rng(0).uniform(size=(200, 2))
forest = MondrianForestRegressor(5, random_state=0).fit(X, X[:, 0])
begun = threading.Barrier(4)

def repeat(call):
    begun.wait()
    while True:
        call()

for call in (lambda: forest.partial_fit(X[:5], X[:5, 0]), lambda: forest.predict(X), lambda: forest.predict(X)):
    threading.Thread(target=repeat, args=(call,), daemon=True).start()
begun.wait()
forest.predict(X)
"""


def test_a_process_ends_well_while_daemon_threads_work():
    ended = subprocess.run([sys.executable, "-c", DAEMONS], capture_output=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
