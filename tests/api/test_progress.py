"""One bar for everything: after two seconds, on terminals, and only one; nothing in pipes."""

import io
import subprocess
import sys
import threading

import numpy as np
import pytest
from rich.console import Console

from hedgerow import MondrianBoostingRegressor, MondrianForestRegressor, show_progress
from hedgerow.base import progress as bars
from hedgerow.optimize import minimize
from hedgerow.stream import evaluate

X = np.random.default_rng(0).uniform(size=(60, 2))


def terminal(is_terminal=True):
    return Console(file=io.StringIO(), force_terminal=is_terminal, width=100)


@pytest.fixture
def on_terminal(monkeypatch):
    """A terminal that is always shown a bar, at once."""
    console, of = terminal(), bars._Bar

    class AtOnce(of):
        def __init__(self, what, _):
            super().__init__(what, console)
            self.show()

        def report(self, what, done, total):
            super().report(what, done, total)
            self._shown.refresh()  # or what is soon over would not be seen

    monkeypatch.setattr(bars, "_Bar", AtOnce)
    monkeypatch.setattr(bars, "_is_shown", lambda wanted, _: wanted is not False)
    return console.file


@pytest.mark.parametrize("model", [MondrianForestRegressor(5), MondrianBoostingRegressor(3, stages=["mondrian"])])
def test_fits_tell_what_they_do(model, on_terminal):
    model.fit(X, X[:, 0])
    assert f"fitting {type(model).__name__}" in on_terminal.getvalue()
    assert "growing trees" in on_terminal.getvalue()


def test_minimising_counts_and_has_one_bar(on_terminal):
    minimize(lambda x: float(MondrianForestRegressor(2).fit(X, X[:, 0]).predict(X)[0] + x[0]), [(0, 1)], n_calls=3)
    assert "minimising" in on_terminal.getvalue()
    assert "fitting" not in on_terminal.getvalue()


def test_a_bar_waits_and_goes(monkeypatch):
    console, seen = terminal(), threading.Event()
    monkeypatch.setattr(bars, "SECONDS_BEFORE_A_BAR", 0.01)
    monkeypatch.setattr(bars._Bar, "show", lambda self, show=bars._Bar.show: (show(self), seen.set()))
    with bars.progress("long work", console=console):
        assert console.file.getvalue() == ""
        assert seen.wait(30)
        bars.report("a step", 1, 2)
    assert "long work" in console.file.getvalue()
    assert "a step, 1 of 2" in console.file.getvalue()
    with bars.progress("short work", console=console):
        pass
    assert "short work" not in console.file.getvalue()


def test_nothing_is_shown_in_pipes_or_when_unwanted(monkeypatch):
    for console, wanted in ((terminal(False), True), (terminal(), False)):
        with bars.progress("work", wanted, console):
            bars.report("a step")
        assert console.file.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", terminal().file)
    assert not bars._is_shown(None, None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert bars._is_shown(None, None)
    monkeypatch.setenv("HEDGEROW_PROGRESS", "0")
    assert not bars._is_shown(None, None)


def test_users_say_what_is_shown(on_terminal, monkeypatch):
    with show_progress(False):
        MondrianForestRegressor(2).fit(X, X[:, 0])
        with show_progress(None):
            assert bars._wish.get() is None
        assert bars.are_bars_off()
    assert on_terminal.getvalue() == ""
    monkeypatch.setattr(bars._Bar, "__init__", bars._Bar.__mro__[1].__init__)  # shown when it is asked for, not before
    console = terminal()
    with show_progress(True), bars.progress("short work", console=console):
        pass
    assert "short work" in console.file.getvalue()
    with show_progress(False), bars.progress("sampling", True, console):  # the parameter of BART comes first
        pass
    assert "sampling" in console.file.getvalue()
    assert not bars.are_bars_off()


@pytest.mark.parametrize("shown", [0, "no", np.True_])
def test_wishes_that_are_none(shown):
    with pytest.raises(ValueError, match="shown must be True, False or None"), show_progress(shown):
        pass


@pytest.mark.parametrize("off", ["block", "environment", None])
def test_streams_heed_it_too(off, monkeypatch):
    asked = []
    monkeypatch.setattr("hedgerow.stream._evaluate.with_progress", lambda steps, *_: (asked.append(1), steps)[1])
    monkeypatch.setenv("HEDGEROW_PROGRESS", "0" if off == "environment" else "1")
    with show_progress(False if off == "block" else None):
        evaluate(MondrianForestRegressor(2), zip(X[:10], X[:10, 0], strict=True))
    assert bool(asked) == (off is None)


def test_threads_have_one_bar_between_them(on_terminal):
    inside, over = threading.Event(), threading.Event()

    def first():
        with bars.progress("first"):
            inside.set()
            over.wait(30)

    thread = threading.Thread(target=first)
    thread.start()
    assert inside.wait(30)
    with bars.progress("second"):
        bars.report("a step")
    over.set()
    thread.join()
    assert "first" in on_terminal.getvalue()
    assert "second" not in on_terminal.getvalue()


def test_a_bar_is_closed_when_work_fails(on_terminal):
    def fail():
        with bars.progress("work"):
            raise ZeroDivisionError

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            fail()
    assert bars._reporter.get() is None
    assert bars._one_bar.acquire(blocking=False)
    bars._one_bar.release()


def test_models_do_not_wait_for_bars_to_be_imported():
    code = "import sys, hedgerow.base.progress; sys.exit('rich.progress' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
