"""A few hundred cases of each attack of `make fuzz`, without sanitizers: nothing is found."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from fuzz import calls, command_line, files, optimize, readers
from fuzz.judge import CHANGED, REFUSED, WRONG_ERROR, WRONG_NUMBER, Judge
from models import BY_NAME

ATTACKS = {calls: 184, files: 460, optimize: 60, readers: 120, command_line: 30}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
@pytest.mark.filterwarnings("ignore")
def test_cases(attack):
    judge = Judge()
    for seed in range(ATTACKS[attack]):
        attack.run(seed, judge)
        assert judge.faults == [], f"python -m fuzz --case {attack.__name__[5:]}:{seed}"
    assert 0 < judge.refused < judge.calls


# What the attack would find, if it were there.


def test_errors_that_do_not_help_are_noted():
    judge = Judge()
    for error in (KeyError("a"), ValueError(""), TypeError("f(): incompatible function arguments"), ValueError("so")):
        assert judge.call("a call", lambda error=error: _raise(error)) is REFUSED
    assert [fault for fault, _ in judge.faults] == [WRONG_ERROR] * 3
    assert judge.calls == judge.refused == 4


def test_a_model_that_changes_is_noted(monkeypatch):
    def predict(self, X):
        self._learner.learn_one(np.zeros(3), 0.0, 1.0, self._current.query)
        raise ValueError("no answer")

    monkeypatch.setattr(type(BY_NAME["forest"].new()), "predict", predict)
    found = []
    for seed in range(0, 46 * 40, 46):  # of the first variant
        judge = Judge()
        with warnings.catch_warnings(action="ignore"):
            calls.run(seed, judge)
        found += [fault for fault, words in judge.faults if ".predict(" in words]
    assert CHANGED in found


def test_numbers_that_cannot_be_are_noted(monkeypatch):
    kind = type(BY_NAME["class forest"].new())
    monkeypatch.setattr(kind, "predict_proba", lambda self, X: np.full((len(X), 3), 0.5))
    judge = Judge()
    case = BY_NAME["class forest"]
    files.ask(judge, case.new().fit(*case.data(20)), case, files.Random(0))
    assert [fault for fault, _ in judge.faults] == [WRONG_NUMBER]


def _raise(error):
    raise error
