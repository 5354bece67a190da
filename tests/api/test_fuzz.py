"""A few hundred cases of each attack of `make fuzz`, without sanitizers: nothing is found."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import hedgerow
from fuzz import calls, command_line, files, optimize, readers, report, runner
from fuzz.judge import CHANGED, CRASH, HANG, REFUSED, WRONG_ERROR, WRONG_NUMBER, Judge
from models import BY_NAME

ROOT = Path(__file__).parents[2]
ATTACKS = {calls: 138, files: 368, optimize: 60, readers: 120, command_line: 30}


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


def test_what_ends_a_process_is_noted(monkeypatch):
    monkeypatch.setattr(runner, "SILENCE", 1.0)
    tally = runner.attack("faults", runner.Goal(most=5), n_workers=1, first=0)
    found = [(fault, case) for fault, case, _ in tally.failures]
    assert found == [(CRASH, "faults:1"), (HANG, "faults:2"), (HANG, "faults:3"), (WRONG_ERROR, "faults:4")]
    assert tally.counts["cases"] == 5
    assert report.is_bad([tally])
    assert "| faults | 5 | 2 | 1 | 1 | 2 | 0 | 1 | 0 |" in report.table([tally])
    assert "python -m fuzz --case faults:1" in report.failures([tally])


def test_a_page_gets_its_rows(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{report.BEGIN}\n{report.END}\nafter\n")
    for attack, n in (("calls", 7), ("command_line", 8), ("calls", 9)):
        report.rewrite(page, runner.Tally(attack, Counter(cases=n), seconds=120.0))
    lines = page.read_text().splitlines()
    assert (lines[:2], lines[-2:]) == (["before", report.BEGIN], [report.END, "after"])
    head, _, *rows = lines[2:-2]
    assert "| what | cases | calls | refused |" in head
    assert [row.split(" | ")[:2] for row in rows] == [["| command line", "8"], ["| calls", "9"]]
    assert all(row.split(" | ")[-2] == "2" for row in rows)  # minutes
    monkeypatch.setenv("PATH", "")  # as in a source archive: git knows no commit
    report.rewrite(page, runner.Tally("calls"))
    assert page.read_text().splitlines()[-3].split(" | ")[-1] == f"{hedgerow.__version__} |"
    page.write_text("no place")
    with pytest.raises(ValueError, match="no place for the table"):
        report.rewrite(page, runner.Tally("calls"))


def _raise(error):
    raise error


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_says_what_was_done(number):
    """Hours of work are not lost when somebody stops them."""
    command = [sys.executable, "-m", "fuzz", "optimize", "--minutes", "60"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "optimize: begun\n"
        process.send_signal(number)
        said, complaint = process.communicate(timeout=120)
    assert process.returncode == 0, complaint
    assert re.search(r"optimize: [1-9][\d,]* cases, [\d,]+ calls .* nothing wrong", said)
