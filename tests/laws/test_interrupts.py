"""Ctrl-C at any line of our code: `fit` is done wholly or not at all, `partial_fit` has learned whole rows."""

from __future__ import annotations

import copy
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

import hedgerow
from models import bits, every, make_sense, numbers
from thorough import THOROUGH

pytestmark = pytest.mark.filterwarnings("ignore")
HOME = str(Path(hedgerow.__file__).parent)
N_PLACES = 20 if THOROUGH else 3


def with_ctrl_c_at(line, call):
    """Call, with Ctrl-C just before the line of that number of those that are run; return how many were."""
    n_lines = 0

    def look(frame, event, _):
        nonlocal n_lines
        if not frame.f_code.co_filename.startswith(HOME):
            return None
        if event == "line":
            n_lines += 1
            if n_lines == line:
                signal.raise_signal(signal.SIGINT)
        return look

    previous, tracer = signal.signal(signal.SIGINT, signal.default_int_handler), sys.gettrace()
    sys.settrace(look)
    try:
        call()
    finally:
        sys.settrace(tracer)
        signal.signal(signal.SIGINT, previous)
    return n_lines


def places(call):
    """Return numbers of lines, spread over a call."""
    n_lines = with_ctrl_c_at(0, call)
    return sorted({1, 2, n_lines, *np.linspace(3, n_lines - 1, N_PLACES).astype(int).tolist()})


@every()
def test_fit_is_done_wholly_or_not_at_all(case):
    X, y = case.data(30)
    for model in (case.new(), case.fitted(20)):
        before, attributes = bits(model), set(vars(model))
        for line in places(lambda model=model: copy.deepcopy(model).fit(X, y)):
            other = copy.deepcopy(model)
            try:
                with_ctrl_c_at(line, lambda other=other: other.fit(X, y))
            except KeyboardInterrupt:
                if bits(other) != before:  # at the very end, when nothing is left to be done
                    assert bits(other) == bits(copy.deepcopy(model).fit(X, y)), line
                else:
                    assert set(vars(other)) == attributes, line
            else:  # too late, or, while chains are drawn, what there is is kept
                assert make_sense(numbers(other, X))


@every("online")
def test_partial_fit_leaves_a_model_that_goes_on(case):
    """It has learned the first rows; with the others it becomes what it would have been. The last brings no review."""
    X, y = case.data(80)
    begun = case.new().fit(X[:30], y[:30])
    straight = numbers(copy.deepcopy(begun).partial_fit(X[30:], y[30:]), X)
    for line in places(lambda: copy.deepcopy(begun).partial_fit(X[30:], y[30:])):
        model = copy.deepcopy(begun)
        try:
            with_ctrl_c_at(line, lambda model=model: model.partial_fit(X[30:], y[30:]))
        except KeyboardInterrupt:
            model = copy.deepcopy(model)
            assert make_sense(numbers(model, X))
            if not case.can("n_samples_seen_"):
                continue
            n_seen = model.n_samples_seen_
            assert 30 <= n_seen <= 80
            if n_seen < 80:
                model.partial_fit(X[n_seen:], y[n_seen:])
        np.testing.assert_allclose(numbers(model, X), straight, rtol=1e-9, err_msg=f"line {line}")
