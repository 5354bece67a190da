"""Memory that runs out in a call leaves the model as it was, or with the first `n_samples_seen_` rows learned.

A process of its own lowers the limit of its address space to a little above what it uses and calls every verb that
changes a model, so that allocations of the core, of NumPy and of Python fail wherever they may.
"""

from __future__ import annotations

import contextlib
import copy
import json
import linecache
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from models import BY_NAME, CASES, bits
from thorough import THOROUGH

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads how much is used from /proc")

ONLINE = [case.name for case in CASES if case.online]
SOME = [
    "forest",
    "class forest, window",
    "kernel features",
    "kernel ridge, fixed",
    "online forest, linear",
    "conformal",
    "quantile forest, conformal",
]
N_LEARNED, N_MORE = 60, 100
MEGABYTES = (0, 0.1, 0.25, 1, 4, 16, 64, 256) if THOROUGH else (0, 0.1, 0.25, 1, 8)
# Stages of a boosting learn one after another, and scores are kept after the base has learned: rows of a call that
# fails in between are learned by a part of the model.
LEARN_IN_PARTS = {name for name in ONLINE if "boosting" in name} | {
    "conformal, approximate",
    "conformal, Mondrian",
    "conformal, Mondrian, normalised",
}


@pytest.mark.parametrize("names", [[name] for name in ONLINE] if THOROUGH else [SOME], ids=", ".join)
def test_memory_that_runs_out(names):
    tests = str(Path(__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": tests, "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-X", "faulthandler", __file__, *names]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    if THOROUGH and run.returncode == -signal.SIGSEGV and "core" not in last_line(run.stderr):
        pytest.xfail(f"NumPy uses memory that it did not get: {last_line(run.stderr)}")
    assert run.returncode == 0, run.stderr[-2000:]
    found = json.loads(run.stdout)
    assert all(n_failed > 0 for n_failed, _ in found.values()), f"no call has failed: {found}"
    assert {name: wrong for name, (_, wrong) in found.items() if wrong and name not in LEARN_IN_PARTS} == {}


def last_line(report):
    """Return the line of Python in which a process was when it died."""
    file, line = re.search(r'File "(.+)", line (\d+)', report).groups()
    return linecache.getline(file, int(line)).strip()


# What follows runs in a process of its own.


def verbs(case, X, y):
    """Yield verbs that change a model, by name."""
    yield "partial_fit", lambda model: model.partial_fit(X, y)
    yield "learn_one", lambda model: model.learn_one(X[0], y[0])
    if case.forecasts:
        yield "predict_then_learn", lambda model: model.predict_then_learn(X, y)
    if case.unlearns:
        known = case.data(N_LEARNED)
        yield "unlearn", lambda model: model.unlearn(known[0][5:20], known[1][5:20])


def fails(verb, model, megabytes):
    """Call a verb with so much memory more, and return whether it failed for want of it."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    lower, upper, taken, has_begun = (used, most), (used + int(megabytes * 2**20), most), [], False
    resource.setrlimit(resource.RLIMIT_AS, lower)
    try:
        for size in (2**20, 2**16, 2**13, 2**10):  # what was used before, and is free
            with contextlib.suppress(MemoryError):
                while True:
                    taken.append(bytearray(size))
        resource.setrlimit(resource.RLIMIT_AS, upper)
        has_begun = True
        verb(model)
    except (MemoryError, SystemError):  # NumPy does not always say which
        return has_begun
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    return False


def is_explained(model, verb, before, case, X, y):
    """Whether a model that failed is as it was; or one that has learned the first rows, and goes on as such."""
    if bits(model) == before:
        return True
    n = model.n_samples_seen_ - N_LEARNED if verb in ("partial_fit", "predict_then_learn") else 0
    if not 0 < n <= N_MORE:
        return False
    twin = case.new().partial_fit(*case.data(N_LEARNED)).partial_fit(X[:n], y[:n])
    more = [np.concatenate([part[n:], part[:5]]) for part in (X, y)]  # a review that failed is made up for
    return bits(model.partial_fit(*more)) == bits(twin.partial_fit(*more))


def main(names):
    """Print of each variant how many calls have failed, and which of them left something else."""
    found = {}
    for name in names:
        case = BY_NAME[name]
        (X, y), n_failed, wrong = case.data(N_MORE, seed=1), 0, []
        first = case.new().partial_fit(*case.data(N_LEARNED))
        before = bits(first)
        for verb, call in verbs(case, X, y):
            call(copy.deepcopy(first))  # what is made once has been made
            for megabytes in MEGABYTES:
                model = copy.deepcopy(first)
                if fails(call, model, megabytes):
                    n_failed += 1
                    if not is_explained(model, verb, before, case, X, y):
                        wrong.append(f"{verb} with {megabytes} MB")
        found[name] = n_failed, wrong
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
