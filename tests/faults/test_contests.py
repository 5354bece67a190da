"""Two processes at one file: every read is whole, no writer fails, no run is disturbed, nothing is left."""

from __future__ import annotations

import pytest

from faults.shim import IS_THERE, faults
from thorough import THOROUGH

pytestmark = pytest.mark.skipif(not IS_THERE, reason="the shim needs Linux and a C compiler")

MANY = 20 if THOROUGH else 1


def test_every_read_is_whole_while_two_save():
    (found,) = faults("savers", 400 * MANY)
    assert found["codes"] == [0, 0]
    assert found["seen"]["torn"] == 0
    assert found["seen"]["1"] > 10
    assert found["seen"]["2"] > 10
    assert found["names"] == ["model"]


def test_two_runs_take_turns_at_one_checkpoint():
    rounds = faults("runs", 5 * MANY)
    for found in rounds:
        assert found["codes"] == [0, 0]
        assert set(found["names"]) - {"checkpoint.previous"} == {"checkpoint"}
