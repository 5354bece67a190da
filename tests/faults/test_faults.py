"""Killed at any call of the system that changes a file, or told of an error by any, nothing that was saved is lost."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from faults.shim import IS_THERE, KILLS, faults
from thorough import THOROUGH

pytestmark = pytest.mark.skipif(not IS_THERE, reason="the shim needs Linux and a C compiler")

SAVES = ("save, free name", "save, name taken", "save, link")
BEGUN, GONE_ON = "checkpoints, from the beginning", "checkpoints, gone on with"
ERRORS = ("ENOSPC", "EIO", "EDQUOT", "EROFS", "EINTR")
ALL_ERRORS = (*(f"fail once {code}" for code in ERRORS), "fail from then on EIO", "short write")


def struck(*wanted):
    """Return what came of trials, after one without any fault for each thing wanted."""
    trials = faults("every", *wanted)
    assert {f"{trial['scenario']}: {trial['how']}" for trial in trials} == set(wanted)
    return trials


@pytest.fixture(scope="module")
def kills():
    ways = [(name, way) for name in SAVES for way in KILLS]
    ways += [(BEGUN, "kill midway"), (GONE_ON, "kill before")]
    if THOROUGH:
        ways = [(name, way) for name in (*SAVES, BEGUN, GONE_ON) for way in KILLS]
    return struck(*(f"{name}: {way}" for name, way in ways))


@pytest.fixture(scope="module")
def errors():
    ways = [(SAVES[1], way) for way in ("fail once EIO", "fail once EINTR", "short write")]
    ways += [(SAVES[0], "fail once EDQUOT"), (SAVES[2], "fail from then on EROFS")]
    ways += [(GONE_ON, "fail once ENOSPC"), (GONE_ON, "fail from then on EIO")]
    if THOROUGH:
        ways = [(name, way) for name in (*SAVES, BEGUN, GONE_ON) for way in ALL_ERRORS]
    return struck(*(f"{name}: {way}" for name, way in ways))


def test_killed_at_any_call_the_old_or_the_new_is_there(kills):
    """Whole; the next save, or run, ends as if nothing had happened, and cleans up."""
    assert [trial for trial in kills if trial["problems"]] == []
    assert all(trial["killed"] == (trial["at"] > 0) for trial in kills)
    found = {trial["scenario"]: set() for trial in kills}
    for trial in kills:
        found[trial["scenario"]].add(trial["found"])
    assert found == {
        SAVES[0]: {"nothing", "new"},
        SAVES[1]: {"old", "new"},
        SAVES[2]: {"old", "new"},
        BEGUN: {"nothing", "row 1000", "row 2000"},
        GONE_ON: {"row 1000", "row 2000"},
    }


def test_an_error_at_any_call_is_told_and_changes_nothing(errors):
    """It names the file and says what to do; the model in memory is as it was, and can be saved elsewhere."""
    assert [trial for trial in errors if trial["problems"]] == []
    told = [trial for trial in errors if trial["error"]]
    assert {trial["call"] for trial in told} >= {"open", "flock", "write", "chmod", "fsync", "rename"}
    for trial in told:
        name = {"save, link": "latest"}.get(trial["scenario"], "model" if "save" in trial["scenario"] else "checkpoint")
        assert f"folder/{name}" in trial["error"]
        assert "; " in trial["error"], "what to do"
        is_new = trial["found"] in ("new", "row 2000")
        assert ("is saved, but might not last" in trial["error"]) == is_new
        if not trial["how"].startswith("fail from then on"):
            assert [left for left in trial["left"] if left != "checkpoint.lock"] == []
    quiet = [trial for trial in errors if not trial["error"]]
    assert {trial["found"] for trial in quiet} == {"new", "row 2000"}
    codes = {trial["how"].split()[-1]: trial["error"] for trial in told}
    assert all(f"[Errno {getattr(errno, code)}]" in words for code, words in codes.items())


def test_short_writes_and_interrupted_ones_go_on(errors):
    for trial in errors:
        goes_on = "short" in trial["how"] or ("EINTR" in trial["how"] and trial["call"] in ("write", "open", "fsync"))
        assert not (goes_on and trial["error"])


def test_what_a_power_failure_leaves(kills):
    """A file is on the disk before it has its name, and the name before the call returns."""
    for trial in (trial for trial in kills if trial["at"] == 0):
        paths, unsynced, written, named = {}, set(), {}, None
        for call, *what in (line.replace("\t", " ").split(" ") for line in trial["calls"]):
            if call == "open":
                opened = what[0]
            elif call == "=":
                paths[what[0]] = opened
            elif call == "write" and not paths[what[0]].endswith(".lock"):
                unsynced.add(paths[what[0]])
                written[paths[what[0]]] = int(what[1]) + written.get(paths[what[0]], 0)
            elif call == "fsync":
                unsynced.discard(paths[what[0]])
                named = None if named == paths[what[0]] else named
            elif call == "rename":
                assert what[0] not in unsynced
                named = str(Path(what[1]).parent)
        assert named is None
        assert unsynced == set()
        assert list(written.values())[-1] == trial["size"], "calls that the shim does not see"
