"""Threads that share a model: every answer is that of a moment between two changes, and no row is lost."""

from __future__ import annotations

import copy
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hedgerow.optimize import Optimizer
from models import BY_NAME, as_bytes, bits, every

pytestmark = pytest.mark.filterwarnings("ignore")
N_BEGUN, N_ASKED = 40, 12
ASKED_OFTEN = ("predict", "predict_proba", "transform", "predict_interval", "predict_one", "n_samples_seen_")


@pytest.fixture(autouse=True)
def hasty():
    """Let Python pass from thread to thread as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@every("online")
def test_an_answer_is_that_of_some_moment(case):
    X, _ = case.data()
    model = case.new().fit(*rows_of(case, slice(N_BEGUN)))
    twin, moments = copy.deepcopy(model), []
    asked = questions(case, X[:N_ASKED])
    for step in [lambda _: None, *changes(case)]:
        step(twin)
        moments.append({name: said(ask, twin) for name, ask in asked.items()})
    given: list[tuple[str, bytes]] = []

    def keep_asking(is_over: Callable[[], bool]) -> None:
        while not (given and is_over()):
            given.extend((name, said(ask, model)) for name, ask in asked.items())

    def change(_: Any) -> None:
        for step in changes(case):
            step(model)

    together(change, keep_asking, keep_asking)
    assert given
    for name, answer in given:
        assert answer in {moment[name] for moment in moments}, name
    assert bits(model) == bits(twin)


@every("online", one_a_class=True)
def test_rows_of_two_threads_are_all_learned(case):
    model = case.new().fit(*rows_of(case, slice(N_BEGUN)))

    def learning(first: int) -> Callable[[Any], None]:
        X, y = rows_of(case, slice(first, None, 2))

        def learn(_: Any) -> None:
            for x, label in zip(X[:20], y[:20], strict=True):
                model.learn_one(x, label)
            model.partial_fit(X[20:30], y[20:30])

        return learn

    together(learning(N_BEGUN), learning(N_BEGUN + 1))
    if case.can("n_samples_seen_"):
        assert model.n_samples_seen_ == N_BEGUN + 60
    if case.can("check_structure"):
        assert model.check_structure() == []
    assert bits(copy.deepcopy(model)) == bits(model)


@every("fit", one_a_class=True)
def test_another_thread_learns_the_same(case):
    """Limits on the threads of BLAS hold in all threads: how many share a product decides how it is rounded."""
    X, y = case.data()
    here, there = case.new().fit(X, y), case.new()
    together(lambda _: there.fit(X, y))
    assert bits(there) == bits(here)


@pytest.mark.parametrize("name", ["conformal", "conformal, Mondrian"])
def test_a_base_is_asked_while_its_owner_learns(name):
    case = BY_NAME[name]
    X, y = case.data()
    model = case.new().fit(X[:N_BEGUN], y[:N_BEGUN])
    twin = copy.deepcopy(model)
    moments = {twin.base_.predict(X[:N_ASKED]).tobytes()}
    for i in range(N_BEGUN, N_BEGUN + 50):
        moments.add(twin.learn_one(X[i], y[i]).base_.predict(X[:N_ASKED]).tobytes())
    given = []

    def ask(is_over: Callable[[], bool]) -> None:
        while not (given and is_over()):
            given.append(model.base_.predict(X[:N_ASKED]).tobytes())

    together(lambda _: [model.learn_one(X[i], y[i]) for i in range(N_BEGUN, N_BEGUN + 50)], ask)
    assert given
    assert set(given) <= moments


def test_an_optimiser_serves_several_threads():
    optimizer = Optimizer({"x": (-5, 10), "y": (0, 15)}, random_state=0)

    def work(_: Any) -> None:
        for _ in range(25):
            point = optimizer.ask()
            optimizer.tell(point, (point["x"] - 1) ** 2 + (point["y"] - 7) ** 2)

    together(work, work, work)
    assert optimizer.n_told == 75
    assert optimizer.surrogate_.n_samples_ == 75
    assert bits(copy.deepcopy(optimizer)) == bits(optimizer)


# Below: what is asked, what is changed, and threads.


def rows_of(case: Any, which: slice) -> tuple[Any, Any]:
    X, y = case.data()
    return X[which], y[which]


def questions(case: Any, X: Any) -> dict[str, Callable[[Any], Any]]:
    """What threads ask, by name; the whole file too."""
    asked: dict[str, Callable[[Any], Any]] = {"bits": bits}
    for name in filter(case.can, ASKED_OFTEN):
        if name.endswith("_"):
            asked[name] = lambda model, name=name: getattr(model, name)
        else:
            asked[name] = lambda model, name=name: getattr(model, name)(X[3] if name.endswith("_one") else X)
    return asked


def said(ask: Callable[[Any], Any], model: Any) -> bytes:
    found = ask(model)
    return found if isinstance(found, bytes) else b"".join(as_bytes(found))


def changes(case: Any) -> Iterator[Callable[[Any], Any]]:
    """What is done to a model, step by step; with reviews, which replace all of it."""
    X, y = case.data()
    for begin in range(N_BEGUN, N_BEGUN + 48, 16):
        some = slice(begin, begin + 10)
        yield lambda model, some=some: model.partial_fit(X[some], y[some])
        for i in range(begin + 10, begin + 16):
            if case.can("learn_one"):
                yield lambda model, i=i: model.learn_one(X[i], y[i])
        if case.unlearns and case.parameters.get("window") is None:
            yield lambda model, some=some: model.unlearn(X[some][:4], y[some][:4])
        if case.jobs is not None:
            yield lambda model, begin=begin: model.set_params(**{case.jobs: 1 + begin // 16 % 2})


def together(*works: Callable[[Any], None]) -> None:
    """Run works in threads; each can ask whether the first is over. What one of them raises is raised."""
    raised: list[BaseException] = []
    is_over = threading.Event()

    @contextmanager
    def noted() -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            raised.append(error)
            is_over.set()

    def run(work: Callable[[Any], None]) -> None:
        with noted():
            work(is_over.is_set)
        if work is works[0]:
            is_over.set()

    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive(), "it hangs"
    if raised:
        raise raised[0]
